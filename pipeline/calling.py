"""What the stages of one run share when they call models: budget, circuit breakers, the ledger of rate limits.

It decides when and whether a request is sent, never what is in it."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from scrollwork.models.engine.breaker import Breaker
from scrollwork.models.engine.budget import Budget, Meter
from scrollwork.models.engine.limits_ledger import LimitsLedger
from scrollwork.models.engine.prices import Price, UnknownPrice, nano, price_of
from scrollwork.models.engine.retry import retry_policy
from scrollwork.models.engine.stopping import Stop
from scrollwork.models.registry import LOCAL
from scrollwork.models.vendors.fill import beyond_answer
from scrollwork.pipeline.session import CallSettings as CallSettings

if TYPE_CHECKING:
    from scrollwork.storage.answers.store import ResponseStore  # brings SQLAlchemy; a plan needs none

STOP = Stop()  # set by Ctrl-C; shared by all engines of this process


def new_run() -> str:
    """Return a new unique name for a run."""
    return uuid4().hex


_budgets: dict[str, Budget] = {}
_ledgers: dict[str, LimitsLedger] = {}
_breakers: dict[tuple[str, str], Breaker] = {}
_ended: set[tuple[str, str]] = set()
_told: set[tuple[str, ...]] = set()
_lock = threading.Lock()


def budget_of(calling: CallSettings, store: ResponseStore) -> Budget | None:
    """The budget that all models and stages of a run share; None without one.

    What the run spent earlier (before a retry of the flow run) counts. An attempt of unknown cost counts as much as an
    average answer.
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


def gate_of(model: str, calling: CallSettings, store: ResponseStore) -> Meter | None:
    """The meter that charges a model's calls to its run's budget; None without a budget. Raises UnknownPrice for a
    model whose price is not known: its calls cannot be held to a budget."""
    budget = budget_of(calling, store)
    if budget is None:
        return None
    table = calling.tables[model]
    return Meter(budget, price_of(model, table), beyond_answer(table))


def given_up(model: str, calling: CallSettings, reason: str = "") -> bool:
    """Whether a stage of the run has given up on a model (key refused, budget used up, only failures), so that other
    stages need not try it. reason: not empty to record that the model is given up."""
    with _lock:
        if reason:
            _ended.add((calling.run, model))
        return (calling.run, model) in _ended


def breaker(model: str, calling: CallSettings, alone: int = 0) -> Breaker | None:
    """The circuit breaker of a hosted model, shared by all stages of a run in this process; None for a local model.
    alone: passed to `Breaker` by the first caller."""
    table = calling.tables[model]
    if table.get("provider") in LOCAL:
        return None
    with _lock:
        found = _breakers.get((calling.run, model))
        if found is None:
            found = _breakers[calling.run, model] = Breaker(retry_policy(table.get("retry", {})), alone=alone)
        return found


def begin_run(run: str) -> None:
    """Forget which models a run gave up, and their circuit breakers: it begins, perhaps again in this process."""
    with _lock:
        for known in [key for key in (*_ended, *_breakers) if key[0] == run]:
            _ended.discard(known)
            _breakers.pop(known, None)


def first_time(model: str, calling: CallSettings, what: str) -> bool:
    """Whether this is the first call in the run for the model and `what`; used to print a warning once."""
    with _lock:
        known = (calling.run, model, what) in _told
        _told.add((calling.run, model, what))
        return not known


def known_price(name: str, table: Mapping[str, Any]) -> Price | None:
    """A model's price; None where its table has none, so that what is spent is not known."""
    try:
        return price_of(name, table)
    except UnknownPrice:
        return None


def ledger_of(store: ResponseStore) -> LimitsLedger:
    """The ledger by which all processes that use a store share rate limits; one for all stages of this process."""
    from scrollwork.storage.answers.shared_limits import Paces  # loads SQLAlchemy

    place = str(store.place)
    with _lock:
        if place not in _ledgers:
            _ledgers[place] = Paces(store.place)
        return _ledgers[place]
