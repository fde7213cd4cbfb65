"""scrollwork run: the whole chain, from raw files to scores and a report."""

from __future__ import annotations

import argparse
import importlib
from typing import Any

from scrollwork.cli.terminal.common import chain_of, console, execute, print_json, say, tell_problems
from scrollwork.cli.terminal.interrupts import interrupts
from scrollwork.cli.terminal.progress import progress_display
from scrollwork.cli.terminal.spending import spending_line, spending_told, spent_by
from scrollwork.cli.terminal.waiting import in_batches
from scrollwork.flows.chains import Chain
from scrollwork.flows.epochs import with_epochs
from scrollwork.flows.execute import plan, with_contexts, with_way
from scrollwork.flows.lacking import refuse_lacking
from scrollwork.pipeline.errors import UsageError
from scrollwork.readings.model_warnings import run_warnings
from scrollwork.readings.results import Results, report_of
from scrollwork.readings.room import warnings
from scrollwork.readings.run_outcome import Outcome
from scrollwork.reporting.boards.leaderboard import as_json
from scrollwork.reporting.boards.terminal import terminal
from scrollwork.tasks.report.ledger import COMPARED, JUDGED, Ledger

# modules of a design: what it adds to --json, under the suite's name, and to the terminal
OWN_JSON, OWN_TABLES = "run --json", "run"


def run(arguments: argparse.Namespace) -> int:
    """Run, and print the leaderboard."""
    if not arguments.models:
        raise UsageError("run needs a model: --model naive")
    chain = with_epochs(with_way(with_contexts(chain_of(arguments))), opening=True)
    with spending_told(chain):
        outcome = run_with_progress(arguments, chain)
    return tell(arguments, chain, outcome)


def run_with_progress(arguments: argparse.Namespace, chain: Chain) -> Outcome:
    """Run a chain with its progress shown, and return its results."""
    planned, calling = plan(chain), chain.resolved.calling
    refuse_lacking(chain, planned)
    home = chain.session.home
    told = (*run_warnings(chain.request, calling), *warnings(home)) if planned.work else ()
    for line in (*chain.epochs.notes, *told):
        say(line)
    with progress_display(arguments.quiet, len(planned.statuses)), interrupts():
        return execute(arguments, chain, planned, "evaluate")


def tell(arguments: argparse.Namespace, chain: Chain, outcome: Outcome, **more: Any) -> int:
    """Print the leaderboard, and on standard error what is missing from it. Returns the exit status.

    more: further fields of --json."""
    request, results, report = chain.request, Results(chain), report_of(outcome)
    ledger, own = results.ledger(report), chain.design.modules
    if arguments.json:
        result: dict[str, Any] = {"tasks": [], "averages": {}} if ledger is None else as_json(ledger.board)
        if ledger is not None:
            result |= judged_json(ledger)
            if OWN_JSON in own and (found := importlib.import_module(own[OWN_JSON]).run_json(ledger)):
                result[request.suite] = found
        page = str(outcome.report) if outcome.report else None
        print_json({**result, "report": page, "spent": spent_by(chain, outcome.request.run), **more})
    elif ledger is not None:
        console().print(terminal(ledger.board))
        if OWN_TABLES in own:
            importlib.import_module(own[OWN_TABLES]).run_tables(ledger)
    if all(one.how == "reused" for one in outcome.finished):
        say("nothing was to be done: every stage stands")
    if outcome.report is not None:
        say(f"report: {outcome.report}")
    gaps = results.unanswered(report) if report is not None else []
    for gap in gaps:
        say(f"unanswered: {gap}")
    for line in in_batches(chain):
        say(line)
    for line in results.failures(outcome) if gaps else []:
        say(f"failed: {line}")
    if chain.resolved.calling.tables:
        say(spending_line(spent_by(chain, outcome.request.run)))
    if any(one.how == "built" for one in outcome.finished):
        for line in warnings(chain.session.home):
            say(line)
    for line in chain.design.remarks(request, ledger.plain(ledger.tables) if ledger is not None else {}):
        say(line)
    for line in results.without_gold(outcome):
        say(f"not scored: {line}")
    return int(tell_problems(results, outcome) or bool(gaps))


def judged_json(ledger: Ledger) -> dict[str, Any]:
    """Return judgements and comparisons by their keys in --json. "averages" is taken: those are the plain numbers."""
    tables = ledger.plain((*JUDGED, *COMPARED))
    return {{"averages": "average_intervals"}.get(name, name): rows for name, rows in tables.items()}
