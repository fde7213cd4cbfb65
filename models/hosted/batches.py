"""What vendors' interfaces for batches have in common. Batches of requests cost less, and are answered within a day.

A provider's module defines what a request is in a file, and how a batch is created, checked and found again
(`Interface`). Its methods make one attempt each; `BatchSteps` repeats those that are safe to repeat. Creation is not:
if it is not known whether a batch was created, `find` searches for it in the provider's list.
"""

from __future__ import annotations

import math
import time
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, BinaryIO, Literal, Protocol

import orjson

from scrollwork.models.base import Call, CallProblem, Reply
from scrollwork.models.hosted.error_replies import date_of, message_line, problem_of_status
from scrollwork.models.hosted.masking import mask_secrets
from scrollwork.models.hosted.replies import kind_of, parse_json, read
from scrollwork.models.hosted.wire import CHUNK, Raw

State = Literal["waiting", "ended", "refused", "gone"]
KEY_CHARS = 64  # both vendors accept names of 64 characters: request keys, and our names of batches


@dataclass(frozen=True)
class BatchState:
    """A batch as the provider shows it.

    waiting: also in a state that is not known here (`why`). ended: `results` are paths of its results; a request that
    is in none of them has no answer. refused: none of its requests was answered (`why`). gone: it ended, and its
    results are no longer kept. created: unix seconds by the provider's clock, None if unreadable. requests: their
    number, None if the provider does not say. name: ours, "" if the provider does not keep it. done: number of answered
    requests, as the provider says. full: refused because too many of our tokens are waiting there.
    """

    batch_id: str
    state: State
    created: float | None
    requests: int | None
    name: str = ""
    results: tuple[str, ...] = ()
    why: str = ""
    full: bool = False
    done: int = 0


@dataclass(frozen=True)
class Page:
    """A page of the provider's list, the latest batch first. after: where the next page begins, "" if there is none.

    now: unix seconds by the provider's clock.
    """

    batches: tuple[BatchState, ...]
    after: str
    now: float


@dataclass(frozen=True)
class Line:
    """A result: the key of a request, with its reply or with why there is none. shared: as in `Bounds`."""

    key: str
    result: Reply | CallProblem
    shared: int = 0


class BadLine(ValueError):
    """A line of results that belongs to no request."""


class Interface(Protocol):
    """One vendor's batches of one model. It lives in one event loop. Methods raise CallProblem.

    opening, between, closing: what is around the entries of a file. most_requests, most_bytes: limits of one batch.
    """

    opening: bytes
    between: bytes
    closing: bytes
    most_requests: int
    most_bytes: int

    def body(self, call: Call) -> Mapping[str, Any]:
        """Return the body of a request as it is in the file.

        It has cache marks after the prefixes of its ask, if the vendor's batches use them.
        """
        ...

    def entry(self, call: Call) -> bytes:
        """Return a request as it is in the file, under its key. Raises CallProblem if it cannot be JSON."""
        ...

    async def upload(self, file: BinaryIO) -> str:
        """Upload the file, if that is a separate step, and return its name for `create`. It may be repeated."""
        ...

    async def create(self, uploaded: str, file: BinaryIO, name: str, digest: str) -> BatchState:
        """Create the batch, in one attempt. name: by which it can be found again. digest: of its request keys."""
        ...

    async def look(self, batch_id: str) -> BatchState:
        """Return the state of a batch."""
        ...

    async def page(self, after: str) -> Page:
        """Return a page of the list. after: from the page before it, "" for the first page."""
        ...

    async def download(self, path: str, into: BinaryIO) -> None:
        """Write results to a file, a line each."""
        ...

    def line(self, data: bytes) -> Line:
        """Read a line of results and check its reply. Raises BadLine."""
        ...

    async def close(self) -> None:
        """Close connections."""
        ...


def may_exist(problem: CallProblem) -> bool:
    """Return whether a batch may exist although its creation was not confirmed: only a refusal excludes it."""
    return problem.status is None or not 400 <= problem.status < 500 or problem.status in (408, 409)


def object_of_reply(raw: Raw, secrets: tuple[str, ...], what: str = "batch") -> dict[str, Any]:
    """Return the object of a 2xx reply. what: its name in messages. Raises CallProblem."""
    found = ""
    try:
        body = orjson.loads(raw.data) if raw.data else None
    except ValueError:
        body, found = None, "what is no JSON"
    if not 200 <= raw.status < 300:
        raise problem_of_status(raw.status, raw.headers, body, raw.data[:20_000].decode("utf-8", "replace"), secrets)
    if not isinstance(body, dict):
        raise CallProblem(
            "transient", f"HTTP {raw.status} with no {what} but {found or kind_of(body)}", status=raw.status
        )
    return body


def entry_of(request: Mapping[str, Any]) -> bytes:
    """Return a request as JSON. Raises CallProblem if it cannot be JSON."""
    try:
        return orjson.dumps(request)
    except TypeError as error:
        raise CallProblem("terminal", f"the request is no JSON: {message_line(error)}") from None


def page_of(raw: Raw, secrets: tuple[str, ...], state_of: Callable[[dict[str, Any]], BatchState]) -> Page:
    """Return a page of a vendor's list. state_of: reads a batch of it. Raises CallProblem.

    It is raised also for a page that may lack a batch, as that batch would be created again.
    """
    body = object_of_reply(raw, secrets)
    found, more = body.get("data"), body.get("has_more")
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise CallProblem("transient", "a list of batches without data")
    if more not in (True, False, None) or (more and not found):
        raise CallProblem("transient", "a list of batches that does not say whether and where it goes on")
    batches = tuple(state_of(one) for one in found)
    return Page(batches, batches[-1].batch_id if more else "", date_of(raw.headers) or time.time())


def line_of(key: str, endpoint: str, status: int, body: Any, data: bytes, secrets: tuple[str, ...]) -> Line:
    """Return a result. body: its reply, a part of the line `data`."""
    try:
        return Line(key, read(endpoint, status, {}, data, lambda _: body, secrets))
    except CallProblem as problem:
        return Line(key, problem)


def raise_for_status(raw: Raw, secrets: tuple[str, ...]) -> None:
    """Raise the CallProblem of a download whose status is not 2xx."""
    if not 200 <= raw.status < 300:
        object_of_reply(raw, secrets)


def part_of(line: bytes, secrets: tuple[str, ...]) -> dict[str, Any]:
    """Return the object of a line of results. Raises BadLine if it is no JSON object, or has no custom_id."""
    try:
        found = parse_json(line, orjson.loads)
    except (ValueError, RecursionError):
        start = mask_secrets(line[:20_000].decode("utf-8", "replace"), secrets)[:80]
        raise BadLine(f"no JSON: {message_line(start)}") from None
    if not isinstance(found, dict) or not isinstance(found.get("custom_id"), str):
        raise BadLine("no custom_id")
    return found


def text_in(found: dict[str, Any], name: str) -> str:
    """Return a text of an object, "" if it is missing or no text."""
    value = found.get(name)
    return value if isinstance(value, str) else ""


def number_in(found: dict[str, Any], name: str) -> float:
    """Return a finite number of an object, 0 if it is missing or no such number."""
    value = found.get(name)
    fine = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    return float(value or 0) if fine else 0.0


def count_of(value: Any) -> int | None:
    """Return a count, which may be a text of digits; None for anything else."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 10:
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**9 else None


def moment_of(value: Any) -> float | None:
    """Return the unix seconds of a time that is a number, digits or in RFC 3339; None for anything else."""
    try:
        if isinstance(value, str) and not value.isdigit():
            return datetime.fromisoformat(value).timestamp()
        seconds = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return seconds if 10**9 < seconds < 10**11 else None


def unknown_state_message(status: str, secrets: tuple[str, ...]) -> str:
    """Return the message about a batch in a state that is not known here."""
    return f"is in a state that is not known here ({message_line(status[:80], secrets)}); it is waited for"


def batch_id_of(found: dict[str, Any]) -> str:
    """Return the id of a batch (or file), which is safe in a path. Raises CallProblem."""
    name = text_in(found, "id")
    if not name or len(name) > 200 or not all(c.isascii() and (c.isalnum() or c in "_-") for c in name):
        raise CallProblem("transient", "a batch whose id is none: letters, digits, _ and - are expected, 200 at most")
    return name


async def concatenated(*parts: bytes | BinaryIO) -> AsyncIterator[bytes]:
    """Yield the bytes of all parts, one after the other."""
    for part in parts:
        if isinstance(part, bytes):
            yield part
            continue
        part.seek(0)
        while chunk := part.read(CHUNK):
            yield chunk


def size_of(file: BinaryIO) -> int:
    """Return the bytes of a file."""
    return file.seek(0, 2)


def are_usable_keys(keys: Collection[str]) -> bool:
    """Return whether all keys can be names of requests at every provider."""
    return all(0 < len(key) <= KEY_CHARS for key in keys)
