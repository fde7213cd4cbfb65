"""When a run asks a model no more: its first requests, or many in a row with no answer between, all end in vain.

A circuit breaker. Closed, everything goes. Open, after failures that another try may mend, one request at a time tries,
later each time. Tripped, nothing goes any more in this run, and what was refused on the way is left as it was: missing,
not failed. What a refusal says of its prompt is a claim: only an answer to a request that went after it proves that the
endpoint was well. A wish to slow down is heeded for a quarter of an hour.
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

FIRST, LATER = 16, 32  # failures alike in a row that open or trip it: before the first answer of a run, after it
UNLIKE = 4  # more, where they are not alike
AT_ONCE = 32  # requests in flight before the first answer
ALONE_S = 30.0  # that a request goes alone at most
REFUSED_S = 900.0  # of nothing but wishes to slow down
FEW = 3  # calls that no later answer followed which show what is wrong with all, where fewer might be their own fault
OF_ONE_PROMPT = (400, 409, 413, 422)  # terminal statuses that may speak of a prompt; the others speak of the endpoint


@dataclass(frozen=True)
class Vain:
    """A request that ended in vain at a time, when so many had been sent. kind: never its text, which may name it."""

    sent: int
    at: float
    kind: tuple[str, int | None]


class Breaker:
    """One for all stages that ask a model in one run and process. Thread-safe; methods never wait.

    tripped: why nothing goes any more, "" before. answers: that came so far. proven: number of the last request sent
    among those that were answered; requests are numbered from 1 as they go. prompts: of those that went.
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
        """alone: answers that are waited for one by one, with twice as many requests at most, before requests go beside
        each other."""
        self._policy, self._first, self._later, self._at_once = policy or Policy(), first, later, at_once
        self._alone, self._latest = alone, 0.0  # when the last of those might go
        self._rng = rng or Random()
        self._lock = threading.Lock()
        self._wakes: tuple[Callable[[], None], ...] = ()
        self._told: set[str] = set()
        self.tripped = ""
        self.answers = self.proven = 0
        self.prompts = SentPrompts()
        self._sent = 0
        self._in_flight: dict[object, int] = {}  # with their numbers
        self._row: deque[Vain] = deque()  # since the last answer to a request that went after them
        self._refused_since: float | None = None  # nothing was answered since
        self._probes = 0  # tries while it is open, 0 while it is closed
        self._probe: object | None = None  # under way
        self._due = 0.0  # of the next one

    @property
    def alone(self) -> bool:
        """Whether requests go one by one, as too few are answered."""
        with self._lock:
            return self._goes_alone()

    def _goes_alone(self) -> bool:
        """As `alone`. With the lock."""
        return self.answers < self._alone and self._sent < 2 * self._alone

    def due(self, now: float) -> float | None:
        """When a request may go: `now` for at once, later, or None to be woken."""
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
        """A request goes. Its number."""
        with self._lock:
            self._sent += 1
            self._in_flight[what] = self._sent
            if self._probes:
                self._probe = what
            return self._sent

    def answered(self, what: object) -> None:
        """It was answered: what had failed before it went was no fault of the endpoint. It makes up for one of the
        others: when it went, the endpoint may still have been well."""
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
        """It ended in a way that says nothing: it was cancelled, or refused as too fast."""
        with self._lock:
            if self._over(what):
                self._due = now + self._policy.first_wait_s
            news = bool(self._probes) or self.answers <= self._alone
        self._wake(news)

    def failed(self, what: object, problem: CallProblem, now: float) -> int:
        """It ended in vain. How many requests have been sent."""
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
        """How many of the last that ended in vain are alike. With the lock."""
        return sum(1 for _ in takewhile(lambda one: one.kind == self._row[-1].kind, reversed(self._row)))

    def _refused(self, problem: CallProblem, now: float) -> None:
        """One request a minute may go now, and to fail call by call would take days."""
        with self._lock:
            since = self._refused_since = now if self._refused_since is None else self._refused_since
        if now - since > REFUSED_S:
            minutes = REFUSED_S / 60
            self.trip(f"nothing but refusals for {minutes:g} minutes, try again later: {problem.message}")

    def _open(self, problem: CallProblem, probed: bool, now: float, many: bool) -> None:
        """Let one request try after a while, or none any more. With the lock."""
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
        """Take a request off those in flight, and tell whether it was the one sent to try an open breaker. With the
        lock."""
        self._in_flight.pop(what, None)
        probed = self._probe is what
        if probed:
            self._probe = None
        return probed

    def trip(self, reason: str) -> None:
        """Let nothing go any more."""
        with self._lock:
            self.tripped = self.tripped or reason
        self._wake(True)

    def first(self, reason: str) -> bool:
        """Whether nobody has told yet why this model waits."""
        with self._lock:
            new = reason not in self._told
            self._told.add(reason)
            return new

    def tell(self, wake: Callable[[], None]) -> None:
        """Call `wake` (which must not raise) when requests may go, or no more."""
        with self._lock:
            self._wakes = (*self._wakes, wake)

    def forget(self, wake: Callable[[], None]) -> None:
        """Call it no more."""
        with self._lock:
            self._wakes = tuple(other for other in self._wakes if other != wake)

    def _wake(self, news: bool) -> None:
        """Tell the engines, where they may wait for it."""
        for wake in self._wakes if news else ():
            wake()

    def blames(self, failure: CallFailed, failures: int) -> bool:
        """Whether a failure after which no request went that was answered is no fault of its prompt: the request is to
        be asked again. failures: whose requests went after all that were answered, with this one."""
        status = failure.status or 0
        of_endpoint = failure.foreign or (status not in OF_ONE_PROMPT and not 200 <= status < 300)
        if self.tripped or (failure.kind == "terminal" and of_endpoint):
            return True
        return failure.number > self.proven and failures >= FEW
