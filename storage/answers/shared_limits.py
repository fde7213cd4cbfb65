"""Rate limits that are shared by all processes that call a model with the same API key.

The processes share a schedule, from which each takes stretches of time in advance. During a stretch only the process
that took it sends, at the full rate; so together they send as evenly as one process would. The stretches of a dead
process pass unused. Times are by the store's clock.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from scrollwork.storage.answers.database import Database
from scrollwork.storage.answers.tables import paces

TRIES, SAME_MOMENT_S = 3, 0.01  # two clocks that are read within so many seconds are read at one moment
HEARD_S = 600.0  # for how long a limit counts after the provider named it to a process


@dataclass(frozen=True)
class Stretch:
    """A stretch of the schedule.

    begin: when it begins, by time.monotonic() of this process. requests_limit, tokens_limit: per minute, as the
    provider last named them to any process; None if that was more than HEARD_S ago or never, if the provider named no
    such limit, or if the call of `take` itself reported limits. asked: when it was asked for, by the same
    clock; tries that failed are before.
    """

    begin: float
    requests_limit: int | None
    tokens_limit: int | None
    asked: float = -math.inf


class Paces:
    """The schedules of a store, which must exist.

    Its methods can be called from any thread. They do not sync to disk, wait about PASSING_S at most
    (`Database(passing=True)`), and raise StorageError if the database fails.
    """

    def __init__(self, place: str | Path) -> None:
        self.place = str(place)
        self.database = Database(place, passing=True)
        self.name = self.database.name

    def take(
        self, name: str, seconds: float, *, lead_s: float, hold_s: float, heard: tuple[int | None, int | None] | None
    ) -> Stretch:
        """Take the next free stretch of a schedule, in one short transaction, and return it.

        name: of the schedule, which is created if it does not exist. seconds: length of the stretch; with 0, none is
        taken. lead_s: the stretch begins this many seconds from now at the earliest. hold_s: for this many seconds from
        now, nobody gets a stretch that was not taken before. heard: the limits (requests, tokens) per minute that the
        provider has just named, None if this process heard nothing.
        """

        def work(connection: sa.Connection) -> Stretch:
            row = self._row(connection, name)
            now, here = self._now(connection)
            free = row.free + min(0.0, now - row.changed)  # if the clock was set back, the schedule moves with it
            begin = max(free, now + lead_s, now + hold_s)
            new: dict[str, Any] = {"free": begin + seconds if seconds or hold_s else free, "changed": now}
            if heard is not None:
                new |= {"requests_limit": heard[0], "tokens_limit": heard[1], "said": now}
            connection.execute(sa.update(paces).where(paces.c.name == name).values(new))
            known = heard is None and row.said is not None and now - row.said < HEARD_S
            limits = (row.requests_limit, row.tokens_limit) if known else (None, None)
            return Stretch(here + begin - now, *limits)

        taken = self.database.write(work)
        return replace(taken, asked=self.database.last_try)

    def _row(self, connection: sa.Connection, name: str) -> Any:
        """Return the row of the schedule, created if it is missing, and lock it until the end of the transaction."""
        query = sa.select(paces).where(paces.c.name == name).with_for_update()
        row = connection.execute(query).first()
        if row is None:
            self.database.add_new(connection, paces, [{"name": name, "free": 0.0, "changed": 0.0}])
            row = connection.execute(query).one()
        return row

    def _now(self, connection: sa.Connection) -> tuple[float, float]:
        """Return the time by the store's clock (unix seconds) and by time.monotonic(), at the same moment.

        A process may be halted while it asks for one of them, so of some tries the quickest counts.
        """
        quickest, found = math.inf, (0.0, 0.0)
        for _ in range(TRIES):
            before = time.monotonic()
            now = self.database.now(connection)
            after = time.monotonic()
            if after - before < quickest:
                quickest, found = after - before, (now, (before + after) / 2)
            if quickest <= SAME_MOMENT_S:
                break
        return found

    def close(self) -> None:
        """Close the database."""
        self.database.close()
