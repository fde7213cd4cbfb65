"""The database behind the response store: how it is opened, durability, and clear error messages.

It is SQLite (WAL, synchronous FULL) or PostgreSQL (psycopg 3). After a deadlock or a lost connection to PostgreSQL,
`read` and `write` run their function again, so it must be safe to run twice. The connection may be lost after the
commit: an insert therefore keeps rows that exist already.
"""

from __future__ import annotations

import importlib
import os
import re
import shutil
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

import sqlalchemy as sa

from scrollwork.storage.answers.digests import with_digest
from scrollwork.storage.answers.watches import Watches
from scrollwork.storage.errors import StorageError, StorageFull, TornStore, naming_full_disks
from scrollwork.storage.location import is_writable

T = TypeVar("T")
K = TypeVar("K")

BUSY_S = 60  # how long a process waits for other writers, and for a server that restarts
PASSING_S = 5  # the same for short-lived data (`passing`)
BATCH = 500  # keys in one statement
TORN = (
    "It was not changed; `scrollwork store repair` moves it aside and puts back what can be read and what snapshots "
    "hold; or restore it from a copy, or name another with --store"
)

# sqlite3 result codes, https://www.sqlite.org/rescode.html
_BUSY, _LOCKED, _READONLY, _IOERR, _CORRUPT, _FULL, _CANTOPEN, _NOTADB = 5, 6, 8, 10, 11, 13, 14, 26
LEAST_ROOM = 64 << 10  # bytes: the file that SQLite's processes share needs them; it calls their lack an I/O error
# SQLSTATEs, https://www.postgresql.org/docs/current/errcodes-appendix.html
_DISK_FULL = "53100"
_READ_ONLY = ("25006", "42501")
_NOT_LET_IN = ("28000", "28P01", "3D000")
# Errors after which the same transaction may succeed: serialization, deadlock, too many connections, server restarts.
_PASSING = ("40001", "40P01", "53300", "57P01", "57P02", "57P03")

# Arguments of psycopg.connect, by `passing`: with them a lost server is noticed after about patience_s, not hours.
_POSTGRES: dict[bool, dict[str, Any]] = {
    passing: {
        "connect_timeout": PASSING_S if passing else 10,
        "tcp_user_timeout": patience_s * 1000,
        "keepalives_idle": patience_s,
        "keepalives_interval": max(2, patience_s // 6),
        "keepalives_count": 3,
    }
    for passing, patience_s in ((False, BUSY_S), (True, PASSING_S))
}


class Database:
    """A database at a URL or, for SQLite, at a path.

    The constructor creates the folder of a SQLite file. It raises StorageError for a wrong URL, for a folder that
    cannot be created and if the driver for PostgreSQL is not installed.

    passing: True for data that is worthless a minute later. Commits of this object are not synced to disk (those of
    other connections still are), and nothing waits longer than about PASSING_S for another writer or for a server that
    is lost or hangs. read_only: True for a caller that only reads; no file is created then. name: the URL without user,
    password and options, for messages. The attribute read_only says whether it is a SQLite file that is only read, also
    because we cannot write it.
    """

    def __init__(self, place: str | Path, *, passing: bool = False, read_only: bool = False) -> None:
        parsed = _parsed(place)
        self._passing = passing
        self.sqlite = parsed.get_backend_name() == "sqlite"
        self.name = url_for_messages(parsed.render_as_string(hide_password=True))
        self.read_only = self.sqlite and (read_only or _is_read_only(parsed))
        if self.sqlite and parsed.database and not read_only:
            with naming_full_disks("the response store", parsed.database):
                try:
                    Path(parsed.database).parent.mkdir(parents=True, exist_ok=True)
                except (PermissionError, FileExistsError, NotADirectoryError) as error:
                    raise StorageError(f"{self.name}: its folder cannot be made ({error.strerror})") from error
        try:
            opened = {"creator": partial(_open_to_read, parsed.database or "")} if self.read_only else {}
            self.engine = sa.create_engine(
                parsed,
                connect_args={"timeout": self._patience_s} if self.sqlite else _POSTGRES[passing],
                pool_pre_ping=not self.sqlite,
                hide_parameters=True,
                **opened,
            )
        except ModuleNotFoundError as error:
            raise StorageError(
                f"{self.name}: PostgreSQL needs the driver psycopg: pip install 'scrollwork[postgres]'"
            ) from error
        if self.sqlite:
            sa.event.listen(self.engine, "connect", self._settle)
            sa.event.listen(self.engine, "begin", _begin)
        elif passing:
            sa.event.listen(self.engine, "begin", _begin_passing)
        self.insert: Callable[[sa.Table], Any] = importlib.import_module(
            f"sqlalchemy.dialects.{self.engine.dialect.name}"
        ).insert
        self._reached = False
        self._last = threading.local()
        self.watches = Watches()
        self.gained: float | None = None  # `now` minus time.monotonic(), at the last call of claiming.clock_jumped
        self.jumped: float | None = None  # time.monotonic() when that call last found that the difference had jumped

    @property
    def _patience_s(self) -> float:
        return PASSING_S if self._passing else BUSY_S

    def _settle(self, connection: Any, _record: object) -> None:
        """Set up a SQLite connection. Unless `passing`, what is committed survives a crash of process and machine."""
        connection.isolation_level = None
        connection.text_factory = _readable
        cursor = connection.cursor()
        cursor.execute(f"PRAGMA busy_timeout={int(self._patience_s * 1000)}")
        cursor.execute(f"PRAGMA synchronous={'NORMAL' if self._passing else 'FULL'}")
        cursor.close()

    def read(self, work: Callable[[sa.Connection], T]) -> T:
        """Run `work` in one transaction that only reads, and return its result.

        Raises StorageError, or TornStore if the SQLite file is damaged. PostgreSQL: `work` may run more than once.
        """
        return self._transaction(work, write=False)

    def write(self, work: Callable[[sa.Connection], T]) -> T:
        """Run `work` in one transaction, commit all of it or nothing, and return its result.

        Raises StorageError, StorageFull if there is no space left, or TornStore if the SQLite file is damaged.
        PostgreSQL: `work` may run more than once.
        """
        return self._transaction(work, write=True)

    def _transaction(self, work: Callable[[sa.Connection], T], write: bool) -> T:
        began, pause_s = time.monotonic(), 0.05
        while True:
            self._last.try_began = time.monotonic()
            try:
                with self.engine.connect().execution_options(write=write) as connection, connection.begin():
                    result = work(connection)
                self._reached = True
                self.watches.succeeded()
                return result
            except sa.exc.DBAPIError as error:
                tried_s = time.monotonic() - began
                if not self._passes(error) or tried_s > self.watches.patience_s(self._patience_s):
                    raise self._named(error) from error
                self.watches.failed(tried_s, self._named(error))
            time.sleep(pause_s)
            pause_s = min(2 * pause_s, 2.0)

    @property
    def last_try(self) -> float:
        """When the last try of this thread's last transaction began, by time.monotonic(): earlier ones failed."""
        return float(self._last.try_began)

    def _passes(self, error: sa.exc.DBAPIError) -> bool:
        """Return whether the same transaction may succeed a moment later.

        A lost connection counts only if the server was reached before; otherwise the address may be wrong.
        """
        if self.sqlite:
            return False  # SQLite has waited already (busy_timeout)
        state = getattr(error.orig, "sqlstate", None)
        gone = error.connection_invalidated or (state is None and isinstance(error, sa.exc.OperationalError))
        return state in _PASSING or (gone and self._reached)

    @contextmanager
    def errors_named(self) -> Iterator[None]:
        """Turn database errors of the block into StorageError, for statements outside `read` and `write`."""
        try:
            yield
        except sa.exc.DBAPIError as error:
            raise self._named(error) from error

    def _named(self, error: sa.exc.DBAPIError) -> StorageError:
        """Return the StorageError for a database error. Its message is clear and holds no texts of answers."""
        reason = (str(error.orig).strip() or type(error.orig).__name__).splitlines()[0]
        code = (getattr(error.orig, "sqlite_errorcode", None) or 0) & 0xFF
        state = getattr(error.orig, "sqlstate", None) or ""
        if code == _FULL or state == _DISK_FULL or (code == _IOERR and self._without_room()):
            return StorageFull(
                f"{self.name}: no space left for answers ({reason}). Answers committed before stand; free space "
                "and run the same command again"
            )
        if code in (_NOTADB, _CORRUPT):
            return TornStore(f"{self.name}: {reason}. {TORN}")
        if code == _READONLY or state in _READ_ONLY:
            return StorageError(
                f"{self.name}: {reason}. Answers cannot be kept here; let it be written, or use --store"
            )
        if code in (_BUSY, _LOCKED):
            return StorageError(
                f"{self.name}: {reason}. Another process has been writing to it for {self._patience_s:g} s; "
                "wait for it, or end it"
            )
        if code == _CANTOPEN:
            return StorageError(f"{self.name}: {reason}. Is it a file, and may its folder be written?")
        if state in _NOT_LET_IN or (not self.sqlite and not self._reached):
            return StorageError(f"{self.name}: {reason}. Check the address, the user and the database of --store")
        return StorageError(f"{self.name}: {reason}")

    def _without_room(self) -> bool:
        """Return whether the disk of the SQLite file is full."""
        try:
            return shutil.disk_usage(Path(self.engine.url.database or "").parent).free < LEAST_ROOM
        except OSError:
            return False

    def now(self, connection: sa.Connection) -> float:
        """Return unix seconds by the clock that all processes share: the PostgreSQL server's, or this machine's."""
        if self.sqlite:
            return time.time()
        return float(connection.scalar(sa.text("SELECT extract(epoch FROM clock_timestamp())")))

    def began_s(self, connection: sa.Connection) -> float:
        """Return how many seconds ago the PostgreSQL server was started; infinity for SQLite, which has none."""
        if self.sqlite:
            return float("inf")
        started = "SELECT extract(epoch FROM clock_timestamp() - pg_postmaster_start_time())"
        return float(connection.scalar(sa.text(started)))

    def add_new(self, connection: sa.Connection, table: sa.Table, rows: Sequence[dict[str, Any]]) -> None:
        """Insert rows, with their digests if the table has a column for them.

        A new row is dropped if the table has a row with its primary key.
        """
        if "digest" in table.c:
            rows = [with_digest(table.name, row) for row in rows]
        if rows:
            keys = [column.name for column in table.primary_key]
            connection.execute(self.insert(table).on_conflict_do_nothing(index_elements=keys), rows)

    def write_ahead(self) -> None:
        """Switch SQLite's journal to WAL. SQLite does not wait for other connections in this case, so we do.

        Raises StorageError, also if the database is still busy after BUSY_S.
        """
        patience = time.monotonic() + BUSY_S
        while True:
            raw = self.engine.raw_connection()
            try:
                raw.cursor().execute("PRAGMA journal_mode=WAL")
                return
            except sqlite3.DatabaseError as error:
                busy = (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF == _BUSY
                if not busy or time.monotonic() > patience:
                    raise self._named(sa.exc.DBAPIError("PRAGMA journal_mode", None, error)) from error
                time.sleep(0.02)
            finally:
                raw.close()

    def close(self) -> None:
        """Close the database."""
        self.engine.dispose()


def in_batches(keys: Sequence[K], size: int = BATCH) -> Iterator[Sequence[K]]:
    """Yield the keys in order, at most `size` of them at a time."""
    for start in range(0, len(keys), size):
        yield keys[start : start + size]


def url_for_messages(url: str) -> str:
    """Return the URL for a message: without options, and with "***" in place of user and password."""
    return re.sub(r"(//).*@", r"\1***@", url).partition("?")[0]


def _is_read_only(parsed: sa.URL) -> bool:
    """Return whether a SQLite file exists, but we cannot write it or its folder, which holds its journal files."""
    path = Path(parsed.database or ":memory:")
    if path.name == ":memory:" or parsed.query or not path.is_file():
        return False
    return not (os.access(path, os.W_OK) and is_writable(path.parent))


def _open_to_read(path: str) -> sqlite3.Connection:
    """Open a read-only SQLite file.

    If no journal files are next to it, nobody is writing, and it is opened as immutable: otherwise SQLite would create
    journal files, even to read. https://www.sqlite.org/uri.html
    """
    alone = "" if any(Path(f"{path}-{own}").exists() for own in ("wal", "shm")) else "&immutable=1"
    return sqlite3.connect(f"file:{quote(path)}?mode=ro{alone}", uri=True, check_same_thread=False)


def _parsed(place: str | Path) -> sa.URL:
    """Parse the path or URL of a store, and set the driver. Raises StorageError if it is no URL that we can use."""
    if isinstance(place, Path):
        return sa.URL.create("sqlite", database=str(place))
    try:
        parsed = sa.make_url(place)
    except (sa.exc.ArgumentError, ValueError) as error:
        raise StorageError(f"{url_for_messages(place)} is no database URL") from error
    backend = parsed.drivername.partition("+")[0]
    if backend == "sqlite":
        return parsed.set(drivername="sqlite")
    if backend not in ("postgresql", "postgres"):
        raise StorageError(
            f"{url_for_messages(place)}: answers are kept in sqlite:///FILE or postgresql://USER@HOST/DATABASE"
        )
    if "@" in (parsed.host or ""):
        raise StorageError(f"{url_for_messages(place)}: write an @ of the password as %40")
    return parsed.set(drivername="postgresql+psycopg")


def _readable(data: bytes) -> str:
    """Decode a text of SQLite, even if its bytes are damaged: its digest shows the damage, other rows stay readable."""
    return data.decode("utf-8", "surrogateescape")


def _begin(connection: sa.Connection) -> None:
    """Begin a transaction of SQLite. A writer takes the lock at once, because SQLite may refuse a later upgrade."""
    writes = connection.get_execution_options().get("write")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _begin_passing(connection: sa.Connection) -> None:
    """Let PostgreSQL end slow statements, and transactions of a process that was stopped in the middle of one."""
    most = int(PASSING_S * 1000)  # in milliseconds
    values = {
        "statement_timeout": most,
        "lock_timeout": most,
        "idle_in_transaction_session_timeout": most // 2,  # so that the next process gets its turn within its timeout
        "synchronous_commit": "off",
    }
    said = ", ".join(f"set_config('{name}', '{value}', true)" for name, value in values.items())
    connection.exec_driver_sql(f"SELECT {said}")
