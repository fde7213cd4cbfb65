"""scrollwork dolce compare: two fits of the same problems held against each other."""

from __future__ import annotations

import argparse
import json
from typing import Any

from analysis.dolce.categories import of_two_suites
from analysis.dolce.comparing import compared, divergence
from analysis.dolce.fit_json import FitError, Read, as_json, read_fits
from analysis.dolce.fitting import fit_tasks
from analysis.dolce.observations import ObservationError, read_observations
from flows.commands.common import lines_of, print_json, say
from flows.commands.dolce_fit import settings_of
from flows.commands.seam_rank import names
from scoring.pairs import PairError, read_pairs
from tasks.errors import StageFailed, UsageError


def run(arguments: argparse.Namespace) -> int:
    """Compare, and print. Raises StageFailed for a file that is neither, or for two that have nothing in common."""
    ours = of_model(read_file(arguments.reference, arguments), arguments.reference, arguments.reference_model)
    theirs = of_model(read_file(arguments.test, arguments), arguments.test, arguments.test_model)
    paired, alone = matched(ours, theirs)
    rows = [row for one, other in paired if (row := row_of(one, other)) is not None]
    if not rows:
        raise StageFailed(f"{arguments.reference} and {arguments.test} have no task with a problem in common")
    if arguments.json:
        print_json({"tasks": rows})
    else:
        from flows.commands.dolce_tables import show_compared

        show_compared(rows)
    if alone:
        say(f"in one file only: {names(alone)}")
    return 0


def read_file(path: str, arguments: argparse.Namespace) -> list[Read]:
    """A document of `dolce fit --json` or `run dolce --json`, or rows of observations, which are fitted.

    Raises StageFailed, UsageError.
    """
    data = b"".join(lines_of(path, "dolce compare"))
    document: Any = None
    try:
        document = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        pass  # rows, one a line
    try:
        if isinstance(document, dict) and "tasks" in document:
            return read_fits(document)
        return read_fits(as_json(fit_tasks(read_observations(read_pairs(data)).tasks, settings_of(arguments))))
    except (PairError, ObservationError, FitError) as error:
        raise StageFailed(f"{path}, {error}") from error


def of_model(found: list[Read], path: str, model: str) -> list[Read]:
    """The tasks of one model: a run's document has those of all that ran. Raises UsageError."""
    known = dict.fromkeys(one.model for one in found)
    if model and model not in known:
        raise UsageError(f"{path}: has no model {model!r}; it has: {names(filter(None, known)) or 'none'}")
    if not model and len(known) > 1:
        raise UsageError(f"{path}: has models {names(known)}: name one (--reference-model, --test-model)")
    return [one for one in found if model in ("", one.model)]


def matched(ours: list[Read], theirs: list[Read]) -> tuple[list[tuple[Read, Read]], list[str]]:
    """(tasks of the same name and scenario, names of the others). Two files of one task each are of the same task,
    whatever its name: so a task of two suites is compared."""
    if len(ours) == len(theirs) == 1:
        return [(ours[0], theirs[0])], []
    by_name = {(one.task, one.scenario): one for one in theirs}
    paired = [(one, by_name[one.task, one.scenario]) for one in ours if (one.task, one.scenario) in by_name]
    known = {(one.task, one.scenario) for one, _ in paired}
    return paired, [f"{one.task} ({one.scenario})" for one in (*ours, *theirs) if (one.task, one.scenario) not in known]


def row_of(ours: Read, theirs: Read) -> dict[str, Any] | None:
    """One task; None where no problem is in both, unless they are the same task of two suites: then both have the
    smaller thresholds (the paper), and shares and noise can be compared."""
    both = [name for name in ours.pairs if name in theirs.pairs]
    suites = ours.task != theirs.task
    if not both and not suites:
        return None
    limits = of_two_suites(ours.limits, theirs.limits) if suites and ours.limits and theirs.limits else None
    noise = (ours.noise, theirs.noise) if ours.noise and theirs.noise else None
    found = compared([ours.pairs[name] for name in both], [theirs.pairs[name] for name in both]) if both else None
    category, other = ours.categories(limits), theirs.categories(limits)
    return {
        "task": ours.task,
        "scenario": ours.scenario,
        "test": {"task": theirs.task, "scenario": theirs.scenario},
        "problems": len(both),
        "only_reference": len(ours.pairs) - len(both),
        "only_test": len(theirs.pairs) - len(both),
        "rc_lambda": found and found.rc_complexity,
        "rho_lambda": found and found.rho_complexity,
        "rc_k": found and found.rc_redundancy,
        "rho_k": found and found.rho_redundancy,
        "kl": divergence(*noise) if noise else None,
        "same_category": sum(category[name] == other[name] for name in both) / len(both) if both else None,
        "shares": {"reference": ours.shares(limits), "test": theirs.shares(limits)},
        "thresholds": None if limits is None else {"low": limits.low, "high": limits.high},
    }
