"""Claims: if several processes want the same request answered, one asks and the others wait for its answer.

A claim is a lease. It ends when the answer is stored, when it is released, when it expires, or when another process on
the same machine wants the request and finds that the holder is dead.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence

import sqlalchemy as sa

from scrollwork.storage.answers.database import Database, in_batches
from scrollwork.storage.answers.rows import OPEN_BATCHES, WAITING
from scrollwork.storage.answers.tables import batch_requests, batches, claims, responses
from scrollwork.storage.processes import Process, is_dead, this_process

JUMP_S = 5.0  # if the store's clock gains more than this on time.monotonic(), the machine slept or the clock was set


def claim(database: Database, connection: sa.Connection, keys: Collection[str], owner: str, lease_s: float) -> set[str]:
    """Claim requests for `lease_s` seconds, and return the keys that the owner may ask; see ResponseStore.claim.

    The owner's claims on requests that are answered or wait in an open batch are released, also older ones.
    """
    process = this_process()
    now = database.now(connection)
    wanted = sorted(set(keys))  # the same order in every process, or two of them could deadlock
    over = claims.c.expires <= now
    if database.began_s(connection) < lease_s / 2:  # nobody could renew a claim while the server was away
        over = sa.false()
    elif clock_jumped(database, now, lease_s):
        over = sa.and_(over, claims.c.host != process.host)
    ours: set[str] = set()
    for some in in_batches(wanted):
        rows = [{"request_key": key, "owner": owner, **vars(process), "expires": now + lease_s} for key in some]
        insertion = database.insert(claims)
        free = sa.or_(over, _held_by(owner, process), *_of_the_dead(connection, some, process))
        new = {name: insertion.excluded[name] for name in ("owner", "host", "pid", "born", "expires")}
        connection.execute(insertion.on_conflict_do_update(index_elements=["request_key"], set_=new, where=free), rows)
        mine = sa.select(claims.c.request_key).where(_held_by(owner, process), claims.c.request_key.in_(some))
        ours |= set(connection.scalars(mine))
    taken = sorted(_answered_or_in_a_batch(connection, sorted(ours)))
    release(connection, taken, owner)
    return ours.difference(taken)


def clock_jumped(database: Database, now: float, lease_s: float) -> bool:
    """Return whether the clock jumped forward less than half a lease ago: the machine slept, or its clock was set.

    After a jump, leases of other processes of this machine look expired, but those processes renew them in a moment.
    Each call compares `now` (the store's clock) with the last call for this database; the first one returns False.
    """
    ours = time.monotonic()
    gained = now - ours
    if database.gained is not None and gained - database.gained > JUMP_S:
        database.jumped = ours
    database.gained = gained
    return database.jumped is not None and ours - database.jumped < lease_s / 2


def renew(database: Database, connection: sa.Connection, keys: Collection[str], owner: str, lease_s: float) -> set[str]:
    """Renew claims for `lease_s` seconds, and return the keys that the owner still holds.

    An expired claim is renewed, too, if nobody has taken it.
    """
    process = this_process()
    now = database.now(connection)
    ours: set[str] = set()
    for some in in_batches(sorted(set(keys))):
        held = sa.and_(_held_by(owner, process), claims.c.request_key.in_(some))
        connection.execute(sa.update(claims).where(held).values(expires=now + lease_s))
        ours |= set(connection.scalars(sa.select(claims.c.request_key).where(held)))
    return ours


def release(connection: sa.Connection, keys: Collection[str], owner: str) -> None:
    """Release the claims that this owner in this process holds on these requests; claims of others stay."""
    for some in in_batches(sorted(set(keys))):
        held = sa.and_(_held_by(owner, this_process()), claims.c.request_key.in_(some))
        connection.execute(sa.delete(claims).where(held))


def _held_by(owner: str, process: Process) -> sa.ColumnElement[bool]:
    """Return the condition for claims of this owner in this process. Owners alone may be equal on two machines."""
    return sa.and_(claims.c.owner == owner, _of(process))


def _of(process: Process) -> sa.ColumnElement[bool]:
    return sa.and_(claims.c.host == process.host, claims.c.pid == process.pid, claims.c.born == process.born)


def _of_the_dead(connection: sa.Connection, keys: Sequence[str], process: Process) -> list[sa.ColumnElement[bool]]:
    """Return conditions that select the claims of processes of this machine that have ended."""
    here = (claims.c.request_key.in_(keys), claims.c.host == process.host)
    holders = connection.execute(sa.select(claims.c.host, claims.c.pid, claims.c.born).where(*here).distinct())
    return [_of(holder) for row in holders if is_dead(holder := Process(*row))]


def _answered_or_in_a_batch(connection: sa.Connection, keys: Sequence[str]) -> set[str]:
    """Return the keys that are answered or wait in an open batch.

    Call it after the claim, so that it sees what the last holder stored before its claim ended.
    """
    found: set[str] = set()
    for some in in_batches(keys):
        found |= set(connection.scalars(sa.select(responses.c.request_key).where(responses.c.request_key.in_(some))))
        waiting = (
            sa.select(batch_requests.c.request_key)
            .join(batches, batches.c.batch_id == batch_requests.c.batch_id)
            .where(batch_requests.c.request_key.in_(some), batch_requests.c.state == WAITING)
            .where(batches.c.state.in_(OPEN_BATCHES))
        )
        found |= set(connection.scalars(waiting))
    return found
