"""Limits that several processes share: each takes stretches of one schedule in advance, and only it sends in them.

Within its stretches a process sends at the whole rate, by a clock that ticks only there. So all processes together send
as evenly as one, a process with more to do takes more stretches, and the stretches of a dead process pass unused.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from scrollwork.models.engine.limits_ledger import LimitsLedger, Taken, Want
from scrollwork.models.engine.pacing import LATE_S

BLOCK_S = 0.5  # longest stretch taken at once, unless one request needs more or the ledger is slow
LONGEST_S = 60.0  # longest stretch, and how far ahead stretches are taken: they are lost if the process ends
LONGEST_DELAY_S = 5.0  # longest delay of the ledger that stretches are taken in advance for
CREDIT_S = 60.0  # most that corrections of earlier requests may save
ENOUGH = 1e-6  # seconds; less is a rounding error


@dataclass(frozen=True)
class _Stretch:
    begin: float
    seconds: float
    start: float  # on this process's clock
    owned: float

    @property
    def end(self) -> float:
        return self.begin + self.seconds


class OwnTime:
    """A process's own clock, which ticks in its stretches of time and stands still between them. It starts at 0."""

    def __init__(self) -> None:
        self._stretches: deque[_Stretch] = deque()
        self.end = 0.0  # the total of all stretches

    def add(self, begin: float, seconds: float, owned: float) -> None:
        """Add a stretch: from `begin` on, within `seconds`, the clock advances by `owned`."""
        before = self._stretches[-1].end if self._stretches else begin
        self._stretches.append(_Stretch(max(begin, before), seconds, self.end, owned))
        self.end += owned

    def at(self, moment: float) -> float:
        """Return what the clock shows at a moment, which may be up to LATE_S ago."""
        shown = self._stretches[0].start if self._stretches else self.end
        for one in self._stretches:
            if moment < one.begin:
                break
            shown = one.start + one.owned * min(1.0, (moment - one.begin) / one.seconds)
        return shown

    def when(self, shown: float) -> float | None:
        """Return the moment at which the clock goes on from `shown`; None if no stretch for it is known yet."""
        for one in self._stretches:
            if shown < one.start + one.owned - ENOUGH:
                return one.begin + one.seconds * max(0.0, shown - one.start) / one.owned
        return None

    @property
    def last(self) -> float:
        """Return the moment at which the last stretch ends."""
        return self._stretches[-1].end if self._stretches else float("-inf")

    def forget(self, moment: float) -> None:
        """Drop the stretches that ended before a moment."""
        while self._stretches and self._stretches[0].end < moment:
            self._stretches.popleft()


class Share:
    """This process's part of the schedule, and when to take how much more. Not thread-safe: its limiter is.

    position, in all methods: seconds of the process's own clock that are used up.
    """

    def __init__(self, ledger: LimitsLedger, name: str) -> None:
        self.ledger, self.name = ledger, name
        self.clock = OwnTime()
        self.asking = False
        self.away = ""  # why the ledger could not be reached
        self.again = 0.0  # when to try again after that
        self._hold_until = 0.0
        self._heard: tuple[int | None, int | None] | None = None
        self._sent = 0  # since the last stretch was taken
        self._block = 0.0
        self._single = True
        self._balance = 0.0  # seconds: for tokens reserved but not used, or (below 0) used beyond the reservation
        self._delay = 0.0

    def lapsed(self, now: float) -> float:
        """Return the position before which time has lapsed: to use it would come on top of what others send."""
        return self.clock.at(now - LATE_S)

    def sent(self) -> None:
        """Count a request that was sent."""
        self._sent += 1

    def correct(self, seconds: float, ahead: float) -> float:
        """Return the part of a correction to make on the own clock now, and keep the rest in the balance.

        ahead: seconds of that clock by which tokens are used in advance.
        """
        now = max(seconds, -max(0.0, ahead)) if seconds < 0 else seconds * (ahead > 0)
        self._balance = min(CREDIT_S, self._balance - (seconds - now))
        return now

    def hold(self, until: float) -> None:
        """Let no process send before a moment."""
        self._hold_until = max(self._hold_until, until)

    def hear(self, requests_limit: int | None, tokens_limit: int | None) -> None:
        """Note the limits that the provider told."""
        self._heard = requests_limit, tokens_limit

    def news(self, now: float) -> Want | None:
        """Return what others should know at once, that all have to wait; None if there is nothing."""
        return self._want(0.0, 0.0, now) if self._hold_until > now else None

    def want(self, position: float, waiting: int, gap_s: float, requests_s: float, now: float) -> Want | None:
        """Return what to take from the ledger, as requests wait; None if there is enough.

        gap_s: what the first of them uses up. requests_s: the least time between two requests, whatever their tokens.
        It is enough for those that wait, or for twice as many as were sent since the last time if that is more, so that
        little traffic takes little. The next stretch is taken when half of the last one is used. A request that needs
        more than LONGEST_S takes it in pieces, one after the other.
        """
        left = self.clock.end - position
        if (left > ENOUGH and (self._single or left >= self._block / 2)) or self.later() > now:
            return None
        longest = max(BLOCK_S, 4 * self._delay)
        number = max(1, min(max(waiting, 2 * self._sent), int(longest / gap_s + ENOUGH)))
        self._single = number == 1
        self._block = number * gap_s
        owned = min(self._block + max(0.0, -left), LONGEST_S)
        seconds = max(owned - self._balance, owned / 2, min(number * requests_s, owned))
        self._balance -= owned - seconds
        self._sent = 0
        return self._want(seconds, owned, now)

    def later(self) -> float:
        """Return the moment before which no more is taken, as there is enough in advance."""
        return self.clock.last - LONGEST_S

    def _want(self, seconds: float, owned: float, now: float) -> Want:
        wanted = Want(seconds, owned, max(0.0, self._delay - LATE_S / 2), max(0.0, self._hold_until - now), self._heard)
        self._hold_until, self._heard = 0.0, None
        return wanted

    def took(self, wanted: Want, taken: Taken, began: float, now: float) -> None:
        """Note the answer of the ledger, which was asked at `began`."""
        self.away = ""
        self._delay = min(LONGEST_DELAY_S, max(now - began, 0.9 * self._delay))
        if wanted.owned:
            self.clock.forget(now - LATE_S)
            self.clock.add(taken.begin, wanted.seconds, wanted.owned)
