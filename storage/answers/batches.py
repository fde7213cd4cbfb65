"""Batches: stored before they are submitted, so that after a kill the next run knows of the batch at the provider.

While a batch is open (in state "intent" or "submitted"), nobody can claim its waiting requests.
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
    """Store a batch and its requests, which wait in it from now on, and release the owner's claims on them.

    A stored batch with the same id is kept as it is.
    """
    database.add_new(connection, batches, [vars(batch)])
    rows = [{"batch_id": batch.batch_id, "request_key": key, "state": WAITING} for key in sorted(set(keys))]
    database.add_new(connection, batch_requests, rows)
    release(connection, keys, owner)


def save(connection: sa.Connection, batch: StoredBatch) -> None:
    """Store the new values of a batch. Raises LookupError if no batch with its id is stored."""
    change = sa.update(batches).where(batches.c.batch_id == batch.batch_id).values(**vars(batch))
    if connection.execute(change).rowcount != 1:
        raise LookupError(f"batch {batch.batch_id} was not written down before it was used")


def open_batches(connection: sa.Connection) -> list[StoredBatch]:
    """List the batches in the states "intent" and "submitted", the oldest first."""
    found = sa.select(batches).where(batches.c.state.in_(OPEN_BATCHES)).order_by(batches.c.created, batches.c.batch_id)
    return [StoredBatch(**row._mapping) for row in connection.execute(found)]


def provider_ids(connection: sa.Connection) -> set[str]:
    """Return the ids that the providers gave to the stored batches, whatever their state."""
    return set(
        connection.scalars(sa.select(batches.c.provider_batch_id).where(batches.c.provider_batch_id.is_not(None)))
    )


def waiting(connection: sa.Connection, keys: Sequence[str]) -> dict[str, str]:
    """Return {request key: batch id} for those of these requests that wait in an open batch."""
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
    """Return {request key: state} of the requests of a batch, sorted by key; {} for an unknown batch."""
    columns = (batch_requests.c.request_key, batch_requests.c.state)
    query = sa.select(*columns).where(batch_requests.c.batch_id == batch_id).order_by(columns[0])
    return {row[0]: row[1] for row in connection.execute(query)}


def settle(connection: sa.Connection, batch_id: str, states: Mapping[str, str]) -> None:
    """Store new states of requests of a batch. states: by request key; keys not in the batch are ignored."""
    for state in sorted(set(states.values())):
        for some in in_batches(sorted(key for key, own in states.items() if own == state)):
            own = sa.and_(batch_requests.c.batch_id == batch_id, batch_requests.c.request_key.in_(some))
            connection.execute(sa.update(batch_requests).where(own).values(state=state))


def counts(connection: sa.Connection) -> dict[str, int]:
    """Return the number of batches by state."""
    query = sa.select(batches.c.state, sa.func.count()).group_by(batches.c.state).order_by(batches.c.state)
    return {row[0]: row[1] for row in connection.execute(query)}
