"""Where processes agree on who may send when, as the limiter sees it; another room keeps it."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

log = logging.getLogger("scrollwork")

PATIENCE_S = 60.0  # with a ledger that cannot be asked; nothing is sent meanwhile
AGAIN_S = 0.5  # between two tries
REST_S = 10.0  # after it was given up, until whoever comes then tries again


class Taken(Protocol):
    """A stretch of the schedule: begin by time.monotonic(). Limits a minute that another process heard last."""

    @property
    def begin(self) -> float: ...
    @property
    def requests_limit(self) -> int | None: ...
    @property
    def tokens_limit(self) -> int | None: ...


class LimitsLedger(Protocol):
    """Keeps schedules for all processes that can reach it. May be called from any thread; waits for seconds at most."""

    @property
    def place(self) -> str:
        """Where it is; equal for ledgers that are one."""
        ...

    @property
    def name(self) -> str:
        """The same, for a message."""
        ...

    def take(
        self, name: str, seconds: float, *, lead_s: float, hold_s: float, heard: tuple[int | None, int | None] | None
    ) -> Taken:
        """The next `seconds` of a schedule that nobody has, not before `lead_s` from now; 0 seconds to tell only.

        hold_s: nobody shall take any before so long. heard: limits of requests and tokens a minute that the provider
        has just said. Raises whatever it likes when it cannot be reached.
        """
        ...


@dataclass(frozen=True)
class Want:
    """What is to be asked of the ledger. owned: seconds of the own clock that `seconds` of the schedule bring."""

    seconds: float
    owned: float
    lead_s: float
    hold_s: float
    heard: tuple[int | None, int | None] | None


class LedgerAway(Exception):
    """The ledger could not be asked; the message is the reason for which a run stops."""


def in_thread(work: Callable[[], None]) -> None:
    """Do it beside the event loops, which must not wait for a database."""
    threading.Thread(target=work, name="scrollwork-limits", daemon=True).start()


def take_from_ledger(
    ledger: LimitsLedger, name: str, wanted: Want, waited_for: Callable[[], bool], clock: Callable[[], float]
) -> tuple[Taken, float]:
    """(What was taken, when the ledger was asked). Raises LedgerAway when it could not be asked for PATIENCE_S, or not
    at once and nobody waits."""
    began, warned = clock(), False
    while True:
        asked = clock()
        try:
            taken = ledger.take(name, wanted.seconds, lead_s=wanted.lead_s, hold_s=wanted.hold_s, heard=wanted.heard)
            if warned:
                log.warning("limits are shared through %s again", ledger.name)
            return taken, asked
        except Exception as error:  # the room that keeps it has its own kinds
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
