"""An event loop whose clock jumps to the next timer, and a driver of the engine in it: hours pass in milliseconds.

Time stands still while anything can run. A loop that has nothing to wait for would hang for good: it raises instead.
"""

from __future__ import annotations

import asyncio
import selectors
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from scrollwork.models.base import Answer, Ask, Attempt, Call, CallFailed, Client, Reply, Segment, SharedPrefix, Usage
from scrollwork.models.engine.answers import AHEAD
from scrollwork.models.engine.breaker import Breaker
from scrollwork.models.engine.event_loop import Engine, Result
from scrollwork.models.engine.limits import Caps, Limiter
from scrollwork.models.engine.sending import Sending
from scrollwork.models.engine.stopping import Stop


class Hangs(AssertionError):
    """Nothing is under way and nothing will ever happen."""


class Jumping(selectors.DefaultSelector):  # type: ignore[misc, valid-type]
    """Does not wait: says how long it would have waited."""

    waited = 0.0

    def select(self, timeout: float | None = None) -> list[Any]:
        found = super().select(0)
        if not found and timeout is None:
            raise Hangs("the event loop has nothing to wait for")
        if not found:
            self.waited += max(0.0, timeout or 0.0)
        return found


class Clock(asyncio.SelectorEventLoop):
    """time() begins at 1000 and moves only by waiting."""

    def __init__(self) -> None:
        self._jumping = Jumping()
        super().__init__(self._jumping)

    def time(self) -> float:
        return 1000.0 + self._jumping.waited


def in_time(work: Awaitable[Any]) -> Any:
    """Run in a loop with such a clock."""

    async def main() -> Any:
        return await work

    with asyncio.Runner(loop_factory=Clock) as runner:
        return runner.run(main())


def call(number: int, prefix: str = "", *, text: str = "word", tokens: int = 100, new: int = 100) -> Call:
    """A call whose key is its number."""
    prefixes = (SharedPrefix(len(text), prefix),) if prefix else ()
    ask = Ask("t", str(number), (Segment("document", text),), "0" * 64, 1, new, shared_prefixes=prefixes, tokens=tokens)
    return Call(str(number), "m", {"number": number}, ask)


GOOD = Reply("text", "complete", "m-1", Usage(100, 0, 0, 10, 0))


class Scripted:
    """A client whose replies a function of call and attempt decides: a Reply, or an exception to raise; after `latency`."""

    def __init__(
        self,
        script: Callable[[Call, int], Reply | BaseException] = lambda *_: GOOD,
        latency: float | Callable[[Call], float] = 0.5,
    ) -> None:
        self.script, self.latency = script, latency
        self.sent: list[tuple[float, str, int]] = []  # time, key, attempt
        self.ended: dict[str, float] = {}
        self._tries: Counter[str] = Counter()
        self.in_flight = self.most_in_flight = 0
        self.closed = False

    async def send(self, call: Call) -> Reply:
        self._tries[call.key] += 1
        number = self._tries[call.key]
        self.sent.append((asyncio.get_running_loop().time(), call.key, number))
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            await asyncio.sleep(self.latency(call) if callable(self.latency) else self.latency)
        finally:
            self.in_flight -= 1
        self.ended[call.key] = asyncio.get_running_loop().time()
        result = self.script(call, number)
        if isinstance(result, Reply):
            return result
        raise result

    async def close(self) -> None:
        self.closed = True


@dataclass
class Driven:
    """What an engine did: results in order, seconds on its clock."""

    results: list[Result] = field(default_factory=list)
    seconds: float = 0.0
    stopped: str = ""
    most_open: int = 0

    @property
    def answers(self) -> dict[str, Answer]:
        return {result.key: result for result in self.results if isinstance(result, Answer)}

    @property
    def failures(self) -> dict[str, CallFailed]:
        return {result.key: result for result in self.results if isinstance(result, CallFailed)}

    @property
    def attempts(self) -> list[Attempt]:
        return [result for result in self.results if isinstance(result, Attempt)]


async def drive(
    client: Client,
    calls: Iterable[Call],
    *,
    sending: Sending | None = None,
    caps: Caps | None = None,
    limiter: Limiter | None = None,
    gate: Any = None,
    stop: Stop | None = None,
    breaker: Breaker | None = None,
    seed: int = 0,
) -> Driven:
    """Feed an engine as scrollwork.models.engine.answers.Run does: only as results come."""
    caps = caps or Caps(32, 32)
    driven, news = Driven(), asyncio.Event()

    def hand_over(results: Sequence[Result]) -> None:
        driven.results.extend(results)
        news.set()

    engine = Engine(
        lambda: client,
        sending or Sending(),
        limiter or Limiter(caps),
        hand_over,
        gate=gate,
        stop=stop or Stop(),
        rng=Random(seed),
        breaker=breaker,
    )
    began = asyncio.get_running_loop().time()
    running = asyncio.ensure_future(engine.run())
    await asyncio.sleep(0)
    waiting = iter(calls)
    fed = seen = closed = 0
    more = True
    while more:
        closed += sum(not isinstance(result, Attempt) for result in driven.results[seen:])
        seen = len(driven.results)
        news.clear()
        while more and engine.room(fed - closed, AHEAD * caps.concurrency):
            following = next(waiting, None)
            if following is None or engine.stopped:
                more = False
            else:
                fed += 1
                engine.feed((following,))
        driven.most_open = max(driven.most_open, fed - closed)
        if more:
            await asyncio.wait({running, asyncio.ensure_future(news.wait())}, return_when=asyncio.FIRST_COMPLETED)
            more = not running.done()
    engine.no_more()
    await running
    driven.seconds = asyncio.get_running_loop().time() - began
    driven.stopped = engine.stopped
    return driven
