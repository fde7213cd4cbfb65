"""The response store: a row for each answer, committed before the answer is used. No answer is paid for twice.

The database is SQLite (WAL, synchronous FULL) by default, or PostgreSQL if the place is such a URL. See docs/store.md.
The tables are in tables.py, the rows as dataclasses in rows.py.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, TypeVar

import sqlalchemy as sa

from scrollwork.storage.answers import ages, batches, claiming, spending
from scrollwork.storage.answers.database import Database, in_batches
from scrollwork.storage.answers.digests import whole_row
from scrollwork.storage.answers.migrations import prepare
from scrollwork.storage.answers.rows import ANSWERED, Spent, StoredAnswer, StoredAttempt, StoredBatch, StoredFailure
from scrollwork.storage.answers.tables import attempts, claims, failures, responses

__all__ = ["Holdings", "ResponseStore", "Spent", "StoredAnswer", "StoredAttempt", "StoredBatch", "StoredFailure"]

R = TypeVar("R", StoredAnswer, StoredFailure)


@dataclass(frozen=True)
class Holdings:
    """What a store holds, in numbers.

    answers, failures: number of rows by model. attempts: {model: {outcome: number}}. batches: number by state. spent:
    calls, tokens and cost by model. claimed: number of claims that have not expired. failure_kinds: a list of {model,
    kind, count, status, message}; status and message are those of the latest failure of that model and kind.
    """

    answers: dict[str, int]
    failures: dict[str, int]
    failure_kinds: list[dict[str, Any]]
    attempts: dict[str, dict[str, int]]
    batches: dict[str, int]
    claimed: int
    spent: dict[str, Spent]


class ResponseStore:
    """Answers, failures, attempts, claims and batches in the database at a path or URL.

    The constructor creates the database if it does not exist, and migrates one of an older version. It raises
    ForeignStore for a database that is not a response store or has a newer version, and TornStore for a damaged file;
    such a database is not changed. Each method is one transaction and can be called from any thread. If the database
    fails, a method raises StorageError or a subclass.

    guard: `claim` calls it first, with the store and the keys. It raises LostAnswers if a paid answer is lost.
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
        """Return the stored answers to these requests, by request key; requests without an answer are left out.

        Raises DamagedRows if a row does not match its digest.
        """
        return self.database.read(lambda connection: self._among(connection, responses, StoredAnswer, keys))

    def failures(self, keys: Sequence[str]) -> dict[str, StoredFailure]:
        """Return the stored failures of these requests, by request key; requests without a failure are left out.

        Raises DamagedRows if a row does not match its digest.
        """
        return self.database.read(lambda connection: self._among(connection, failures, StoredFailure, keys))

    def states(self, keys: Collection[str]) -> dict[str, str]:
        """Return the state of these requests, by request key: ANSWERED, or the kind of the failure.

        Requests with neither an answer nor a failure are left out. No texts are read, and no digests are checked.
        """
        return self.database.read(lambda connection: _states(connection, keys))

    def asked_at(self, keys: Collection[str]) -> dict[str, float]:
        """Return when these requests were answered, by request key; see `ages.asked_at`."""
        return self.database.read(lambda connection: ages.asked_at(connection, keys))

    def failed_for(self, keys: Collection[str], statuses: Collection[int]) -> dict[str, float]:
        """Return for how many seconds these requests have failed, by request key; see `ages.failed_for`."""
        return self.database.read(lambda connection: ages.failed_for(connection, keys, statuses))

    def sent_since(self, keys: Collection[str], since: float) -> set[str]:
        """Return those of these requests that a vendor has read, or may have read, since then. since: unix seconds.

        It has read a request if an attempt that started at `since` or later was answered or charged for. It may have
        read a request with a claim that ends at `since` or later: its attempt is not stored yet, and never will be if
        the process was killed.
        """
        return self.database.read(lambda connection: _sent_since(connection, keys, since))

    def add(
        self,
        answers: Sequence[StoredAnswer],
        failures: Sequence[StoredFailure] = (),
        attempts: Sequence[StoredAttempt] = (),
        owner: str | None = None,
    ) -> None:
        """Store answers, failures and attempts in one transaction. Answers and attempts that exist already are kept.

        An answer removes the failure of its request, and every claim on the request. A failure replaces an earlier
        failure of its request, and removes the claim that `owner` has on it; it is not stored if the request has an
        answer.
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
        """Claim requests, and return the keys of those that this owner may ask in the next `lease_s` seconds.

        The other requests are answered, wait in an open batch, or are claimed by another owner or process: the caller
        should look for their answers, then claim again. Claims that the owner holds already are renewed. owner: a name
        that is unique in this process (such as a run's task), at most 128 characters. Raises LostAnswers if the guard
        does.
        """
        if self._guard is not None:
            self._guard(self, keys)
        return self.database.write(lambda connection: claiming.claim(self.database, connection, keys, owner, lease_s))

    def renew(self, keys: Collection[str], owner: str, lease_s: float) -> set[str]:
        """Renew claims for `lease_s` seconds, and return the keys that this owner still holds.

        Call it well before a lease ends: after its end, another process may take the claim.
        """
        return self.database.write(lambda connection: claiming.renew(self.database, connection, keys, owner, lease_s))

    def release(self, keys: Collection[str], owner: str) -> None:
        """Release the claims that this owner in this process holds on these requests; claims of others stay."""
        self.database.write(lambda connection: claiming.release(connection, keys, owner))

    # --- batches

    def intend(self, batch: StoredBatch, keys: Collection[str], owner: str) -> None:
        """Store a batch and its requests, before the batch is submitted.

        The owner's claims on the requests are released. From now on nobody can claim them, because they wait in an open
        batch.
        """
        self.database.write(lambda connection: batches.intend(self.database, connection, batch, keys, owner))

    def save_batch(self, batch: StoredBatch) -> None:
        """Store the new values of a batch. If it is collected or lost, its waiting requests can be claimed again.

        Raises LookupError if the batch was not stored before (see `intend`).
        """
        self.database.write(lambda connection: batches.save(connection, batch))

    def open_batches(self) -> list[StoredBatch]:
        """List the batches in the states "intent" and "submitted", the oldest first."""
        return self.database.read(batches.open_batches)

    def batch_names(self) -> set[str]:
        """Return the ids that the providers gave to the stored batches, whatever their state."""
        return self.database.read(batches.provider_ids)

    def in_batches(self, keys: Sequence[str]) -> dict[str, str]:
        """Return {request key: batch id} for those of these requests that wait in an open batch."""
        return self.database.read(lambda connection: batches.waiting(connection, keys))

    def batch_requests(self, batch_id: str) -> dict[str, str]:
        """Return the state of each request of a batch, by request key: WAITING, DONE or AGAIN (rows.py)."""
        return self.database.read(lambda connection: batches.requests_of(connection, batch_id))

    def settle_requests(self, batch_id: str, states: Mapping[str, str]) -> None:
        """Store new states of requests of a batch. states: by request key; keys not in the batch are ignored."""
        self.database.write(lambda connection: batches.settle(connection, batch_id, states))

    # --- what it holds

    def holds_answers(self, model: str = "") -> bool:
        """Return whether the store holds any answer; if a model is named, any answer of that model."""
        any_answer = sa.select(responses.c.request_key).limit(1)
        any_answer = any_answer.where(responses.c.model == model) if model else any_answer
        return self.database.read(lambda connection: connection.scalar(any_answer) is not None)

    def spent(self, owner: str | None = None, since: float | None = None) -> dict[str, Spent]:
        """Return calls, answers, tokens and cost by model.

        owner: count only the attempts of this owner, and of owners named "OWNER.…". since: count only attempts that
        started at this time (unix seconds) or later. With neither, answers without a stored attempt count too.
        """
        return self.database.read(lambda connection: spending.spent(connection, owner, since))

    def output_tokens(self, model: str, characters: int) -> dict[int, tuple[int, int, int]]:
        """Return a model's output: {output limit of the request: (answers, reasoning tokens, output tokens)}.

        characters: how many characters of text count as one token; see `spending.output_tokens`.
        """
        return self.database.read(lambda connection: spending.output_tokens(connection, model, characters))

    def holdings(self) -> Holdings:
        """Count all rows. On PostgreSQL, the counts may differ by what others commit meanwhile."""
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
