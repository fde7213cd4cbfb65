"""Anthropic's message batches: the requests are in the body of the creation.

A batch does not carry our name. After a creation that was not confirmed, it is recognised by its time, its number of
requests and, once it has ended, the keys of its results.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, BinaryIO
from urllib.parse import quote

from scrollwork.models.base import Call, CallProblem
from scrollwork.models.hosted.anthropic import wire_of, with_breakpoints
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
    object_of_reply,
    page_of,
    part_of,
    raise_for_status,
    text_in,
    unknown_state_message,
)
from scrollwork.models.hosted.batches import size_of as bytes_of
from scrollwork.models.hosted.error_replies import error_in, message_line, problem_of_status
from scrollwork.models.hosted.wire import Wire

PATH = "/v1/messages/batches"
STATUSES = {  # the status with which the vendor refuses an online request for the same reason
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "conflict_error": 409,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "timeout_error": 504,
    "overloaded_error": 529,
}
STATES: Mapping[str, State] = {"in_progress": "waiting", "canceling": "waiting", "ended": "ended"}
UNDONE = {"expired": "it expired in the batch", "canceled": "the batch was cancelled"}


class AnthropicBatches:
    """Message batches. https://docs.anthropic.com/en/api/creating-message-batches: at most 100,000 requests, 256 MB."""

    opening, between, closing = b'{"requests":[', b",", b"]}"
    most_requests, most_bytes = 100_000, 256_000_000

    def __init__(self, wire: Wire) -> None:
        self._wire = wire

    def body(self, call: Call) -> Mapping[str, Any]:
        """Return the body of a request, with the breakpoints of online requests."""
        return with_breakpoints(call.payload["body"], call.ask)

    def entry(self, call: Call) -> bytes:
        """Return a request as it is in the body of the creation. Raises CallProblem."""
        return entry_of({"custom_id": call.key, "params": self.body(call)})

    async def upload(self, file: BinaryIO) -> str:
        """Do nothing: the requests are sent with the creation."""
        return ""

    async def create(self, uploaded: str, file: BinaryIO, name: str, digest: str) -> BatchState:
        """Create a batch; the file is the body."""
        raw = await self._wire.upload(PATH, concatenated(file), bytes_of(file), "application/json")
        return self._state_of(object_of_reply(raw, self._wire.secrets))

    async def look(self, batch_id: str) -> BatchState:
        """Return the state of a batch."""
        return self._state_of(
            object_of_reply(await self._wire.get(f"{PATH}/{quote(batch_id, safe='')}"), self._wire.secrets)
        )

    async def page(self, after: str) -> Page:
        """Return a page of up to a hundred batches from the list."""
        start = f"&after_id={quote(after, safe='')}" if after else ""
        raw = await self._wire.get(f"{PATH}?limit=100{start}")
        return page_of(raw, self._wire.secrets, self._state_of)

    async def download(self, path: str, into: BinaryIO) -> None:
        """Write the results to a file."""
        raise_for_status(await self._wire.download(path, into), self._wire.secrets)

    def line(self, data: bytes) -> Line:
        """Read a line of the results. Raises BadLine."""
        found = part_of(data, self._wire.secrets)
        key, result = found["custom_id"], found.get("result")
        if not isinstance(result, dict):
            raise BadLine("no result")
        kind = text_in(result, "type")
        if kind == "succeeded":
            return line_of(key, "messages", 200, result.get("message"), data, self._wire.secrets)
        if kind == "errored":
            error = error_in(result.get("error")) or {"names": set(), "message": "no reason"}
            status = min((STATUSES[name] for name in error["names"] if name in STATUSES), default=500)
            problem = problem_of_status(status, {}, result.get("error"), "", self._wire.secrets)
            said = f"{', '.join(sorted(error['names']))}: {error['message']}".strip(": ")
            return Line(key, CallProblem(problem.kind, message_line(said, self._wire.secrets), status=status))
        if kind in UNDONE:
            return Line(key, CallProblem("transient", UNDONE[kind]))
        raise BadLine(f"a result of type {message_line(kind, self._wire.secrets) or 'none'}")

    async def close(self) -> None:
        """Close the connections."""
        await self._wire.close()

    def _state_of(self, found: dict[str, Any]) -> BatchState:
        status = text_in(found, "processing_status")
        if not status:
            raise CallProblem("transient", "a batch without a status")
        name, state = batch_id_of(found), STATES.get(status, "waiting")
        if state == "ended" and found.get("archived_at"):
            state = "gone"
        given = found.get("request_counts")
        counts = {kind: count_of(one) for kind, one in given.items()} if isinstance(given, dict) else {}
        why = "its results are kept no longer" if state == "gone" else ""
        return BatchState(
            name,
            state,
            moment_of(found.get("created_at")),
            None if None in counts.values() else sum(one or 0 for one in counts.values()) or None,
            results=(f"{PATH}/{name}/results",) if state == "ended" else (),  # no other server may get the key
            why=why if status in STATES else unknown_state_message(status, self._wire.secrets),
            done=counts.get("succeeded") or 0,
        )


def make(name: str, table: Mapping[str, Any]) -> AnthropicBatches:
    """Return the batches of a checked table's model. Raises tables.BadTable without a key."""
    return AnthropicBatches(wire_of(name, table))
