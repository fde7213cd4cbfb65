"""What the stages of one run share when they call models: the budget, circuit breakers and the ledger of rate limits.

These decide whether and when a request is sent, never what is in it.
"""

from __future__ import annotations

import logging
import os
import signal
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from types import FrameType
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
    from scrollwork.storage.answers.store import ResponseStore  # imports SQLAlchemy, which planning does not need

STOP = Stop()  # set by Ctrl-C and SIGTERM; all engines of this process share it
STOPPING = "no more is sent, answers in flight are waited for and stored"
BY_SIGTERM = "stopped by SIGTERM"
log = logging.getLogger("scrollwork")


def new_run() -> str:
    """Return a new unique name for a run."""
    return uuid4().hex


_budgets: dict[str, Budget] = {}
_ledgers: dict[str, LimitsLedger] = {}
_breakers: dict[tuple[str, str], Breaker] = {}
_limits: dict[str, tuple[float, Stop]] = {}
_ended: dict[tuple[str, str], str] = {}
_told: set[tuple[str, ...]] = set()
_lock = threading.Lock()


def budget_of(calling: CallSettings, store: ResponseStore) -> Budget | None:
    """Return the budget that all models and stages of a run share in this process; None if the run has none.

    The first call for a run counts what the store says that the run has spent, because a flow run may be retried. A
    call of unknown cost counts as much as an average answer of the same model in this run.
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


def gone_budget(calling: CallSettings) -> Budget | None:
    """Return the budget of a run in this process if it is used up, else None."""
    with _lock:
        budget = _budgets.get(calling.run)
    return budget if budget is not None and budget.gone else None


def gate_of(model: str, calling: CallSettings, store: ResponseStore) -> Meter | None:
    """Return the meter that charges a model's calls to its run's budget; None if the run has none.

    Raises UnknownPrice if the model's table has no price, ValueError if the price in it is not valid.
    """
    budget = budget_of(calling, store)
    if budget is None:
        return None
    table = calling.tables[model]
    return Meter(budget, price_of(model, table), beyond_answer(table))


def given_up(model: str, calling: CallSettings, reason: str = "") -> bool:
    """Return whether a stage of the run has given up on a model, so that other stages need not try it.

    A stage gives up if, for example, the key is refused or nothing but failures comes. reason: if not empty, this call
    records that the model is given up.
    """
    with _lock:
        if reason:
            _ended.setdefault((calling.run, model), reason)
        return (calling.run, model) in _ended


def why_given_up(model: str, calling: CallSettings) -> str:
    """Return why a stage of the run has given up on a model; "" if none has."""
    with _lock:
        return _ended.get((calling.run, model), "")


def breaker(model: str, calling: CallSettings, alone: int = 0) -> Breaker | None:
    """Return the circuit breaker of a hosted model; None for a local model.

    All stages of a run in this process share it. alone: number of answers to wait for one by one, see `Breaker`. Only
    the value of the first call counts.
    """
    table = calling.tables[model]
    if table.get("provider") in LOCAL:
        return None
    with _lock:
        found = _breakers.get((calling.run, model))
        if found is None:
            found = _breakers[calling.run, model] = Breaker(retry_policy(table.get("retry", {})), alone=alone)
        return found


def stop_of(calling: CallSettings) -> Stop:
    """Return what stops the calls of a run: Ctrl-C, and the end of its time limit."""
    with _lock:
        return _limits[calling.run][1] if calling.run in _limits else STOP


@contextmanager
def stops_heeded() -> Iterator[None]:
    """While the block asks models and stores what they answer, be one that `STOP.heard` counts.

    In the main thread SIGTERM sets STOP meanwhile, and does after the block what it did before it: Prefect's handler
    and Python's own would end the block, with the answers in flight.
    """
    late: list[int] = []

    def heed(number: int, frame: FrameType | None) -> None:
        late.append(number)
        if not STOP.level:
            STOP.set(BY_SIGTERM)
            with suppress(RuntimeError):  # of a standard error that it came in the middle of a write to
                log.warning("SIGTERM: %s", STOPPING)

    def wake() -> None:
        """Do nothing: the block looks at STOP by itself. A function of its own, for other blocks may end before."""

    STOP.tell(wake)
    usual = signal.getsignal(signal.SIGTERM)
    is_main = threading.current_thread() is threading.main_thread()
    takes = is_main and usual not in (signal.SIG_IGN, None)  # None: not of Python, so it could not be restored
    if takes:
        signal.signal(signal.SIGTERM, heed)
    try:
        yield
    finally:
        STOP.forget(wake)
        if takes:
            signal.signal(signal.SIGTERM, usual)
            if late:
                os.kill(os.getpid(), signal.SIGTERM)


@contextmanager
def within_time(calling: CallSettings) -> Iterator[None]:
    """Send no more calls of a run once its time limit is over; what is in flight is waited for.

    The time counts from when this is first entered for a run: a night has parts, and a flow run may be retried.
    """
    if calling.time_limit_s is None:
        yield
        return
    now = time.monotonic()
    with _lock:
        began, stop = _limits.setdefault(calling.run, (now, Stop(of=STOP)))
    reason = f"the time limit of {calling.time_limit_s / 60:g} min is over"

    def over() -> None:
        if not stop.level:  # a second time would cancel what is in flight
            stop.set(reason)

    timer = threading.Timer(max(0.0, began + calling.time_limit_s - now), over)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def begin_run(run: str) -> None:
    """Forget which models a run gave up, and its circuit breakers. Called at the start of a run.

    The same run may start again in this process. Its budget, its time limit and the warnings that it printed are kept.
    """
    with _lock:
        for known in [key for key in (*_ended, *_breakers) if key[0] == run]:
            _ended.pop(known, None)
            _breakers.pop(known, None)


def first_time(model: str, calling: CallSettings, what: str) -> bool:
    """Return whether this is the first call with this run, model and `what`. Used to print a warning only once."""
    with _lock:
        known = (calling.run, model, what) in _told
        _told.add((calling.run, model, what))
        return not known


def known_price(name: str, table: Mapping[str, Any]) -> Price | None:
    """Return a model's price; None if its table has no price, so that its cost is not known.

    Raises ValueError if the price in it is not valid.
    """
    try:
        return price_of(name, table)
    except UnknownPrice:
        return None


def ledger_of(store: ResponseStore) -> LimitsLedger:
    """Return the ledger through which all processes that use a store share rate limits.

    All stages of this process use the same object for the same store.
    """
    from scrollwork.storage.answers.shared_limits import Paces  # imports SQLAlchemy

    place = str(store.place)
    with _lock:
        if place not in _ledgers:
            _ledgers[place] = Paces(store.place)
        return _ledgers[place]
