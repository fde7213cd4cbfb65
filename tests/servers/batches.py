"""Batches of both vendors as state machines: they move on when they are looked at, and may end in part or expire.

A plan: {"looks": 2, "done": 0.5, "end": "completed" | "expired" | "cancelled" | "failed", "errors": 0.1, "lost_reply": true}.
looks: how often a batch is looked at before it ends. done: the share of requests that were answered when it ended early.
errors: the share that fail one by one. lost_reply: the batch is made and the connection is reset before its creator hears.
create: what happens to each creation in the order in which they come: "" nothing, a name of faults.STATUSES (nothing is
made), lost (as lost_reply), made:STATUS (made, and the status answered), late:S (made after so many seconds), slow:S (made
at once, answered after so many seconds). ends: how batches end in the order in which they do, before `end` holds. most: OpenAI refuses batches of more requests.
why: the reason of end "failed". rubbish: lines of no use stand among the results. gone: results are kept no longer.
results_s: seconds before results come.
"""

from __future__ import annotations

import email.parser
import email.policy
import hashlib
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

Answer = Callable[[str, dict[str, Any]], tuple[int, dict[str, Any]]]


def lot(seed: str) -> float:
    """A number from 0 to 1 that depends on the seed alone."""
    return int.from_bytes(hashlib.sha256(seed.encode()).digest()[:8], "big") / 2**64


def form(content_type: str, data: bytes) -> dict[str, bytes]:
    """The fields of a multipart form."""
    head = f"Content-Type: {content_type}\r\n\r\n".encode()
    message = email.parser.BytesParser(policy=email.policy.HTTP).parsebytes(head + data)
    found = {}
    for part in message.iter_parts():
        name = part.get_param("name", header="content-disposition")
        found[str(name)] = part.get_payload(decode=True)
    return found


@dataclass
class Batch:
    """One batch; `requests`: (custom id, body) in order."""

    name: str
    requests: list[tuple[str, dict[str, Any]]]
    path: str
    created: int
    metadata: dict[str, Any] = field(default_factory=dict)
    input_file: str = ""
    looks: int = 0
    ended: str = ""
    why: dict[str, Any] = field(default_factory=dict)
    cancelled: bool = False
    lines: list[dict[str, Any]] = field(default_factory=list)


@dataclass
class Batches:
    """All batches of one vendor, the latest last."""

    answer: Answer
    plan: dict[str, Any] = field(default_factory=dict)
    made: dict[str, Batch] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)

    def make(
        self, prefix: str, requests: list[tuple[str, dict[str, Any]]], path: str, now: float, **facts: Any
    ) -> Batch:
        """A new batch. Raises ValueError for one that no vendor takes."""
        names = [name for name, _ in requests]
        if not names or len(set(names)) != len(names):
            raise ValueError("custom_id must be unique" if names else "a batch needs requests")
        batch = Batch(f"{prefix}{len(self.made) + 1:08d}", requests, path, int(now), **facts)
        self.made[batch.name] = batch
        return batch

    def look(self, batch: Batch) -> str:
        """One look at it: "waiting", or how it ended."""
        if batch.cancelled or batch.ended:
            return "cancelled" if batch.cancelled else batch.ended
        batch.looks += 1
        if batch.looks <= self.plan.get("looks", 1):
            return "waiting"
        ends = self.plan.get("ends", [])
        batch.ended = str(ends.pop(0) if ends else self.plan.get("end", "completed"))
        if len(batch.requests) > self.plan.get("most", 10**9):
            batch.ended, batch.why = (
                "failed",
                {"code": "token_limit_exceeded", "message": "Enqueued token limit reached"},
            )
        elif batch.ended == "failed":
            batch.why = self.plan.get("why", {"code": "invalid", "message": "The file is not valid"})
        self.end(batch)
        return batch.ended

    def end(self, batch: Batch) -> None:
        """Answer what is to be answered; results stand in an order that is not that of the requests."""
        end = batch.ended or self.plan.get("end", "completed")
        share = 1.0 if end == "completed" else float(self.plan.get("done", 0.5))
        for name, body in sorted(batch.requests, key=lambda one: lot(f"order{one[0]}")):
            if end == "failed" or lot(f"done{name}") >= share:
                batch.lines.append({"id": name, "how": "expired" if end == "expired" else "canceled"})
            elif lot(f"error{name}") < self.plan.get("errors", 0.0):
                batch.lines.append({"id": name, "how": "errored"})
            else:
                status, reply = self.answer(batch.path, body)
                batch.lines.append({"id": name, "how": "succeeded" if status == 200 else "errored", "reply": reply})

    # ---- OpenAI

    def openai_file(self, content_type: str, data: bytes) -> dict[str, Any]:
        """POST /v1/files."""
        content = form(content_type, data)["file"]
        return self.kept(content, "batch")

    def kept(self, content: bytes, purpose: str) -> dict[str, Any]:
        """A file of the vendor's."""
        name = f"file-{len(self.files) + 1:06d}"
        self.files[name] = content
        return {
            "id": name,
            "object": "file",
            "bytes": len(content),
            "created_at": 1,
            "filename": "requests.jsonl",
            "purpose": purpose,
            "status": "processed",
        }

    def openai_create(self, body: dict[str, Any], now: float) -> Batch:
        """POST /v1/batches. Raises ValueError."""
        lines = [json.loads(line) for line in self.files[body["input_file_id"]].splitlines() if line]
        if any(line["url"] != body["endpoint"] or line["method"] != "POST" for line in lines):
            raise ValueError("every url must be the batch's endpoint")
        requests = [(line["custom_id"], line["body"]) for line in lines]
        facts = {"metadata": body.get("metadata") or {}, "input_file": body["input_file_id"]}
        return self.make("batch_", requests, body["endpoint"], now, **facts)

    def openai_view(self, batch: Batch, state: str) -> dict[str, Any]:
        """A batch as OpenAI shows it."""
        done = [line for line in batch.lines if line["how"] == "succeeded"]
        failed = [line for line in batch.lines if line["how"] != "succeeded"]
        status = state if state != "waiting" else "in_progress" if batch.looks > 1 else "validating"
        view: dict[str, Any] = {
            "id": batch.name,
            "object": "batch",
            "endpoint": batch.path,
            "input_file_id": batch.input_file,
            "completion_window": "24h",
            "status": status,
            "created_at": batch.created,
            "metadata": batch.metadata,
            "request_counts": {"total": len(batch.requests), "completed": len(done), "failed": len(failed)},
        }
        if batch.why:
            view["errors"] = {"object": "list", "data": [batch.why]}
        elif batch.lines:
            view["output_file_id"] = self.kept(
                jsonl([self.openai_line(one) for one in done], self.plan.get("rubbish", False)), "batch_output"
            )["id"]
            view["error_file_id"] = self.kept(jsonl([self.openai_line(one) for one in failed]), "batch_output")["id"]
        return view

    @staticmethod
    def openai_line(line: dict[str, Any]) -> dict[str, Any]:
        """A line of an output or error file."""
        own: dict[str, Any] = {"id": f"req_{line['id']}", "custom_id": line["id"], "response": None, "error": None}
        if line["how"] == "succeeded":
            return {**own, "response": {"status_code": 200, "request_id": "r", "body": line["reply"]}}
        if line["how"] == "errored":
            error = line.get("reply") or {"error": {"message": "failed", "type": "server_error", "code": None}}
            return {
                **own,
                "response": {"status_code": 400 if "reply" in line else 500, "request_id": "r", "body": error},
            }
        return {**own, "error": {"code": "batch_expired", "message": "This request could not be executed in time."}}

    # ---- Anthropic

    def anthropic_create(self, body: dict[str, Any], now: float) -> Batch:
        """POST /v1/messages/batches. Raises ValueError."""
        return self.make(
            "msgbatch_", [(one["custom_id"], one["params"]) for one in body["requests"]], "/v1/messages", now
        )

    def anthropic_view(self, batch: Batch, state: str, base: str) -> dict[str, Any]:
        """A batch as Anthropic shows it."""
        counts = dict.fromkeys(("processing", "succeeded", "errored", "canceled", "expired"), 0)
        for line in batch.lines:
            counts[line["how"]] += 1
        counts["processing"] = len(batch.requests) - len(batch.lines)
        over = state != "waiting"
        kept = over and not self.plan.get("gone")
        at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(batch.created))
        return {
            "id": batch.name,
            "type": "message_batch",
            "request_counts": counts,
            "created_at": at,
            "expires_at": at,
            "processing_status": "ended" if over else "in_progress",
            "archived_at": at if over and not kept else None,
            "cancel_initiated_at": at if batch.cancelled else None,
            "ended_at": at if over else None,
            "results_url": f"{base}/v1/messages/batches/{batch.name}/results" if kept else None,
        }

    @staticmethod
    def anthropic_line(line: dict[str, Any]) -> dict[str, Any]:
        """A line of the results."""
        result: dict[str, Any] = {"type": line["how"]}
        if line["how"] == "succeeded":
            result["message"] = line["reply"]
        elif line["how"] == "errored":
            failed = {"type": "error", "error": {"type": "api_error", "message": "failed"}, "request_id": None}
            result["error"] = line.get("reply") or failed
        return {"custom_id": line["id"], "result": result}


RUBBISH = [
    b"",
    b"{",
    b"null",
    b'{"custom_id": 7}',
    b'{"custom_id": "x"}',
    b'{"custom_id": "x", "result": {"type": "?"}}',
]


def jsonl(lines: list[dict[str, Any]], rubbish: bool = False) -> bytes:
    """JSON Lines."""
    found = [json.dumps(line).encode() for line in lines]
    return b"".join(line + b"\n" for line in [*(RUBBISH if rubbish else []), *found, *(found[:1] if rubbish else [])])
