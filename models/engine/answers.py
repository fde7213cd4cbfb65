"""Answers of remote models: an event loop in one thread behind an iterator.

The iterator's own thread takes calls from the iterable, never more than two rounds of requests in advance, so that
memory does not depend on the number of prompts; results come as they arrive. It is an iterator, not a generator: after
KeyboardInterrupt it can be iterated further, and then yields the answers that were in flight.
"""

from __future__ import annotations

import asyncio
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from random import Random

from scrollwork.models.base import Attempt, Call, Client
from scrollwork.models.engine.breaker import Breaker
from scrollwork.models.engine.budget import Gate
from scrollwork.models.engine.event_loop import CLOSING_S, Engine, Result
from scrollwork.models.engine.limits import Limiter
from scrollwork.models.engine.limits_ledger import LimitsLedger
from scrollwork.models.engine.settings import Settings
from scrollwork.models.engine.stopping import Stop

AHEAD = 2  # rounds of requests taken from the iterable: one in flight, one waiting
JOIN_S = 15.0  # for the thread to end after everything was cancelled


def answer(
    client_factory: Callable[[], Client],
    calls: Iterable[Call],
    settings: Settings,
    *,
    gate: Gate | None = None,
    stop: Stop | None = None,
    limiter: Limiter | None = None,
    ledger: LimitsLedger | None = None,
    rng: Random | None = None,
    breaker: Breaker | None = None,
) -> Run:
    """Return the results of the calls as they come, for each at most one Answer or CallFailed.

    Calls that a stop left have none, and `Run.stopped` says why. client_factory: called in the event loop's thread.
    limiter: None for the account's shared one. ledger: shared with other processes. breaker: shared by the stages of a
    run, None for a new one.
    """
    limiter = limiter or settings.limiter(ledger)
    return Run(client_factory, calls, settings, gate, stop or Stop(), limiter, rng or Random(), breaker)


class Run(Iterator[Result]):
    """The results of calls as they come. Belongs to one thread, like a generator; `close` may be called from any."""

    def __init__(
        self,
        client_factory: Callable[[], Client],
        calls: Iterable[Call],
        settings: Settings,
        gate: Gate | None,
        stop: Stop,
        limiter: Limiter,
        rng: Random,
        breaker: Breaker | None = None,
    ) -> None:
        self._calls: Iterator[Call] | None = iter(calls)  # None: no more are taken
        self._window = AHEAD * settings.caps.concurrency
        self._open = 0  # calls taken whose result was not handed out yet
        self._due = 0  # calls to take although a result waits: one for each result that `came` handed out
        self._left_out = False
        self._reason = ""
        self._handed: Result | None = None  # on its way to the caller
        self._stop = stop
        self._error: BaseException | None = None  # raised by the iterable
        self._results = Results()
        self._engine = Engine(
            client_factory, settings.sending, limiter, self._results.put, gate=gate, stop=stop, rng=rng, breaker=breaker
        )
        self._loop = _Loop(self._engine, self._results)

    @property
    def stopped(self) -> str:
        """Return why calls were left without a result (quota, budget, a stop), "" if none were."""
        return self._engine.stopped or self._reason or self._stop.reason if self._open or self._left_out else ""

    def stop(self, reason: str = "stopped") -> None:
        """Send no more; what is in flight ends as usual."""
        self._leave_out(reason)
        self._loop.tell(self._engine.leave, reason)

    def close(self) -> None:
        """Cancel what is in flight and end the thread; results that came before can still be taken."""
        self._leave_out("closed")
        self._loop.tell(self._engine.cancel, "closed")
        self._loop.join()

    def _leave_out(self, reason: str) -> None:
        if self._calls is not None:
            self._calls, self._left_out = None, True
        self._reason = self._reason or reason

    def __enter__(self) -> Run:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        if hasattr(self, "_loop") and self._loop.alive and not sys.is_finalizing():
            self.close()

    def __iter__(self) -> Run:
        return self

    def came(self, into: list[Result], most: int) -> None:
        """Append results that are there already, without waiting or taking calls, until `into` holds `most`."""
        while len(into) < most and (result := self._results.first()) is not None:
            into.append(result)  # first append, then drop: an interrupt may give it twice, but never loses it
            self._results.drop_first(result)
            self._open -= not isinstance(result, Attempt)
            self._due += not isinstance(result, Attempt)

    def __next__(self) -> Result:
        self._handed = None
        try:
            return self._next()
        except KeyboardInterrupt:
            if self._handed is not None:
                self._results.put_back(self._handed)
            self.stop("interrupted")
            raise

    def _next(self) -> Result:
        while True:
            came = self._results.first()
            if self._calls is not None and (self._engine.stopped or self._stop.level):
                self._leave_out(self._engine.stopped or self._stop.reason)
                self._loop.tell(self._engine.no_more)
            if self._calls is not None and self._engine.room(self._open, self._window):
                self._take_one(self._calls)
                if came is None or self._due > 0:
                    self._due = max(0, self._due - 1)
                    continue
            self._due = 0
            if came is not None:
                self._handed = came
                self._results.drop_first(came)
                self._open -= not isinstance(came, Attempt)
                return came
            if not self._loop.started or self._results.ended:
                self._raise_or_end()
            self._results.wait()

    def _take_one(self, calls: Iterator[Call]) -> None:
        try:
            call = next(calls)
        except StopIteration:
            self._calls = None
            self._loop.tell(self._engine.no_more)
            return
        except Exception as error:  # what was sent is paid for, so its answers come first
            self._error = error
            self.stop(f"{type(error).__name__} among the calls")
            return
        self._loop.start()
        self._open += 1
        self._loop.tell(self._engine.feed, (call,))

    def _raise_or_end(self) -> None:
        error, self._error = self._error or self._results.error, None
        self._results.error = None
        if error is not None:
            raise error
        raise StopIteration


class Results:
    """Results on the way from the loop's thread to the iterator's. error: what ended the loop.

    Waits at a SimpleQueue: an interrupt cannot leave its lock held, as it can that of a threading.Event.
    """

    def __init__(self) -> None:
        self._came: deque[Result] = deque()
        self._news: SimpleQueue[None] = SimpleQueue()
        self._ended = False
        self.error: BaseException | None = None

    def put(self, results: Sequence[Result]) -> None:
        """Add results. Called in the loop's thread."""
        self._came.extend(results)
        self._news.put(None)

    def end(self, error: BaseException | None) -> None:
        """Note that no results follow, and the error that ended the loop, if any. Called in the loop's thread."""
        self.error = error
        self._ended = True
        self._news.put(None)

    @property
    def ended(self) -> bool:
        """Return whether all results were taken and none follows."""
        return self._ended and not self._came

    def first(self) -> Result | None:
        """Return the oldest result, None if there is none. It stays here, so that an interrupt does not lose it."""
        while not self._news.empty():
            self._news.get()
        return self._came[0] if self._came else None

    def drop_first(self, result: Result) -> None:
        """Remove the oldest result, as it was taken."""
        assert self._came[0] is result
        self._came.popleft()

    def put_back(self, result: Result) -> None:
        """Put a result back at the front, unless it is still there."""
        if not self._came or self._came[0] is not result:
            self._came.appendleft(result)

    def wait(self) -> None:
        """Wait until a result or the end comes."""
        if not self._came and not self._ended:
            self._news.get()


class _Loop:
    """The thread of an engine's event loop."""

    def __init__(self, engine: Engine, results: Results) -> None:
        self._engine, self._results = engine, results
        self._loop: asyncio.AbstractEventLoop | None = None
        self.started = False
        self._up = False
        self._news: SimpleQueue[None] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="scrollwork-calls", daemon=True)

    def start(self) -> None:
        """Start the thread, unless it was started."""
        if not self.started:
            self.started = True  # set first: an interrupt must not leave an unknown thread
            self._thread.start()
        self._wait()

    def _wait(self) -> None:
        """Wait until the loop takes calls, but not for ever: an interrupt may have come before the thread began."""
        deadline = time.monotonic() + CLOSING_S
        while not self._up and time.monotonic() < deadline:
            with suppress(Empty):
                self._news.get(timeout=0.05)

    @property
    def alive(self) -> bool:
        """Return whether the thread runs."""
        return self._thread.is_alive()

    def _tell_up(self) -> None:
        self._up = True
        self._news.put(None)

    def _run(self) -> None:
        error: BaseException | None = None
        try:
            with asyncio.Runner() as runner:
                self._loop = runner.get_loop()
                runner.run(self._engine.run(self._tell_up))
        except BaseException as caught:
            error = caught
        finally:
            self._results.end(error)
            self._tell_up()

    def tell(self, method: Callable[..., None], *arguments: object) -> None:
        """Call a method of the engine in the loop's thread. Does nothing before its start and after its end."""
        if not self.started:
            return
        self._wait()
        if self._loop is None:
            self._results.end(None)
            return
        try:
            self._loop.call_soon_threadsafe(method, *arguments)
        except RuntimeError:
            if not self._loop.is_closed():
                raise

    def join(self) -> None:
        """Wait for the thread to end."""
        if self.alive and self._thread is not threading.current_thread():
            self._thread.join(JOIN_S)
