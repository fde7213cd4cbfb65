"""How hosted and local models are called in one run: addresses, limits, prices, budget, devices. It decides when
something is asked, never what an answer is, so none of it is part of a key. Plain data: it travels with the
locations."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from models.budget import Budget, Meter, UnknownPrice, nano, price_of
from models.registry import CALLED
from models.stopping import Stop
from storage.responses import ResponseStore
from tasks.errors import UsageError
from tasks.models import table_of
from tasks.request import Request

STOP = Stop()  # of every engine of this process: Ctrl-C


@dataclass(frozen=True)
class Calling:
    """run: under this name attempts and money are written down. budget_usd: "" for none. tables: whole, by model."""

    run: str = ""
    budget_usd: str = ""
    retry_failed: bool = False
    batch: bool = False
    tables: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


def calling_of(request: Request) -> Calling:
    """How a request's hosted and local models are called. Raises UnknownModel, UsageError: a budget needs prices."""
    if not request.models:
        return Calling()
    tables = {}
    for model in request.models:
        table = table_of(request, model)
        if table["provider"] not in CALLED:
            continue
        tables[model] = table
        if request.budget:
            try:
                price_of(model, table)
            except UnknownPrice as error:
                raise UsageError(f"--budget: {error}") from error
    return Calling(request.run, request.budget, request.retry_failed, request.batch, tables)


def new_run() -> str:
    """A name for a run."""
    return uuid4().hex


_budgets: dict[str, Budget] = {}
_lock = threading.Lock()


def meter(model: str, calling: Calling, store: ResponseStore) -> Meter | None:
    """The gate of a model to its run's budget, which all models and stages of the run share; None without a budget.

    What the run has spent before (a flow run that is retried) counts.
    """
    if not calling.budget_usd:
        return None
    with _lock:
        if calling.run not in _budgets:
            spent = sum(one.cost_nano_usd for one in store.spent(calling.run).values())
            _budgets[calling.run] = Budget(nano(calling.budget_usd), spent)
        budget = _budgets[calling.run]
    table = calling.tables[model]
    return Meter(budget, price_of(model, table), int(table.get("reasoning_tokens", 0)))
