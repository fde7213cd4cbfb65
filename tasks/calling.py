"""How hosted models are called in one run: addresses, limits, prices, budget. It decides when something is asked, never
what an answer is, so none of it is part of a key. Plain data: it travels with the locations."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from models.budget import Budget, Meter, UnknownPrice, nano, price_of
from models.ledger import Ledger
from models.registry import HOSTED, needs_address, settings
from models.stopping import Stop
from models.tables import BadTable, key_of
from storage.responses import ResponseStore
from storage.store_paces import Paces
from tasks.errors import UsageError
from tasks.graph import Node, Status
from tasks.request import Request
from tasks.suites import load_models

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
    """How a request's hosted models are called. Raises UnknownModel, UsageError: a budget needs prices."""
    if not request.models:
        return Calling()
    tables = {model: table for model, table in tables_of(request).items() if table["provider"] in HOSTED}
    if request.budget:
        for model, table in tables.items():
            try:
                price_of(model, table)
            except UnknownPrice as error:
                raise UsageError(f"--budget: {error}") from error
    return Calling(request.run, request.budget, request.retry_failed, request.batch, tables)


def tables_of(request: Request) -> dict[str, dict[str, Any]]:
    """What is known of each model of a request, by its name: its table with what the request says over it.

    Raises UnknownModel.
    """
    own = load_models(request.models_file)
    found = {}
    for model in request.models:
        spot = {"base_url": request.base_url} if request.base_url and needs_address(model, own) else {}
        table = settings(model, own, request.suite, {**request.given, **spot})
        if table["provider"] in HOSTED:
            table.setdefault("temperature", request.config.temperature)
        found[model] = table
    return found


def need_keys(request: Request, statuses: Iterable[tuple[Node, Status]]) -> None:
    """Raises UsageError naming the variable, where a hosted model is to be asked and its key is not there."""
    asked = {node.label("model") for node, status in statuses if node.stage == "generate" and status.state != "reused"}
    for model, table in calling_of(request).tables.items():
        if model in asked and "key_secret" not in table:
            try:
                key_of(model, table["provider"], table)
            except BadTable as error:
                raise UsageError(str(error)) from error


def new_run() -> str:
    """A name for a run."""
    return uuid4().hex


_budgets: dict[str, Budget] = {}
_ledgers: dict[str, Paces] = {}
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


def ledger(store: ResponseStore) -> Ledger:
    """Through which all processes that use a store share their limits; one for all stages of this process."""
    with _lock:
        return _ledgers.setdefault(str(store.place), Paces(store.place))
