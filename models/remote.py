"""Sends calls one after another, each once."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from models.base import Answer, Attempt, Call, CallFailed, CallProblem, Client


def answer(
    client_factory: Callable[[], Client], calls: Iterable[Call], settings: Mapping[str, Any]
) -> Iterator[Answer | CallFailed | Attempt]:
    """One result a call."""
    with asyncio.Runner() as runner:
        client = client_factory()
        try:
            for call in calls:
                began, clock = time.time(), time.monotonic()
                try:
                    reply = runner.run(client.send(call))
                except CallProblem as problem:
                    took = time.monotonic() - clock
                    yield Attempt(call.key, 1, problem.kind, problem.status, problem.message, began, took)
                    if problem.kind == "quota":
                        return
                    yield CallFailed(call.key, problem.kind, problem.message, problem.status)
                    continue
                took, used = time.monotonic() - clock, reply.usage
                yield Attempt(call.key, 1, "answered", 200, "", began, took, used)
                yield Answer(
                    call.key,
                    reply.text,
                    reply.finish_reason,
                    reply.reported_model,
                    used.input_tokens,
                    used.cached_tokens,
                    used.output_tokens,
                    took,
                    cache_write_tokens=used.cache_write_tokens,
                    reasoning_tokens=used.reasoning_tokens,
                )
        finally:
            runner.run(client.close())
