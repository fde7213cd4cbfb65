"""Even pacing and adaptive concurrency: pure arithmetic on times that are passed in."""

from __future__ import annotations

LATE_S = 0.2  # so much lateness of our own is caught up, and no more after a pause: never a burst
USED = 0.8  # share of the limit in flight from which an answer counts as a reason to grow
CUT = 0.7
GROWTH = 0.05  # a clean round after the first cut


class Pace:
    """So many units a minute on an absolute schedule (generic cell rate algorithm, without burst).

    The next unit's time does not depend on when the last one really went, so a late timer loses nothing: the schedule
    stands. After a pause it begins anew.
    """

    def __init__(self, per_minute: float | None = None) -> None:
        self.per_minute = per_minute
        self._next: float | None = None

    def due(self, now: float) -> float:
        """The time from which the next may go, however large it is; `now` or earlier for at once."""
        if self._next is None or self.per_minute is None:
            return now
        return self._next

    def take(self, amount: float, now: float, late_s: float = LATE_S) -> None:
        """Note that `amount` units go now; lateness of up to `late_s` is caught up."""
        if self.per_minute is not None:
            begin = now if self._next is None else max(self._next, now - late_s)
            self._next = begin + self.seconds(amount)

    def correct(self, more: float) -> None:
        """Note that so many units more (or fewer, below 0) than taken were used."""
        self.shift(self.seconds(more))

    def shift(self, seconds: float) -> None:
        """Let the next go so much later, or (below 0) earlier."""
        if self._next is not None:
            self._next += seconds

    def seconds(self, amount: float) -> float:
        """What so many units take; 0.0 without a limit."""
        return amount * 60.0 / self.per_minute if self.per_minute else 0.0


class Concurrency:
    """How many requests may be in flight: doubles a clean round until the first refusal, then AIMD.

    A round is as many answers as the limit. One cut an episode: refusals of requests that were sent before the last cut
    say nothing new. Answers that came while the limit was hardly used do not let it grow.
    """

    def __init__(self, cap: int, start: int) -> None:
        self.cap, self.limit = cap, min(cap, start)
        self.in_flight = 0
        self._clean = 0
        self._cut_at: float | None = None

    def sent(self) -> None:
        """A request goes out."""
        self.in_flight += 1

    def answered(self) -> None:
        """A request ended well."""
        self._clean += self.in_flight >= USED * self.limit
        self.in_flight -= 1
        if self._clean >= self.limit:
            self._clean = 0
            more = self.limit if self._cut_at is None else max(1, int(self.limit * GROWTH))
            self.limit = min(self.cap, self.limit + more)

    def refused(self, sent_at: float, now: float) -> None:
        """The provider said slow down to a request that was sent at `sent_at`."""
        self.in_flight -= 1
        if self._cut_at is None or sent_at >= self._cut_at:
            self._cut_at, self._clean = now, 0
            self.limit = max(1, int(self.limit * CUT))

    def failed(self) -> None:
        """A request ended badly for another reason: no cut, no growth."""
        self.in_flight -= 1
