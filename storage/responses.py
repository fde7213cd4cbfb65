"""The response store: one row an answer, committed before it counts. A paid answer is never paid twice.

SQLite (WAL, synchronous FULL) by default, PostgreSQL by URL.
"""

from __future__ import annotations

import importlib
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

import sqlalchemy as sa

from storage.errors import ForeignStore, StorageError, StorageFull, naming_full_disks

SCHEMA_VERSION = 1
MARK = "scrollwork response store"
BUSY_S = 60  # how long a process waits for others that write
BATCH = 500  # keys in one question to the database: below SQLite's bound on parameters

_tables = sa.MetaData()
_about = sa.Table(
    "scrollwork_about", _tables, sa.Column("name", sa.String(64), primary_key=True), sa.Column("value", sa.Text)
)
_responses = sa.Table(
    "responses",
    _tables,
    sa.Column("request_key", sa.String(64), primary_key=True),
    sa.Column("provider", sa.Text, nullable=False),
    sa.Column("model", sa.Text, nullable=False),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("finish_reason", sa.String(16), nullable=False),
    sa.Column("input_tokens", sa.BigInteger),
    sa.Column("cached_tokens", sa.BigInteger),
    sa.Column("output_tokens", sa.BigInteger),
    sa.Column("reported_model", sa.Text, nullable=False),
    sa.Column("latency_s", sa.Float, nullable=False),
    sa.Column("attempts", sa.Integer, nullable=False),
    sa.Column("created", sa.Float, nullable=False),
)
_failures = sa.Table(
    "failures",
    _tables,
    sa.Column("request_key", sa.String(64), primary_key=True),
    sa.Column("provider", sa.Text, nullable=False),
    sa.Column("model", sa.Text, nullable=False),
    sa.Column("kind", sa.String(16), nullable=False),
    sa.Column("status", sa.Integer),
    sa.Column("message", sa.Text, nullable=False),
    sa.Column("attempts", sa.Integer, nullable=False),
    sa.Column("created", sa.Float, nullable=False),
)


@dataclass(frozen=True)
class StoredAnswer:
    """An answer as the store keeps it, by request key. Token counts None where the provider reports none."""

    request_key: str
    provider: str
    model: str
    text: str
    finish_reason: str
    input_tokens: int | None
    cached_tokens: int | None
    output_tokens: int | None
    reported_model: str
    latency_s: float
    attempts: int


@dataclass(frozen=True)
class StoredFailure:
    """A call that ended without an answer, by request key."""

    request_key: str
    provider: str
    model: str
    kind: str
    status: int | None
    message: str
    attempts: int


class ResponseStore:
    """Answers and failures at a database URL. Made on first use; a foreign or broken database is refused, unchanged."""

    def __init__(self, place: str | Path) -> None:
        self.place = place
        try:
            parsed = sa.URL.create("sqlite", database=str(place)) if isinstance(place, Path) else sa.make_url(place)
        except sa.exc.ArgumentError as error:
            raise StorageError(f"{place} is no database URL: {error}") from error
        self._sqlite = parsed.get_backend_name() == "sqlite"
        self.name = parsed.render_as_string(hide_password=True)
        if self._sqlite and parsed.database:
            with naming_full_disks("the response store", parsed.database):
                Path(parsed.database).parent.mkdir(parents=True, exist_ok=True)
        self._engine = sa.create_engine(parsed, connect_args={"timeout": BUSY_S} if self._sqlite else {})
        if self._sqlite:
            sa.event.listen(self._engine, "connect", _durable)
        try:
            self._prepare()
        except BaseException:
            self.close()  # with the last connection SQLite's own files beside the database go
            raise

    def _prepare(self) -> None:
        with self._errors_named():
            present = self._present()
            if present and "scrollwork_about" not in present:
                raise ForeignStore(
                    f"{self.name}: this database holds other tables ({', '.join(sorted(present)[:3])}) and is no "
                    "response store. It was not changed; name another with --store"
                )
            if not present:
                self._make()
            with self._engine.connect() as connection:
                about = {str(row.name): row.value for row in connection.execute(sa.select(_about))}
            if about.get("what") != MARK or about.get("schema") != str(SCHEMA_VERSION):
                raise ForeignStore(
                    f"{self.name}: schema {about.get('schema')!r} of {about.get('what')!r}, this version reads "
                    f"{SCHEMA_VERSION}. It was not changed; use the scrollwork that wrote it, or another --store"
                )
            if self._sqlite:  # only now: turning the journal over writes to the file
                self._write_ahead()

    def _present(self) -> set[str]:
        """Names of the tables that stand."""
        return set(sa.inspect(self._engine).get_table_names())

    def _make(self) -> None:
        """Make the tables in one transaction: a killed or a second maker never leaves or meets half of them."""
        with self._engine.begin() as connection:
            if self._sqlite:  # its driver begins no transaction for CREATE TABLE by itself
                connection.exec_driver_sql("BEGIN IMMEDIATE")
            _tables.create_all(connection)
            if not connection.execute(sa.select(_about)).first():
                rows = [{"name": "what", "value": MARK}, {"name": "schema", "value": str(SCHEMA_VERSION)}]
                connection.execute(sa.insert(_about), rows)

    def _write_ahead(self) -> None:
        """Turn the journal over to WAL. SQLite does not wait for other connections here, so we do."""
        patience = time.monotonic() + BUSY_S
        while True:
            try:
                with self._engine.connect() as connection:
                    connection.exec_driver_sql("PRAGMA journal_mode=WAL")
                return
            except sa.exc.OperationalError as error:
                busy = getattr(error.orig, "sqlite_errorcode", None) == sqlite3.SQLITE_BUSY
                if not busy or time.monotonic() > patience:
                    raise
                time.sleep(0.02)

    @contextmanager
    def _errors_named(self) -> Iterator[None]:
        """Say which store failed and what to do."""
        try:
            yield
        except sa.exc.DatabaseError as error:
            reason = str(error.orig)
            if "full" in reason:
                raise StorageFull(
                    f"{self.name}: no space left for answers ({reason}). Answers committed before stand; free space "
                    "and run the same command again"
                ) from error
            if "not a database" in reason or "malformed" in reason:
                raise ForeignStore(
                    f"{self.name}: {reason}. It was not changed; restore it from a copy, or name another with --store"
                ) from error
            raise StorageError(f"{self.name}: {reason}") from error

    def answers(self, keys: Sequence[str]) -> dict[str, StoredAnswer]:
        """The answers among `keys` that are stored, by request key."""
        columns = [c for c in _responses.c if c.name != "created"]
        found: dict[str, StoredAnswer] = {}
        with self._errors_named(), self._engine.connect() as connection:
            for start in range(0, len(keys), BATCH):
                query = sa.select(*columns).where(_responses.c.request_key.in_(keys[start : start + BATCH]))
                for row in connection.execute(query):
                    found[row.request_key] = StoredAnswer(**row._mapping)
        return found

    def failures(self, keys: Sequence[str]) -> dict[str, StoredFailure]:
        """The failures among `keys`, by request key."""
        columns = [c for c in _failures.c if c.name != "created"]
        found: dict[str, StoredFailure] = {}
        with self._errors_named(), self._engine.connect() as connection:
            for start in range(0, len(keys), BATCH):
                query = sa.select(*columns).where(_failures.c.request_key.in_(keys[start : start + BATCH]))
                for row in connection.execute(query):
                    found[row.request_key] = StoredFailure(**row._mapping)
        return found

    def add(self, answers: Sequence[StoredAnswer], failures: Sequence[StoredFailure] = ()) -> None:
        """Commit answers and failures together. An answer that stands is kept; an answer ends its failure."""
        now = time.time()
        with self._errors_named(), self._engine.begin() as connection:
            for start in range(0, len(answers), BATCH):
                some = answers[start : start + BATCH]
                keys = [a.request_key for a in some]
                connection.execute(self._new(_responses), [{**asdict(a), "created": now} for a in some])
                connection.execute(sa.delete(_failures).where(_failures.c.request_key.in_(keys)))
            for failure in failures:
                own = failure.request_key
                connection.execute(sa.delete(_failures).where(_failures.c.request_key == own))
                if not connection.execute(sa.select(_responses.c.model).where(_responses.c.request_key == own)).first():
                    connection.execute(self._new(_failures), [{**asdict(failure), "created": now}])

    def _new(self, table: sa.Table) -> sa.Executable:
        """An insertion that leaves what stands: another process may have stored the same answer meanwhile."""
        dialect = importlib.import_module(f"sqlalchemy.dialects.{self._engine.dialect.name}")
        insertion: sa.Executable = dialect.insert(table).on_conflict_do_nothing(index_elements=["request_key"])
        return insertion

    def counts(self) -> dict[str, dict[str, int]]:
        """{"answers": {model: n}, "failures": {model: n}}."""
        with self._errors_named(), self._engine.connect() as connection:
            return {
                name: {
                    str(row[0]): int(row[1])
                    for row in connection.execute(
                        sa.select(table.c.model, sa.func.count()).group_by(table.c.model).order_by(table.c.model)
                    )
                }
                for name, table in (("answers", _responses), ("failures", _failures))
            }

    def close(self) -> None:
        """Let go of the database."""
        self._engine.dispose()


def _durable(connection: object, _record: object) -> None:
    """A committed answer survives a crash of the process and of the machine."""
    cursor = connection.cursor()  # type: ignore[attr-defined]
    cursor.execute(f"PRAGMA busy_timeout={BUSY_S * 1000}")
    cursor.execute("PRAGMA synchronous=FULL")
    cursor.close()
