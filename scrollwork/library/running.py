"""The commands build, run, plan and estimate as functions."""

from __future__ import annotations

import argparse
import os
import sys
import threading
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from scrollwork.cli.terminal.common import execute
from scrollwork.cli.terminal.compared import Against
from scrollwork.cli.terminal.interrupts import interrupts
from scrollwork.cli.terminal.spending import spending_line, spent_by
from scrollwork.flows.chains import Chain
from scrollwork.flows.epochs import with_epochs
from scrollwork.flows.execute import plan as states_of
from scrollwork.flows.execute import with_contexts, with_way
from scrollwork.flows.lacking import refuse_lacking
from scrollwork.flows.server.variables import variables_in
from scrollwork.frames import polars
from scrollwork.library.asking import chain_of, checked_engine, functions_in
from scrollwork.library.calls import in_keywords, of_library
from scrollwork.library.display import shown_progress
from scrollwork.library.function_code import notes_on_code
from scrollwork.library.keywords import BuildOptions, RunOptions
from scrollwork.library.results import BuildResult, RunResult, result_of_build, result_of_run
from scrollwork.pipeline.calling import STOP
from scrollwork.pipeline.errors import StageFailed, UsageError
from scrollwork.readings.model_warnings import run_warnings
from scrollwork.readings.results import Results
from scrollwork.readings.run_outcome import Outcome
from scrollwork.suites.options import every_option

if TYPE_CHECKING:
    from scrollwork.home import Home

PLANNED: dict[str, Any] = dict.fromkeys(("stage", "task", "split", "model", "state", "why", "key"), polars.String)


@of_library(RunOptions)
def run(
    suite: str | Path,
    *,
    home: str | Path | Home | None = None,
    store: str = "",
    engine: str = "inline",
    progress: bool | None = None,
    **options: Unpack[RunOptions],
) -> RunResult:
    """Run a suite: raw files to scores and a report, as the command `run`. What is done already is not done again.

    suite: its name, or its file. home: its folder or URL, or what `scrollwork.open` returned; None for SCROLLWORK_HOME,
    else ./.scrollwork. store: URL of the response store, "" for SCROLLWORK_STORE, else the file in the home. engine:
    "inline", "prefect", "dask" or "dask:ADDRESS" (docs/machines.md). progress: None for in a notebook or a terminal
    only; never on standard output. options: those of the command by name (docs/options.md); `models` is one or a list,
    of names and of what `scrollwork.model` made.

    Raises UsageError for a wrong call, UnknownModel, StageFailed with strict=True if a stage failed, as at a malformed
    record. Everything else that fails is in `failures` of the result, and the rest goes on; so is an input at which a
    model or a function failed, also with strict=True.
    """
    engine, given = checked_engine(engine, options)
    chain = with_way(with_contexts(chain_of("run", suite, home, store, given)))
    chain = with_epochs(chain, opening=True)
    if not chain.request.models:
        raise UsageError("sw.run needs a model: models=['bm25']")
    planned, calling = states_of(chain), chain.resolved.calling
    refuse_lacking(chain, planned)
    changed = notes_on_code(functions_in(options.get("models")), chain.session.home, planned)
    for line in (*chain.epochs.notes, *(run_warnings(chain.request, calling) if planned.work else ()), *changed):
        warnings.warn(in_keywords(line, every_option()), stacklevel=3)
    began = time.time()
    arguments = arguments_of(chain, engine)
    try:
        with alone_or_together(), shown_progress(progress, len(planned.statuses)), interrupts():
            outcome = execute(arguments, chain, planned, "evaluate")
    except KeyboardInterrupt:
        if calling.tables:  # what an interrupted run has paid is told at once
            warnings.warn(spending_line(spent_by(chain, None, began)), stacklevel=3)
        raise
    refuse_if_strict(outcome)
    return result_of_run(Results(chain), outcome, spent_by(chain, outcome.request.run), changed)


@of_library(BuildOptions)
def build(
    suite: str | Path,
    *,
    home: str | Path | Home | None = None,
    store: str = "",
    engine: str = "inline",
    progress: bool | None = None,
    against: str | Sequence[str] = (),
    **options: Unpack[BuildOptions],
) -> BuildResult:
    """Build a suite's examples and their statistics, as the command `build`.

    against: releases to compare the examples with, as `--against` names them. Other arguments and errors: as of `run`.
    """
    engine, given = checked_engine(engine, options)
    chain = chain_of("build", suite, home, store, given)
    arguments, planned = arguments_of(chain, engine), states_of(chain)
    refuse_lacking(chain, planned)
    releases = Against(chain, [against] if isinstance(against, str) else [*against]) if against else None
    with alone_or_together(), shown_progress(progress, len(planned.statuses)):
        outcome = execute(arguments, chain, planned, "build_datasets")
    refuse_if_strict(outcome)
    if releases is not None:
        releases.compare()
    return result_of_build(Results(chain), outcome, releases)


@of_library(RunOptions)
def plan(
    suite: str | Path, *, home: str | Path | Home | None = None, store: str = "", **options: Unpack[RunOptions]
) -> polars.DataFrame:
    """Return a row for each stage of a run (of a build, without models) with its state and the reason. Nothing runs.

    state: reused, missing, stale or partial. why: the reason, or what keeps the stage from being built. Arguments and
    errors: as of `run`.
    """
    chain = with_epochs(chain_of("plan", suite, home, store, options), opening=False)
    rows = [
        {
            "stage": node.stage,
            **{name: node.label(name) or None for name in ("task", "split", "model")},
            "state": status.state,
            "why": status.why,
            "key": status.key,
        }
        for node, status in states_of(chain).statuses
    ]
    return polars.DataFrame(rows, schema=PLANNED)


@of_library(RunOptions)
def estimate(
    suite: str | Path,
    *,
    home: str | Path | Home | None = None,
    store: str = "",
    ways: bool = False,
    strategies: bool = False,
    **options: Unpack[RunOptions],
) -> polars.DataFrame:
    """Return a row for each task and hosted model: requests, tokens and prices in US dollars, before anything is asked.

    Models that cost nothing here have no row. ways: a row for each model and way of asking instead; strategies: for
    each strategy of observing windows, also of other models. Prompts are built for it. Raises as `run`, and StageFailed
    naming what could not be estimated.
    """
    chain = with_epochs(chain_of("estimate", suite, home, store, options), opening=False)
    if not chain.request.models:
        raise UsageError("sw.estimate needs a model: models=['openai:gpt-6-luna']")
    if ways and strategies:
        raise UsageError("ways and strategies: one at a time")
    if strategies:
        from scrollwork.pipeline.design import reader_of

        rows, failed = reader_of(chain.request.config, "estimate --strategies").strategy_costs(chain)
    elif ways:
        from scrollwork.readings.ways import ways as ways_of

        rows, failed = ways_of(chain)
    else:
        from scrollwork.readings.estimate import estimates

        rows, _, failed = estimates(chain)
    if failed:
        raise StageFailed("; ".join(failed))
    if not rows and not ways and not strategies:
        from scrollwork.readings.estimate import Estimate

        return polars.DataFrame(schema=[*(one.name for one in fields(Estimate)), *with_dollars({"price": {}})])
    return polars.DataFrame([with_dollars(row) for row in rows], infer_schema_length=None)


def with_dollars(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row of an estimate with a column for each price; null where it is unknown."""
    if "price" not in row:
        return dict(row)
    price = row["price"] or {}
    plain = {name: value for name, value in row.items() if name != "price"}
    return {**plain, **{f"usd_{name}": price.get(name) for name in ("online", "online_most", "batch", "batch_most")}}


def arguments_of(chain: Chain, engine: str) -> argparse.Namespace:
    """Return what the commands' `execute` reads of a command line."""
    request = chain.request
    return argparse.Namespace(home=request.home, store=request.store, engine=engine)


def refuse_if_strict(outcome: Outcome) -> None:
    """Raise StageFailed if the call was strict and a stage failed."""
    if outcome.request.strict and outcome.failed:
        title, error = outcome.failures[0]
        raise StageFailed(f"{title} failed: {error}", outcome)


_calls = 0  # of run and build that are under way in this process
_environment: dict[str, str] = {}  # Prefect's variables and ours before the first of them
_lock = threading.Lock()


@contextmanager
def alone_or_together() -> Iterator[None]:
    """When the last call ends, forget an interrupt and give the environment back as it was: a command ends with what
    it did to them, a notebook goes on. A run through Prefect sets where its server is, and the server's secret; Prefect
    reads the environment anew where it is told to."""
    global _calls, _environment
    with _lock:
        if not _calls:
            _environment = own_variables()
        _calls += 1
    try:
        yield
    finally:
        with _lock:
            _calls -= 1
            if not _calls:
                STOP.clear()
                left = own_variables()
                for name in left.keys() - _environment.keys():
                    del os.environ[name]
                os.environ.update(_environment)
                if left != _environment and "prefect" in sys.modules:
                    from prefect.context import refresh_global_settings_context

                    refresh_global_settings_context()


def own_variables() -> dict[str, str]:
    """The environment variables that a run may set or remove."""
    return variables_in(os.environ, ("PREFECT_*", "SCROLLWORK_*", "DO_NOT_TRACK"))
