"""Empty replies, which older versions stored as answers: find them, and turn them into failures."""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence

import sqlalchemy as sa

from scrollwork.storage.answers.check import rows_of
from scrollwork.storage.answers.database import in_batches
from scrollwork.storage.answers.repair import put_aside
from scrollwork.storage.answers.rows import ANSWERED, StoredAttempt, StoredFailure
from scrollwork.storage.answers.store import ResponseStore
from scrollwork.storage.answers.tables import attempts, responses
from scrollwork.storage.answers.tables import failures as failures_table

WHY = "ended before its first word: no answer"


def without_a_word(store: ResponseStore, endings: Collection[str]) -> list[tuple[str, str, str]]:
    """List (request key, provider, model) of the empty answers whose finish_reason is one of `endings`.

    An answer of white space alone is empty, too.
    """
    query = sa.select(responses.c.request_key, responses.c.provider, responses.c.model, responses.c.text)
    query = query.where(responses.c.finish_reason.in_(sorted(endings))).order_by(responses.c.request_key)
    rows = store.database.read(lambda connection: connection.execute(query).all())
    return [(key, provider, model) for key, provider, model, text in rows if not str(text).strip()]


def make_failures(store: ResponseStore, failures: Sequence[StoredFailure], endings: Collection[str]) -> None:
    """Replace empty answers by these failures, in one transaction; the answers go to the table `set_aside`.

    failures: one for each request. Those whose request has no empty answer with a finish_reason of `endings` are
    ignored. What the answers cost still counts, unknown costs and tokens too: if no attempt of a request was answered,
    one is added.
    """

    def work(connection: sa.Connection) -> None:
        now = time.time()
        for some in in_batches(sorted(failures, key=lambda one: one.request_key)):
            keys = [one.request_key for one in some]
            standing = [row for row in rows_of(connection, responses, keys) if row["finish_reason"] in endings]
            rows = [row for row in standing if not str(row["text"]).strip()]
            found = {row["request_key"] for row in rows}
            paid = sa.and_(attempts.c.request_key.in_(sorted(found)), attempts.c.outcome == ANSWERED)
            counted = set(connection.scalars(sa.select(attempts.c.request_key).where(paid).distinct()))
            own = [_attempt(row) for row in rows if row["request_key"] not in counted]
            store.database.add_new(connection, attempts, [vars(one) for one in own])
            put_aside(store.database, connection, responses, rows, WHY)
            made = [{**vars(one), "created": now} for one in some if one.request_key in found]
            store.database.add_new(connection, failures_table, made)

    store.database.write(work)


def _attempt(row: dict[str, object]) -> StoredAttempt:
    """Return the attempt to store for an answer that has none."""
    names = ("request_key", "provider", "model", "input_tokens", "cached_tokens", "cache_write_tokens", "output_tokens",
             "reasoning_tokens", "cost_nano_usd")  # fmt: skip
    own = {name: row[name] for name in names}
    times = {"started": row["created"], "seconds": row["latency_s"] or 0.0}
    more = {"owner": "", "number": 1, "outcome": ANSWERED, "status": None, "message": WHY}
    return StoredAttempt(**own, **times, **more)  # type: ignore[arg-type]
