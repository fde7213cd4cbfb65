"""Create the tables of the response store, and migrate tables of older versions without losing a row.

The tables of a migration step are written in SQL and never changed again. The present tables are in tables.py; a test
compares the two. All steps happen in one transaction, so a process that is killed in the middle leaves the old store.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

import sqlalchemy as sa

from scrollwork.storage.answers.database import BATCH, TORN, Database, in_batches
from scrollwork.storage.answers.digests import SINCE_5, with_digest
from scrollwork.storage.answers.tables import ESCAPE, MARK, SCHEMA_VERSION, about, escape_text, tables
from scrollwork.storage.errors import ForeignStore, StorageError, TornStore

_MAGIC, _HEADER = b"SQLite format 3\0", 100  # first bytes of a SQLite file, and the length of its header in bytes
REPAIRED = ".repaired"  # ending of the file with which `store repair` will replace a damaged store
_LOCK = 0x5C_01_10  # number of the advisory lock of PostgreSQL under which tables are created and migrated


def prepare(database: Database) -> None:
    """Create the tables, or migrate those of an older version.

    Raises ForeignStore if the database is not a response store or has a newer version, TornStore if its file is
    damaged, and StorageError if it has an older version and cannot be written. In these cases it is not changed.
    """
    if database.sqlite:
        refuse_torn(database)
        make_whole(database)
    schema = database.read(lambda connection: _schema(database, connection))
    if schema != SCHEMA_VERSION and database.read_only:
        raise StorageError(
            f"{database.name}: of schema {schema}, this version keeps {SCHEMA_VERSION}, and the file cannot be "
            "written; let it be written once, or name a copy with --store"
        )
    if schema != SCHEMA_VERSION:
        database.write(lambda connection: _bring_up(database, connection))
    if database.sqlite and not database.read_only:  # last, because it writes to the file
        database.write_ahead()


def make_whole(database: Database) -> None:
    """Create a missing SQLite file under another name and link it to its place, so that it appears with all its tables.

    If it were created in place, a full disk would leave a file of 0 bytes, which looks like a store that lost
    everything. Does nothing if the file exists, or for a database in memory.
    """
    path = Path(database.engine.url.database or ":memory:")
    if path.name == ":memory:" or database.engine.url.query or path.exists():
        return
    new = Database(path.with_name(f".{path.name}.{uuid4().hex[:12]}"))
    made, new.name = Path(new.engine.url.database or ""), database.name
    try:
        new.write(lambda connection: _bring_up(new, connection))
        new.engine.dispose()
        with suppress(OSError):  # another process was first, or no hard links: then `prepare` creates it in place
            os.link(made, path)
    finally:
        new.engine.dispose()
        for left in (made, made.with_name(f"{made.name}-journal")):
            with suppress(OSError):
                left.unlink()


def refuse_torn(database: Database) -> None:
    """Raise TornStore for damage that SQLite would not notice, and for a file whose repair was killed.

    SQLite does not notice a file that is shorter than its header, or whose last page is cut. If a journal is next to
    the file, a write may have been interrupted; SQLite recovers from that itself, so the size is not checked.
    """
    path = Path(database.engine.url.database or ":memory:")
    if path.with_name(f"{path.name}{REPAIRED}").exists():
        raise TornStore(f"{database.name}: its repair was ended half-way. `scrollwork store repair` does it again")
    try:
        if path.with_name(f"{path.name}-wal").exists():
            return
        size = path.stat().st_size
        with path.open("rb") as stream:
            header = stream.read(_HEADER)
    except OSError:
        return  # it does not exist, or cannot be read: opening it raises the error
    page = int.from_bytes(header[16:18], "big")
    page = 65536 if page == 1 else page  # https://www.sqlite.org/fileformat2.html, 1.3.2
    if 0 < size < _HEADER or (header.startswith(_MAGIC) and page and size % page):
        raise TornStore(f"{database.name}: file is not a database, or is torn ({size:,} bytes). {TORN}")


def _schema(database: Database, connection: sa.Connection) -> int:
    """Return the schema version of the store, 0 if the database has no tables.

    Raises ForeignStore if it is not a response store, or has a version that we do not know.
    """
    present = set(sa.inspect(connection).get_table_names())
    if not present:
        return 0
    if about.name not in present:
        raise ForeignStore(
            f"{database.name}: this database holds other tables ({', '.join(sorted(present)[:3])}) and is no "
            "response store. It was not changed; name another with --store"
        )
    said = {str(row.name): row.value for row in connection.execute(sa.select(about))}
    known = {str(version) for version in [*STEPS, SCHEMA_VERSION]}
    if said.get("what") != MARK or said.get("schema") not in known:
        raise ForeignStore(
            f"{database.name}: schema {said.get('schema')!r} of {said.get('what')!r}, this version reads "
            f"{', '.join(sorted(known))}. It was not changed; use the scrollwork that wrote it, or another --store"
        )
    return int(said["schema"] or 0)


def _bring_up(database: Database, connection: sa.Connection) -> None:
    """Create or migrate the tables. Only one process does it, while others wait."""
    if not database.sqlite:
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_LOCK)))
    schema = _schema(database, connection)
    if schema == 0:
        tables.create_all(connection)
        connection.execute(
            sa.insert(about), [{"name": "what", "value": MARK}, {"name": "schema", "value": str(SCHEMA_VERSION)}]
        )
        return
    while schema < SCHEMA_VERSION:
        STEPS[schema](connection)
        schema += 1
    connection.execute(sa.update(about).where(about.c.name == "schema").values(value=str(SCHEMA_VERSION)))


def _to_2(connection: sa.Connection) -> None:
    """Add attempts, costs, claims and batches; escape texts. Schema 1 held only answers of free models: cost is 0."""
    tokens = ("input_tokens", "cached_tokens", "cache_write_tokens", "output_tokens", "reasoning_tokens")
    own = ", ".join(f"{name} BIGINT" for name in tokens)
    for name in ("cache_write_tokens", "reasoning_tokens", "cost_nano_usd"):
        connection.exec_driver_sql(f"ALTER TABLE responses ADD COLUMN {name} BIGINT")
    connection.exec_driver_sql("UPDATE responses SET cost_nano_usd = 0")
    connection.exec_driver_sql(
        "CREATE TABLE attempts (request_key VARCHAR(64) NOT NULL, owner VARCHAR(128) NOT NULL, "
        "number INTEGER NOT NULL, started FLOAT NOT NULL, provider TEXT NOT NULL, model TEXT NOT NULL, "
        "outcome VARCHAR(16) NOT NULL, status INTEGER, message TEXT NOT NULL, seconds FLOAT NOT NULL, "
        f"{own}, cost_nano_usd BIGINT, PRIMARY KEY (request_key, owner, number, started))"
    )
    connection.exec_driver_sql(
        "CREATE TABLE claims (request_key VARCHAR(64) NOT NULL, owner VARCHAR(128) NOT NULL, host TEXT NOT NULL, "
        "pid BIGINT NOT NULL, born TEXT NOT NULL, expires FLOAT NOT NULL, PRIMARY KEY (request_key))"
    )
    connection.exec_driver_sql(
        "CREATE TABLE batches (batch_id VARCHAR(64) NOT NULL, state VARCHAR(16) NOT NULL, provider TEXT NOT NULL, "
        "model TEXT NOT NULL, provider_batch_id TEXT, requests_sha256 VARCHAR(64) NOT NULL, created FLOAT NOT NULL, "
        "submitted FLOAT, ended FLOAT, owner VARCHAR(128) NOT NULL, place TEXT NOT NULL, most_nano_usd BIGINT, "
        "message TEXT NOT NULL, PRIMARY KEY (batch_id))"
    )
    connection.exec_driver_sql(
        "CREATE TABLE batch_requests (batch_id VARCHAR(64) NOT NULL, request_key VARCHAR(64) NOT NULL, "
        "state VARCHAR(16) NOT NULL, PRIMARY KEY (batch_id, request_key))"
    )
    connection.exec_driver_sql("CREATE INDEX batch_requests_of_a_key ON batch_requests (request_key)")
    texts = {"responses": ("provider", "model", "text", "reported_model"), "failures": ("provider", "model", "message")}
    for table, names in texts.items():
        for name in names:
            _escape(connection, table, name)


def _escape(connection: sa.Connection, table: str, name: str) -> None:
    """Escape the texts of a column that need it: those with the escape character or, in SQLite, with NUL."""
    key, text = sa.column("request_key", sa.String), sa.column(name, sa.Text)
    rows = sa.table(table, key, text)
    if connection.dialect.name == "sqlite":
        special = sa.func.instr(text, ESCAPE) + sa.func.instr(text, sa.func.char(0)) > 0
    else:
        special = sa.func.strpos(text, ESCAPE) > 0
    found = list(connection.scalars(sa.select(key).where(special).order_by(key)))
    for some in in_batches(found):
        for row in connection.execute(sa.select(key, text).where(key.in_(some))).all():
            connection.execute(sa.update(rows).where(key == row[0]).values({name: escape_text(row[1])}))


def _to_3(connection: sa.Connection) -> None:
    """Add the table of the rate limits that processes share."""
    connection.exec_driver_sql(
        "CREATE TABLE paces (name VARCHAR(64) NOT NULL, free FLOAT NOT NULL, changed FLOAT NOT NULL, "
        "requests_limit BIGINT, tokens_limit BIGINT, said FLOAT, PRIMARY KEY (name))"
    )


_TOKENS = (
    "input_tokens BIGINT, cached_tokens BIGINT, cache_write_tokens BIGINT, output_tokens BIGINT, "
    "reasoning_tokens BIGINT"
)
_DIGESTED = {  # the tables of schema 4 that have digests: (columns, primary key)
    "responses": (
        "request_key VARCHAR(64) NOT NULL, provider TEXT NOT NULL, model TEXT NOT NULL, text TEXT NOT NULL, "
        f"finish_reason VARCHAR(16) NOT NULL, {_TOKENS}, reported_model TEXT NOT NULL, latency_s FLOAT, "
        "attempts INTEGER, created FLOAT NOT NULL, cost_nano_usd BIGINT, masked BOOLEAN NOT NULL, "
        "origin VARCHAR(16) NOT NULL, digest VARCHAR(64) NOT NULL",
        ("request_key",),
    ),
    "failures": (
        "request_key VARCHAR(64) NOT NULL, provider TEXT NOT NULL, model TEXT NOT NULL, kind VARCHAR(16) NOT NULL, "
        "status INTEGER, message TEXT NOT NULL, attempts INTEGER NOT NULL, created FLOAT NOT NULL, "
        "digest VARCHAR(64) NOT NULL",
        ("request_key",),
    ),
    "attempts": (
        "request_key VARCHAR(64) NOT NULL, owner VARCHAR(128) NOT NULL, number INTEGER NOT NULL, "
        "started FLOAT NOT NULL, provider TEXT NOT NULL, model TEXT NOT NULL, outcome VARCHAR(16) NOT NULL, "
        f"status INTEGER, message TEXT NOT NULL, seconds FLOAT NOT NULL, {_TOKENS}, cost_nano_usd BIGINT, "
        "digest VARCHAR(64) NOT NULL",
        ("request_key", "owner", "number", "started"),
    ),
}


def _to_4(connection: sa.Connection) -> None:
    """Add the digests of answers, failures and attempts, `masked` and `origin` of answers, and the table `set_aside`.

    The tables are copied, because SQLite cannot change a NOT NULL column into one that may be NULL.
    """
    for name, (columns, key) in _DIGESTED.items():
        old = f"{name}_3"
        connection.exec_driver_sql(f"ALTER TABLE {name} RENAME TO {old}")
        if connection.dialect.name == "postgresql":
            connection.exec_driver_sql(f"ALTER INDEX {name}_pkey RENAME TO {old}_pkey")
        connection.exec_driver_sql(f"CREATE TABLE {name} ({columns}, PRIMARY KEY ({', '.join(key)}))")
        _copy(connection, name, old, key)
        connection.exec_driver_sql(f"DROP TABLE {old}")
    connection.exec_driver_sql(
        "CREATE TABLE set_aside (name VARCHAR(64) NOT NULL, taken_from VARCHAR(16) NOT NULL, "
        "request_key TEXT NOT NULL, row TEXT NOT NULL, why TEXT NOT NULL, moved FLOAT NOT NULL, PRIMARY KEY (name))"
    )


def _to_5(connection: sa.Connection) -> None:
    """Add service tier, fingerprint and output limit. Older digests stay valid: NULL in these columns is left out."""
    for column in ("service_tier TEXT", "fingerprint TEXT", "output_limit BIGINT"):
        connection.exec_driver_sql(f"ALTER TABLE responses ADD COLUMN {column}")


def _copy(connection: sa.Connection, name: str, old: str, key: tuple[str, ...]) -> None:
    """Copy the rows of a table of schema 3 to the table of schema 4, BATCH rows at a time. old: name of the former."""
    new = tables.tables[name]
    added = {"masked": False, "origin": "asked"} if name == "responses" else {}
    later = SINCE_5.get(name, ())
    columns = [sa.column(column.name, column.type) for column in new.c if column.name not in (*added, *later, "digest")]
    table = sa.table(old, *columns)
    order = [table.c[column] for column in key]
    page = sa.select(table).order_by(*order).limit(BATCH)
    rows = connection.execute(page).all()
    while rows:
        connection.execute(sa.insert(new), [_vouched(name, {**row._mapping, **added}) for row in rows])
        last = [getattr(rows[-1], column) for column in key]
        rows = connection.execute(page.where(sa.tuple_(*order) > sa.tuple_(*last))).all()


def _vouched(name: str, row: dict[str, Any]) -> dict[str, Any]:
    """Return the row with its digest. If it holds wrong values, the digest is "", so that a check names the row."""
    try:
        return with_digest(name, row)
    except (ValueError, TypeError):
        return {**row, "digest": ""}


STEPS: dict[int, Callable[[sa.Connection], None]] = {1: _to_2, 2: _to_3, 3: _to_4, 4: _to_5}
