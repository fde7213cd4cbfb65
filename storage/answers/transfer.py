"""Export answers to a file and import them from one, to move them from one home to another."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from scrollwork.records.base import Row
from scrollwork.storage.answers.database import Database, in_batches
from scrollwork.storage.answers.digests import whole_row
from scrollwork.storage.answers.file_format import AnswerRow, Exported, Try, footer_of, groups_of, line_of, write_file
from scrollwork.storage.answers.store import ResponseStore
from scrollwork.storage.answers.tables import attempts, claims, escape_text, failures, responses, unescape_text
from scrollwork.storage.errors import ForeignFile, StorageError
from scrollwork.storage.location import Location

PAGE = 500  # how many answers are read from the database at a time


@dataclass(frozen=True)
class Imported:
    """Numbers of an import.

    new: answers that the store did not have. equal, different: answers that the store had already, with the same or
    another text and finish reason; the store's answer is kept. attempts: attempts that were new.
    """

    new: int
    equal: int
    different: int
    attempts: int


def export_answers(store: ResponseStore, path: Path) -> Exported:
    """Write every answer, with its attempts, to a file; an earlier export at that path is replaced.

    Raises StorageError if the path is taken by anything else, and DamagedRows if a row does not match its digest.
    """
    folder = Location(str(path.parent))
    if path.exists():
        try:
            footer_of(folder, path.name)
        except ForeignFile as error:
            raise StorageError(f"{path}: is there already and is no earlier export; name another file") from error
    return write_file(folder, path.name, answers_of(store, keys_of(store)))


def check_file(path: Path) -> None:
    """Raise ForeignFile if the file is not an export. Only its footer is read; an import checks the rows."""
    footer_of(Location(str(path.parent)), path.name)


def import_answers(store: ResponseStore, path: Path) -> Imported:
    """Import the answers of a file in one transaction; failures and claims of the same requests are removed.

    Raises ForeignFile if the file is damaged or not an export; then nothing was imported.
    """
    return import_from(store, Location(str(path.parent)), path.name)


def import_from(store: ResponseStore, folder: Location, name: str) -> Imported:
    """Import the answers of a file in a folder, which may be remote; see `import_answers`."""
    footer = footer_of(folder, name)
    try:
        return store.database.write(lambda connection: _take(store.database, connection, folder, name, footer))
    except sa.exc.StatementError as error:  # a value that the column cannot hold
        raise ForeignFile(f"{folder}/{name}: {error}. Nothing was imported") from error


def keys_of(store: ResponseStore) -> list[str]:
    """List the request keys of all answers, sorted."""
    return store.database.read(lambda connection: sorted(connection.scalars(sa.select(responses.c.request_key))))


def answers_of(store: ResponseStore, keys: Sequence[str]) -> Iterator[AnswerRow]:
    """Yield the answers to these requests with their attempts; requests without an answer are skipped.

    keys: sorted; then the answers are sorted, too. Raises DamagedRows if a row does not match its digest.
    """
    for some in in_batches(keys, PAGE):
        yield from store.database.read(lambda connection, some=some: _page(connection, some))  # type: ignore[misc]


def _take(
    database: Database, connection: sa.Connection, folder: Location, name: str, footer: dict[str, str]
) -> Imported:
    digest, found, tries_before = hashlib.sha256(), [0, 0, 0], _count(connection, attempts)
    count = 0
    for group in groups_of(folder, name):
        for row in group:
            digest.update(line_of(row, int(footer["schema"])))
        count += len(group)
        for kind, number in enumerate(_take_group(database, connection, group)):
            found[kind] += number
    if digest.hexdigest() != footer["sha256"] or str(count) != footer["answers"]:
        raise ForeignFile(f"{folder}/{name}: its rows are not those that it says (sha256). Nothing was imported")
    new, equal, different = found
    return Imported(new, equal, different, _count(connection, attempts) - tries_before)


def _take_group(database: Database, connection: sa.Connection, group: list[AnswerRow]) -> tuple[int, int, int]:
    """Import the answers of a row group. Returns how many were (new, equal, different)."""
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
            equal += standing == (unescape_text(row.text), row.finish_reason)
            different += standing is not None and standing != (unescape_text(row.text), row.finish_reason)
        database.add_new(connection, responses, [_values(row, AnswerRow, "tries") for row in some])
        tried = [{"request_key": row.request_key, **_values(one, Try)} for row in some for one in row.tries]
        for begin in range(0, len(tried), PAGE):
            database.add_new(connection, attempts, tried[begin : begin + PAGE])
        connection.execute(sa.delete(failures).where(failures.c.request_key.in_(keys)))
        connection.execute(sa.delete(claims).where(claims.c.request_key.in_(keys)))
    return new, equal, different


def _values(row: Row, kind: type[Row], *without: str) -> dict[str, Any]:
    """Return the values of a row of the file by column of its table, with texts not escaped."""
    values = {field.name: getattr(row, field.name) for field in fields(kind) if field.name not in without}
    return {name: unescape_text(value) if isinstance(value, str) else value for name, value in values.items()}


def _page(connection: sa.Connection, keys: Sequence[str]) -> list[AnswerRow]:
    query = sa.select(responses).where(responses.c.request_key.in_(keys)).order_by(responses.c.request_key)
    found = connection.execute(query).all()
    tries: dict[str, list[Try]] = {key: [] for key in keys}
    order = (attempts.c.request_key, attempts.c.started, attempts.c.number, attempts.c.owner)
    for row in connection.execute(sa.select(attempts).where(attempts.c.request_key.in_(keys)).order_by(*order)):
        values = _kept(attempts, dict(row._mapping))
        tries[values.pop("request_key")].append(Try(**values))
    return [AnswerRow(**_kept(responses, dict(row._mapping)), tries=tuple(tries[row.request_key])) for row in found]


def _kept(table: sa.Table, values: Any) -> dict[str, Any]:
    """Return the values of a row of the store as in the file. Raises DamagedRows: a damaged row is not exported."""
    said = whole_row(table.name, values)
    return {name: escape_text(value) if isinstance(value, str) else value for name, value in said.items()}


def _count(connection: sa.Connection, table: sa.Table) -> int:
    return int(connection.scalar(sa.select(sa.func.count()).select_from(table)) or 0)
