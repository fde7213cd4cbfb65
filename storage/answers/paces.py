"""One schedule for all processes that call a model with the same key: each takes stretches of it, ahead of time.

A stretch belongs to one process alone, so that processes which send at the whole rate within theirs are together as
even as one. What a dead process had taken passes unused; that is all it takes with it. The clock is the store's.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from scrollwork.storage.answers.database import Database
from scrollwork.storage.answers.tables import paces

HEARD_S = 600.0  # for which a limit that another process heard of stands


@dataclass(frozen=True)
class Stretch:
    """begin: time.monotonic() of this process. Limits a minute as another process heard last, None for nothing."""

    begin: float
    requests_limit: int | None
    tokens_limit: int | None


class Paces:
    """The schedules of a store that stands, by name. Every method is one short transaction, from any thread.

    Nobody waits longer than PASSING_S for it, and it is not written through to the disk: its worth passes.
    All raise StorageError and what derives from it.
    """

    def __init__(self, place: str | Path) -> None:
        self.place = str(place)
        self.database = Database(place, passing=True)
        self.name = self.database.name

    def take(
        self, name: str, seconds: float, *, lead_s: float, hold_s: float, heard: tuple[int | None, int | None] | None
    ) -> Stretch:
        """The next `seconds` that nobody has, from `lead_s` after now at the earliest; 0 seconds to tell only.

        hold_s: nobody shall take any before so long. heard: limits a minute of requests and tokens that the provider
        has just said, None where this process heard nothing.
        """

        def work(connection: sa.Connection) -> Stretch:
            row = self._row(connection, name)
            now, here = self._now(connection)
            free = row.free + min(0.0, now - row.changed)  # the clock was set back: the schedule goes with it
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
