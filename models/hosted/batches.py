"""Batches of requests at a provider: cheaper, and answered within a day. What the vendors' interfaces have in common.

A provider's module says what a request looks like in a file, how a batch is made, looked at and found again
(`Interface`). Its methods make one try each; `BatchSteps` repeats those that may be repeated. Creating a batch is not
among them: where nobody knows whether one came about, `find` looks for it in the provider's list.
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
KEY_CHARS = 64  # both vendors take names of 64 characters: request keys, and our names of batches


@dataclass(frozen=True)
class BatchState:
    """A batch as the provider shows it.

    waiting (`why`: in a state that nobody here knows); ended: `results` are paths of its results, and what is in none
    of them has no answer; refused: nothing of it was done (`why`); gone: it ended, and its results are kept no longer.
    created: unix seconds by the provider's clock, None where that cannot be read. requests: how many it holds, None
    where it does not say. name: ours, "" where the provider keeps none. done: requests that it says are answered.
    full: refused because too much of ours waits there already.
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
    """A page of the provider's list, the latest batch first. after: where the next page begins, "" for none.

    now: unix seconds by the provider's clock.
    """

    batches: tuple[BatchState, ...]
    after: str
    now: float


@dataclass(frozen=True)
class Line:
    """A result: the key of a request with its reply, or with why there is none. shared: as of `Bounds`."""

    key: str
    result: Reply | CallProblem
    shared: int = 0


class BadLine(ValueError):
    """A line of results that says nothing of any request."""


class Interface(Protocol):
    """One vendor's batches of one model. Lives in one event loop. Methods raise CallProblem.

    opening, between, closing: what stands around the entries of a file. most_requests, most_bytes: of one batch.
    """

    opening: bytes
    between: bytes
    closing: bytes
    most_requests: int
    most_bytes: int

    def body(self, call: Call) -> Mapping[str, Any]:
        """The body of a request as it stands in the file, with marks behind the prefixes of its ask."""
        ...

    def entry(self, call: Call) -> bytes:
        """A request as it stands in the file, under its key. Raises CallProblem for one that no JSON can carry."""
        ...

    async def upload(self, file: BinaryIO) -> str:
        """Hand the file over, where that is a step of its own; what creation calls it. May be repeated."""
        ...

    async def create(self, uploaded: str, file: BinaryIO, name: str, digest: str) -> BatchState:
        """Make the batch, one try. name: found again by it; digest: of its request keys."""
        ...

    async def look(self, batch_id: str) -> BatchState:
        """How it stands."""
        ...

    async def page(self, after: str) -> Page:
        """A page of the list."""
        ...

    async def download(self, path: str, into: BinaryIO) -> None:
        """Results, as lines, into a file."""
        ...

    def line(self, data: bytes) -> Line:
        """A line of results, its reply validated. Raises BadLine."""
        ...

    async def close(self) -> None:
        """Close connections."""
        ...


def may_exist(problem: CallProblem) -> bool:
    """Whether a batch may have come about though its creation was not confirmed: only a refusal says no."""
    return problem.status is None or not 400 <= problem.status < 500 or problem.status in (408, 409)


def object_of_reply(raw: Raw, secrets: tuple[str, ...], what: str = "batch") -> dict[str, Any]:
    """The object of a 2xx reply. what: it should be. Raises CallProblem."""
    try:
        body = orjson.loads(raw.data) if raw.data else None
    except ValueError:
        body = None
    if not 200 <= raw.status < 300:
        raise problem_of_status(raw.status, raw.headers, body, raw.data[:20_000].decode("utf-8", "replace"), secrets)
    if not isinstance(body, dict):
        raise CallProblem("transient", f"HTTP {raw.status} with no {what} but {kind_of(body)}", status=raw.status)
    return body


def entry_of(request: Mapping[str, Any]) -> bytes:
    """A request as JSON. Raises CallProblem for one that no JSON can carry."""
    try:
        return orjson.dumps(request)
    except TypeError as error:
        raise CallProblem("terminal", f"the request is no JSON: {message_line(error)}") from None


def page_of(raw: Raw, secrets: tuple[str, ...], state_of: Callable[[dict[str, Any]], BatchState]) -> Page:
    """A page of a vendor's list. Raises CallProblem, also for one that may lack a batch: that would be made again."""
    body = object_of_reply(raw, secrets)
    found, more = body.get("data"), body.get("has_more")
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise CallProblem("transient", "a list of batches without data")
    if more not in (True, False, None) or (more and not found):
        raise CallProblem("transient", "a list of batches that does not say whether and where it goes on")
    batches = tuple(state_of(one) for one in found)
    return Page(batches, batches[-1].batch_id if more else "", date_of(raw.headers) or time.time())


def line_of(key: str, endpoint: str, status: int, body: Any, data: bytes, secrets: tuple[str, ...]) -> Line:
    """A result whose reply is the part `body` of the line `data`."""
    try:
        return Line(key, read(endpoint, status, {}, data, lambda _: body, secrets))
    except CallProblem as problem:
        return Line(key, problem)


def raise_for_status(raw: Raw, secrets: tuple[str, ...]) -> None:
    """Raise the problem of a download whose status is not 2xx."""
    if not 200 <= raw.status < 300:
        object_of_reply(raw, secrets)


def part_of(line: bytes, secrets: tuple[str, ...]) -> dict[str, Any]:
    """The object of a line. Raises BadLine."""
    try:
        found = parse_json(line, orjson.loads)
    except (ValueError, RecursionError):
        start = mask_secrets(line[:20_000].decode("utf-8", "replace"), secrets)[:80]
        raise BadLine(f"no JSON: {message_line(start)}") from None
    if not isinstance(found, dict) or not isinstance(found.get("custom_id"), str):
        raise BadLine("no custom_id")
    return found


def text_in(found: dict[str, Any], name: str) -> str:
    """A text of an object, "" where it is none."""
    value = found.get(name)
    return value if isinstance(value, str) else ""


def number_in(found: dict[str, Any], name: str) -> float:
    """A finite number of an object, 0 where it is none."""
    value = found.get(name)
    fine = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    return float(value or 0) if fine else 0.0


def count_of(value: Any) -> int | None:
    """A count, also as a text; None for what is none."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 10:
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**9 else None


def moment_of(value: Any) -> float | None:
    """Unix seconds of a time, as a number, its digits or in RFC 3339; None for what is none."""
    try:
        if isinstance(value, str) and not value.isdigit():
            return datetime.fromisoformat(value).timestamp()
        seconds = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return seconds if 10**9 < seconds < 10**11 else None


def unheard_of(status: str, secrets: tuple[str, ...]) -> str:
    """What is said of a batch in a state that nobody here knows."""
    return f"is in a state that is not known here ({message_line(status[:80], secrets)}); it is waited for"


def batch_id_of(found: dict[str, Any]) -> str:
    """The batch's id, fit to stand in a path. Raises CallProblem."""
    name = text_in(found, "id")
    if not name or len(name) > 200 or not all(c.isascii() and (c.isalnum() or c in "_-") for c in name):
        raise CallProblem("transient", "a batch whose id is none: letters, digits, _ and - are expected, 200 at most")
    return name


async def concatenated(*parts: bytes | BinaryIO) -> AsyncIterator[bytes]:
    """Bytes and files, one after the other."""
    for part in parts:
        if isinstance(part, bytes):
            yield part
            continue
        part.seek(0)
        while chunk := part.read(CHUNK):
            yield chunk


def size_of(file: BinaryIO) -> int:
    """Bytes of a file."""
    return file.seek(0, 2)


def are_usable_keys(keys: Collection[str]) -> bool:
    """Whether these can be names of requests at every provider."""
    return all(0 < len(key) <= KEY_CHARS for key in keys)
