"""Apply the automations of deploy/automations.yaml to a Prefect server, so that it tells of nights (docs/alerts.md).

Each automation that was applied has its name and a digest of its trigger and actions at the end of its description. If
these differ, somebody changed it by hand, and it is left alone. Prefect is imported by `api_of_settings` alone.
"""

from __future__ import annotations

import hashlib
import json
import re
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import yaml

from scrollwork.flows.server.local_server import ask
from scrollwork.flows.server.project import CODE
from scrollwork.flows.server.receivers import Receiver, receivers_of, setting_up

FILE = CODE / "deploy" / "automations.yaml"
HEARTBEAT = "scrollwork: heartbeat lost"
PAGE = 200  # rows in one reply of the server
NOTED = re.compile(r" \[(scrollwork: [^\]]+) ([0-9a-f]{12})\]$")

Api = Callable[[str, str, Any], Any]  # (method, path below /api, body as JSON) -> the reply's JSON; raises OSError


@dataclass(frozen=True)
class Applied:
    """Names of the automations that were made and updated, those that stand as they are, those that somebody changed by
    hand and that are left so, and those that stood twice, of which one is left."""

    made: tuple[str, ...] = ()
    updated: tuple[str, ...] = ()
    standing: tuple[str, ...] = ()
    by_hand: tuple[str, ...] = ()
    doubled: tuple[str, ...] = ()


@cache
def shipped() -> tuple[dict[str, Any], ...]:
    """Return the automations of the file, as it writes them."""
    return tuple(yaml.safe_load(FILE.read_text(encoding="utf-8"))["automations"])


def apply(api: Api, receivers: Sequence[Receiver]) -> Applied:
    """Make the automations that the server lacks, and update those that scrollwork made before. Applying twice changes
    nothing the second time. Whether an automation is enabled stays as it is. Raises OSError.

    receivers: where messages go (`receivers_of`); without any, the automations stand and send nothing.
    """
    standing: dict[str, list[dict[str, Any]]] = {}
    for one in every_automation(api):
        noted = NOTED.search(str(one.get("description", "")))
        standing.setdefault(noted[1] if noted else str(one["name"]), []).append(one)
    done: dict[str, list[str]] = {}
    for row in shipped():
        name, there = str(row["name"]), standing.get(str(row["name"]), [])
        ours = [one for one in there if is_untouched(one)]
        wanted = automation(row, receivers)
        for double in ours[1:]:  # two commands at the same time made both
            api("DELETE", f"automations/{double['id']}", None)
            done.setdefault("doubled", []).append(name)
        if len(ours) < len(there):
            done.setdefault("by_hand", []).append(name)
        if not there:
            api("POST", "automations/", wanted)
            done.setdefault("made", []).append(name)
        elif ours and digest_of(ours[0]) == digest_of(wanted):
            done.setdefault("standing", []).append(name)
        elif ours:
            kept = {part: ours[0][part] for part in ("enabled", "tags") if part in ours[0]}
            api("PUT", f"automations/{ours[0]['id']}", {**wanted, **kept})
            done.setdefault("updated", []).append(name)
    return Applied(**{how: tuple(names) for how, names in done.items()})


def every_automation(api: Api) -> Iterator[dict[str, Any]]:
    """Yield the automations of a server, page by page."""
    offset = 0
    while page := api("POST", "automations/filter", {"limit": PAGE, "offset": offset}):
        yield from page
        offset += len(page)


def automation(row: Mapping[str, Any], receivers: Sequence[Receiver]) -> dict[str, Any]:
    """Return an automation of the file as the API takes it."""
    actions = list(row.get("actions", ()))
    if "message" in row:
        actions += [one.action(str(row["kind"]), str(row["message"])) for one in receivers]
    plain = {"name": row["name"], "enabled": True, "trigger": row["trigger"]}
    plain["actions"] = actions or [{"type": "do-nothing"}]
    return {**plain, "description": f"{row['description']} [{row['name']} {digest_of(plain)}]"}


def is_untouched(found: Mapping[str, Any]) -> bool:
    """Return whether an automation of a server is as scrollwork made it, under its name."""
    noted = NOTED.search(str(found.get("description", "")))
    return noted is not None and noted.groups() == (found["name"], digest_of(found))


def digest_of(found: Mapping[str, Any]) -> str:
    """Return the digest of the trigger and the actions, which is the same before and after the server took them."""
    parts = [plain_of(found[part]) for part in ("trigger", "actions", "actions_on_trigger", "actions_on_resolve")
             if found.get(part)]  # fmt: skip
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode("utf-8")).hexdigest()[:12]


def plain_of(value: Any) -> Any:
    """Return JSON without what the server adds: ids of triggers, and values that stand for none. Sets are sorted."""
    if isinstance(value, Mapping):
        plain = {name: plain_of(one) for name, one in value.items() if name != "id"}
        return {name: one for name, one in plain.items() if one not in (None, "", False, 0, [], {}, [{}])}
    if isinstance(value, list):
        rows = [plain_of(one) for one in value]
        return sorted(rows) if all(isinstance(one, str) for one in rows) else rows
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


# ---- on a server


def api_of_settings() -> Api:
    """Return the API of the server that Prefect's settings name (PREFECT_API_URL and its secret, or a profile)."""
    import httpx
    from prefect.client.orchestration import get_client

    def asked(method: str, path: str, body: Any) -> Any:
        try:
            with get_client(sync_client=True) as client:
                reply = client._client.request(method, f"/{path}", json=body)
                reply.raise_for_status()
        except httpx.HTTPError as error:
            raise OSError(f"{method} {path}: {error}") from error
        return reply.json() if reply.content else None

    return asked


def apply_to_settings() -> Applied:
    """Apply the automations to the server that Prefect's settings name, for the receivers there. Raises OSError."""
    api = api_of_settings()
    return apply(api, receivers_of(api))


def tell_alerts(running: dict[str, Any], say: Callable[[str], None]) -> None:
    """Apply the automations to a server of `up`, and say what its user should know. A server that takes none is no
    reason to end: that is said."""
    api = partial(ask, running)
    try:
        receivers = receivers_of(api)
        applied = apply(api, receivers)
    except (OSError, ValueError, KeyError, TypeError) as error:
        say(f"alerts: the server did not take the automations ({type(error).__name__}: {error})")
        return
    for name in applied.by_hand:
        say(f"alerts: {name!r} was changed by hand and is left so; delete it to get that of this version")
    names = ", ".join(sorted(one.name for one in receivers))
    say(f"alerts go to {names}" if receivers else setting_up())


def forget_heartbeats(database: Path) -> None:
    """Forget which runs were to give a sign of life, before a server that was down is started again on its SQLite file.

    Prefect would crash runs that live, because none could tell a server that was down. The next sign of life counts
    again; runs without a process are found by `up` itself (recovery.py).
    """
    if not database.is_file():
        return
    found = "SELECT id FROM automation WHERE name = ? OR description LIKE '%[' || ? || ' %'"  # also under another name
    try:
        with closing(sqlite3.connect(database, timeout=10)) as connection, connection:
            connection.execute(
                f"DELETE FROM automation_bucket WHERE automation_id IN ({found})", (HEARTBEAT, HEARTBEAT)
            )
    except sqlite3.Error:  # a database of no automations yet; the server itself tells of a damaged one
        return
