"""Calls on their way: order, limits, budget, attempts, retries, in one event loop. Callers use answers.py.

Only requests and timers wait here: whatever may let a call go (a new call, an ended attempt, a wait that is over, a
limiter's `wake`) runs `_pump`, which sends all that may go now.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from random import Random

from scrollwork.models.base import Answer, Attempt, Call, CallFailed, CallProblem, Client, Reply
from scrollwork.models.engine.attempts import Trip, expected_tokens, send_once, with_more_room
from scrollwork.models.engine.breaker import Breaker
from scrollwork.models.engine.budget import Gate
from scrollwork.models.engine.document_order import Item, Order
from scrollwork.models.engine.limits import Ended, Lane, Limiter
from scrollwork.models.engine.patience import Patience
from scrollwork.models.engine.retry import ends_the_run
from scrollwork.models.engine.sending import Sending, after_refusal
from scrollwork.models.engine.stopping import Stop
from scrollwork.models.vendors.tiers import flex_refused, served_tier, tier_refused

Result = Answer | CallFailed | Attempt
CLOSING_S = 5.0  # for requests to be cancelled, and for a client to close its connections
LOOK_AGAIN_S = 0.2  # between two looks at a budget that calls of other stages have reserved


class Engine:
    """Sends calls and hands over results, last an Answer or CallFailed each. stopped: why some have none, or ""."""

    def __init__(
        self,
        client_factory: Callable[[], Client],
        settings: Sending,
        limiter: Limiter,
        hand_over: Callable[[Sequence[Result]], None],
        *,
        gate: Gate | None,
        stop: Stop,
        rng: Random,
        breaker: Breaker | None = None,
    ) -> None:
        self._client_factory, self._settings, self._limiter = client_factory, settings, limiter
        self._hand_over, self._gate, self._stop, self._rng = hand_over, gate, stop, rng
        self._breaker = breaker or Breaker(settings.policy)
        self._order = Order(settings.cache_s, self._breaker.prompts)
        self._lane = Lane(self.wake)
        self._tasks: dict[asyncio.Task[None], tuple[Item, int]] = {}  # in flight, with the tokens reserved
        self._resting: dict[Item, asyncio.TimerHandle] = {}  # waiting for a retry
        self._timer: asyncio.TimerHandle | None = None
        self._all_fed = self._cancelled = False
        self._patience = Patience(settings.name, self._breaker, limiter)
        self._last_problem = ""
        self._last_tokens = 0
        self._error: Exception | None = None
        self._service = settings.service
        self.stopped = ""

    async def run(self, started: Callable[[], None] = lambda: None) -> None:
        """Run until all calls that were fed have ended and `no_more` was called, or until a stop.

        Raises what client_factory raises, and what a client raised against its contract, after what is in flight has
        ended.
        """
        self._loop = asyncio.get_running_loop()
        self._over = asyncio.Event()
        self._client = self._client_factory()
        self._stop.tell(self.wake)
        self._breaker.tell(self.wake)
        started()
        try:
            self._pump()
            await self._over.wait()
        finally:
            self._stop.forget(self.wake)
            self._breaker.forget(self.wake)
            self._let_go()
            await self._abandon()
            with suppress(Exception):
                await asyncio.wait_for(self._client.close(), CLOSING_S)
        if self._error is not None:
            raise self._error

    def wake(self) -> None:
        """Send what may go now. May be called from any thread, and from a signal handler."""
        with suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(self._pump)

    def feed(self, calls: Sequence[Call]) -> None:
        """Add calls, in the loop's thread."""
        for call in () if self.stopped else calls:
            self._order.add(replace(call, service=self._service) if self._service else call)
        self._pump()

    def no_more(self) -> None:
        """Note that no call follows, in the loop's thread."""
        self._all_fed = True
        self._pump()

    def room(self, open_calls: int, window: int) -> bool:
        """Return whether another call is wanted, from any thread. Half a window of waiting followers is free."""
        return open_calls - min(self._order.behind, window // 2) < window

    def leave(self, reason: str) -> None:
        """Send no more, in the loop's thread; what is in flight ends as usual."""
        self._halt(reason)
        self._pump()

    def cancel(self, reason: str) -> None:
        """Cancel what is in flight, in the loop's thread."""
        self._halt(reason)
        self._cancel()
        self._pump()

    # ---- what may go, and when it is over

    def _pump(self) -> None:
        try:
            self._heed_stop()
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            while not self.stopped and self._send_next():
                pass
        except Exception as error:  # from the gate
            self._fail(error)
        if not self._tasks and (self.stopped or (self._all_fed and not self._order and not self._resting)):
            self._over.set()

    def _send_next(self) -> bool:
        """Send the next call and return True if one may go now; else have `_pump` run when one may."""
        now = self._loop.time()
        item = self._order.peek(len(self._tasks), self._limiter.gap_s(self._last_tokens))
        may = self._breaker.due(now)
        if item is None or may is None or may > now:
            self._limiter.leave(self._lane)
            if not self._tasks and (item is not None or self._resting):
                rested = min((handle.when() for handle in self._resting.values()), default=now)
                due = rested if item is None else now if may is None else may
                self._wait(now, due, due - now, f"it is tried again after: {self._last_problem}")
            elif may is not None and may > now:
                self._timer = self._loop.call_at(may, self._pump)
            return False
        if self._stop.held:  # `go_on` wakes
            self._limiter.leave(self._lane)
            return False
        reserved = expected_tokens(item.call, self._limiter)
        due_at = self._limiter.ask(self._lane, now, reserved, self._order.at_hand)
        if due_at is None and self._limiter.away:
            self._halt(self._limiter.away)
            return False
        if due_at is None or due_at > now:
            self._wait(now, due_at, *self._limiter.waits(self._lane, now))
            return False
        if self._gate is not None and not self._gate.reserve(item.call):
            self._limiter.leave(self._lane)
            if self._gate.pending():
                self._timer = self._loop.call_later(LOOK_AGAIN_S, self._pump)
            else:
                self._halt(self._gate.reason)
            return False
        self._last_tokens = reserved
        self._patience.over()
        number = self._breaker.sent(item)
        self._limiter.take(self._lane, reserved, now)
        self._order.take(item)
        task = self._loop.create_task(self._attempt(item, reserved, number))
        self._tasks[task] = item, reserved
        task.add_done_callback(self._never_began)
        return True

    def _wait(self, now: float, due: float | None, seconds: float, reason: str) -> None:
        """Have `_pump` run when the next request may go, unless that takes too long (models/engine/patience.py)."""
        at = self._patience.wait(now, due, seconds, reason)
        if at is not None:
            self._timer = self._loop.call_at(at, self._pump)
        elif self._breaker.tripped:
            self._halt(self._breaker.tripped)

    def _halt(self, reason: str) -> None:
        """Send no more; what is in flight may end."""
        self.stopped = self.stopped or reason or "stopped"
        self._let_go()

    def _fail(self, error: Exception) -> None:
        """Stop for a fault of ours, not of a provider; `run` raises it."""
        self._error = self._error or error
        self._halt(f"{type(error).__name__}")

    def _let_go(self) -> None:
        """Drop all calls that are not in flight."""
        for handle in self._resting.values():
            handle.cancel()
        self._resting.clear()
        self._order.clear()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._limiter.leave(self._lane)

    def _heed_stop(self) -> None:
        if self._breaker.tripped and not self.stopped:
            self._halt(self._breaker.tripped)
        if self._stop.level:
            self._halt(self._stop.reason)
        if self._stop.level == 2:
            self._cancel()

    def _cancel(self) -> None:
        if not self._cancelled:
            self._cancelled = True
            for task in self._tasks:
                task.cancel()
            self._loop.call_later(CLOSING_S, self._over.set)

    async def _abandon(self) -> None:
        """Cancel what is in flight, and do not wait long for clients that cannot be cancelled."""
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=CLOSING_S)
        for task in tuple(self._tasks):
            self._never_began(task)

    def _never_began(self, task: asyncio.Task[None]) -> None:
        """Free what a task holds that was cancelled before its first step, or would not end."""
        if task in self._tasks:
            item, reserved = self._tasks.pop(task)
            if self._gate is not None:
                self._gate.settle(item.call, None, maybe=item.attempts > 0)
            now = self._loop.time()
            self._breaker.ended(item, now)
            self._limiter.ended(self._lane, Ended(now, reserved, charged=item.attempts > 0), now)
            self._pump()

    # ---- one attempt

    async def _attempt(self, item: Item, reserved: int, number: int) -> None:
        task = asyncio.current_task()
        assert task is not None
        began, started = self._loop.time(), time.time()
        item.attempts += 1
        if item.call.service != self._service:
            item.call = replace(item.call, service="")  # the vendor does not offer the tier
        patience = None
        if item.awaited:
            patience = self._loop.call_later(self._settings.warmup_s, self._follow, item)
        result = await send_once(self._client, item.call, self._settings.timeout_s)
        if patience is not None:
            patience.cancel()
        if task not in self._tasks:
            return  # abandoned
        del self._tasks[task]
        self._order.came(item)
        trip = Trip(item, reserved, began, started, self._loop.time(), number)
        item.spent_s += trip.seconds
        try:
            self._ended(trip, result)
        except Exception as error:  # from the gate
            self._fail(error)
        self._pump()

    def _follow(self, item: Item) -> None:
        """Release the followers of a slow leader: its prefix has been in the cache since its first token."""
        self._order.warm(item)
        self._pump()

    def _ended(self, trip: Trip, result: Reply | CallProblem | Exception | None) -> None:
        if isinstance(result, Reply):
            self._breaker.answered(trip.item)
            tier = served_tier(trip.item.call.service, result.service_tier)
            how = Ended(trip.began, trip.reserved, True, usage=result.usage, limits=result.limits)
            self._account(trip, how, tier)
            self._order.warm(trip.item)
            self._hand_over((trip.attempt("answered", None, result.doubt, result.usage, tier), trip.answer(result)))
        elif isinstance(result, CallProblem):
            self._problem(trip, result)
        else:
            self._breaker.ended(trip.item, trip.ended)
            self._account(trip, Ended(trip.began, trip.reserved))
            self._hand_over((trip.attempt("cancelled", message=type(result).__name__ if result else "cancelled"),))
            if result is not None:
                self._fail(result)

    def _problem(self, trip: Trip, problem: CallProblem) -> None:
        item = trip.item
        refused = item.call.service != "" and (flex_refused(problem) or tier_refused(problem))
        how, tier = trip.failed(problem), served_tier(item.call.service, problem.service_tier)
        self._account(trip, replace(how, slow_down=problem.slow_down and not refused), tier)
        said = f"{problem.message}; {problem.doubt}" if problem.doubt else problem.message
        roomier = with_more_room(item.call, problem, self._settings.most_output)
        kind, self._last_problem = "transient" if roomier or refused else problem.kind, problem.message
        tried = trip.attempt(kind, problem.status, said, problem.paid, tier)
        if ends_the_run(problem):
            self._breaker.ended(item, trip.ended)
            self._hand_over((tried,))
            self._halt(problem.message)
            return
        if refused or roomier is not None:
            self._breaker.ended(item, trip.ended)
            self._hand_over((tried,))
            wait = after_refusal(item, problem, self._settings.policy, self._rng) if refused else None
            self._service = "" if refused and tier_refused(problem) else self._service
            if roomier is not None:
                self._order.warm(item)  # the prompt was read
            item.call = roomier or item.call
            self._again(item, wait)
            return
        lost = trip.given_up(problem, self._breaker.failed(item, problem, trip.ended))
        if self._breaker.tripped:
            self._hand_over((tried, lost) if problem.own else (tried,))  # a call that is not at fault stays as it was
            self._halt(self._breaker.tripped)
            return
        wait = None
        if problem.kind == "transient":
            wait = self._settings.policy.wait(item.tries, item.spent_s, problem.retry_after_s, self._rng)
        if wait is None:
            self._order.warm(item)
            self._hand_over((tried, lost))
            return
        self._hand_over((tried,))
        self._again(item, wait)

    def _again(self, item: Item, wait: float | None) -> None:
        """Retry a call after so many seconds, None for now."""
        if self.stopped:
            return
        self._order.cool(item)
        if wait is None:
            self._order.again(item)
            return
        item.spent_s += wait
        self._resting[item] = self._loop.call_later(wait, self._rested, item)

    def _rested(self, item: Item) -> None:
        del self._resting[item]
        self._order.again(item)
        self._pump()

    def _account(self, trip: Trip, how: Ended, service: str = "") -> None:
        """Tell limiter (no limits after a trip) and budget how an attempt ended. service: as in `Attempt`."""
        how = replace(how, limits=None) if self._breaker.tripped else how
        self._limiter.ended(self._lane, how, trip.ended)
        if self._gate is not None:
            self._gate.settle(trip.item.call, how.usage, maybe=how.charged, service=service)
