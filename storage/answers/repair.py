"""Repair a store: move damaged rows to the table `set_aside`, and replace a damaged SQLite file, which is kept."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any
from urllib.parse import quote

import sqlalchemy as sa

from scrollwork.storage.answers.check import CHANGED, DIGESTED, PLACE, attempts_against_answers, place_in, rows_of
from scrollwork.storage.answers.database import Database, in_batches
from scrollwork.storage.answers.digests import SINCE_5, is_intact
from scrollwork.storage.answers.migrations import REPAIRED
from scrollwork.storage.answers.rows import (
    AGAIN,
    BATCH_STATES,
    DONE,
    WAITING,
    StoredAnswer,
    StoredAttempt,
    StoredFailure,
)
from scrollwork.storage.answers.store import ResponseStore
from scrollwork.storage.answers.tables import (
    attempts,
    batch_requests,
    batches,
    failures,
    responses,
    set_aside,
    unescape_text,
)
from scrollwork.storage.errors import StorageError, TornStore, naming_full_disks
from scrollwork.storage.location import file_lock, sync_folder

_JOURNALS = ("", "-wal", "-shm")  # endings of a SQLite file and its journal files
_PASSING = (5, 6, 7, 9, 13, 14)  # error codes of SQLite: busy, locked, no memory, interrupted, full, cannot be opened
UNDIGESTED = (batches, batch_requests, set_aside)  # tables without digests that are copied from a damaged file
STATES = {"batches": BATCH_STATES, "batch_requests": (WAITING, DONE, AGAIN)}  # allowed states, by table
_KINDS = {"responses": StoredAnswer, "failures": StoredFailure, "attempts": StoredAttempt}


@dataclass(frozen=True)
class Opened:
    """A store that can be read and written.

    moved: new path of its damaged file, "" if the file was not damaged. saved: number of answers, failures and attempts
    that were copied to the new file.
    """

    store: ResponseStore
    moved: str = ""
    saved: int = 0


def open_or_mend(place: str | Path) -> Opened:
    """Open the store at `place`. A damaged SQLite file is replaced by a new one with its intact rows, and is kept.

    Claims and schedules of rate limits are not copied. If a repair is killed, the next one starts again. From the
    moment the new file is complete until it is in place, nobody else can open the store. Raises StorageError if the
    database is not a response store or has a newer version; it is not changed.
    """
    if (store := _whole(place)) is not None:
        return Opened(store)
    path = Path(Database(place).engine.url.database or "")
    lock = path.with_name(f"{path.name}.repair-lock")
    with file_lock(lock):
        try:
            if (store := _whole(place)) is not None:  # another process has repaired it meanwhile
                return Opened(store)
            saved = _salvaged(path)
            aside = _swapped(path)
        finally:
            lock.unlink(missing_ok=True)
    return Opened(ResponseStore(place), str(aside), saved)


def _whole(place: str | Path) -> ResponseStore | None:
    """Return the open store, None if its file is damaged."""
    try:
        store = ResponseStore(place)
    except TornStore:
        return None
    try:
        if _integrity(store) == ["ok"]:
            return store
    except TornStore:
        pass
    store.close()
    return None


def take_out_damaged(store: ResponseStore) -> list[str]:
    """Move every row that does not match its digest to `set_aside`, in one transaction. Returns a message for each."""

    def work(connection: sa.Connection) -> list[str]:
        done = []
        for what, table in DIGESTED.items():
            damaged = [row for row in rows_of(connection, table) if not is_intact(table.name, row)]
            put_aside(store.database, connection, table, damaged, f"its row {CHANGED}")
            done += [f"{what} {row['request_key']} of {row['model']}: its row {CHANGED}" for row in damaged]
        return done

    return store.database.write(work)


def settle_attempts(store: ResponseStore) -> list[str]:
    """Settle answers that do not match their stored attempts (`attempts_against_answers`), in one transaction.

    Their answered attempts are moved to `set_aside`, with a note, so that from then on the answer's own cost counts.
    Returns a message for each answer.
    """

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
    """Move the answers to these requests to `set_aside`, and store others in their place, in one transaction.

    answers: the new ones, by request key. why: the reason that is noted. Failures of these requests are removed.
    """

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
    """Move rows of a table to the table `set_aside`. rows: as `rows_of` gives them, with PLACE. why: the reason."""
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
        said = json.dumps(values, sort_keys=True, default=repr)  # ASCII: escapes what a column cannot hold
        name = hashlib.sha256(f"{table.name} {said}".encode()).hexdigest()
        key = str(row["request_key"])
        written.append(
            {"name": name, "taken_from": table.name, "request_key": key, "row": said, "why": why, "moved": now}
        )
    database.add_new(connection, set_aside, written)


def _integrity(store: ResponseStore) -> list[str]:
    """Return the lines of SQLite's own check of its pages: ["ok"] if all are intact, and for PostgreSQL."""
    if not store.database.sqlite:
        return ["ok"]
    check = "PRAGMA integrity_check(1)"
    return store.database.read(lambda connection: list(connection.exec_driver_sql(check).scalars().all()))


def _salvaged(path: Path) -> int:
    """Write the intact rows of a damaged store to a new file, which `_swapped` then puts in place.

    Rows of a file that a killed repair finished are copied, too. The new file gets its name (REPAIRED) only when it is
    complete. Returns the number of its answers, failures and attempts. Raises StorageError.
    """
    half, done = path.with_name(f"{path.name}.repairing"), path.with_name(f"{path.name}{REPAIRED}")
    _remove(half)
    try:
        store = ResponseStore(half)
        try:
            for source in (path, done):
                _take_over(store, source)
                _take_over_undigested(store, source)
            counted = [sa.select(sa.func.count()).select_from(table) for table in DIGESTED.values()]
            saved = store.database.read(lambda connection: sum(int(connection.scalar(one) or 0) for one in counted))
        finally:
            store.close()
        if half.with_name(f"{half.name}-wal").exists():
            raise StorageError(f"{half}: its journal could not be written to it; the damaged store was not touched")
        os.replace(half, done)
        sync_folder(path.parent)
    except BaseException:
        _remove(half)
        raise
    return saved


def _remove(path: Path) -> None:
    for ending in _JOURNALS:
        path.with_name(path.name + ending).unlink(missing_ok=True)


def _swapped(path: Path) -> Path:
    """Put the repaired file in place of the damaged one. Returns the new path of the damaged file.

    The journals of the damaged file get new names before the swap, or SQLite would apply them to the new file. Until
    the swap nobody can open the store (`refuse_torn` in migrations.py). Raises StorageFull if there is no space left.
    """
    number = 1
    while (aside := path.with_name(f"{path.name}.damaged-{number}")).exists() and not _same(aside, path):
        number += 1
    for ending in _JOURNALS:
        source = path.with_name(path.name + ending)
        if source.exists():
            _also_named(source, aside.with_name(aside.name + ending))
    sync_folder(path.parent)
    for ending in _JOURNALS[1:]:
        path.with_name(path.name + ending).unlink(missing_ok=True)
    os.replace(path.with_name(f"{path.name}{REPAIRED}"), path)
    sync_folder(path.parent)
    return aside


def _same(one: Path, other: Path) -> bool:
    return other.exists() and one.samefile(other)


def _also_named(source: Path, name: Path) -> None:
    """Give a file a second name (a hard link), or copy it if the file system has no hard links."""
    try:
        os.link(source, name)
    except FileExistsError:
        return  # a killed repair made it
    except OSError:
        with naming_full_disks("the damaged store", str(name)):
            shutil.copy2(source, name)


def _take_over(store: ResponseStore, source: Path) -> None:
    """Add the readable and intact answers, failures and attempts of a damaged SQLite file to a new store.

    Only rows of schema 4 and 5 have digests, so nothing is read from older schemas.
    """
    for table in DIGESTED.values():
        there = {row[1] for row in _readable(source, f"PRAGMA table_info({table.name})")}
        later = set(SINCE_5.get(table.name, ())).difference(there)
        names = [column.name for column in table.c if column.name not in later]
        rows: dict[Any, dict[str, Any]] = {}
        for order in ("ASC", "DESC"):  # reading stops at damage, so read from both ends
            for values in _readable(source, f"SELECT {', '.join(names)} FROM {table.name} ORDER BY rowid {order}"):
                row = {n: unescape_text(v) if isinstance(v, str) else v for n, v in zip(names, values, strict=True)}
                if is_intact(table.name, row):
                    rows[row["digest"]] = row
        known = {field.name for field in fields(_KINDS[table.name])} | {"created"}
        whole = [{name: row[name] for name in names if name in known} for row in rows.values()]
        if table is responses:
            whole = [{**row, "masked": bool(row["masked"])} for row in whole]

        def work(connection: sa.Connection, table: sa.Table = table, whole: list[dict[str, Any]] = whole) -> None:
            for start in range(0, len(whole), 500):
                store.database.add_new(connection, table, whole[start : start + 500])

        store.database.write(work)


def _take_over_undigested(store: ResponseStore, source: Path) -> None:
    """Add the readable rows of the tables without digests (UNDIGESTED), if their values are possible.

    Batches that wait at a vendor are paid for, and only these rows tell of them.
    """
    for table in UNDIGESTED:
        names = [column.name for column in table.c]
        rows: dict[tuple[Any, ...], dict[str, Any]] = {}
        for order in ("ASC", "DESC"):
            for values in _readable(source, f"SELECT {', '.join(names)} FROM {table.name} ORDER BY rowid {order}"):
                row = {n: unescape_text(v) if isinstance(v, str) else v for n, v in zip(names, values, strict=True)}
                if _can_be(table, row):
                    rows[tuple(row[column.name] for column in table.primary_key)] = row
        whole = list(rows.values())

        def work(connection: sa.Connection, table: sa.Table = table, whole: list[dict[str, Any]] = whole) -> None:
            for some in in_batches(whole):
                store.database.add_new(connection, table, list(some))

        store.database.write(work)


def _can_be(table: sa.Table, row: Mapping[str, Any]) -> bool:
    """Return whether the values of a row have the types of their columns and, in some tables, a known state."""
    for column in table.c:
        value = row[column.name]
        if value is None and column.nullable:
            continue
        kinds = (
            (int, float)
            if isinstance(column.type, sa.Float)
            else (int,)
            if isinstance(column.type, sa.Integer)
            else (str,)
        )
        if type(value) not in kinds:
            return False
    return row.get("state") in STATES.get(table.name, (None,))


def _readable(path: Path, query: str) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a query, up to the first that cannot be read.

    Raises StorageError for an error after which another try may read more (_PASSING).
    """
    if not path.exists():
        return
    try:
        journal = path.with_name(f"{path.name}-wal").exists()
        how = "mode=ro" if journal else "immutable=1"  # without it SQLite would make a journal next to it
        connection = sqlite3.connect(f"file:{quote(str(path))}?{how}", uri=True)
        connection.text_factory = lambda data: data.decode("utf-8", "surrogateescape")
        try:
            yield from connection.execute(query)
        finally:
            connection.close()
    except OverflowError:
        return
    except sqlite3.DatabaseError as error:
        if (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF in _PASSING:
            raise StorageError(f"{path}: {error}. It was not touched; repair it again") from error
