"""How old stored answers are, and for how long requests have failed."""

from __future__ import annotations

from collections.abc import Collection

import sqlalchemy as sa

from scrollwork.storage.answers.database import in_batches
from scrollwork.storage.answers.rows import ASKED
from scrollwork.storage.answers.tables import attempts, failures, responses


def asked_at(connection: sa.Connection, keys: Collection[str]) -> dict[str, float]:
    """Return when these requests were answered, in unix seconds, by request key; those without an answer are left out.

    For an answer that a snapshot gave back, `created` is the time of the repair; its last attempt that gave an answer
    tells then, and where that is gone too, the time is 0: nobody knows how old the answer is.
    """
    found: dict[str, float] = {}
    for some in in_batches(list(keys)):
        columns = (responses.c.request_key, responses.c.created, responses.c.origin)
        rows = connection.execute(sa.select(*columns).where(responses.c.request_key.in_(some))).all()
        found |= {row.request_key: row.created if row.origin == ASKED else 0.0 for row in rows}
        if put_back := [row.request_key for row in rows if row.origin != ASKED]:
            tried = sa.select(attempts.c.request_key, sa.func.max(attempts.c.started).label("started"))
            own = attempts.c.request_key.in_(put_back), attempts.c.outcome == "answered"
            for row in connection.execute(tried.where(*own).group_by(attempts.c.request_key)):
                found[row.request_key] = row.started
    return found


def failed_for(connection: sa.Connection, keys: Collection[str], statuses: Collection[int]) -> dict[str, float]:
    """Return for how long these requests have failed: seconds from the first to the last of their failed attempts.

    Attempts count that failed for good with one of these statuses of HTTP; those that another may cure count for
    requests with a stored failure, as it is stored where the endpoint worked. Requests without any are left out.
    """
    found: dict[str, float] = {}
    for some in in_batches(list(keys)):
        started = attempts.c.started
        seconds = (sa.func.max(started) - sa.func.min(started)).label("seconds")
        refused = (attempts.c.outcome == "terminal") & attempts.c.status.in_(list(statuses))
        stored = sa.select(failures.c.request_key).where(failures.c.request_key.in_(some))
        curable = (attempts.c.outcome == "transient") & attempts.c.request_key.in_(stored)
        own = attempts.c.request_key.in_(some), refused | curable
        query = sa.select(attempts.c.request_key, seconds).where(*own).group_by(attempts.c.request_key)
        found |= {row.request_key: row.seconds for row in connection.execute(query)}
    return found
