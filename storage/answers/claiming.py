"""Claims: of several processes that want the same request answered, one asks and the others wait for its answer.

A claim is a lease. It ends with the answer, when it is released, when it expires, and when the next process on the same
machine that wants the request finds its holder dead.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence

import sqlalchemy as sa

from scrollwork.storage.answers.database import Database, in_batches
from scrollwork.storage.answers.rows import OPEN_BATCHES, WAITING
from scrollwork.storage.answers.tables import batch_requests, batches, claims, responses
from scrollwork.storage.processes import Process, is_dead, this_process

JUMP_S = 5.0  # if the store's clock gains more than this on ours between two calls, the machine slept or it was set


def claim(database: Database, connection: sa.Connection, keys: Collection[str], owner: str, lease_s: float) -> set[str]:
    """Claim keys for `lease_s` seconds and return those that are ours; see ResponseStore.claim. Claims of ours on
    requests that are answered, or wait in an open batch, are released and not returned."""
    process = this_process()
    now = database.now(connection)
    wanted = sorted(set(keys))  # the same order in every process, or two of them could deadlock
    over = claims.c.expires <= now
    if clock_jumped(database, now, lease_s):
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
    """Whether the clock jumped less than half a lease ago, because the machine slept or its clock was set. Then leases
    of other processes of this machine look expired, but will be renewed in a moment."""
    ours = time.monotonic()
    gained = now - ours
    if database.gained is not None and gained - database.gained > JUMP_S:
        database.jumped = ours
    database.gained = gained
    return database.jumped is not None and ours - database.jumped < lease_s / 2


def renew(database: Database, connection: sa.Connection, keys: Collection[str], owner: str, lease_s: float) -> set[str]:
    """Renew claims for `lease_s` seconds and return the keys that are still ours."""
    process = this_process()
    now = database.now(connection)
    ours: set[str] = set()
    for some in in_batches(sorted(set(keys))):
        held = sa.and_(_held_by(owner, process), claims.c.request_key.in_(some))
        connection.execute(sa.update(claims).where(held).values(expires=now + lease_s))
        ours |= set(connection.scalars(sa.select(claims.c.request_key).where(held)))
    return ours


def release(connection: sa.Connection, keys: Collection[str], owner: str) -> None:
    """Release claims; those of others stay."""
    for some in in_batches(sorted(set(keys))):
        held = sa.and_(_held_by(owner, this_process()), claims.c.request_key.in_(some))
        connection.execute(sa.delete(claims).where(held))


def _held_by(owner: str, process: Process) -> sa.ColumnElement[bool]:
    """Owner and process must both match: tasks of one run on two machines may have the same owner."""
    return sa.and_(claims.c.owner == owner, _of(process))


def _of(process: Process) -> sa.ColumnElement[bool]:
    return sa.and_(claims.c.host == process.host, claims.c.pid == process.pid, claims.c.born == process.born)


def _of_the_dead(connection: sa.Connection, keys: Sequence[str], process: Process) -> list[sa.ColumnElement[bool]]:
    """Conditions that select claims of ended processes of this machine."""
    here = (claims.c.request_key.in_(keys), claims.c.host == process.host)
    holders = connection.execute(sa.select(claims.c.host, claims.c.pid, claims.c.born).where(*here).distinct())
    return [_of(holder) for row in holders if is_dead(holder := Process(*row))]


def _answered_or_in_a_batch(connection: sa.Connection, keys: Sequence[str]) -> set[str]:
    """The keys that are answered or wait in an open batch. Read after the claim, so that nothing comes between."""
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
