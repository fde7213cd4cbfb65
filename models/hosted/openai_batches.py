"""OpenAI's batches: a file of requests, a batch of that file, files of results. A batch carries our name for it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, BinaryIO
from urllib.parse import quote

from scrollwork.models.base import Call, CallProblem
from scrollwork.models.hosted.batches import (
    BadLine,
    BatchState,
    Line,
    Page,
    State,
    batch_id_of,
    concatenated,
    count_of,
    entry_of,
    line_of,
    moment_of,
    number_in,
    object_of_reply,
    page_of,
    part_of,
    raise_for_status,
    size_of,
    text_in,
    unknown_state_message,
)
from scrollwork.models.hosted.error_replies import message_line
from scrollwork.models.hosted.openai import wire_of
from scrollwork.models.hosted.tables import ENDPOINT_PATHS
from scrollwork.models.hosted.wire import Wire
from scrollwork.models.vendors.marks import CacheUse, cache_use

NAME, DIGEST = "scrollwork_batch", "requests_sha256"  # keys of the metadata
STATES: Mapping[str, State] = {
    **dict.fromkeys(("validating", "in_progress", "finalizing", "cancelling"), "waiting"),
    "completed": "ended",
    "expired": "ended",
    "cancelled": "ended",
    "failed": "refused",
}
FULL = "token_limit_exceeded"  # the account has too many tokens in waiting batches
BOUNDARY = "scrollwork-9f2c1b7de0a84c35"
UNDONE = {"batch_expired": "it expired in the batch", "batch_cancelled": "the batch was cancelled"}


class OpenAIBatches:
    """Batches of one endpoint. https://platform.openai.com/docs/guides/batch: at most 50,000 requests and 200 MB."""

    opening, between, closing = b"", b"", b""
    most_requests, most_bytes = 50_000, 200_000_000

    def __init__(self, wire: Wire, endpoint: str, cache: CacheUse | None = None) -> None:
        self._wire, self._endpoint, self._cache = wire, endpoint, cache or CacheUse()
        self._url = f"/v1{ENDPOINT_PATHS[endpoint]}"

    def body(self, call: Call) -> Mapping[str, Any]:
        """Return the body of a request, without cache marks: nothing promises that a batch hits its own cache."""
        return self._cache.sent(call.payload["body"], replace(call.ask, shared_prefixes=()))

    def entry(self, call: Call) -> bytes:
        """Return a line of the file. Raises CallProblem."""
        line = {"custom_id": call.key, "method": "POST", "url": self._url, "body": self.body(call)}
        return entry_of(line) + b"\n"

    async def upload(self, file: BinaryIO) -> str:
        """Upload the file and return its id."""
        head = (
            f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="purpose"\r\n\r\nbatch\r\n'
            f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="requests.jsonl"\r\n'
            "Content-Type: application/octet-stream\r\n\r\n"
        ).encode()
        tail = f"\r\n--{BOUNDARY}--\r\n".encode()
        size = len(head) + size_of(file) + len(tail)
        kind = f"multipart/form-data; boundary={BOUNDARY}"
        raw = await self._wire.upload("/files", concatenated(head, file, tail), size, kind)
        return batch_id_of(object_of_reply(raw, self._wire.secrets))

    async def create(self, uploaded: str, file: BinaryIO, name: str, digest: str) -> BatchState:
        """Create a batch of the uploaded file."""
        body = {
            "input_file_id": uploaded,
            "endpoint": self._url,
            "completion_window": "24h",
            "metadata": {NAME: name, DIGEST: digest},
        }
        return self._state_of(object_of_reply(await self._wire.post("/batches", body), self._wire.secrets))

    async def look(self, batch_id: str) -> BatchState:
        """Return the state of a batch."""
        return self._state_of(
            object_of_reply(await self._wire.get(f"/batches/{quote(batch_id, safe='')}"), self._wire.secrets)
        )

    async def page(self, after: str) -> Page:
        """Return a page of up to a hundred batches from the list."""
        start = f"&after={quote(after, safe='')}" if after else ""
        raw = await self._wire.get(f"/batches?limit=100{start}")
        return page_of(raw, self._wire.secrets, self._state_of)

    async def download(self, path: str, into: BinaryIO) -> None:
        """Write a file of results to a file."""
        raise_for_status(await self._wire.download(path, into), self._wire.secrets)

    def line(self, data: bytes) -> Line:
        """Read a line of an output or error file. Raises BadLine."""
        found = part_of(data, self._wire.secrets)
        key, answer, error = found["custom_id"], found.get("response"), found.get("error")
        if isinstance(answer, dict):
            status = int(number_in(answer, "status_code"))
            if not 100 <= status < 600:
                raise BadLine("a response without a status")
            return line_of(key, self._endpoint, status, answer.get("body"), data, self._wire.secrets)
        if isinstance(error, dict):
            code = text_in(error, "code")
            why = UNDONE.get(code) or f"{code}: {text_in(error, 'message')}".strip(": ")
            return Line(key, CallProblem("transient", message_line(why, self._wire.secrets)))
        raise BadLine("neither a response nor an error")

    async def close(self) -> None:
        """Close the connections."""
        await self._wire.close()

    def _state_of(self, found: dict[str, Any]) -> BatchState:
        status = text_in(found, "status")
        if not status:
            raise CallProblem("transient", "a batch without a status")
        counts, metadata = found.get("request_counts"), found.get("metadata")
        counts = counts if isinstance(counts, dict) else {}
        files = [text_in(found, name) for name in ("output_file_id", "error_file_id")]
        faults = errors_of(found)
        why = "; ".join(text_in(one, "message") or text_in(one, "code") for one in faults[:3])
        return BatchState(
            batch_id_of(found),
            STATES.get(status, "waiting"),
            moment_of(found.get("created_at")),
            count_of(counts.get("total")) or None,  # 0 during validation
            text_in(metadata, NAME) if isinstance(metadata, dict) else "",
            tuple(f"/files/{name}/content" for name in files if re.fullmatch(r"[\w-]{1,200}", name, re.ASCII)),
            message_line(why, self._wire.secrets)
            if status in STATES
            else unknown_state_message(status, self._wire.secrets),
            any(text_in(one, "code") == FULL for one in faults),
            count_of(counts.get("completed")) or 0,
        )


def errors_of(found: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the errors of a batch that failed."""
    errors = found.get("errors")
    data = errors.get("data") if isinstance(errors, dict) else None
    return [one for one in data if isinstance(one, dict)] if isinstance(data, list) else []


def make(name: str, table: Mapping[str, Any]) -> OpenAIBatches:
    """Return the batches of a checked table's model. Raises tables.BadTable without a key."""
    return OpenAIBatches(wire_of(name, table), table["endpoint"], cache_use(table))
