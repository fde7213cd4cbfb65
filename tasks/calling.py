"""How hosted and local models are called in one run: addresses, limits, prices, budget, devices. It decides when
something is asked, never what an answer is, so none of it is part of a key. Plain data: it travels with the
locations."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from models.breaker import Breaker
from models.budget import Budget, Meter, Price, UnknownPrice, nano, price_of
from models.ledger import Ledger
from models.registry import BATCHES, CALLED, HOSTED, LOCAL, UnknownModel, needs_address, settings
from models.retry import policy
from models.stopping import Stop
from models.tables import BASE_URLS, BadTable, key_of
from preprocessing.truncation import POLICIES
from storage.home import Home
from tasks.errors import UsageError
from tasks.graph import Node, Status
from tasks.outside import is_outside, table_of
from tasks.request import NOTHING_COUNTED, Request
from tasks.suites import load_models, own_models
from tasks.tokenizers import adopt

if TYPE_CHECKING:
    from storage.responses import ResponseStore  # brings SQLAlchemy; a plan needs none

STOP = Stop()  # of every engine of this process: Ctrl-C


@dataclass(frozen=True)
class Calling:
    """run: under this name attempts and money are written down. budget_usd: "" for none. batch: asked in batches
    between the stages; batch_wait_s: waited for so long, 0 for as long as it takes. tables: whole, by model; judges: by
    role."""

    run: str = ""
    budget_usd: str = ""
    retry_failed: bool = False
    batch: bool = False
    batch_wait_s: float = 0.0
    tables: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    judges: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


def calling_of(request: Request) -> Calling:
    """How a request's hosted and local models are called. Raises UnknownModel, UsageError: a budget needs prices."""
    if not request.models:
        return Calling()
    tables = {model: table for model, table in tables_of(request).items() if table["provider"] in CALLED}
    if request.budget:
        for model, table in tables.items():
            try:
                price_of(model, table)
            except UnknownPrice as error:
                raise UsageError(f"--budget: {error}") from error
    if request.batch:
        need_batches(tables)
    wait_s = float(request.batch_wait)
    return Calling(request.run, request.budget, request.retry_failed, request.batch, wait_s, tables, request.judges)


def need_batches(tables: Mapping[str, Mapping[str, Any]]) -> None:
    """Raises UsageError where a hosted model's provider takes no batches, or no model is hosted at all."""
    takers = " and ".join(sorted(BATCHES))
    for model, table in tables.items():
        if table["provider"] not in BATCHES:
            raise UsageError(
                f"--batch: model {model!r} is called through {table['provider']}, which takes no batches; those of "
                f"{takers} do. Run it by itself without --batch"
            )
    if not tables:
        raise UsageError(f"--batch is for models of {takers}; none was named")


def tables_of(request: Request) -> dict[str, dict[str, Any]]:
    """What is known of each model of a request, by its name: its table with what the request says over it, and what a
    local checkpoint says of itself.

    Raises UnknownModel, UsageError.
    """
    known = load_models(request.models_file)
    if request.base_url and not any(needs_address(model, known) for model in request.models):
        raise UsageError(
            "--base-url is for compatible:ID, or a model of that provider whose table has no base_url; none was named, "
            "and what other models are asked goes elsewhere"
        )
    found = {}
    for model in request.models:
        if is_outside(model):
            found[model] = table_of(model, Home(request.home, request.store))
            continue
        spot = {"base_url": request.base_url} if request.base_url and needs_address(model, known) else {}
        try:
            found[model] = filled(model, settings(model, known, request.suite, {**request.given, **spot}), request)
        except (UnknownModel, UsageError) as error:
            if not from_file(model, request.models_file):
                raise
            raise type(error)(f"--models {request.models_file}: {error}") from error
    if request.tokenizer and not (request.max_input_tokens or any("context" in table for table in found.values())):
        raise UsageError(f"{NOTHING_COUNTED}: give both, or a model whose table has a context")
    return found


def filled(model: str, table: dict[str, Any], request: Request) -> dict[str, Any]:
    """A model's table with what the suite and a local checkpoint say, its tokenizer in the home. Raises UsageError."""
    heat = request.config.temperature
    home = Home(request.home, request.store)
    if table.get("truncation", "none") not in POLICIES:
        raise UsageError(f"model {model!r}: truncation {table['truncation']!r} is none of {', '.join(POLICIES)}")
    if table["provider"] in HOSTED:
        table.setdefault("temperature", heat)
        try:
            table["tokenizer"] = adopt(table["tokenizer"], home)
        except UsageError as error:
            raise UsageError(f"model {model!r}: tokenizer: {str(error).removeprefix('--tokenizer ')}") from error
    elif table["provider"] in LOCAL:
        from tasks.checkpoints import adopted

        table.setdefault("generation", {"do_sample": True, "temperature": heat} if heat else {})
        table = adopted(model, table, home)
    return table


def from_file(model: str, own_file: str) -> bool:
    """Whether a model's table stands in the user's own file: by its name, or by its id behind a provider's name."""
    name, _, model_id = model.partition(":")
    own = own_models(own_file)
    return name in own or (bool(model_id) and any(table.get("id") == model_id for table in own.values()))


def retired(request: Request) -> list[str]:
    """The models of a request that their vendor answers no more, a line each; not where a server of one's own does."""
    today = time.strftime("%Y-%m-%d")
    return [
        f"{model}: its vendor has retired it on {table['retired']}; it will hardly answer"
        for model, table in calling_of(request).tables.items()
        if today >= table.get("retired", "9") and table.get("base_url") == BASE_URLS.get(table["provider"])
    ]


def unbounded(request: Request) -> list[str]:
    """A line where all windows of contexts are asked of a hosted model because nobody said which, and nothing stops it
    from costing what it costs."""
    observing = any(task.windows for task in request.chosen_tasks())
    hosted = any(table["provider"] in HOSTED for table in calling_of(request).tables.values())
    if request.strategy or request.budget or not (observing and hosted):
        return []
    return [
        "no --strategy: every window of every context is asked, thousands a problem; `estimate` tells what that costs, "
        "--budget stops it there, --strategy take:20 asks a twentieth"
    ]


def need_keys(request: Request, statuses: Iterable[tuple[Node, Status]]) -> None:
    """Raises UsageError naming the variable, where a hosted model is to be asked and its key is not there."""
    asked = {node.label("model") for node, status in statuses if node.stage == "generate" and status.state != "reused"}
    for model, table in calling_of(request).tables.items():
        if model in asked and table["provider"] in HOSTED and "key_secret" not in table:
            try:
                key_of(model, table["provider"], table)
            except BadTable as error:
                raise UsageError(str(error)) from error


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
    return Meter(budget, price_of(model, table), int(table.get("reasoning_tokens", 0)))


def ended(model: str, calling: Calling, reason: str = "") -> bool:
    """Whether a stage found that the run cannot ask a model any more (its key is refused, money used up, nothing but
    failures comes): the others need not find it again. reason: that it is so."""
    with _lock:
        if reason:
            _ended.add((calling.run, model))
        return (calling.run, model) in _ended


def breaker(model: str, calling: Calling) -> Breaker | None:
    """By which all stages of a run in this process stop asking a hosted model together; None for a local one."""
    table = calling.tables[model]
    if table.get("provider") in LOCAL:
        return None
    with _lock:
        found = _breakers.get((calling.run, model))
        if found is None:
            found = _breakers[calling.run, model] = Breaker(policy(table.get("retry", {})))
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
    from storage.store_paces import Paces  # loads SQLAlchemy

    place = str(store.place)
    with _lock:
        if place not in _ledgers:
            _ledgers[place] = Paces(store.place)
        return _ledgers[place]
