"""Calls of remote models at 500 ms and 40 KB prompts: efficiency = achieved / (concurrency / latency), CPU a request.

Without the first two and the last rounds of requests, in which places fill and empty. `engine alone`: a client that
only waits. `raw client`: HTTP over asyncio streams, against a server in a process of its own that shares the cores.
`documents`: five questions each, the first ahead. The bare loop is the same client without the engine: so many tasks,
one call after the other.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator

from benchmarks.clients import LATENCY_S, PROMPT, Null, Raw, calls, server
from models.base import Answer, Client
from models.limits import Caps, Limiter
from models.remote import Settings, answer

ROUNDS = 20


def measured(ends: list[float], cpu_s: float, concurrency: int) -> str:
    """The figures of a run from the moments at which answers came."""
    ends.sort()
    first, last = 2 * concurrency, len(ends) - concurrency  # both the first of a round
    achieved = (last - first) / (ends[last] - ends[first])
    efficiency = achieved / (concurrency / LATENCY_S)
    return f"efficiency {efficiency:.3f}, {1000 * cpu_s / len(ends):.3f} ms CPU a request"


def engine(client: Callable[[], Client], concurrency: int, prompt: str, group: int = 0) -> str:
    """The engine with a client."""
    caps = Caps(concurrency, concurrency)
    asked = calls(range(ROUNDS * concurrency), prompt, group)
    began, ends = time.process_time(), list[float]()
    for result in answer(client, asked, Settings(caps=caps), limiter=Limiter(caps)):
        if isinstance(result, Answer):
            ends.append(time.perf_counter())
    return measured(ends, time.process_time() - began, concurrency)


def bare(client: Callable[[], Client], concurrency: int, prompt: str) -> str:
    """The client without the engine: the floor."""
    ends: list[float] = []

    async def main() -> None:
        talking, asked = client(), iter(calls(range(ROUNDS * concurrency), prompt))

        async def place() -> None:
            for one in asked:
                await talking.send(one)
                ends.append(time.perf_counter())

        await asyncio.gather(*(place() for _ in range(concurrency)))
        await talking.close()

    began = time.process_time()
    asyncio.run(main())
    return measured(ends, time.process_time() - began, concurrency)


def lines() -> Iterator[str]:
    """The lines of the report as they come."""
    with server() as port:

        def raw() -> Client:
            return Raw(port)

        for concurrency in (100, 200):
            at = f"calls, {concurrency} x {1000 * LATENCY_S:g} ms"
            yield f"{at}, bare loop, waiting only: {bare(Null, concurrency, PROMPT)}"
            yield f"{at}, engine alone: {engine(Null, concurrency, PROMPT)}"
            yield f"{at}, engine alone, documents: {engine(Null, concurrency, PROMPT, group=5)}"
            yield f"{at}, bare loop, raw client: {bare(raw, concurrency, PROMPT)}"
            yield f"{at}, engine with raw client: {engine(raw, concurrency, PROMPT)}"
            yield f"{at}, engine with raw client, documents: {engine(raw, concurrency, PROMPT, group=5)}"


def main() -> list[str]:
    """The lines of the report."""
    return list(lines())


if __name__ == "__main__":
    for line in lines():
        print(line, flush=True)
