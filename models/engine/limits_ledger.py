"""The limiter's view of the place where processes agree on who may send when; another folder implements it."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from scrollwork.models.engine.retry import LONGEST_S

log = logging.getLogger("scrollwork")

PATIENCE_S = LONGEST_S  # for which a ledger may be unreachable; nothing is sent meanwhile
AGAIN_S = 0.5  # between two attempts to reach it
REST_S = 10.0  # after it was given up, until it is tried again


class Taken(Protocol):
    """A stretch of the schedule. begin: by time.monotonic(). *_limit: a minute, as another process learnt them last.

    asked: when the try that brought it began: a ledger that was away for a while is not slow.
    """

    @property
    def begin(self) -> float: ...
    @property
    def requests_limit(self) -> int | None: ...
    @property
    def tokens_limit(self) -> int | None: ...
    @property
    def asked(self) -> float: ...


class LimitsLedger(Protocol):
    """Keeps schedules for all processes that can reach it. Called from any thread; waits for seconds at most."""

    @property
    def place(self) -> str:
        """Return where it is; equal places are the same ledger."""
        ...

    @property
    def name(self) -> str:
        """Return the place for a message."""
        ...

    def take(
        self, name: str, seconds: float, *, lead_s: float, hold_s: float, heard: tuple[int | None, int | None] | None
    ) -> Taken:
        """Take the next `seconds` of a schedule that are free, not before `lead_s` from now; 0 seconds to tell only.

        hold_s: nobody shall take any before so long. heard: limits of requests and tokens a minute that the provider
        has just told, None for none. May raise any exception if it cannot be reached.
        """
        ...


@dataclass(frozen=True)
class Want:
    """A request to the ledger. owned: seconds of the process's own clock that `seconds` of the schedule bring."""

    seconds: float
    owned: float
    lead_s: float
    hold_s: float
    heard: tuple[int | None, int | None] | None


class LedgerAway(Exception):
    """The ledger could not be reached; the message is the reason for which a run stops."""


def in_thread(work: Callable[[], None]) -> None:
    """Run a function in a thread of its own, as event loops must not wait for a database."""
    threading.Thread(target=work, name="scrollwork-limits", daemon=True).start()


def take_from_ledger(
    ledger: LimitsLedger, name: str, wanted: Want, waited_for: Callable[[], bool], clock: Callable[[], float]
) -> tuple[Taken, float]:
    """Return what was taken, and when the ledger was asked.

    Raises LedgerAway if it cannot be reached for PATIENCE_S, or at the first failure if nobody waits.
    """
    began, warned = clock(), False
    while True:
        asked = clock()
        try:
            taken = ledger.take(name, wanted.seconds, lead_s=wanted.lead_s, hold_s=wanted.hold_s, heard=wanted.heard)
            if warned:
                log.warning("limits are shared through %s again", ledger.name)
            return taken, max(asked, taken.asked)
        except Exception as error:  # each implementation has its own exceptions
            why = str(error) or type(error).__name__
        away_s = clock() - began
        if away_s > PATIENCE_S or not waited_for():
            raise LedgerAway(
                f"limits are shared through {ledger.name}, which cannot be asked for {away_s:.0f} s: {why}"
            )
        if not warned:
            log.warning("limits are shared through %s, which cannot be asked: %s. Nothing is sent", ledger.name, why)
            warned = True
        time.sleep(AGAIN_S)
