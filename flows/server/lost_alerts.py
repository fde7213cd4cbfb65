"""Alerts that a server of `up` could not deliver: Prefect notes it in its event feed, tells nobody, and does not try
again."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

from scrollwork.flows.server.local_server import post
from scrollwork.preprocessing.raw.errors import printable

FAILED, EXECUTED = "prefect.automation.action.failed", "prefect.automation.action.executed"
OWN = "scrollwork: "  # how names of our automations begin
DAYS = 7
MOST = 50  # events of a kind that are looked at, the newest; the server takes no more


def lost_alerts(running: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the alerts of the last DAYS that no receiver took: {alert, at, status}, the newest first.

    at: ISO time. status: what the receiver answered, None if it was not reached. What a library says of an error is
    left out: it may quote a secret address. [] from a server that does not answer, or keeps no events.
    """
    since = (datetime.now(UTC) - timedelta(days=DAYS)).isoformat()
    found: list[dict[str, Any]] = []
    with suppress(OSError, ValueError, KeyError, TypeError, AttributeError):
        for name in (FAILED, EXECUTED):
            wanted = {"occurred": {"since": since}, "event": {"name": [name]}, "order": "DESC"}
            events = post(running, "events/filter", {"filter": wanted, "limit": MOST})["events"]
            found += [one for event in events if (one := lost(event, name)) is not None]
    return sorted(found, key=lambda one: str(one["at"]), reverse=True)


def lost(event: Mapping[str, Any], name: str) -> dict[str, Any] | None:
    """Return what is told of the event of an action, None if it was delivered or was no alert."""
    alert, payload = str(event["resource"].get("prefect.resource.name", "")), event.get("payload") or {}
    status = payload.get("status_code")
    if not alert.startswith(OWN) or payload.get("action_type") not in ("call-webhook", "send-notification"):
        return None
    if name == EXECUTED and not (isinstance(status, int) and status >= 300):
        return None
    return {"alert": printable(alert, 80), "at": printable(str(event["occurred"]), 40), "status": status}


def lost_line(found: list[dict[str, Any]]) -> str:
    """Return the line that `status` prints of lost alerts, of which there is at least one."""
    last = found[0]
    how = f"its receiver answered {last['status']}" if last["status"] else "its receiver was not reached"
    count = "1 alert was" if len(found) == 1 else f"{len(found)} alerts were"
    return f"{count} not delivered in {DAYS} days, the last one {last['alert']!r} at {last['at'][:19]}Z: {how}"
