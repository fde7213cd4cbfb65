"""Anthropic's message batches (fact sheet, section 4; S2 no. 6)."""

from __future__ import annotations

import json
import random
from typing import Any

from scrollwork.rehearsal.anthropic_messages import error, messages
from scrollwork.rehearsal.clock import iso
from scrollwork.rehearsal.faulty.faults import of_line
from scrollwork.rehearsal.world import DAY, Call, Refusal, Reply, World

MOST, LARGEST = 100_000, 256_000_000
TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    504: "timeout_error",
    529: "overloaded_error",
}
COUNTS = ("processing", "succeeded", "errored", "canceled", "expired")


def public(row: dict[str, Any]) -> dict[str, Any]:
    """A batch as the vendor shows it. Until it has ended, all its requests are counted as processing."""
    hidden = ("rows", "vendor", "created", "results", "share", "version", "early")
    return {name: value for name, value in row.items() if name not in hidden}


def create(world: World, call: Call) -> Reply:
    """POST /v1/messages/batches."""
    rows = call.body.get("requests")
    if not isinstance(rows, list) or not rows:
        raise error(400, "requests: at least one request is required")
    if len(rows) > MOST or len(call.raw) > LARGEST:
        raise error(413, "Request exceeds the maximum size", "request_too_large")
    if len({row.get("custom_id") for row in rows}) < len(rows):
        raise error(400, "requests: custom_id must be unique")
    name, now = world.number("msgbatch"), world.clock.now()
    world.batches[name] = row = {
        "id": name,
        "type": "message_batch",
        "processing_status": "in_progress",
        "request_counts": {**dict.fromkeys(COUNTS, 0), "processing": len(rows)},
        "created_at": iso(now),
        "expires_at": iso(now + DAY),
        "ended_at": None,
        "archived_at": None,
        "cancel_initiated_at": None,
        "results_url": None,
        "vendor": "anthropic",
        "rows": rows,
        "created": now,
        "version": call.headers.get("anthropic-version", ""),
    }
    return Reply(200, public(row))


def answered(world: World, version: str, params: dict[str, Any]) -> Reply | None:
    """The reply to one request of a batch; None if a fault removes its line from the results."""
    call = Call("POST", "/v1/messages", {"anthropic-version": version}, params)

    def work() -> Reply:
        try:
            return messages(world, call, True)
        except Refusal as refusal:
            return refusal.reply

    return of_line(world, call, "anthropic", work)


def own_error(reply: Reply) -> dict[str, Any]:
    """An error reply in Anthropic's form, also if a fault has another form."""
    body = reply.body
    if isinstance(body, dict) and body.get("type") == "error":
        return body
    inner = body.get("error") if isinstance(body, dict) else None
    said = inner["message"] if isinstance(inner, dict) else str(body or "")
    own: dict[str, Any] = error(reply.status, said, TYPES.get(reply.status, "api_error")).reply.body
    return own


def finish(world: World, row: dict[str, Any], share: float, ending: str) -> None:
    """Answer the first `share` of a batch's requests; the others end as `ending` and are not billed."""
    done, lines = round(len(row["rows"]) * share), list[bytes]()
    counts = dict.fromkeys(COUNTS, 0)
    for number, request in enumerate(row["rows"]):
        result: dict[str, Any] = {"type": ending}
        reply = None
        if number < done:
            reply = answered(world, row["version"], request["params"])
            if reply is None:
                counts["errored"] += 1
                continue
            result = {"type": "succeeded", "message": reply.body}
            if reply.status != 200:
                result = {"type": "errored", "error": own_error(reply)}
        counts[result["type"]] += 1
        data = json.dumps({"custom_id": request["custom_id"], "result": result}).encode()
        lines.append(data if reply is None or reply.part is None else data[: len(data) // 2])
    random.Random(f"{world.knobs['seed']} {row['id']}").shuffle(lines)
    row["results"] = b"".join(line + b"\n" for line in lines)
    row["request_counts"], row["processing_status"] = counts, "ended"
    row["ended_at"] = iso(world.clock.now())


def advance(world: World, row: dict[str, Any], base: str) -> dict[str, Any]:
    """Update a batch to the clock's time, and return what the vendor shows of it. base: see `route`."""
    with world.lock:
        if row["processing_status"] == "canceling":
            finish(world, row, row["share"], "canceled")
        elif row["processing_status"] == "in_progress" and (due := world.batch_due(row["created"], row)):
            left = "canceled" if due[1] == "cancelled" else "expired"
            finish(world, row, due[0], left)
        if row["processing_status"] == "ended":
            row["results_url"] = f"{base}/v1/messages/batches/{row['id']}/results"
        return public(row)


def route(world: World, call: Call, base: str) -> Reply:
    """Answer a request under /v1/messages/batches. base: the vendor's base URL, for results_url."""
    name, _, verb = call.path.removeprefix("/v1/messages/batches").strip("/").partition("/")
    if call.method == "POST" and not name:
        return create(world, call)
    ours = {key: row for key, row in world.batches.items() if row["vendor"] == "anthropic"}
    if not name:
        rows = [advance(world, row, base) for row in ours.values()]
        return Reply(200, {"data": rows, "has_more": False, "first_id": None, "last_id": None})
    if name not in ours:
        raise error(404, f"batch: {name}", "not_found_error")
    row = ours[name]
    if verb == "cancel":
        if row["processing_status"] == "in_progress":
            row["share"] = min(1.0, (world.clock.now() - row["created"]) / max(1.0, world.knobs["batch_s"]))
            row["processing_status"], row["cancel_initiated_at"] = "canceling", iso(world.clock.now())
        return Reply(200, public(row))
    shown = advance(world, row, base)
    if verb == "results":
        if "results" not in row:
            raise error(404, "The results are not ready.", "not_found_error")
        return Reply(200, None, {"content-type": "application/x-jsonl"}, raw=row["results"])
    return Reply(200, shown)
