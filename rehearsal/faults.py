"""Faulty replies at seeded rates: knob faults = {vendor or "*": {kind: share}}.

BEFORE: no work is done, nothing is billed. AFTER and WIRE: the reply is spoilt, and paid.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from typing import Any

from scrollwork.rehearsal.world import Call, Reply, World, check_table


def _openai(status: int, message: str, kind: str, code: str | None = None) -> Reply:
    return Reply(status, {"error": {"message": message, "type": kind, "param": None, "code": code}})


def _anthropic(status: int, message: str, kind: str, code: str | None = None) -> Reply:
    inner: dict[str, Any] = {"type": kind, "message": message}
    return Reply(status, {"type": "error", "error": inner | ({"details": {"error_code": code}} if code else {})})


THRESHOLD = (
    "You have reached your API usage limits: your organization has crossed its monthly API usage threshold. "
    "You will regain access on 2026-12-01 at 00:00 UTC."
)
BEFORE: dict[str, Callable[[], Reply]] = {
    "overloaded_529": lambda: _anthropic(529, "Overloaded", "overloaded_error"),
    "api_error_500": lambda: _anthropic(500, "Internal server error", "api_error"),
    "rate_limit_429": lambda: _anthropic(429, "Number of requests has exceeded your rate limit.", "rate_limit_error"),
    "enforced_spend_limit": lambda: _anthropic(429, THRESHOLD, "rate_limit_error", "enforced_spend_limit_reached"),
    "own_limit_400": lambda: _anthropic(
        400, "You have reached your specified API usage limits. You will regain access on 2026-12-01 at 00:00 UTC.",
        "invalid_request_error",
    ),
    "workspace_limit_400": lambda: _anthropic(
        400, "You have reached your specified workspace API usage limits. You will regain access on 2026-12-01.",
        "invalid_request_error",
    ),
    "server_error_500": lambda: _openai(500, "The server had an error while processing your request.", "server_error"),
    "overloaded_503": lambda: _openai(
        503, "The engine is currently overloaded, please try again later.", "service_unavailable_error",
        "server_is_overloaded",
    ),
    "insufficient_quota": lambda: _openai(
        429, "You exceeded your current quota, please check your plan and billing details.", "insufficient_quota",
        "insufficient_quota",
    ),
    "no_credits_402": lambda: _openai(402, "Insufficient Balance", "unknown_error", "invalid_request_error"),
    "capacity_498": lambda: _openai(498, "Flex tier capacity exceeded.", "capacity_exceeded", "capacity_exceeded"),
    "forbidden_403": lambda: _openai(403, "Country, region, or territory not supported", "request_forbidden"),
    "gemini_503": lambda: Reply(
        503, [{"error": {"code": 503, "message": "The model is overloaded.", "status": "UNAVAILABLE"}}]
    ),
    "bad_gateway_html": lambda: Reply(502, None, {"content-type": "text/html"}, b"<html>502 Bad Gateway</html>"),
    "html_200": lambda: Reply(200, None, {"content-type": "text/html"}, b"<html>Please log in</html>"),
    "error_in_200": lambda: _openai(200, "Provider returned error", "server_error", "server_is_overloaded"),
    "closed": lambda: Reply(200, None, drop=True),
}  # fmt: skip


def _set(body: dict[str, Any], name: str, value: Any) -> None:
    """Put a value where the reply's form has it."""
    if name == "usage":
        body["usage"] = value
    elif name == "text" and "choices" in body:
        body["choices"][0]["message"]["content"] = value
    elif name == "text":
        place = "content" if "content" in body else "output"
        body[place] = [] if value in ("", None) else value
    elif name == "choices":
        body["choices" if "choices" in body else "content" if "content" in body else "output"] = value


def _refusal(body: dict[str, Any]) -> None:
    """The model refuses (section 2)."""
    if "choices" in body:
        body["choices"][0]["message"].update(content=None, refusal="I can't help with that.")
    elif "stop_reason" in body:
        details = {"type": "refusal", "category": None, "explanation": None}
        body.update(content=[], stop_reason="refusal", stop_details=details)
    else:
        content = [{"type": "refusal", "refusal": "I can't help with that."}]
        body["output"] = [
            {"id": "msg_r", "type": "message", "role": "assistant", "status": "completed", "content": content}
        ]


def _filtered(body: dict[str, Any]) -> None:
    """The vendor's filter cut the reply."""
    if "choices" in body:
        body["choices"][0].update(finish_reason="content_filter")
    elif "status" in body:
        body.update(status="incomplete", incomplete_details={"reason": "content_filter"}, output=[])
    else:
        _refusal(body)


AFTER: dict[str, Callable[[dict[str, Any]], None]] = {
    "empty_text": lambda body: _set(body, "text", ""),
    "null_text": lambda body: _set(body, "text", None),
    "no_choices": lambda body: _set(body, "choices", []),
    "null_choices": lambda body: _set(body, "choices", None),
    "no_usage": lambda body: _set(body, "usage", None),
    "empty_usage": lambda body: _set(body, "usage", {}),
    "negative_usage": lambda body: _set(
        body, "usage", {name: -one if isinstance(one, int) else one for name, one in (body["usage"] or {}).items()}
    ),
    "other_model": lambda body: body.update(model="another-model"),
    "refusal": _refusal,
    "content_filter": _filtered,
}
WIRE = ("truncated", "empty_body")
KINDS = (*BEFORE, *AFTER, *WIRE)


def check(knobs: Mapping[str, Any], vendors: Iterable[str]) -> None:
    """Check the vendors and kinds that knobs name. Raises ValueError."""
    for table in ("faults", "limits", "ratio", "compatible"):
        known = (*vendors, *(["*"] if table == "faults" else []))
        for name, value in knobs.get(table, {}).items():
            if name.partition("/")[0] not in known:
                raise ValueError(f"knob {table}: there is no vendor {name}; there are {', '.join(known)}")
            if table == "faults":
                check_table(f"faults of {name}", value, KINDS, most=1)


def drawn(world: World, call: Call, vendor: str) -> str | None:
    """The fault that this request meets, if any."""
    table = world.knobs["faults"]
    found = table.get(vendor, table.get("*", {}))
    return next((kind for kind, share in found.items() if world.chance(share, kind, call)), None)


def applied(kind: str | None, work: Callable[[], Reply]) -> Reply:
    """The reply with its fault."""
    if kind in BEFORE:
        return BEFORE[kind]()
    reply = work()
    if kind in AFTER and isinstance(reply.body, dict):
        reply.body = deepcopy(reply.body)
        AFTER[kind](reply.body)
    elif kind in WIRE:
        reply.raw = json.dumps(reply.body).encode()[:-40] if kind == "truncated" else b""
    return reply
