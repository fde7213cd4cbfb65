"""Count calls, tokens, cost and failures in the store. Every attempt counts, also one that gave no answer."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from scrollwork.storage.answers.rows import Spent
from scrollwork.storage.answers.tables import attempts, claims, failures, responses

_ERROR_STATUS = 300  # from this HTTP status on (errors, redirects) providers charge nothing


def spent(connection: sa.Connection, owner: str | None = None, since: float | None = None) -> dict[str, Spent]:
    """Return calls, answers, tokens and cost by model.

    owner: count only the attempts of this owner, and of owners named "OWNER.…". since: count only attempts that started
    at this time (unix seconds) or later. Answers for which no answered attempt is stored have neither an owner nor a
    start, so they count only if both arguments are None.
    """
    unknown = sa.and_(
        attempts.c.cost_nano_usd.is_(None), sa.or_(attempts.c.status.is_(None), attempts.c.status < _ERROR_STATUS)
    )
    tried = sa.select(attempts.c.model, sa.func.count(), _count(attempts.c.outcome == "answered"), *_sums(attempts))
    tried = tried.add_columns(_count(unknown), _sum(attempts.c.cache_write_tokens), *_assumed(attempts))
    tried = tried.group_by(attempts.c.model)
    if owner is not None:
        own = attempts.c.owner.startswith(f"{owner}.", autoescape=True)
        tried = tried.where(sa.or_(attempts.c.owner == owner, own))
    if since is not None:
        tried = tried.where(attempts.c.started >= since)
    found = {row[0]: Spent(*map(int, row[1:])) for row in connection.execute(tried)}
    if owner is None and since is None:  # answers without an answered attempt: free models, schema 1, refilled ones
        untold = sa.select(responses.c.model, sa.func.count(), sa.func.count(), *_sums(responses))
        written = _sum(responses.c.cache_write_tokens)
        unpriced = _count(responses.c.cost_nano_usd.is_(None))
        untold = untold.add_columns(unpriced, written, *_assumed(responses)).group_by(responses.c.model)
        own = sa.and_(attempts.c.request_key == responses.c.request_key, attempts.c.outcome == "answered")
        untold = untold.where(~sa.exists().where(own))
        for row in connection.execute(untold):
            found[row[0]] = found.get(row[0], Spent()) + Spent(*map(int, row[1:]))
    return dict(sorted(found.items()))


def output_tokens(connection: sa.Connection, model: str, characters: int) -> dict[int, tuple[int, int, int]]:
    """Return a model's output: {output limit of the request: (answers, their reasoning tokens, their output tokens)}.

    Output tokens include reasoning tokens. Answers without a known output limit or number of output tokens are left
    out. If the provider reports no reasoning tokens, they are estimated: the output tokens less the tokens of the text,
    at `characters` characters a token.
    """
    text = sa.func.length(responses.c.text, type_=sa.Integer) // characters
    tokens = sa.func.sum(sa.func.coalesce(responses.c.reasoning_tokens, responses.c.output_tokens - text))
    query = sa.select(responses.c.output_limit, sa.func.count(), tokens, sa.func.sum(responses.c.output_tokens)).where(
        responses.c.model == model,
        responses.c.output_tokens.is_not(None),
        responses.c.output_limit.is_not(None),
    )
    found = connection.execute(query.group_by(responses.c.output_limit))
    return {
        int(limit): (int(answers), max(0, int(reasoning)), int(output)) for limit, answers, reasoning, output in found
    }


def by_model(connection: sa.Connection, table: sa.Table) -> dict[str, int]:
    """Return the number of rows by model."""
    query = sa.select(table.c.model, sa.func.count()).group_by(table.c.model)
    return {row[0]: row[1] for row in sorted(connection.execute(query))}


def outcomes(connection: sa.Connection) -> dict[str, dict[str, int]]:
    """Return the number of attempts: {model: {outcome: number}}."""
    columns = (attempts.c.model, attempts.c.outcome)
    found: dict[str, dict[str, int]] = {}
    for model, outcome, number in sorted(connection.execute(sa.select(*columns, sa.func.count()).group_by(*columns))):
        found.setdefault(model, {})[outcome] = number
    return found


def failure_kinds(connection: sa.Connection) -> list[dict[str, Any]]:
    """Count the failures: list {model, kind, count, status, message}, with status and message of the latest failure."""
    group = (failures.c.model, failures.c.kind)
    counted = sa.select(*group, sa.func.count(), sa.func.max(failures.c.created)).group_by(*group)
    found = []
    for model, kind, number, last in sorted(connection.execute(counted)):
        of_last = sa.select(failures.c.status, failures.c.message).where(
            failures.c.model == model, failures.c.kind == kind, failures.c.created == last
        )
        status, message = connection.execute(of_last.order_by(failures.c.request_key)).first() or (None, "")
        found.append({"model": model, "kind": kind, "count": number, "status": status, "message": message})
    return found


def claimed(connection: sa.Connection, now: float) -> int:
    """Count the claims that have not expired: requests that are being asked, and batches that a process looks after.

    now: unix seconds by the store's clock.
    """
    return int(connection.scalar(sa.select(sa.func.count()).where(claims.c.expires > now)) or 0)


def _assumed(table: sa.Table) -> list[sa.ColumnElement[int]]:
    """Return [number, cost in nano-dollars] of calls with unknown tokens, which count with the amount reserved."""
    unsaid = sa.or_(table.c.input_tokens.is_(None), table.c.output_tokens.is_(None))
    assumed = sa.and_(unsaid, table.c.cost_nano_usd > 0)
    return [_count(assumed), sa.func.coalesce(sa.func.sum(sa.case((assumed, table.c.cost_nano_usd), else_=0)), 0)]


def _count(condition: sa.ColumnElement[bool]) -> sa.ColumnElement[int]:
    return sa.func.coalesce(sa.func.sum(sa.case((condition, 1), else_=0)), 0)


def _sums(table: sa.Table) -> list[sa.ColumnElement[int]]:
    names = ("input_tokens", "cached_tokens", "output_tokens", "cost_nano_usd")
    return [_sum(table.c[name]) for name in names]


def _sum(column: sa.ColumnElement[int | None]) -> sa.ColumnElement[int]:
    return sa.func.coalesce(sa.func.sum(column), 0)
