"""When a run stops asking a model: its first requests fail, or many in a row without an answer between.

A circuit breaker. Closed: everything is sent. Open, after failures that a retry may cure: one request at a time tries,
later each time. Tripped: nothing is sent any more in this run, and calls that were refused on the way stay as they
were, missing and not failed. A refusal that blames its prompt may be wrong: only an answer to a request that was sent
after it proves that the endpoint worked. Wishes to slow down are obeyed for a quarter of an hour.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from itertools import takewhile
from random import Random

from scrollwork.models.base import CallFailed, CallProblem
from scrollwork.models.engine.retry import Policy
from scrollwork.models.engine.sent_prompts import SentPrompts

FIRST, LATER = 16, 32  # like failures in a row that open or trip it: before and after the first answer of a run
UNLIKE = 4  # more, if they are not alike
AT_ONCE = 32  # requests in flight before the first answer
ALONE_S = 30.0  # longest time for which a request goes alone
REFUSED_S = 900.0  # longest time with only wishes to slow down
FEW = 3  # calls without a later answer that show a fault of all; if there are fewer, their prompts may be at fault
OF_ONE_PROMPT = (400, 409, 413, 422)  # terminal statuses that may be about a prompt; others are about the endpoint


@dataclass(frozen=True)
class Vain:
    """A failed request: sent: how many requests had been sent by then; at: when.

    kind: without text, which may name it.
    """

    sent: int
    at: float
    kind: tuple[str, int | None]


class Breaker:
    """One breaker for all stages that ask a model in one run and process. Thread-safe; methods never wait.

    tripped: why nothing is sent any more, "" before. answers: number so far. proven: the highest number of an answered
    request; requests are numbered from 1 as they are sent. prompts: those that were sent.
    """

    def __init__(
        self,
        policy: Policy | None = None,
        *,
        first: int = FIRST,
        later: int = LATER,
        at_once: int = AT_ONCE,
        alone: int = 0,
        rng: Random | None = None,
    ) -> None:
        """alone: answers to wait for one by one, in at most twice as many requests, before requests go in parallel."""
        self._policy, self._first, self._later, self._at_once = policy or Policy(), first, later, at_once
        self._alone, self._latest = alone, 0.0  # when one of them was last allowed
        self._rng = rng or Random()
        self._lock = threading.Lock()
        self._wakes: tuple[Callable[[], None], ...] = ()
        self._told: set[str] = set()
        self.tripped = ""
        self.answers = self.proven = 0
        self.prompts = SentPrompts()
        self._sent = 0
        self._in_flight: dict[object, int] = {}  # requests and their numbers
        self._row: deque[Vain] = deque()  # failures without an answer to a request that was sent after them
        self._refused_since: float | None = None  # first wish to slow down since the last answer
        self._probes = 0  # attempts while it is open, 0 while it is closed
        self._probe: object | None = None  # in flight
        self._due = 0.0  # when the next one may go

    @property
    def alone(self) -> bool:
        """Return whether requests go one by one, as there are too few answers yet."""
        with self._lock:
            return self._goes_alone()

    def _goes_alone(self) -> bool:
        """Return the same as `alone`. The caller holds the lock."""
        return self.answers < self._alone and self._sent < 2 * self._alone

    def due(self, now: float) -> float | None:
        """Return when a request may be sent: `now` for at once, later, or None to wait for `wake`."""
        with self._lock:
            if not self.answers and len(self._in_flight) >= self._at_once:
                return None
            if self._goes_alone() and self._in_flight:
                if now < self._latest + ALONE_S:
                    return max(self._latest + ALONE_S, self._due)
                self._alone = 0
            self._latest = now
            if not self._probes:
                return now
            return None if self._probe is not None else max(now, self._due)

    def sent(self, what: object) -> int:
        """Count a request that is sent, and return its number."""
        with self._lock:
            self._sent += 1
            self._in_flight[what] = self._sent
            if self._probes:
                self._probe = what
            return self._sent

    def answered(self, what: object) -> None:
        """Note an answer. What failed before its request was sent was no fault of the endpoint.

        It makes up for one other failure too: when that was sent, the endpoint may still have worked.
        """
        with self._lock:
            news = bool(self._probes) or self.answers <= self._alone
            self.answers += 1
            number = self._in_flight.get(what, 0)
            self.proven = max(self.proven, number)
            while self._row and self._row[0].sent < number:
                self._row.popleft()
            if self._row:
                self._row.popleft()
            if self._over(what) or not self._row:
                self._probes = 0
            self._refused_since = None
        self._wake(news)

    def ended(self, what: object, now: float) -> None:
        """Note an end that says nothing about the endpoint: the request was cancelled, or refused as too fast."""
        with self._lock:
            if self._over(what):
                self._due = now + self._policy.first_wait_s
            news = bool(self._probes) or self.answers <= self._alone
        self._wake(news)

    def failed(self, what: object, problem: CallProblem, now: float) -> int:
        """Note a failure, and return how many requests have been sent."""
        if problem.slow_down:
            self.ended(what, now)
            self._refused(problem, now)
            return self._sent
        with self._lock:
            probed = self._over(what)
            kind = (problem.kind, problem.status)
            self._row.append(Vain(self._sent, now, kind))
            most = self._later if self.answers else self._first
            many = self._alike() >= most or len(self._row) >= most + UNLIKE
            if not self.tripped and (many or self._probes):
                self._open(problem, probed, now, many)
            news = bool(self._probes or self.tripped) or self.answers <= self._alone
            sent = self._sent
        self._wake(news)
        return sent

    def _alike(self) -> int:
        """Return how many of the latest failures are alike. The caller holds the lock."""
        return sum(1 for _ in takewhile(lambda one: one.kind == self._row[-1].kind, reversed(self._row)))

    def _refused(self, problem: CallProblem, now: float) -> None:
        """Trip after REFUSED_S of refusals.

        By now one request a minute is sent: to fail call by call would take days.
        """
        with self._lock:
            since = self._refused_since = now if self._refused_since is None else self._refused_since
        if now - since > REFUSED_S:
            minutes = REFUSED_S / 60
            self.trip(f"nothing but refusals for {minutes:g} minutes, try again later: {problem.message}")

    def _open(self, problem: CallProblem, probed: bool, now: float, many: bool) -> None:
        """Let one request try after a while, or none any more. The caller holds the lock."""
        wait: float | None = max(0.0, self._due - now)
        if problem.kind == "terminal" and many:
            wait = None
        elif probed or not self._probes:
            self._probes += 1
            wait = self._policy.wait(self._probes, now - self._row[0].at, problem.retry_after_s, self._rng)
        if wait is None:
            alike = "all alike" if self._alike() >= len(self._row) else "the last one so"
            self.tripped = f"{problem.message} ({len(self._row)} requests in a row were not answered, {alike})"
        else:
            self._due = now + wait

    def _over(self, what: object) -> bool:
        """Remove a request from those in flight, and return whether it was trying an open breaker.

        The caller holds the lock.
        """
        self._in_flight.pop(what, None)
        probed = self._probe is what
        if probed:
            self._probe = None
        return probed

    def trip(self, reason: str) -> None:
        """Let nothing be sent any more."""
        with self._lock:
            self.tripped = self.tripped or reason
        self._wake(True)

    def first(self, reason: str) -> bool:
        """Return whether this reason for waiting was not logged before."""
        with self._lock:
            new = reason not in self._told
            self._told.add(reason)
            return new

    def tell(self, wake: Callable[[], None]) -> None:
        """Have `wake` called, which must not raise, when requests may be sent, or none any more."""
        with self._lock:
            self._wakes = (*self._wakes, wake)

    def forget(self, wake: Callable[[], None]) -> None:
        """Undo `tell`."""
        with self._lock:
            self._wakes = tuple(other for other in self._wakes if other != wake)

    def _wake(self, news: bool) -> None:
        """Wake the engines if there is news for them."""
        for wake in self._wakes if news else ():
            wake()

    def blames(self, failure: CallFailed, failures: int) -> bool:
        """Return whether a failure is no fault of its prompt, so that the request is to be asked again.

        For failures whose requests were sent after all answered ones; failures: number of these, including this one.
        """
        status = failure.status or 0
        of_endpoint = failure.foreign or (status not in OF_ONE_PROMPT and not 200 <= status < 300)
        if self.tripped or (failure.kind == "terminal" and of_endpoint):
            return True
        return failure.number > self.proven and failures >= FEW
