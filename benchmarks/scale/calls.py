"""Requests through the call engine in virtual time: CPU and memory over their number.

The engine of hosted models (order by documents, limits a minute, retries, breaker) runs on an event loop whose clock
jumps to the next timer (tests/models/clock.py); a request takes 0.5 to 1.5 s there. Three in a hundred are refused for
the moment, two with a Retry-After, as a provider's are under load. Nothing is stored and nothing is sent: those are
measured by the benchmarks `store` and `calls`. Sizes are 1,000, 10,000 and 100,000 requests, a tenth with --small;
SCROLLWORK_SCALE_CALLS=10000000 takes the place of the largest.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

from benchmarks.kit.measure import cost, python
from scrollwork.models.base import Answer, Ask, Attempt, Call, CallProblem, Reply, Segment, SharedPrefix, Usage
from scrollwork.models.engine.answers import AHEAD
from scrollwork.models.engine.breaker import Breaker
from scrollwork.models.engine.event_loop import Engine, Result
from scrollwork.models.engine.limits import Caps, Limiter
from scrollwork.models.engine.sending import Sending
from scrollwork.models.engine.stopping import Stop
from tests.models.clock import in_time

REQUESTS = (1_000, 10_000, 100_000)
CAPS = Caps(concurrency=200, start=200, rpm=30_000, tpm=300_000_000)
GROUP = 5  # questions on a document
GOOD = Reply("an answer of a few words", "complete", "model-1", Usage(10_000, 0, 0, 10, 0))
CODE = "import sys; from benchmarks.scale.calls import measured; measured(int(sys.argv[1]), sys.argv[2])"


class Provider:
    """Answers after a while, by virtual time; what it does depends on the request alone and on its attempt."""

    def __init__(self) -> None:
        self._rng = Random(7)

    async def send(self, call: Call) -> Reply:
        await asyncio.sleep(self._rng.uniform(0.5, 1.5))
        drawn = self._rng.random()
        if drawn < 0.02:  # a new problem each time: one that is raised again keeps the frames of all times
            raise CallProblem("transient", "busy", status=429, slow_down=True, retry_after_s=2.0)
        if drawn < 0.03:
            raise CallProblem("transient", "connection lost", status=None)
        return GOOD

    async def close(self) -> None:
        pass


def requests(count: int) -> Iterator[Call]:
    """So many calls, GROUP on a document. They are made when they are taken."""
    for number in range(count):
        prefix = SharedPrefix(8, f"d{number // GROUP}")
        segments = (Segment("document", f"{number:08d}"),)
        ask = Ask("task", str(number), segments, "0" * 64, 1, 100, shared_prefixes=(prefix,), tokens=10_000)
        yield Call(f"{number:064d}", "model", {}, ask)


async def asked(count: int) -> dict[str, float]:
    """Ask so many requests as `models.engine.answers.Run` does: only as results come."""
    ended = dict.fromkeys(("answers", "failures", "attempts"), 0)
    news = asyncio.Event()

    def hand_over(results: Sequence[Result]) -> None:
        for one in results:
            kind = "attempts" if isinstance(one, Attempt) else "answers" if isinstance(one, Answer) else "failures"
            ended[kind] += 1
        news.set()

    sending = Sending()
    engine = Engine(
        Provider,
        sending,
        Limiter(CAPS),
        hand_over,
        gate=None,
        stop=Stop(),
        rng=Random(1),
        breaker=Breaker(sending.policy),
    )
    loop = asyncio.get_running_loop()
    began = loop.time()
    running = asyncio.ensure_future(engine.run())
    await asyncio.sleep(0)
    for fed, call in enumerate(requests(count)):
        while not engine.room(fed - ended["answers"] - ended["failures"], AHEAD * CAPS.concurrency):
            news.clear()
            await news.wait()
        engine.feed((call,))
    engine.no_more()
    await running
    if engine.stopped or ended["answers"] + ended["failures"] != count:
        raise RuntimeError(f"{ended} of {count:,}: {engine.stopped}")
    return {**ended, "virtual_s": loop.time() - began}


def measured(count: int, out: str) -> None:
    """Ask in this process, and write what was found to a file."""
    began = time.process_time()
    found = in_time(asked(count))
    Path(out).write_text(json.dumps({**found, "cpu_s": time.process_time() - began}), encoding="utf-8")


def main(small: bool = False) -> Iterator[str]:
    """The lines of the report. small: a tenth of the requests."""
    sizes = [one // (10 if small else 1) for one in REQUESTS]
    if given := os.environ.get("SCROLLWORK_SCALE_CALLS"):
        sizes[-1] = int(given)
    with tempfile.NamedTemporaryFile("r", suffix=".json") as out:
        for count in sizes:
            peak = cost(python(CODE, str(count), out.name)).peak_mb
            found = json.loads(Path(out.name).read_text(encoding="utf-8"))
            hours = found["virtual_s"] / 3600
            each = 1e6 * found["cpu_s"] / count
            yield (
                f"{count:,} requests in {found['attempts']:,} attempts, {hours:.2f} hours of virtual time: "
                f"{each:.0f} us of CPU a request, peak {peak:.0f} MB, {found['failures']:,} failed"
            )


if __name__ == "__main__":
    for told in main("--small" in sys.argv):
        print(told, flush=True)
