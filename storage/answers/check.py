"""Check a response store: SQLite's own check, the digest of every row, and what must hold between rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from scrollwork.records.response import FINISH_REASONS, KINDS
from scrollwork.storage.answers.database import BATCH
from scrollwork.storage.answers.digests import is_intact
from scrollwork.storage.answers.rows import ASKED, ORIGINS, OUTCOMES
from scrollwork.storage.answers.store import ResponseStore
from scrollwork.storage.answers.tables import attempts, failures, responses, set_aside
from scrollwork.storage.errors import ForeignStore

DIGESTED = {"failure": failures, "answer": responses, "attempt": attempts}  # tables, by the word for one row
KNOWN: Mapping[str, Mapping[str, tuple[str, ...]]] = {  # allowed values by column
    "failure": {"kind": KINDS},
    "answer": {"finish_reason": FINISH_REASONS, "origin": ORIGINS},
    "attempt": {"outcome": OUTCOMES},
}
CHANGED = "does not say what was stored in it (digest)"
PLACE = "place"  # key under which `rows_of` adds a row's place in its table to the values of the row


@dataclass(frozen=True)
class StoreCheck:
    """Result of a check.

    answers, failures, attempts: numbers of rows. problems: a message for each thing that is wrong. refilled: number of
    answers that came from snapshots. empty: (request key, model) of empty replies of hosted models, which older
    versions stored as answers; `check_store` leaves it empty, its callers fill it.
    """

    answers: int = 0
    failures: int = 0
    attempts: int = 0
    problems: tuple[str, ...] = ()
    refilled: int = 0
    empty: tuple[tuple[str, str], ...] = ()


def check_store(store: ResponseStore) -> StoreCheck:
    """Check every page (SQLite only) and every row.

    Damage is returned as a problem. Raises StorageError if the database cannot be read for another reason.
    """
    try:
        return store.database.read(lambda connection: _checked(connection, store.database.sqlite))
    except ForeignStore as error:
        return StoreCheck(problems=(str(error),))


def why_no_store(place: str | Path) -> str:
    """Return why there is no store ("FILE: is not there", "FILE: is a file of 0 bytes"), "" if there is one.

    Always "" for PostgreSQL, which is not asked.
    """
    if str(place).startswith("postgres"):
        return ""
    path = place if isinstance(place, Path) else Path(place.removeprefix("sqlite:///"))
    if not path.is_file():
        return f"{path}: is not there"
    journal = path.with_name(f"{path.name}-wal")
    return "" if path.stat().st_size or journal.exists() else f"{path}: is a file of 0 bytes"


def rows_of(connection: sa.Connection, table: sa.Table, keys: Sequence[str] | None = None) -> Iterator[dict[str, Any]]:
    """Yield the rows of a table, damaged or not, in the order of the primary key.

    Each is a dict of its columns and of its place in the table (PLACE). keys: only rows of these requests; None for
    all.
    """
    query = sa.select(place_in(connection).label(PLACE), *table.c).order_by(*table.primary_key)
    if keys is not None:
        query = query.where(table.c.request_key.in_(keys))
    with connection.execute(query, execution_options={"yield_per": BATCH}) as found:
        for row in found:
            yield dict(row._mapping)


def place_in(connection: sa.Connection) -> sa.ColumnElement[Any]:
    """Return the column that identifies a row within one transaction, even if its key is damaged: rowid or ctid."""
    return sa.literal_column("rowid" if connection.dialect.name == "sqlite" else "ctid::text", sa.String())


def _checked(connection: sa.Connection, sqlite: bool) -> StoreCheck:
    problems: list[str] = []
    if sqlite:
        lines = connection.exec_driver_sql("PRAGMA integrity_check(20)").scalars().all()
        problems += [f"the database: {line}" for line in lines if line != "ok"]
    numbers: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    changed = []
    failed = set()
    for what, table in DIGESTED.items():
        for row in rows_of(connection, table):
            key = row["request_key"]
            numbers[what] += 1
            for column, known in KNOWN[what].items():
                wrong[f"rows of {table.name} with a {column} that is not known"] += row[column] not in known
            wrong[f"rows of {table.name} whose key is no sha256"] += len(str(key)) != 64
            numbers["refilled"] += row.get("origin", ASKED) != ASKED
            if what == "failure":
                failed.add(key)
            wrong["requests are both answered and failed"] += what == "answer" and key in failed
            if not is_intact(table.name, row):
                changed.append(f"{what} {key} of {row['model']}: its row {CHANGED}")
    problems += [f"{number:,} {line}" for line, number in wrong.items() if number]
    problems += changed
    problems += [f"answer {key} {why}" for key, why in attempts_against_answers(connection)]
    return StoreCheck(
        numbers["answer"], numbers["failure"], numbers["attempt"], tuple(problems), refilled=numbers["refilled"]
    )


def attempts_against_answers(connection: sa.Connection) -> Iterator[tuple[str, str]]:
    """Yield (request key, what is wrong) for answers that do not match their stored attempts.

    Such an answer has fewer stored attempts than it says, or none that answered at the answer's cost. Not checked:
    answers that came from snapshots, answers without any attempt or cost (no vendor was called), and answers whose
    attempts `store repair` took out or noted as missing.
    """
    own = attempts.c.request_key == responses.c.request_key
    cost = attempts.c.cost_nano_usd.is_not_distinct_from(responses.c.cost_nano_usd)
    paid = sa.exists().where(own, attempts.c.outcome == "answered", cost)
    written = sa.select(sa.func.count()).select_from(attempts).where(own).scalar_subquery()
    known = sa.exists().where(set_aside.c.request_key == responses.c.request_key, set_aside.c.taken_from == "attempts")
    query = (
        sa.select(responses.c.request_key, responses.c.model, responses.c.attempts, written)
        .where(responses.c.origin == ASKED, ~known, sa.or_(written > 0, responses.c.cost_nano_usd > 0))
        .where(sa.or_(written < responses.c.attempts, ~paid))
        .order_by(responses.c.request_key)
    )
    for key, model, said, number in connection.execute(query):
        if number < said:
            yield key, f"of {model}: {number} of its {said} attempts are written down"
        else:
            yield key, f"of {model}: no attempt that gave an answer has its cost"
