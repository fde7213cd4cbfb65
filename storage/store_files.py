"""Answers in a file: how they move from one home to another.

A Parquet file (zstd) with one row an answer, its attempts in it, sorted by request key: equal stores give equal bytes.
Its footer says what it is, in which version of its schema, and the sha256 of its rows, so a torn or edited file is
refused before anything of it counts. Texts stand in it as in the databases (store_tables.py says how).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import sqlalchemy as sa

from records.base import InvalidRow, Row, canonical_json, from_batch, to_batch
from records.response import FINISH_REASONS
from storage.errors import ForeignFile, StorageError
from storage.location import Location
from storage.responses import ResponseStore
from storage.store_database import Database
from storage.store_digests import whole_row
from storage.store_rows import ASKED, ORIGINS, OUTCOMES
from storage.store_tables import attempts, claims, escaped, failures, responses, unescaped

WHAT = "scrollwork answers"
VERSION = 2
NOT_IN_1 = ("masked", "origin")  # columns that files of version 1 do not have
NULL_SINCE_2 = ("latency_s", "attempts")  # and those that nobody left out then
PAGE = 500  # answers read from the database at once
GROUP_BYTES = 8 << 20  # of text in a row group


@dataclass(frozen=True)
class Try(Row):
    """An attempt, as the file holds it; its request key is its answer's."""

    owner: str
    number: int
    started: float
    provider: str
    model: str
    outcome: str
    status: int | None
    message: str
    seconds: float
    input_tokens: int | None
    cached_tokens: int | None
    cache_write_tokens: int | None
    output_tokens: int | None
    reasoning_tokens: int | None
    cost_nano_usd: int | None

    def check(self) -> None:
        self.require(self.outcome in OUTCOMES, "outcome", f"{self.outcome!r} is none of {', '.join(OUTCOMES)}")


@dataclass(frozen=True)
class AnswerRow(Row):
    """An answer, as the file holds it. created: unix seconds."""

    request_key: str
    provider: str
    model: str
    text: str
    finish_reason: str
    input_tokens: int | None
    cached_tokens: int | None
    cache_write_tokens: int | None
    output_tokens: int | None
    reasoning_tokens: int | None
    reported_model: str
    latency_s: float | None
    attempts: int | None
    created: float
    cost_nano_usd: int | None
    tries: tuple[Try, ...]
    masked: bool = False
    origin: str = ASKED

    def check(self) -> None:
        self.require(len(self.request_key) == 64, "request_key", "must be a sha256 in hex")
        self.require(self.finish_reason in FINISH_REASONS, "finish_reason", f"{self.finish_reason!r} is not known")
        self.require(self.origin in ORIGINS, "origin", f"{self.origin!r} is none of {', '.join(ORIGINS)}")


@dataclass(frozen=True)
class Exported:
    """What went into a file."""

    answers: int
    attempts: int
    sha256: str


@dataclass(frozen=True)
class Imported:
    """What came of a file: answers that are new here, that stood here already (equal or different); new attempts.

    An answer that stood is kept, whatever the file says.
    """

    new: int
    equal: int
    different: int
    attempts: int


def export_answers(store: ResponseStore, path: Path) -> Exported:
    """Write every answer and its attempts to a file, in place of an earlier export only. Raises StorageError."""
    if path.exists():
        try:
            _footer(path)
        except ForeignFile as error:
            raise StorageError(f"{path}: is there already and is no earlier export; name another file") from error
    folder = Location(str(path.parent))
    digest, count, tries = hashlib.sha256(), 0, 0
    schema = AnswerRow.schema()
    with folder.temporary(path.name) as (stream, temporary):
        with pq.ParquetWriter(stream, schema, compression="zstd", compression_level=3) as writer:
            for group in _grouped(_rows_of(store)):
                writer.write_batch(to_batch(AnswerRow, group), row_group_size=len(group))
                for row in group:
                    digest.update(_line(row, VERSION))
                    tries += len(row.tries)
                count += len(group)
            footer = {"what": WHAT, "schema": str(VERSION), "answers": str(count), "sha256": digest.hexdigest()}
            writer.add_key_value_metadata({f"scrollwork.{name}": value for name, value in footer.items()})
        folder.publish(stream, temporary, path.name)
    return Exported(count, tries, digest.hexdigest())


def check_file(path: Path) -> None:
    """Raise ForeignFile for what is no file of answers. Its rows are looked at when they are imported."""
    _footer(path)


def import_answers(store: ResponseStore, path: Path) -> Imported:
    """Take the answers of a file over, all in one transaction. Raises ForeignFile; then nothing was taken."""
    footer = _footer(path)
    try:
        return store.database.write(lambda connection: _take(store.database, connection, path, footer))
    except sa.exc.StatementError as error:  # a value that the column cannot hold
        raise ForeignFile(f"{path}: {error}. Nothing was imported") from error


def _take(database: Database, connection: sa.Connection, path: Path, footer: dict[str, str]) -> Imported:
    digest, found, tries_before = hashlib.sha256(), [0, 0, 0], _count(connection, attempts)
    count = 0
    for group in _groups(path):
        for row in group:
            digest.update(_line(row, int(footer["schema"])))
        count += len(group)
        for kind, number in enumerate(_take_group(database, connection, group)):
            found[kind] += number
    if digest.hexdigest() != footer["sha256"] or str(count) != footer["answers"]:
        raise ForeignFile(f"{path}: its rows are not those that it says (sha256). Nothing was imported")
    new, equal, different = found
    return Imported(new, equal, different, _count(connection, attempts) - tries_before)


def _take_group(database: Database, connection: sa.Connection, group: list[AnswerRow]) -> tuple[int, int, int]:
    """(new, equal, different) answers of a row group."""
    new = equal = different = 0
    for start in range(0, len(group), PAGE):
        some = group[start : start + PAGE]
        keys = [row.request_key for row in some]
        columns = (responses.c.request_key, responses.c.text, responses.c.finish_reason)
        here = {
            row.request_key: (row.text, row.finish_reason)
            for row in connection.execute(sa.select(*columns).where(columns[0].in_(keys)))
        }
        for row in some:
            standing = here.get(row.request_key)
            new += standing is None
            equal += standing == (unescaped(row.text), row.finish_reason)
            different += standing is not None and standing != (unescaped(row.text), row.finish_reason)
        database.add_new(connection, responses, [_values(row, AnswerRow, "tries") for row in some])
        tried = [{"request_key": row.request_key, **_values(one, Try)} for row in some for one in row.tries]
        for begin in range(0, len(tried), PAGE):
            database.add_new(connection, attempts, tried[begin : begin + PAGE])
        connection.execute(sa.delete(failures).where(failures.c.request_key.in_(keys)))
        connection.execute(sa.delete(claims).where(claims.c.request_key.in_(keys)))
    return new, equal, different


def _values(row: Row, kind: type[Row], *without: str) -> dict[str, Any]:
    """The row's values as the tables take them."""
    values = {field.name: getattr(row, field.name) for field in fields(kind) if field.name not in without}
    return {name: unescaped(value) if isinstance(value, str) else value for name, value in values.items()}


def _rows_of(store: ResponseStore) -> Iterator[AnswerRow]:
    """Every answer by key, a page at a time; answers are only ever added, so pages need no common snapshot."""
    last = ""
    while page := store.database.read(lambda connection, last=last: _page(connection, last)):  # type: ignore[misc]
        yield from page
        last = page[-1].request_key


def _page(connection: sa.Connection, last: str) -> list[AnswerRow]:
    query = sa.select(responses).where(responses.c.request_key > last).order_by(responses.c.request_key).limit(PAGE)
    found = connection.execute(query).all()
    keys = [row.request_key for row in found]
    tries: dict[str, list[Try]] = {key: [] for key in keys}
    order = (attempts.c.request_key, attempts.c.started, attempts.c.number, attempts.c.owner)
    for row in connection.execute(sa.select(attempts).where(attempts.c.request_key.in_(keys)).order_by(*order)):
        values = _kept(attempts, row._mapping)
        tries[values.pop("request_key")].append(Try(**values))
    return [AnswerRow(**_kept(responses, row._mapping), tries=tuple(tries[row.request_key])) for row in found]


def _kept(table: sa.Table, values: Any) -> dict[str, Any]:
    """A row as the file holds it. Raises DamagedRows: what was changed is not handed on."""
    said = whole_row(table.name, values)
    return {name: escaped(value) if isinstance(value, str) else value for name, value in said.items()}


def _grouped(rows: Iterator[AnswerRow]) -> Iterator[list[AnswerRow]]:
    """Rows in groups of a few megabytes."""
    group: list[AnswerRow] = []
    size = 0
    for row in rows:
        group.append(row)
        size += len(row.text) + 1000
        if size >= GROUP_BYTES:
            yield group
            group, size = [], 0
    if group:
        yield group


def _line(row: AnswerRow, version: int) -> bytes:
    """What the digest of a file of this version holds of a row."""
    without = NOT_IN_1 if version == 1 else ()
    values = {name: value for name, value in asdict(row).items() if name not in without}
    return canonical_json(values).encode("utf-8") + b"\n"


def _schema_of(version: str) -> pa.Schema | None:
    """The columns of a file of this version, None for one that is not known."""
    own = AnswerRow.schema()
    if version != "1":
        return own if version == str(VERSION) else None
    return pa.schema(
        field.with_nullable(field.nullable and field.name not in NULL_SINCE_2)
        for field in own
        if field.name not in NOT_IN_1
    )


def _footer(path: Path) -> dict[str, str]:
    """What the file says of itself. Raises ForeignFile."""
    try:
        with path.open("rb") as stream, pq.ParquetFile(stream, pre_buffer=False) as file:
            found = {key.decode(): value.decode() for key, value in (file.metadata.metadata or {}).items()}
            schema = file.schema_arrow
    except (pa.ArrowException, UnicodeDecodeError) as error:
        raise ForeignFile(f"{path}: is no file of answers, or is torn ({_first_line(error)})") from error
    except OSError as error:
        reason = error.strerror or _first_line(error)
        raise ForeignFile(f"{path}: cannot be read as a file of answers ({reason})") from error
    said = {name: found.get(f"scrollwork.{name}", "") for name in ("what", "schema", "answers", "sha256")}
    if said["what"] != WHAT:
        raise ForeignFile(f"{path}: is a Parquet file of something else, not one of `scrollwork store export`")
    known = _schema_of(said["schema"])
    if known is None or not schema.equals(known):
        raise ForeignFile(
            f"{path}: schema {said['schema']!r} of a file of answers, this version reads 1 and {VERSION}. "
            "Import it with the scrollwork that wrote it"
        )
    return said


def _groups(path: Path) -> Iterator[list[AnswerRow]]:
    """The rows of the file, a row group at a time. Raises ForeignFile."""
    number = 0
    try:
        with path.open("rb") as stream, pq.ParquetFile(stream, pre_buffer=False) as file:
            for number in range(file.metadata.num_row_groups):
                table = file.read_row_group(number, use_threads=False).combine_chunks()
                group = [row for batch in table.to_batches() for row in from_batch(AnswerRow, batch)]
                yield group
    except (pa.ArrowException, InvalidRow, OSError, ValueError, TypeError) as error:
        raise ForeignFile(
            f"{path}: row group {number} is damaged ({_first_line(error)}). Nothing was imported"
        ) from error


def _first_line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0][:200]


def _count(connection: sa.Connection, table: sa.Table) -> int:
    return int(connection.scalar(sa.select(sa.func.count()).select_from(table)) or 0)
