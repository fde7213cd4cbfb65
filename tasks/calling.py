"""How hosted and local models are called in one run: addresses, limits, prices, budget, devices. It decides when
something is asked, never what an answer is. Plain data: it travels with the locations."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from models.budget import Budget, Meter, Price, UnknownPrice, nano, price_of
from models.ledger import Ledger
from models.stopping import Stop
from tasks.workshop import Calling as Calling

if TYPE_CHECKING:
    from storage.responses import ResponseStore  # brings SQLAlchemy; a plan needs none

ENDED_S = 60.0  # for which it is taken for granted that a model cannot be asked
STOP = Stop()  # of every engine of this process: Ctrl-C


def new_run() -> str:
    """A name for a run."""
    return uuid4().hex


_budgets: dict[str, Budget] = {}
_ledgers: dict[str, Ledger] = {}
_ended: dict[tuple[str, str], float] = {}
_told: set[tuple[str, str]] = set()
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
    return Meter(budget, price_of(model, table), int(table.get("reasoning_tokens", 0)))


def ended(model: str, calling: Calling, reason: str = "") -> bool:
    """Whether a stage found a moment ago that the run cannot ask a model any more (its key is refused, money used up):
    the others need not find it again. reason: that it is so."""
    with _lock:
        if reason:
            _ended[calling.run, model] = time.monotonic()
        return time.monotonic() - _ended.get((calling.run, model), -math.inf) < ENDED_S


def first_trouble(model: str, calling: Calling) -> bool:
    """Whether nobody has told yet that this model does not answer."""
    with _lock:
        known = (calling.run, model) in _told
        _told.add((calling.run, model))
        return not known


def known_price(name: str, table: Mapping[str, Any]) -> Price | None:
    """A model's price, None where its table has none: then what is spent is not known."""
    try:
        return price_of(name, table)
    except UnknownPrice:
        return None


def ledger(store: ResponseStore) -> Ledger:
    """Through which all processes that use a store share their limits; one for all stages of this process."""
    from storage.store_paces import Paces  # loads SQLAlchemy

    place = str(store.place)
    with _lock:
        if place not in _ledgers:
            _ledgers[place] = Paces(store.place)
        return _ledgers[place]
