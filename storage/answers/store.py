"""The response store: a row for each answer, committed before it is used. No answer is paid for twice.

SQLite (WAL, synchronous FULL) by default, PostgreSQL by URL. See docs/store.md; tables are in tables.py, rows in
rows.py.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, TypeVar

import sqlalchemy as sa

from scrollwork.storage.answers import batches, claiming, spending
from scrollwork.storage.answers.database import Database, in_batches
from scrollwork.storage.answers.digests import whole_row
from scrollwork.storage.answers.migrations import prepare
from scrollwork.storage.answers.rows import ANSWERED, Spent, StoredAnswer, StoredAttempt, StoredBatch, StoredFailure
from scrollwork.storage.answers.tables import attempts, claims, failures, responses

__all__ = ["Holdings", "ResponseStore", "Spent", "StoredAnswer", "StoredAttempt", "StoredBatch", "StoredFailure"]

R = TypeVar("R", StoredAnswer, StoredFailure)


@dataclass(frozen=True)
class Holdings:
    """Counts of a store. answers, failures, spent: by model. attempts: by model and outcome. batches: by state.

    failure_kinds: [{model, kind, count, status, message}], the latest message. claimed: requests being asked now.
    """

    answers: dict[str, int]
    failures: dict[str, int]
    failure_kinds: list[dict[str, Any]]
    attempts: dict[str, dict[str, int]]
    batches: dict[str, int]
    claimed: int
    spent: dict[str, Spent]


class ResponseStore:
    """Answers, failures, attempts, claims and batches at a database path or URL, made on first use.

    A foreign, newer or damaged database is refused and not changed. Every method is one transaction, can be called from
    any thread, and raises StorageError or a subclass. guard: called with the store and the keys before requests are
    claimed; it raises LostAnswers if a paid answer is lost.
    """

    def __init__(
        self, place: str | Path, guard: Callable[[ResponseStore, Collection[str]], None] | None = None
    ) -> None:
        self.place, self._guard = place, guard
        self.database = Database(place)
        self.name = self.database.name
        try:
            prepare(self.database)
        except BaseException:
            self.close()  # the last connection to close removes SQLite's journal files
            raise

    # --- answers and failures

    def answers(self, keys: Sequence[str]) -> dict[str, StoredAnswer]:
        """Read the stored answers to these requests, by request key. Raises DamagedRows for one that was changed."""
        return self.database.read(lambda connection: self._among(connection, responses, StoredAnswer, keys))

    def failures(self, keys: Sequence[str]) -> dict[str, StoredFailure]:
        """Read the stored failures of these requests, by request key. Raises DamagedRows for one that was changed."""
        return self.database.read(lambda connection: self._among(connection, failures, StoredFailure, keys))

    def states(self, keys: Collection[str]) -> dict[str, str]:
        """The state of stored requests by key: ANSWERED, or the kind of the failure. Reads no texts."""
        return self.database.read(lambda connection: _states(connection, keys))

    def sent_since(self, keys: Collection[str], since: float) -> set[str]:
        """Return those of these requests that a vendor has, or may have, read since then. since: unix seconds.

        It read those that an attempt was answered or charged for. It may have read those that a process claimed, whose
        attempt is not stored yet, or never will be if the process was killed.
        """
        return self.database.read(lambda connection: _sent_since(connection, keys, since))

    def add(
        self,
        answers: Sequence[StoredAnswer],
        failures: Sequence[StoredFailure] = (),
        attempts: Sequence[StoredAttempt] = (),
        owner: str | None = None,
    ) -> None:
        """Commit answers, failures and attempts together. Existing answers and attempts are kept.

        An answer removes the failure of its request and any claim on it. A failure removes the claim of `owner`.
        """
        now = time.time()
        self.database.write(lambda connection: self._add(connection, answers, failures, attempts, owner, now))

    def _add(
        self,
        connection: sa.Connection,
        answered: Sequence[StoredAnswer],
        failed: Sequence[StoredFailure],
        tried: Sequence[StoredAttempt],
        owner: str | None,
        now: float,
    ) -> None:
        for some in in_batches(tried):
            self.database.add_new(connection, attempts, [vars(attempt) for attempt in some])
        for answers in in_batches(sorted(answered, key=lambda answer: answer.request_key)):
            self.database.add_new(connection, responses, [{**vars(answer), "created": now} for answer in answers])
            keys = [answer.request_key for answer in answers]
            connection.execute(sa.delete(failures).where(failures.c.request_key.in_(keys)))
            connection.execute(sa.delete(claims).where(claims.c.request_key.in_(keys)))
        last = {failure.request_key: failure for failure in failed}
        for some_keys in in_batches(sorted(last)):
            connection.execute(sa.delete(failures).where(failures.c.request_key.in_(some_keys)))
            standing = sa.select(responses.c.request_key).where(responses.c.request_key.in_(some_keys))
            answered_before = set(connection.scalars(standing))
            new = [{**vars(last[key]), "created": now} for key in some_keys if key not in answered_before]
            self.database.add_new(connection, failures, new)
        if owner is not None:
            claiming.release(connection, list(last), owner)

    # --- claims

    def claim(self, keys: Collection[str], owner: str, lease_s: float) -> set[str]:
        """Claim requests; returns the keys that this owner in this process may ask now, for `lease_s` seconds.

        The others are answered, wait in an open batch, or are being asked by another: look for their answers, and claim
        again. Claims that the owner holds already are renewed. owner: a unique name of the asker in this process (a
        run's task), at most 128 characters. Raises LostAnswers.
        """
        if self._guard is not None:
            self._guard(self, keys)
        return self.database.write(lambda connection: claiming.claim(self.database, connection, keys, owner, lease_s))

    def renew(self, keys: Collection[str], owner: str, lease_s: float) -> set[str]:
        """Renew claims for `lease_s` seconds and return the keys that are still ours. Call it well within a lease."""
        return self.database.write(lambda connection: claiming.renew(self.database, connection, keys, owner, lease_s))

    def release(self, keys: Collection[str], owner: str) -> None:
        """Release claims; those of others stay."""
        self.database.write(lambda connection: claiming.release(connection, keys, owner))

    # --- batches

    def intend(self, batch: StoredBatch, keys: Collection[str], owner: str) -> None:
        """Store a batch before it is submitted; the owner's claims on its requests pass to it."""
        self.database.write(lambda connection: batches.intend(self.database, connection, batch, keys, owner))

    def save_batch(self, batch: StoredBatch) -> None:
        """Store the new state of a batch. If it is collected or lost, its waiting requests are free again."""
        self.database.write(lambda connection: batches.save(connection, batch))

    def open_batches(self) -> list[StoredBatch]:
        """List the batches that are intended or submitted, the oldest first."""
        return self.database.read(batches.open_batches)

    def batch_names(self) -> set[str]:
        """The providers' ids of all stored batches, in any state."""
        return self.database.read(batches.provider_ids)

    def in_batches(self, keys: Sequence[str]) -> dict[str, str]:
        """Find the open batch in which each of these requests waits, by request key."""
        return self.database.read(lambda connection: batches.waiting(connection, keys))

    def batch_requests(self, batch_id: str) -> dict[str, str]:
        """Read the state of each request of a batch: waiting, done, again."""
        return self.database.read(lambda connection: batches.requests_of(connection, batch_id))

    def settle_requests(self, batch_id: str, states: Mapping[str, str]) -> None:
        """Store the new states of requests of a batch, by request key."""
        self.database.write(lambda connection: batches.settle(connection, batch_id, states))

    # --- what it holds

    def holds_answers(self, model: str = "") -> bool:
        """Whether the store holds any answer (of this model, if one is named)."""
        any_answer = sa.select(responses.c.request_key).limit(1)
        any_answer = any_answer.where(responses.c.model == model) if model else any_answer
        return self.database.read(lambda connection: connection.scalar(any_answer) is not None)

    def spent(self, owner: str | None = None, since: float | None = None) -> dict[str, Spent]:
        """Count calls, answers, tokens and cost by model; owner: only of this owner's attempts. since: only of those
        that started at this time (unix seconds) or later."""
        return self.database.read(lambda connection: spending.spent(connection, owner, since))

    def output_tokens(self, model: str, characters: int) -> dict[int, tuple[int, int, int]]:
        """Count a model's output: by the new tokens that a request allowed, (answers, tokens of reasoning, of output in
        all). characters: of text, a token."""
        return self.database.read(lambda connection: spending.output_tokens(connection, model, characters))

    def holdings(self) -> Holdings:
        """Count all rows at one moment."""
        return self.database.read(self._holdings)

    def _holdings(self, connection: sa.Connection) -> Holdings:
        return Holdings(
            answers=spending.by_model(connection, responses),
            failures=spending.by_model(connection, failures),
            failure_kinds=spending.failure_kinds(connection),
            attempts=spending.outcomes(connection),
            batches=batches.counts(connection),
            claimed=spending.claimed(connection, self.database.now(connection)),
            spent=spending.spent(connection),
        )

    def _among(self, connection: sa.Connection, table: sa.Table, row: type[R], keys: Sequence[str]) -> dict[str, R]:
        columns = [table.c[field.name] for field in fields(row)]
        found: dict[str, R] = {}
        for some in in_batches(keys):
            for values in connection.execute(sa.select(*columns, table.c.digest).where(table.c.request_key.in_(some))):
                found[values.request_key] = row(**whole_row(table.name, dict(values._mapping), self.name))
        return found

    def close(self) -> None:
        """Close the database."""
        self.database.close()


def _states(connection: sa.Connection, keys: Collection[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for some in in_batches(list(keys)):
        failed = sa.select(failures.c.request_key, failures.c.kind).where(failures.c.request_key.in_(some))
        found |= {row.request_key: row.kind for row in connection.execute(failed)}
        answered = sa.select(responses.c.request_key).where(responses.c.request_key.in_(some))
        found |= dict.fromkeys(connection.scalars(answered), ANSWERED)
    return found


def _sent_since(connection: sa.Connection, keys: Collection[str], since: float) -> set[str]:
    found: set[str] = set()
    read = sa.or_(attempts.c.outcome == "answered", attempts.c.cost_nano_usd > 0)
    for some in in_batches(list(keys)):
        own = attempts.c.request_key.in_(some), read, attempts.c.started >= since
        found.update(connection.scalars(sa.select(attempts.c.request_key).where(*own)))
        claimed = claims.c.request_key.in_(some), claims.c.expires >= since
        found.update(connection.scalars(sa.select(claims.c.request_key).where(*claimed)))
    return found
