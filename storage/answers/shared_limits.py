"""Rate limits shared by all processes that call a model with the same key.

They share one schedule, from which each process takes stretches of time in advance. Only that process sends during its
stretch, at the full rate, so together they send as evenly as one. The stretches of a dead process pass unused. The
clock is the store's.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from scrollwork.storage.answers.database import Database
from scrollwork.storage.answers.tables import paces

HEARD_S = 600.0  # how long a limit counts that another process heard from the provider


@dataclass(frozen=True)
class Stretch:
    """A stretch of the schedule. begin: by time.monotonic() of this process. Limits are per minute, as another process
    heard them last from the provider; None if none did in the last HEARD_S, or if this one has just named its own."""

    begin: float
    requests_limit: int | None
    tokens_limit: int | None


class Paces:
    """The schedules of an existing store, by name. Every method is one short transaction and can be called from any
    thread. It waits PASSING_S at most and does not sync to disk (`Database(passing=True)`). Raises StorageError.
    """

    def __init__(self, place: str | Path) -> None:
        self.place = str(place)
        self.database = Database(place, passing=True)
        self.name = self.database.name

    def take(
        self, name: str, seconds: float, *, lead_s: float, hold_s: float, heard: tuple[int | None, int | None] | None
    ) -> Stretch:
        """Take the next free stretch of `seconds`, from `lead_s` after now at the earliest; 0 seconds to take none.

        hold_s: no process may take a stretch that begins within so many seconds. heard: (requests, tokens) a minute
        that the provider has just named; None if this process heard nothing.
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

        return self.database.write(work)

    def _row(self, connection: sa.Connection, name: str) -> Any:
        """Read the schedule and lock it until the end of the transaction."""
        query = sa.select(paces).where(paces.c.name == name).with_for_update()
        row = connection.execute(query).first()
        if row is None:
            self.database.add_new(connection, paces, [{"name": name, "free": 0.0, "changed": 0.0}])
            row = connection.execute(query).one()
        return row

    def _now(self, connection: sa.Connection) -> tuple[float, float]:
        """Read the store's clock and ours at the same moment."""
        return self.database.now(connection), time.monotonic()

    def close(self) -> None:
        """Close the database."""
        self.database.close()
