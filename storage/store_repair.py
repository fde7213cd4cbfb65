"""Taking damaged rows out of a store, and a damaged file away, so that nothing of them is lost."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any
from urllib.parse import quote

import sqlalchemy as sa

from storage.errors import StorageError, TornStore
from storage.responses import ResponseStore
from storage.store_check import CHANGED, DIGESTED, PLACE, attempts_against_answers, place_in, rows_of
from storage.store_database import Database, in_batches
from storage.store_digests import intact
from storage.store_rows import StoredAnswer, StoredAttempt, StoredFailure
from storage.store_tables import attempts, failures, responses, set_aside, unescaped

_JOURNALS = ("", "-wal", "-shm")
_KINDS = {"responses": StoredAnswer, "failures": StoredFailure, "attempts": StoredAttempt}


@dataclass(frozen=True)
class Opened:
    """A store that can be read. moved: where a damaged file of it went, "" for none; saved: rows taken over from it."""

    store: ResponseStore
    moved: str = ""
    saved: int = 0


def opened(place: str | Path) -> Opened:
    """Open the store at `place`; move a torn file of SQLite aside and take over the intact rows that can be read of it.

    Raises StorageError for a database that is no response store, or a newer one: it is not touched.
    """
    try:
        store = ResponseStore(place)
        try:
            lines = _integrity(store)
        except TornStore:
            lines = ["torn"]
        if lines == ["ok"]:
            return Opened(store)
        store.close()
    except TornStore:
        pass
    path = Path(Database(place).engine.url.database or "")
    aside = _moved(path)
    store = ResponseStore(place)
    return Opened(store, str(aside), _take_over(store, aside))


def take_out_damaged(store: ResponseStore) -> list[str]:
    """Set aside every row whose digest is not that of what it says; what was done. One transaction."""

    def work(connection: sa.Connection) -> list[str]:
        done = []
        for what, table in DIGESTED.items():
            damaged = [row for row in rows_of(connection, table) if not intact(table.name, row)]
            put_aside(store.database, connection, table, damaged, f"its row {CHANGED}")
            done += [f"{what} {row['request_key']} of {row['model']}: its row {CHANGED}" for row in damaged]
        return done

    return store.database.write(work)


def settle_attempts(store: ResponseStore) -> list[str]:
    """Set aside attempts that deny what their answer cost, and note whose attempts are gone: from then on the answer's
    own cost counts. What was done; one transaction."""

    def work(connection: sa.Connection) -> list[str]:
        done = []
        for key, why in list(attempts_against_answers(connection)):
            own = [row for row in rows_of(connection, attempts, [key]) if row["outcome"] == "answered"]
            put_aside(store.database, connection, attempts, own, why)
            note = {"request_key": key, "attempts": why}
            _write_aside(store.database, connection, attempts, [note], why)
            done.append(f"answer {key} {why}; its own cost counts")
        return done

    return store.database.write(work)


def replace_answers(store: ResponseStore, answers: Mapping[str, StoredAnswer], why: str) -> None:
    """Set aside the answers that stand under these keys, and put others in their place. One transaction."""

    def work(connection: sa.Connection) -> None:
        now = time.time()
        for keys in in_batches(sorted(answers)):
            put_aside(store.database, connection, responses, list(rows_of(connection, responses, keys)), why)
            connection.execute(sa.delete(failures).where(failures.c.request_key.in_(keys)))
            rows = [{**vars(answers[key]), "created": now} for key in keys]
            store.database.add_new(connection, responses, rows)

    store.database.write(work)


def put_aside(
    database: Database, connection: sa.Connection, table: sa.Table, rows: Iterable[Mapping[str, Any]], why: str
) -> None:
    """Move rows, with their PLACE, into the table `set_aside`."""
    moved = list(rows)
    _write_aside(database, connection, table, moved, why)
    for row in moved:
        connection.execute(sa.delete(table).where(place_in(connection) == row[PLACE]))


def _write_aside(
    database: Database, connection: sa.Connection, table: sa.Table, rows: Iterable[Mapping[str, Any]], why: str
) -> None:
    now = time.time()
    written = []
    for row in rows:
        values = {name: value for name, value in row.items() if name != PLACE}
        said = json.dumps(values, sort_keys=True, default=repr)  # escapes every character that a column cannot hold
        name = hashlib.sha256(f"{table.name} {said}".encode()).hexdigest()
        key = str(row["request_key"])
        written.append(
            {"name": name, "taken_from": table.name, "request_key": key, "row": said, "why": why, "moved": now}
        )
    database.add_new(connection, set_aside, written)


def _integrity(store: ResponseStore) -> list[str]:
    """What SQLite says of its pages."""
    if not store.database.sqlite:
        return ["ok"]
    check = "PRAGMA integrity_check(1)"
    return store.database.read(lambda connection: list(connection.exec_driver_sql(check).scalars().all()))


def _moved(path: Path) -> Path:
    """Move a database and its journals beside themselves, under a name that is free. Raises StorageError."""
    number = 1
    while (aside := path.with_name(f"{path.name}.damaged-{number}")).exists():
        number += 1
    for ending in _JOURNALS[::-1]:  # the database last: who is killed between finds it where it was
        source = path.with_name(path.name + ending)
        try:
            os.rename(source, aside.with_name(aside.name + ending))
        except FileNotFoundError:
            continue
        except OSError as error:
            raise StorageError(f"{source}: is damaged and cannot be moved aside ({error.strerror})") from error
    return aside


def _take_over(store: ResponseStore, aside: Path) -> int:
    """Add the rows of a damaged database of schema 4 that are intact and can still be read; how many."""
    saved = 0
    for table in DIGESTED.values():
        names = [column.name for column in table.c]
        rows: dict[Any, dict[str, Any]] = {}
        for order in ("ASC", "DESC"):  # up to the damage, from both sides
            for values in _readable(aside, f"SELECT {', '.join(names)} FROM {table.name} ORDER BY rowid {order}"):
                row = {n: unescaped(v) if isinstance(v, str) else v for n, v in zip(names, values, strict=True)}
                if intact(table.name, row):
                    rows[row["digest"]] = row
        known = {field.name for field in fields(_KINDS[table.name])} | {"created"}
        whole = [{name: row[name] for name in names if name in known} for row in rows.values()]
        if table is responses:
            whole = [{**row, "masked": bool(row["masked"])} for row in whole]

        def work(connection: sa.Connection, table: sa.Table = table, whole: list[dict[str, Any]] = whole) -> None:
            for start in range(0, len(whole), 500):
                store.database.add_new(connection, table, whole[start : start + 500])

        store.database.write(work)
        saved += len(whole)
    return saved


def _readable(path: Path, query: str) -> Iterator[tuple[Any, ...]]:
    """The rows of a query up to the first that cannot be read."""
    try:
        journal = path.with_name(f"{path.name}-wal").exists()
        how = "mode=ro" if journal else "immutable=1"  # else SQLite would make a journal beside it
        connection = sqlite3.connect(f"file:{quote(str(path))}?{how}", uri=True)
        connection.text_factory = lambda data: data.decode("utf-8", "surrogateescape")
        try:
            yield from connection.execute(query)
        finally:
            connection.close()
    except (sqlite3.DatabaseError, OverflowError):
        return
