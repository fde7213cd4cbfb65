"""Anthropic's message batches (fact sheet, section 4; S2 no. 6)."""

from __future__ import annotations

import json
import random
from typing import Any

from scrollwork.rehearsal.anthropic_messages import error, messages
from scrollwork.rehearsal.clock import iso
from scrollwork.rehearsal.world import DAY, Call, Refusal, Reply, World

MOST, LARGEST = 100_000, 256_000_000
COUNTS = ("processing", "succeeded", "errored", "canceled", "expired")


def public(row: dict[str, Any]) -> dict[str, Any]:
    """A batch as the vendor shows it: counts stay 0, all in processing, until it has ended."""
    hidden = ("rows", "vendor", "created", "results", "share", "version")
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


def finish(world: World, row: dict[str, Any], share: float, ending: str) -> None:
    """Answer the lines that were reached; the rest ends as `ending`, unpaid."""
    done, lines = round(len(row["rows"]) * share), []
    counts = dict.fromkeys(COUNTS, 0)
    for number, request in enumerate(row["rows"]):
        result: dict[str, Any] = {"type": ending}
        if number < done:
            try:
                headers = {"anthropic-version": row["version"]}
                reply = messages(world, Call("POST", "/v1/messages", headers, request["params"]), True)
                result = {"type": "succeeded", "message": reply.body}
            except Refusal as refusal:
                result = {"type": "errored", "error": refusal.reply.body}
        counts[result["type"]] += 1
        lines.append({"custom_id": request["custom_id"], "result": result})
    random.Random(f"{world.knobs['seed']} {row['id']}").shuffle(lines)
    row["results"] = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    row["request_counts"], row["processing_status"] = counts, "ended"
    row["ended_at"] = iso(world.clock.now())


def advance(world: World, row: dict[str, Any], base: str) -> dict[str, Any]:
    """Move a batch to where the clock says that it is."""
    with world.lock:
        if row["processing_status"] == "canceling":
            finish(world, row, row["share"], "canceled")
        elif row["processing_status"] == "in_progress" and (due := world.batch_due(row["created"])):
            finish(world, row, due[0], "expired")  # the lines that are not done
        if row["processing_status"] == "ended":
            row["results_url"] = f"{base}/v1/messages/batches/{row['id']}/results"
        return public(row)


def route(world: World, call: Call, base: str) -> Reply:
    """Batches by path. base: the address under which the vendor is reached, for results_url."""
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
