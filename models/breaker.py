"""When a run asks a model no more: its first requests, or many in a row with no answer between, all end in vain.

A circuit breaker. Closed, everything goes. Open, after failures that another try may mend, one request at a time tries,
later each time. Tripped, nothing goes any more in this run, and what was refused on the way is left as it was: missing,
not failed. What is the prompt's own fault is no evidence; a wish to slow down is heeded for a quarter of an hour.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from random import Random

from models.base import CallFailed, CallProblem
from models.retry import Policy, maybe_charged

FIRST, LATER = 16, 32  # failures alike in a row that open or trip it: before the first answer of a run, after it
UNLIKE = 4  # more, where they are not alike
AT_ONCE = 32  # requests in flight before the first answer
REFUSED_S = 900.0  # of nothing but wishes to slow down
FEW = 3  # calls without any answer that show what is wrong with all, where fewer might be their own fault
OF_ONE_PROMPT = (400, 409, 413, 422)  # terminal statuses that may speak of a prompt; the others speak of the endpoint


class Breaker:
    """One for all stages that ask a model in one run and process. Thread-safe; methods never wait.

    tripped: why nothing goes any more, "" before. answers: that came so far.
    """

    def __init__(
        self,
        policy: Policy | None = None,
        *,
        first: int = FIRST,
        later: int = LATER,
        at_once: int = AT_ONCE,
        rng: Random | None = None,
    ) -> None:
        self._policy, self._first, self._later, self._at_once = policy or Policy(), first, later, at_once
        self._rng = rng or Random()
        self._lock = threading.Lock()
        self._wakes: tuple[Callable[[], None], ...] = ()
        self._told: set[str] = set()
        self.tripped = ""
        self.answers = 0
        self._in_flight = 0
        self._row = self._alike = 0  # requests in a row that ended in vain; the last of them, as far as they are alike
        self._kind: tuple[str, int | None] | None = None
        self._began = 0.0  # of the row
        self._refused_since: float | None = None  # nothing was answered since
        self._probes = 0  # tries while it is open, 0 while it is closed
        self._probe: object | None = None  # under way
        self._due = 0.0  # of the next one

    def due(self, now: float) -> float | None:
        """When a request may go: `now` for at once, later, or None to be woken."""
        with self._lock:
            if not self.answers and self._in_flight >= self._at_once:
                return None
            if not self._probes:
                return now
            return None if self._probe is not None else max(now, self._due)

    def sent(self, what: object) -> None:
        """A request goes."""
        with self._lock:
            self._in_flight += 1
            if self._probes:
                self._probe = what

    def answered(self, what: object) -> None:
        """It was answered: whatever failed before was no fault of the endpoint."""
        with self._lock:
            news = bool(self._probes) or not self.answers
            self.answers += 1
            self._row = self._alike = self._probes = 0
            self._kind = self._refused_since = None
            self._over(what)
        self._wake(news)

    def ended(self, what: object, now: float) -> None:
        """It ended in a way that says nothing: it was cancelled, refused as too fast, wrong in itself."""
        with self._lock:
            if self._over(what):
                self._due = now + self._policy.first_wait_s
            news = bool(self._probes) or not self.answers
        self._wake(news)

    def failed(self, what: object, problem: CallProblem, now: float) -> None:
        """It ended in vain."""
        free = not maybe_charged(problem)  # what is paid in vain, prompt after prompt, is stopped whosever fault it is
        if (problem.own and free) or problem.slow_down:
            self.ended(what, now)
            if problem.slow_down:
                self._refused(problem, now)
            return
        with self._lock:
            probed = self._over(what)
            kind = (problem.kind, problem.status)  # never the text: it may name the request
            self._began = now if not self._row else self._began
            self._row += 1
            self._alike = self._alike + 1 if kind == self._kind else 1
            self._kind = kind
            most = self._later if self.answers else self._first
            if not self.tripped and (self._alike >= most or self._row >= most + UNLIKE):
                self._open(problem, probed, now)
            news = bool(self._probes or self.tripped) or not self.answers
        self._wake(news)

    def _refused(self, problem: CallProblem, now: float) -> None:
        """One request a minute may go now, and to fail call by call would take days."""
        with self._lock:
            since = self._refused_since = now if self._refused_since is None else self._refused_since
        if now - since > REFUSED_S:
            minutes = REFUSED_S / 60
            self.trip(f"nothing but refusals for {minutes:g} minutes, try again later: {problem.message}")

    def _open(self, problem: CallProblem, probed: bool, now: float) -> None:
        """Let one request try after a while, or none any more. With the lock."""
        wait: float | None = max(0.0, self._due - now)
        if problem.kind == "terminal":
            wait = None
        elif probed or not self._probes:
            self._probes += 1
            wait = self._policy.wait(self._probes, now - self._began, problem.retry_after_s, self._rng)
        if wait is None:
            alike = "all alike" if self._alike >= self._row else "the last one so"
            self.tripped = f"{problem.message} ({self._row} requests in a row were not answered, {alike})"
        else:
            self._due = now + wait

    def _over(self, what: object) -> bool:
        """Whether it was the one that tries while it is open. With the lock."""
        self._in_flight -= 1
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
        """Whether a failure after which nothing was answered is no fault of its prompt: the request is to be asked
        again. failures: of the same kind of end, with this one."""
        if self.tripped:
            return True
        status = failure.status or 0
        if failure.kind == "terminal" and status not in OF_ONE_PROMPT and not 200 <= status < 300:
            return True
        return not self.answers and failures >= FEW
