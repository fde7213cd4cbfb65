"""OpenAI's files and batches (fact sheet, section 4; S1 no. 9)."""

from __future__ import annotations

import json
import random
import re
from typing import Any

from scrollwork.rehearsal.faulty.faults import of_line
from scrollwork.rehearsal.openai_chat import chat
from scrollwork.rehearsal.openai_responses import responses
from scrollwork.rehearsal.openai_rules import error
from scrollwork.rehearsal.world import DAY, Call, Refusal, Reply, World

ENDPOINTS = {"/v1/chat/completions": chat, "/v1/responses": responses}
MOST, LARGEST = 50_000, 200_000_000
STAMPS = ("in_progress_at", "finalizing_at", "completed_at", "failed_at", "expired_at", "cancelling_at", "cancelled_at")


def upload(world: World, call: Call) -> Reply:
    """POST /v1/files, a multipart form."""
    boundary = call.headers.get("content-type", "").partition("boundary=")[2].strip('"').encode()
    fields: dict[str, bytes] = {}
    filename = "file.jsonl"
    for part in call.raw.split(b"--" + boundary)[1:-1]:
        head, _, data = part.partition(b"\r\n\r\n")
        name = re.search(rb'name="?([^";\r]+)', head)
        if name:
            fields[name[1].decode()] = data[:-2]
        if found := re.search(rb'filename="?([^";\r]+)', head):
            filename = found[1].decode()
    if "file" not in fields or not boundary:
        raise error(400, "Missing required parameter: 'file'.", param="file")
    if len(fields["file"]) > LARGEST:
        raise error(413, "File is too large.")
    return Reply(200, public(store(world, fields["file"], filename, fields.get("purpose", b"batch").decode())))


def store(world: World, data: bytes, filename: str, purpose: str) -> dict[str, Any]:
    """Store a file; returns its row."""
    name, now = world.number("file"), int(world.clock.now())
    row = {
        "id": name,
        "object": "file",
        "bytes": len(data),
        "created_at": now,
        "expires_at": now + 30 * 86_400,
        "filename": filename,
        "purpose": purpose,
        "status": "processed",
        "data": data,
    }
    world.files[name] = row
    return row


def public(row: dict[str, Any]) -> dict[str, Any]:
    """A file or batch as the vendor shows it."""
    return {name: value for name, value in row.items() if name not in ("data", "rows", "vendor", "left", "early")}


def file(world: World, name: str) -> dict[str, Any]:
    """A stored file. Raises 404."""
    if name not in world.files:
        raise error(404, f"No such File object: {name}", param="id")
    return world.files[name]


def faults_of(world: World, rows: list[dict[str, Any]], endpoint: str) -> list[dict[str, Any]]:
    """Why a batch fails validation, as in `errors.data`; [] if it does not."""
    found: list[dict[str, Any]] = []
    seen = set()
    models = {row.get("body", {}).get("model") for row in rows}
    if len(rows) > MOST:
        found.append({"code": "too_many_tasks", "message": f"The batch has more than {MOST} requests.", "line": None})
    if len(models) > 1:
        found.append({"code": "mismatched_model", "message": "All requests of a batch need one model.", "line": None})
    for number, row in enumerate(rows, 1):
        if row.get("custom_id") in seen or "custom_id" not in row:
            found.append({"code": "duplicate_custom_id", "message": "The custom_id is not unique.", "line": number})
        if row.get("url") != endpoint:
            found.append({"code": "mismatched_url", "message": "The url is not the batch's.", "line": number})
        seen.add(row.get("custom_id"))
    queue = world.knobs["batch_queue"]
    waiting = sum(
        len(json.dumps(row["body"])) // 4
        for batch in world.batches.values()
        if batch.get("vendor") == "openai" and batch["status"] == "in_progress"
        for row in batch["rows"]
    )
    if queue is not None and waiting + sum(len(json.dumps(row.get("body"))) // 4 for row in rows) > queue:
        message = f"Enqueued token limit reached. Limit: {queue} enqueued tokens. Please try again later."
        found.append({"code": "token_limit_exceeded", "message": message, "line": None})
    return [{**one, "param": None} for one in found]


def create(world: World, call: Call) -> Reply:
    """POST /v1/batches."""
    endpoint = call.body.get("endpoint")
    if endpoint not in ENDPOINTS or call.body.get("completion_window") != "24h":
        raise error(400, "Invalid endpoint or completion_window.", code="invalid_value")
    source, now = file(world, str(call.body.get("input_file_id"))), int(world.clock.now())
    try:
        rows = [json.loads(line) for line in source["data"].splitlines() if line.strip()]
        wrong = faults_of(world, rows, endpoint)
    except ValueError:
        rows, wrong = [], [{"code": "invalid_json_line", "message": "A line is no JSON.", "line": None, "param": None}]
    name = world.number("batch")
    row: dict[str, Any] = {
        "id": name,
        "object": "batch",
        "endpoint": endpoint,
        "input_file_id": source["id"],
        "completion_window": "24h",
        "status": "failed" if wrong else "in_progress",
        "created_at": now,
        "expires_at": now + int(DAY),
        "output_file_id": None,
        "error_file_id": None,
        "errors": {"object": "list", "data": wrong} if wrong else None,
        "metadata": call.body.get("metadata"),
        "request_counts": {"total": 0 if wrong else len(rows), "completed": 0, "failed": 0},
        **dict.fromkeys(STAMPS),
        "vendor": "openai",
        "rows": rows,
    }
    row["failed_at" if wrong else "in_progress_at"] = now
    world.batches[name] = row
    return Reply(200, public({**row, "status": "validating", "errors": None, "failed_at": None}))


def answered(world: World, endpoint: str, body: dict[str, Any]) -> Reply | None:
    """The reply to one request of a batch; None if a fault removes its line from the results."""
    call = Call("POST", endpoint, {}, body)

    def work() -> Reply:
        try:
            return ENDPOINTS[endpoint](world, call, True)
        except Refusal as refusal:
            return refusal.reply

    return of_line(world, call, "openai", work)


def finish(world: World, row: dict[str, Any], share: float, ending: str) -> None:
    """Answer the first `share` of a batch's requests, and write output and error file, lines in random order. The other
    requests are errors, not billed. ending: completed, expired or cancelled."""
    rows = row["rows"]
    done = round(len(rows) * share)
    good: list[bytes] = []
    bad: list[bytes] = []
    lost = 0
    for number, line in enumerate(rows):
        result: dict[str, Any] = {"id": world.number("batch_req"), "custom_id": line["custom_id"]}
        if number >= done:
            code = "batch_expired" if ending == "expired" else "batch_cancelled"
            message = "This request could not be executed before the completion window expired."
            bad.append(json.dumps({**result, "response": None, "error": {"code": code, "message": message}}).encode())
            continue
        reply = answered(world, row["endpoint"], line["body"])
        if reply is None:
            lost += 1
            continue
        response = {"status_code": reply.status, "request_id": world.number("req"), "body": reply.body}
        data = json.dumps({**result, "response": response, "error": None}).encode()
        (good if reply.status == 200 else bad).append(data if reply.part is None else data[: len(data) // 2])
    shuffle = random.Random(f"{world.knobs['seed']} {row['id']}").shuffle
    now = int(world.clock.now())
    for name, lines in (("output", good), ("error", bad)):
        shuffle(lines)
        if lines:
            data = b"".join(line + b"\n" for line in lines)
            row[f"{name}_file_id"] = store(world, data, f"{row['id']}_{name}.jsonl", "batch_output")["id"]
    row["request_counts"] = {"total": len(rows), "completed": len(good), "failed": len(bad) + lost}
    row["status"], row[f"{ending}_at"], row["finalizing_at"] = ending, now, now


def advance(world: World, row: dict[str, Any]) -> dict[str, Any]:
    """Update a batch to the clock's time, and return what the vendor shows of it."""
    with world.lock:
        if row["status"] == "cancelling":
            finish(world, row, row["left"], "cancelled")
        elif row["status"] == "in_progress" and (due := world.batch_due(row["created_at"], row)):
            finish(world, row, *due)
        return public(row)


def cancel(world: World, row: dict[str, Any]) -> Reply:
    """POST /v1/batches/ID/cancel. Requests that would be done by now are answered and billed."""
    if row["status"] == "in_progress":
        row["left"] = min(1.0, (world.clock.now() - row["created_at"]) / max(1.0, world.knobs["batch_s"]))
        row["status"], row["cancelling_at"] = "cancelling", int(world.clock.now())
    return Reply(200, public(row))


def route(world: World, call: Call) -> Reply:
    """Answer a request under /v1/files or /v1/batches."""
    kind, _, rest = call.path.removeprefix("/v1/").partition("/")
    name, _, verb = rest.partition("/")
    if kind == "files":
        if call.method == "POST":
            return upload(world, call)
        if not name:
            return Reply(
                200, {"object": "list", "data": [public(one) for one in world.files.values()], "has_more": False}
            )
        found = file(world, name)
        if call.method == "DELETE":
            del world.files[name]
            return Reply(200, {"id": name, "object": "file", "deleted": True})
        return Reply(200, None, raw=found["data"]) if verb == "content" else Reply(200, public(found))
    if call.method == "POST" and not name:
        return create(world, call)
    ours = {key: row for key, row in world.batches.items() if row["vendor"] == "openai"}
    if not name:
        return Reply(200, {"object": "list", "data": [advance(world, row) for row in ours.values()], "has_more": False})
    if name not in ours:
        raise error(404, f"No batch found with id '{name}'.")
    return cancel(world, ours[name]) if verb == "cancel" else Reply(200, advance(world, ours[name]))
