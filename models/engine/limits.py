"""A provider's limits for one account and model: requests and tokens a minute, requests in flight.

All stages of a process share one Limiter, in whatever thread or event loop they run: each has a Lane, and lanes take
turns. Processes share the limits a minute through a LimitsLedger (shared_schedule.py), but not the requests in flight.
Times are those of time.monotonic(), as in event loops; tests pass their own.
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from scrollwork.models.base import Limits, Usage
from scrollwork.models.engine.limits_ledger import REST_S, LedgerAway, LimitsLedger, Want, in_thread, take_from_ledger
from scrollwork.models.engine.pacing import Concurrency, Pace
from scrollwork.models.engine.shared_schedule import Share

A_MINUTE = 90.0  # seconds; a limit that takes longer to fill up is a daily one
LONGEST_HOLD_S = 60.0  # a limit a minute never needs a longer wait
MARGIN = 1.25  # reserved output tokens / mean output tokens of earlier answers


@dataclass(frozen=True)
class Caps:
    """Limits in the model's table; None for no known limit. Its vendor's family says what counts in the token limit."""

    concurrency: int = 32
    start: int = 8
    rpm: float | None = None
    tpm: float | None = None
    counts_cached: bool = True  # input read from the prefix cache counts too
    admits_by_limit: bool = False  # a request counts for max(input, all new tokens that it allows), whatever it uses


class Lane:
    """One stage's place at a limiter. wake: called, from any thread, when the lane's turn may have come."""

    def __init__(self, wake: Callable[[], None]) -> None:
        self.wake = wake


@dataclass(frozen=True)
class Ended:
    """How an attempt ended, for the limiter. charged: False if the provider refused it without any work."""

    sent_at: float
    reserved: int
    answered: bool = False
    slow_down: bool = False
    charged: bool = True
    usage: Usage | None = None
    limits: Limits | None = None
    retry_after_s: float | None = None


class Limiter:
    """Decides when a request may be sent, and counts it. All methods are thread-safe and never wait."""

    def __init__(
        self,
        caps: Caps,
        *,
        run: Callable[[Callable[[], None]], None] = in_thread,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """run: runs functions that wait for a ledger. clock: tells them the time."""
        self._lock = threading.Lock()
        self._run, self._clock = run, clock
        self._share: Share | None = None
        self._heard = False  # whether the provider's headers told its limits
        self._lanes: deque[Lane] = deque()
        self._hold = float("-inf")
        self._refusals = 0  # in a row, each with a Retry-After
        self._output: float | None = None  # moving mean of output tokens
        self._requests, self._tokens = Pace(caps.rpm), Pace(caps.tpm)
        self._concurrency = Concurrency(caps.concurrency, caps.start)
        self._caps = caps

    def configure(self, caps: Caps) -> None:
        """Use another table for the same account and model; limits from headers must be learnt again."""
        with self._lock:
            if caps != self._caps:
                self._caps = caps
                self._requests.per_minute, self._tokens.per_minute = caps.rpm, caps.tpm
                self._concurrency.cap = caps.concurrency
                self._concurrency.limit = min(self._concurrency.limit, caps.concurrency)

    def share(self, ledger: LimitsLedger, name: str) -> None:
        """Share the limits a minute with all processes that use this ledger and this name."""
        with self._lock:
            if self._share is None or self._share.ledger.place != ledger.place:
                self._share = Share(ledger, name)
                self._requests, self._tokens = Pace(self._requests.per_minute), Pace(self._tokens.per_minute)

    def ask(self, lane: Lane, now: float, tokens: int = 1, waiting: int = 1) -> float | None:
        """Return when the lane may send a request of so many tokens; lanes are served in the order in which they asked.

        `now` or earlier: at once, then call `take` or `leave`. Later: ask again then. None: `wake` will be called.
        waiting: number of requests that the lane could send."""
        with self._lock:
            if lane not in self._lanes:
                self._lanes.append(lane)
            if self._lanes[0] is not lane or self._concurrency.in_flight >= self._concurrency.limit:
                return None
            gap = self._gap_s(tokens)
            if self._share is None or not gap:
                return max(self._requests.due(now), self._tokens.due(now), self._hold)
            if self._hold > now:
                return self._hold
            past = self._share.lapsed(now)
            position = max(past, self._requests.due(past), self._tokens.due(past))  # a lapsed position cannot be used
            due = self._share.clock.when(position)
            share, wanted = self._share, None
            if not share.asking and not (share.away and now < share.again):
                number = min(waiting + len(self._lanes) - 1, self._concurrency.limit - self._concurrency.in_flight)
                wanted = share.want(position, number, gap, self._requests.seconds(1), now)
                share.asking = wanted is not None
                if due is None and share.later() > now:
                    due = share.later()
        self._fetch(share, wanted)
        return due

    def waits(self, lane: Lane, now: float) -> tuple[float, str]:
        """Return (seconds that limits delay the next request at least, why) if it is the lane's turn, or (0.0, "")."""
        with self._lock:
            first = bool(self._lanes) and self._lanes[0] is lane
            if not first or self._concurrency.in_flight >= self._concurrency.limit:
                return 0.0, ""
            if self._hold > now:
                return self._hold - now, "the provider asked to be left alone for a while"
            here = now if self._share is None else self._share.clock.at(now)
            held = [(pace.due(here) - here, pace.per_minute, what) for pace, what in (
                (self._requests, "requests"), (self._tokens, "tokens"))]  # fmt: skip
            seconds, limit, what = max(held, key=lambda one: one[0])
            if self._share is not None and (due := self._share.clock.when(here)) is not None:
                seconds = max(seconds, due - now)
            if seconds <= 0:
                return 0.0, ""
            shared = f", shared through {self._share.ledger.name}" if self._share is not None else ""
            return seconds, f"{limit or 0:,.0f} {what} a minute are allowed{shared}"

    def forget(self) -> None:
        """Start afresh, as reservations and learnt limits delayed everything for too long."""
        with self._lock:
            self._hold, self._heard, self._output = float("-inf"), False, None
            self._requests, self._tokens = Pace(self._caps.rpm), Pace(self._caps.tpm)
            if self._share is not None:
                self._share = Share(self._share.ledger, self._share.name)

    def take(self, lane: Lane, tokens: int, now: float) -> None:
        """Count a request of so many tokens that the lane sends now; the lane leaves the queue."""
        with self._lock:
            self._lanes.remove(lane)
            self._concurrency.sent()
            if self._share is None:
                self._requests.take(1, now)
                self._tokens.take(tokens, now)
            else:
                past = self._share.lapsed(now)
                self._requests.take(1, past, 0.0)
                self._tokens.take(tokens, past, 0.0)
                self._share.sent()
            other = self._lanes[0] if self._lanes else None
        if other is not None:
            other.wake()

    def leave(self, lane: Lane) -> None:
        """Take the lane out of the queue, as it has nothing to send for now."""
        with self._lock:
            if lane not in self._lanes:
                return
            self._lanes.remove(lane)
            other = self._lanes[0] if self._lanes else None
        if other is not None:
            other.wake()

    def ended(self, lane: Lane, how: Ended, now: float) -> None:
        """End an attempt that was taken: correct the tokens, learn the limits, free its place."""
        with self._lock:
            if how.answered:
                self._refusals = 0
                self._concurrency.answered()
                output = how.usage.output_tokens if how.usage else None
                if output is not None:
                    self._output = output if self._output is None else 0.9 * self._output + 0.1 * output
            elif how.slow_down:
                self._concurrency.refused(how.sent_at, now)
                if how.retry_after_s is not None:
                    self._refusals += 1
                    if self._refusals > 1:  # two in a row are about the account, not about one request
                        self._hold_back(now + min(how.retry_after_s, LONGEST_HOLD_S))
            else:
                self._concurrency.failed()
            self._correct(tokens_used(how, self._caps) - how.reserved, now)
            if how.limits is not None:
                self._learn(how.limits, now)
            share, wanted = self._share, self._news(now)
            other = self._lanes[0] if self._lanes else None
        if other is not None and other is not lane:
            other.wake()
        self._fetch(share, wanted)

    def _correct(self, more: int, now: float) -> None:
        seconds = self._tokens.seconds(more)
        if self._share is not None:
            passed = self._share.clock.at(now)
            seconds = self._share.correct(seconds, self._tokens.due(passed) - passed)
        self._tokens.shift(seconds)

    def _hold_back(self, until: float) -> None:
        if until > self._hold:
            self._hold = until
            if self._share is not None:
                self._share.hold(until)

    def _learn(self, said: Limits, now: float) -> None:
        for pace, own, limit, left, reset in (
            (self._requests, self._caps.rpm, said.requests_limit, said.requests_remaining, said.requests_reset_s),
            (self._tokens, self._caps.tpm, said.tokens_limit, said.tokens_remaining, said.tokens_reset_s),
        ):
            if reset is not None and reset > A_MINUTE:  # a daily limit sets no pace
                pace.per_minute = own
                continue
            if limit:
                self._heard = True
                pace.per_minute = limit if own is None else min(own, limit)
            if left is not None and left <= 0 and reset is not None and reset > 0:
                self._hold_back(now + min(reset, LONGEST_HOLD_S))
        if self._share is not None and self._heard:
            self._share.hear(taught_limit(self._requests, self._caps.rpm), taught_limit(self._tokens, self._caps.tpm))

    # ---- shared with other processes

    def _news(self, now: float) -> Want | None:
        """Return what other processes should know at once, None for nothing. The caller holds the lock."""
        if self._share is None or self._share.asking or not (self._requests.per_minute or self._tokens.per_minute):
            return None
        wanted = self._share.news(now)
        self._share.asking = wanted is not None
        return wanted

    def _fetch(self, share: Share | None, wanted: Want | None) -> None:
        """Ask the ledger outside the event loops. The caller does not hold the lock."""
        if share is not None and wanted is not None:
            self._run(lambda: self._ask_ledger(share, wanted))

    def _ask_ledger(self, share: Share, wanted: Want) -> None:
        more = None
        try:
            taken, asked = take_from_ledger(share.ledger, share.name, wanted, lambda: bool(self._lanes), self._clock)
        except LedgerAway as error:
            with self._lock:
                share.asking = False
                share.away, share.again = str(error), self._clock() + REST_S
                lanes = tuple(self._lanes)
        else:
            with self._lock:
                share.asking = False
                share.took(wanted, taken, asked, self._clock())
                if not self._heard:
                    self._requests.per_minute = lowest(self._caps.rpm, taken.requests_limit)
                    self._tokens.per_minute = lowest(self._caps.tpm, taken.tokens_limit)
                lanes = tuple(self._lanes)[:1]
                more = self._news(self._clock()) if share is self._share else None
        for lane in lanes:
            lane.wake()
        self._fetch(share, more)

    @property
    def away(self) -> str:
        """Return why nothing can be sent, as the ledger cannot be reached; "" while it can."""
        return self._share.away if self._share is not None else ""

    @property
    def counts_cached(self) -> bool:
        """Return whether input read from the prefix cache counts in the token limit."""
        return self._caps.counts_cached

    def expected(self, input_tokens: int, max_new_tokens: int, allowed: int | None = None) -> int:
        """Return the tokens to reserve: input, and mean output so far with a margin.

        allowed: all new tokens, with reasoning.
        """
        with self._lock:
            if self._caps.admits_by_limit:
                return max(input_tokens, allowed or max_new_tokens)
            if self._output is None:
                return input_tokens + max_new_tokens
            return input_tokens + min(max_new_tokens, int(self._output * MARGIN) + 1)

    def gap_s(self, tokens: int) -> float:
        """Return the seconds between two requests of so many tokens by the limits a minute; 0.0 without limits."""
        with self._lock:
            return self._gap_s(tokens)

    def _gap_s(self, tokens: int) -> float:
        return max(self._requests.seconds(1), self._tokens.seconds(tokens))

    @property
    def concurrency(self) -> int:
        """Return how many requests may be in flight now."""
        return self._concurrency.limit

    @property
    def in_flight(self) -> int:
        """Return how many requests are in flight, of all lanes."""
        return self._concurrency.in_flight


def tokens_used(how: Ended, caps: Caps) -> int:
    """Return the tokens that an attempt counts for: as reported; as reserved if a part is not; 0 if it was refused."""
    usage = how.usage
    if caps.admits_by_limit or usage is None or usage.input_tokens is None or usage.output_tokens is None:
        return how.reserved if how.charged else 0
    cached = 0 if caps.counts_cached else usage.cached_tokens or 0
    return max(0, usage.input_tokens - cached) + usage.output_tokens


def lowest(*limits: float | None) -> float | None:
    """Return the lowest of the known limits, None if none is known."""
    return min((limit for limit in limits if limit), default=None)


def taught_limit(pace: Pace, own: float | None) -> int | None:
    """Return the limit a minute that headers told, None if it is the table's own."""
    return int(pace.per_minute) if pace.per_minute and pace.per_minute != own else None


_limiters: dict[tuple[str, ...], Limiter] = {}
_guard = threading.Lock()


def limiter_of(
    provider: str, base_url: str, model_id: str, key_name: str, caps: Caps, ledger: LimitsLedger | None = None
) -> Limiter:
    """Return this process's one limiter for an account's model. ledger: all processes that use it share the limits.

    key_name: name of the variable that holds the key, not the key.
    """
    name = (provider, base_url, model_id, hashlib.sha256(key_name.encode()).hexdigest())
    with _guard:
        limiter = _limiters.setdefault(name, Limiter(caps))
    limiter.configure(caps)
    if ledger is not None:
        limiter.share(ledger, hashlib.sha256("\0".join(name).encode()).hexdigest())
    return limiter
