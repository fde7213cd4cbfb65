"""scrollwork dolce compare: two fits of the same problems held against each other."""

from __future__ import annotations

import argparse
import json
from typing import Any

from scrollwork.analysis.windows.categories import CATEGORIES, of_two_suites
from scrollwork.analysis.windows.compare_fits import compare_complexities, divergence
from scrollwork.analysis.windows.fit.fitting import fit_tasks
from scrollwork.analysis.windows.fit_json import FitError, Read, as_json, read_fits
from scrollwork.analysis.windows.observations import ObservationError, read_observations
from scrollwork.cli.dolce.fit import settings_of
from scrollwork.cli.seam.rank import names
from scrollwork.cli.terminal.common import lines_of, print_json, say
from scrollwork.pipeline.errors import StageFailed, UsageError
from scrollwork.scoring.files.pairs import PairError, read_pairs

FIRST = CATEGORIES[0]  # no context needed: the paper compares two models without such problems


def run(arguments: argparse.Namespace) -> int:
    """Compare, and print. Raises StageFailed for a file that is neither, or for two that have nothing in common."""
    ours = of_model(read_file(arguments.reference, arguments), arguments.reference, arguments.reference_model)
    theirs = of_model(read_file(arguments.test, arguments), arguments.test, arguments.test_model)
    paired, alone = common_parts(ours, theirs)
    rows = []
    for one, other in paired:
        rows += (own := rows_of(one, other))
        alone += [] if own else map(names_of, (*one, *other))
    without = [row for one, other in paired for row in rows_of(one, other, left_out=FIRST)]
    if not rows:
        raise StageFailed(f"{arguments.reference} and {arguments.test} have no task with a problem in common")
    if arguments.json:
        print_json({"tasks": rows, "without_I": without})
    else:
        from scrollwork.cli.dolce.tables import show_compared

        show_compared([*rows, *without])
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


def common_parts(ours: list[Read], theirs: list[Read]) -> tuple[list[tuple[list[Read], list[Read]]], list[str]]:
    """(the parts of each task that both have, names of what is in one file alone). A task has a part for COW and one
    for PIG where a model's scores split it; the other model has its own split. Two files of one task each are of the
    same task, whatever its name: so a task of two suites is compared."""
    own, other = by_task(ours), by_task(theirs)
    if len(own) == len(other) == 1:
        return [(ours, theirs)], []
    paired = [(parts, other[name]) for name, parts in own.items() if name in other]
    return paired, [names_of(one) for one in (*ours, *theirs) if not (one.task in own and one.task in other)]


def by_task(found: list[Read]) -> dict[str, list[Read]]:
    """Group parts by task."""
    tasks: dict[str, list[Read]] = {}
    for one in found:
        tasks.setdefault(one.task, []).append(one)
    return tasks


def names_of(one: Read) -> str:
    """Return the name of a part of a task."""
    return f"{one.task} ({one.scenario})"


def rows_of(ours: list[Read], theirs: list[Read], left_out: str = "") -> list[dict[str, Any]]:
    """The rows of a task: one for every two parts with a problem in common, so that each file keeps its own split and
    no problem that both have is dropped. Parts without one are compared, in shares and noise, only where they are the
    same task of two suites. left_out: a category; problems that are in it by either file are left out."""
    pairs = [(one, other, in_both(one, other, left_out)) for one in ours for other in theirs]
    found = [pair for pair in pairs if pair[2]]
    if not found and not left_out and ours[0].task != theirs[0].task:
        found = [pair for pair in pairs if pair[0].scenario == pair[1].scenario] or pairs[:1]
    return [
        row_of(one, other, both)
        | {
            "only_reference": count_lacking(one, theirs),
            "only_test": count_lacking(other, ours),
            "left_out": left_out or None,
        }
        for one, other, both in found
    ]


def in_both(ours: Read, theirs: Read, left_out: str) -> list[str]:
    """List the problems that two fits have in common, without those that either puts into the category `left_out`."""
    return [
        name
        for name in ours.pairs
        if name in theirs.pairs and left_out not in (ours.category[name], theirs.category[name])
    ]


def row_of(ours: Read, theirs: Read, both: list[str]) -> dict[str, Any]:
    """Two parts, on the problems of both. Of the same task in two suites both have the smaller thresholds (the
    paper)."""
    suites = ours.task != theirs.task
    limits = of_two_suites(ours.limits, theirs.limits) if suites and ours.limits and theirs.limits else None
    noise = (ours.noise, theirs.noise) if ours.noise and theirs.noise else None
    found = (
        compare_complexities([ours.pairs[name] for name in both], [theirs.pairs[name] for name in both])
        if both
        else None
    )
    category, other = ours.categories(limits), theirs.categories(limits)
    own, of_theirs = ours.shares(limits, both), theirs.shares(limits, both)
    return {
        "task": ours.task,
        "scenario": ours.scenario,
        "test": {"task": theirs.task, "scenario": theirs.scenario},
        "problems": len(both),
        "rc_lambda": found and found.rc_complexity,
        "rho_lambda": found and found.rho_complexity,
        "rc_k": found and found.rc_redundancy,
        "rho_k": found and found.rho_redundancy,
        "kl": divergence(*noise) if noise else None,
        "same_category": sum(category[name] == other[name] for name in both) / len(both) if both else None,
        **{name: {"reference": own[name], "test": of_theirs[name]} for name in own},
        "thresholds": None if limits is None else {"low": limits.low, "high": limits.high},
    }


def count_lacking(part: Read, others: list[Read]) -> int:
    """How many problems of a part are in no part of the other file's task."""
    return sum(not any(name in one.pairs for one in others) for name in part.pairs)
