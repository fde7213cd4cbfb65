"""Batches: stored before they are submitted, so that after a kill the next run finds its batch at the provider.

While a batch is open (intent or submitted), nobody can claim its waiting requests.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import sqlalchemy as sa

from scrollwork.storage.answers.claiming import release
from scrollwork.storage.answers.database import Database, in_batches
from scrollwork.storage.answers.rows import OPEN_BATCHES, WAITING, StoredBatch
from scrollwork.storage.answers.tables import batch_requests, batches


def intend(
    database: Database, connection: sa.Connection, batch: StoredBatch, keys: Collection[str], owner: str
) -> None:
    """Store a batch and its requests; the owner's claims on them pass to the batch."""
    database.add_new(connection, batches, [vars(batch)])
    rows = [{"batch_id": batch.batch_id, "request_key": key, "state": WAITING} for key in sorted(set(keys))]
    database.add_new(connection, batch_requests, rows)
    release(connection, keys, owner)


def save(connection: sa.Connection, batch: StoredBatch) -> None:
    """Store the new state of a batch. Raises LookupError for one that was never stored."""
    change = sa.update(batches).where(batches.c.batch_id == batch.batch_id).values(**vars(batch))
    if connection.execute(change).rowcount != 1:
        raise LookupError(f"batch {batch.batch_id} was not written down before it was used")


def open_batches(connection: sa.Connection) -> list[StoredBatch]:
    """List the batches whose answers are still awaited, the oldest first."""
    found = sa.select(batches).where(batches.c.state.in_(OPEN_BATCHES)).order_by(batches.c.created, batches.c.batch_id)
    return [StoredBatch(**row._mapping) for row in connection.execute(found)]


def provider_ids(connection: sa.Connection) -> set[str]:
    """The providers' ids of all stored batches, in any state."""
    return set(
        connection.scalars(sa.select(batches.c.provider_batch_id).where(batches.c.provider_batch_id.is_not(None)))
    )


def waiting(connection: sa.Connection, keys: Sequence[str]) -> dict[str, str]:
    """Find the open batch in which each of these requests waits, by request key."""
    found: dict[str, str] = {}
    for some in in_batches(keys):
        query = (
            sa.select(batch_requests.c.request_key, batch_requests.c.batch_id)
            .join(batches, batches.c.batch_id == batch_requests.c.batch_id)
            .where(batch_requests.c.request_key.in_(some), batch_requests.c.state == WAITING)
            .where(batches.c.state.in_(OPEN_BATCHES))
        )
        found |= {row[0]: row[1] for row in connection.execute(query)}
    return found


def requests_of(connection: sa.Connection, batch_id: str) -> dict[str, str]:
    """Read the state of each request of a batch, sorted by request key."""
    columns = (batch_requests.c.request_key, batch_requests.c.state)
    query = sa.select(*columns).where(batch_requests.c.batch_id == batch_id).order_by(columns[0])
    return {row[0]: row[1] for row in connection.execute(query)}


def settle(connection: sa.Connection, batch_id: str, states: Mapping[str, str]) -> None:
    """Store the new states of requests of a batch."""
    for state in sorted(set(states.values())):
        for some in in_batches(sorted(key for key, own in states.items() if own == state)):
            own = sa.and_(batch_requests.c.batch_id == batch_id, batch_requests.c.request_key.in_(some))
            connection.execute(sa.update(batch_requests).where(own).values(state=state))


def counts(connection: sa.Connection) -> dict[str, int]:
    """Count the batches in each state."""
    query = sa.select(batches.c.state, sa.func.count()).group_by(batches.c.state).order_by(batches.c.state)
    return {row[0]: row[1] for row in connection.execute(query)}
