"""How hosted and local models are called in one run: addresses, limits, prices, budget, devices. It decides when
something is asked, never what an answer is. Plain data: it travels with the locations."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from scrollwork.models.engine.breaker import Breaker
from scrollwork.models.engine.budget import Budget, Meter
from scrollwork.models.engine.ledger import Ledger
from scrollwork.models.engine.prices import Price, UnknownPrice, nano, price_of
from scrollwork.models.engine.retry import policy
from scrollwork.models.engine.stopping import Stop
from scrollwork.models.registry import LOCAL
from scrollwork.models.vendors.fill import beyond_answer
from scrollwork.pipeline.session import Calling as Calling

if TYPE_CHECKING:
    from scrollwork.storage.answers.store import ResponseStore  # brings SQLAlchemy; a plan needs none

STOP = Stop()  # of every engine of this process: Ctrl-C


def new_run() -> str:
    """A name for a run."""
    return uuid4().hex


_budgets: dict[str, Budget] = {}
_ledgers: dict[str, Ledger] = {}
_breakers: dict[tuple[str, str], Breaker] = {}
_ended: set[tuple[str, str]] = set()
_told: set[tuple[str, ...]] = set()
_lock = threading.Lock()


def budget_of(calling: Calling, store: ResponseStore) -> Budget | None:
    """A run's budget, which all its models and stages share; None without one.

    What the run has spent before (a flow run that is retried) counts; tries whose cost nobody knows count as much as an
    answer on average.
    """
    if not calling.budget_usd:
        return None
    with _lock:
        if calling.run not in _budgets:
            before = store.spent(calling.run).values()
            unknown = sum(one.cost_unknown_calls * one.cost_nano_usd // max(1, one.answers) for one in before)
            spent = sum(one.cost_nano_usd for one in before) + unknown
            _budgets[calling.run] = Budget(nano(calling.budget_usd), spent)
        return _budgets[calling.run]


def meter(model: str, calling: Calling, store: ResponseStore) -> Meter | None:
    """The gate of a model to its run's budget; None without one."""
    budget = budget_of(calling, store)
    if budget is None:
        return None
    table = calling.tables[model]
    return Meter(budget, price_of(model, table), beyond_answer(table))


def ended(model: str, calling: Calling, reason: str = "") -> bool:
    """Whether a stage found that the run cannot ask a model any more (its key is refused, money used up, nothing but
    failures comes): the others need not find it again. reason: that it is so."""
    with _lock:
        if reason:
            _ended.add((calling.run, model))
        return (calling.run, model) in _ended


def breaker(model: str, calling: Calling, alone: int = 0) -> Breaker | None:
    """By which all stages of a run in this process stop asking a hosted model together; None for a local one. alone: as
    of `Breaker`, for the first that asks."""
    table = calling.tables[model]
    if table.get("provider") in LOCAL:
        return None
    with _lock:
        found = _breakers.get((calling.run, model))
        if found is None:
            found = _breakers[calling.run, model] = Breaker(policy(table.get("retry", {})), alone=alone)
        return found


def begin(run: str) -> None:
    """A run begins, perhaps again in this process: its models are asked as if nothing had been wrong with them."""
    with _lock:
        for known in [key for key in (*_ended, *_breakers) if key[0] == run]:
            _ended.discard(known)
            _breakers.pop(known, None)


def first_time(model: str, calling: Calling, what: str) -> bool:
    """Whether nobody has told this of a model yet in this run."""
    with _lock:
        known = (calling.run, model, what) in _told
        _told.add((calling.run, model, what))
        return not known


def known_price(name: str, table: Mapping[str, Any]) -> Price | None:
    """A model's price, None where its table has none: then what is spent is not known."""
    try:
        return price_of(name, table)
    except UnknownPrice:
        return None


def ledger(store: ResponseStore) -> Ledger:
    """Through which all processes that use a store share their limits; one for all stages of this process."""
    from scrollwork.storage.answers.paces import Paces  # loads SQLAlchemy

    place = str(store.place)
    with _lock:
        if place not in _ledgers:
            _ledgers[place] = Paces(store.place)
        return _ledgers[place]
