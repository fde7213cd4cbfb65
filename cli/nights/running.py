"""scrollwork nights run: a night in this process, without Prefect."""

from __future__ import annotations

import argparse
from functools import partial

from scrollwork.cli.nights.listing import as_json, show_model, told
from scrollwork.cli.terminal.common import print_json, request_of, say
from scrollwork.cli.terminal.interrupts import interrupts
from scrollwork.cli.terminal.progress import progress_display
from scrollwork.cli.terminal.spending import spending_told
from scrollwork.flows.canary import Night
from scrollwork.flows.execute import plan
from scrollwork.flows.lacking import refuse_lacking
from scrollwork.flows.nights import NightTaken, take_night, with_night
from scrollwork.pipeline.engines.inline import run_inline
from scrollwork.pipeline.engines.workers import workers_of
from scrollwork.pipeline.errors import UsageError
from scrollwork.readings.model_warnings import run_warnings
from scrollwork.readings.nights.options import night_options
from scrollwork.readings.nights.register import Nights
from scrollwork.readings.room import warnings
from scrollwork.records.nights.night import CANARY, NightRow
from scrollwork.storage.errors import StorageError


def run(arguments: argparse.Namespace) -> int:
    """Evaluate, compare, store the night. Returns 1 if something dropped, or if the night is not whole."""
    if not arguments.models:
        raise UsageError("nights run needs a model: --model naive")
    full_every = night_options()["full_every"].checked(arguments.full_every)
    night = with_night(request_of(arguments), full_every)
    chain = night.chain
    if not chain.session.home.writable:
        raise StorageError(f"{chain.session.home.url}: cannot be written, so no night can be stored")
    planned, calling = plan(chain), chain.resolved.calling
    refuse_lacking(chain, planned)
    lines = (*run_warnings(chain.request, calling), *warnings(chain.session.home))
    for line in (*first_told(night), *chain.epochs.notes, *lines):
        say(line)
    shown = progress_display(arguments.quiet, len(planned.statuses))
    stopped = spending_told(chain)
    with stopped, shown, interrupts(), workers_of(chain.request.workers, chain.request.dask) as processes:
        taken = take_night(night, partial(run_inline, processes=processes))
    return tell(arguments, taken, Nights(chain.session.home.url))


def first_told(night: Night) -> list[str]:
    """Return what is said before a night with a canary asks."""
    if night.kind == CANARY:
        return ["the canary is asked, and the full set if it shows a change"]
    return [f"the full set is asked: {told(night.why)}"] if night.why else []


def standing(row: NightRow) -> str:
    """Return what is said of a night that was stored before."""
    told = ": stands already, with these answers and scores"
    if any(model.epoch for model in row.models):
        return told
    return (
        f"{told}. None of these models is asked anew (baselines, functions, imported answers), so they have another "
        "night only when code or raw files change: name a hosted or local model"
    )


def tell(arguments: argparse.Namespace, taken: NightTaken, nights: Nights) -> int:
    """Print a night that was taken. Returns the exit status."""
    for note in taken.notes:
        say(f"note: {note}")
    if taken.outcome.report is not None:
        say(f"report: {taken.outcome.report}")
    if taken.row is None:
        for line in taken.unfinished:
            say(f"not finished: {line}")
        say("this night is not stored yet; the same command goes on with it, and pays only the rest")
        if arguments.json:
            print_json({"night": None, "unfinished": list(taken.unfinished)})
        return 1
    row = taken.row
    if arguments.json:
        print_json({**as_json(row, nights.accepted()), "new": taken.new})
    else:
        print(f"night {row.name} ({row.kind})" + ("" if taken.new else standing(row)))
        if row.why:
            print(f"the full set was asked: {told(row.why)}")
        for model in row.models:
            show_model(model, row.kind)
    again = "" if len(row.models) == 1 and not arguments.json else f": {told(row.sentence)}"  # printed above
    say(f"night {row.name}: {row.outcome}{again}")
    return int(row.failed)
