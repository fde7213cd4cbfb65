"""Read all attempts of a response store, or count the answers of a model. No file is created or migrated."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

import sqlalchemy as sa

from scrollwork.storage.answers.database import Database, url_for_messages
from scrollwork.storage.answers.digests import whole_row
from scrollwork.storage.answers.migrations import prepare
from scrollwork.storage.answers.tables import attempts, responses

T = TypeVar("T")


def read_attempts(place: str | Path) -> list[dict[str, Any]]:
    """Return the attempts as dicts of their columns without the digest, the oldest first.

    place: path or URL of a store that exists. Raises StorageError, ForeignStore, TornStore, DamagedRows.
    """
    order = (attempts.c.started, attempts.c.request_key, attempts.c.number, attempts.c.owner)

    def read(connection: sa.Connection) -> list[dict[str, Any]]:
        found = connection.execute(sa.select(attempts).order_by(*order)).mappings()
        return [whole_row(attempts.name, dict(row), url_for_messages(str(place))) for row in found]

    return read_only(place, read)


def count_answers(place: str | Path, model: str = "", reported: str = "") -> int:
    """Return how many answers of a model a store holds, by the name in its rows; it reads the whole table.

    place: path or URL of a store that exists. model: "" for all. reported: only those that say this name
    themselves. Raises StorageError, ForeignStore, TornStore.
    """

    def read(connection: sa.Connection) -> int:
        counted = sa.select(sa.func.count()).select_from(responses)
        counted = counted.where(responses.c.model == model) if model else counted
        counted = counted.where(responses.c.reported_model == reported) if reported else counted
        return int(connection.execute(counted).scalar_one())

    return read_only(place, read)


def read_only(place: str | Path, read: Callable[[sa.Connection], T]) -> T:
    """Return what a function reads in a store, without writing to it. Raises StorageError, ForeignStore, TornStore."""
    with readable(place) as there:
        database = Database(there, read_only=True)
        try:
            prepare(database)
            return database.read(read)
        finally:
            database.close()


@contextmanager
def readable(place: str | Path) -> Iterator[str | Path]:
    """Yield where a store can be read without a new file beside it.

    To read a log that lacks its index (a copy of a killed process's store), SQLite would make the index there. Nobody
    writes to such a store, so a copy of both is read.
    """
    path = Path(str(place).removeprefix("sqlite:///"))
    log = path.with_name(f"{path.name}-wal")
    if not log.is_file() or path.with_name(f"{path.name}-shm").exists():
        yield place
        return
    with TemporaryDirectory(prefix="scrollwork-") as folder:
        for one in (path, log):
            shutil.copy2(one, folder)
        yield Path(folder, path.name)
