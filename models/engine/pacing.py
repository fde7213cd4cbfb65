"""Even pacing and adaptive concurrency: pure arithmetic on times that are passed in."""

from __future__ import annotations

LATE_S = 0.2  # most lateness that is caught up, so that no burst follows a pause
USED = 0.8  # an answer counts towards growth only if at least this share of the limit was in flight
CUT = 0.7  # factor of the limit after a refusal
GROWTH = 0.05  # share added by a clean round after the first cut


class Pace:
    """A limit of units a minute as an absolute schedule (generic cell rate algorithm, without bursts).

    The next unit's time does not depend on when the last one was really sent, so a late timer loses nothing. After a
    pause the schedule begins anew.
    """

    def __init__(self, per_minute: float | None = None) -> None:
        self.per_minute = per_minute
        self._next: float | None = None

    def due(self, now: float) -> float:
        """Return the time from which the next one may go, however large it is; `now` or earlier for at once."""
        if self._next is None or self.per_minute is None:
            return now
        return self._next

    def take(self, amount: float, now: float, late_s: float = LATE_S) -> None:
        """Count `amount` units that go now; lateness of up to `late_s` is caught up."""
        if self.per_minute is not None:
            begin = now if self._next is None else max(self._next, now - late_s)
            self._next = begin + self.seconds(amount)

    def correct(self, more: float) -> None:
        """Count so many units more (or fewer, if negative) than were taken."""
        self.shift(self.seconds(more))

    def shift(self, seconds: float) -> None:
        """Move the next one so much later, or, if negative, earlier."""
        if self._next is not None:
            self._next += seconds

    def seconds(self, amount: float) -> float:
        """Return the seconds that so many units take; 0.0 without a limit."""
        return amount * 60.0 / self.per_minute if self.per_minute else 0.0


class Concurrency:
    """The number of requests that may be in flight: doubles each clean round until the first refusal, then AIMD.

    A round is as many answers as the limit. There is one cut for each episode: refusals of requests that were sent
    before the last cut say nothing new. Answers that came while the limit was hardly used do not let it grow.
    """

    def __init__(self, cap: int, start: int) -> None:
        self.cap, self.limit = cap, min(cap, start)
        self.in_flight = 0
        self._clean = 0
        self._cut_at: float | None = None

    def sent(self) -> None:
        """Count a request that is sent."""
        self.in_flight += 1

    def answered(self) -> None:
        """Count a request that was answered, and raise the limit after a clean round."""
        self._clean += self.in_flight >= USED * self.limit
        self.in_flight -= 1
        if self._clean >= self.limit:
            self._clean = 0
            more = self.limit if self._cut_at is None else max(1, int(self.limit * GROWTH))
            self.limit = min(self.cap, self.limit + more)

    def refused(self, sent_at: float, now: float) -> None:
        """Lower the limit, as the provider refused a request sent at `sent_at` with a wish to slow down."""
        self.in_flight -= 1
        if self._cut_at is None or sent_at >= self._cut_at:
            self._cut_at, self._clean = now, 0
            self.limit = max(1, int(self.limit * CUT))

    def failed(self) -> None:
        """Count a request that failed for another reason: the limit stays."""
        self.in_flight -= 1
