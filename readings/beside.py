"""What is judged and compared of everything a home has scored, also of models that no run had asked for together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from scrollwork.analysis.comparison.judged import COLUMNS, outcomes_from
from scrollwork.analysis.comparison.models import Measured, Who, averages, comparisons, pairs
from scrollwork.analysis.comparison.outcomes import Outcomes
from scrollwork.pipeline.design import design_of
from scrollwork.readings.everything import Scored
from scrollwork.records.base import InvalidRow
from scrollwork.records.judgement import Conduct, Slice
from scrollwork.records.score import Aggregate
from scrollwork.reporting.boards.ranks import Ranks
from scrollwork.reporting.page.content import Beside
from scrollwork.scoring.registry import metric, stored
from scrollwork.storage.artifacts.artifact import Artifact
from scrollwork.storage.home import Home
from scrollwork.suites.tokenizers import length_tokenizer
from scrollwork.suites.vocabularies import load
from scrollwork.tasks.complexity.run import STAGE as COMPLEXITY
from scrollwork.tasks.judge.run import STAGE as JUDGE
from scrollwork.tasks.rank.parameters import rank_parameters
from scrollwork.tasks.report.behind_scores import BEHIND, Lot
from scrollwork.tasks.report.tables import BESIDE

Found = Iterable[tuple[Aggregate, Artifact]]


def beside_of(params: Mapping[str, Any], everything: Iterable[Artifact], scored: Found) -> Beside:
    """Measures and slices as stage judge left them, averages and comparisons worked out from its rows.

    params: of the report. everything: all artifacts of the home. scored: aggregates, each with the row that the page
    shows of it, whose names stand in what is given back. An aggregate that nobody judged has no part in it.
    """
    everything, scored = list(everything), list(scored)
    judged = {_made_from(one): one for one in everything if one.manifest.ingredients.stage == JUDGE}
    conduct: list[dict[str, Any]] = []
    slices: list[dict[str, Any]] = []
    outcomes: dict[str, dict[Who, dict[str, Outcomes]]] = {}
    metrics = {task["name"]: task["metric"] for task in params["tasks"]}
    for row, aggregate in scored:
        found = judged.get(_made_from(aggregate))
        if found is None:
            continue
        conduct += [replace(one, model=row.model, split=row.split).to_dict() for one in found.rows("conduct", Conduct)]
        slices += [replace(one, model=row.model, split=row.split).to_dict() for one in found.rows("slices", Slice)]
        own = found.columns("judgements", list(COLUMNS))
        by_task = outcomes.setdefault(row.split, {}).setdefault((row.model, row.arm), {})
        by_task[row.task] = outcomes_from(own, stored(metric(metrics[row.task])))
    headlines = {task: metric(name).headline for task, name in metrics.items()}
    bounds = params.get("upper_bounds", ())
    means, compared = [], []
    for split, whos in sorted(outcomes.items()):
        added = [task["name"] for task in params["tasks"] if task.get("added")]
        measured = Measured(str(params["suite"]), split, metrics, headlines, whos, added)
        averaged = not params.get("ranked")  # a suite that ranks models has no average over its tasks
        means += [one.to_dict() for one in averages(measured, bounds) if averaged]
        rows = (one for pair in pairs(list(whos), bounds) for one in comparisons(measured, pair))
        compared += [one.to_dict() for one in rows if one.task or averaged]
    return Beside(compared, means, conduct, slices, **needs_of(everything, scored))


def needs_of(everything: Iterable[Artifact], scored: Found) -> dict[str, list[dict[str, Any]]]:
    """What problems of windows need, as stage complexity left it, and models' fits held against each other; by field of
    Beside, empty where the suite shows no windows. Fits that an earlier version wrote are left out."""
    fitted: dict[tuple[tuple[str, ...], ...], list[Artifact]] = {}
    for one in everything:
        if one.manifest.ingredients.stage == COMPLEXITY:
            fitted.setdefault(_observed(one), []).append(one)
    found: dict[str, list[Any]] = {}
    for row, aggregate in scored if fitted else ():
        own = next(filter(None, map(_tables, fitted.get(_observed(aggregate), ()))), {})
        for table, rows in own.items():
            found.setdefault(table, []).extend(replace(one, model=row.model, split=row.split) for one in rows)
    if found:
        from scrollwork.analysis.windows.problem_rows import agreements

        found["agreements"] = list(agreements(found["mixtures"], found["complexity"]))
    return {table: [one.to_dict() for one in rows] for table, rows in found.items()}


def _tables(fit: Artifact) -> dict[str, list[Any]]:
    """The tables of a fit; none where its rows are of another version of this program."""
    try:
        return {table: list(fit.rows(table, kind)) for table, kind in BESIDE["complexity"].items()}
    except InvalidRow:
        return {}


def unreadable_fits(everything: Iterable[Artifact], scored: Found) -> list[str]:
    """The tasks of scores whose fits are all of an earlier version, so that a report shows none: running them again
    fits anew and asks nothing."""
    fits: dict[tuple[tuple[str, ...], ...], list[bool]] = {}
    for one in everything:
        if one.manifest.ingredients.stage == COMPLEXITY:
            fits.setdefault(_observed(one), []).append(bool(_tables(one)))
    return sorted({row.task for row, aggregate in scored if not any(fits.get(_observed(aggregate), [True]))})


def ranks_of(home: Home, suite: str, found: Scored, lots: Sequence[Lot]) -> Ranks:
    """Everything scored of a suite that is run several times, ranked; empty for other suites. lots: for scores against
    length of prompts, none for a ranking without it."""
    if not design_of(found.suite).ranked:
        return Ranks()
    from scrollwork.readings.experiments import experiments
    from scrollwork.tasks.rank.ranking import ranking_of

    parameters = rank_parameters(found.suite, [], found.params.get("upper_bounds", ()), length_tokenizer())
    return ranking_of(parameters, found.artifacts, lots, load(parameters.lengths, home), experiments(home, suite))


def _made_from(artifact: Artifact, names: Sequence[str] = BEHIND) -> tuple[tuple[str, ...], ...]:
    """What an aggregate, and what was judged of the same scores, have in common: content keys of their inputs."""
    return tuple(tuple(artifact.manifest.ingredients.each(name)) for name in names)


def _observed(artifact: Artifact) -> tuple[tuple[str, ...], ...]:
    """What an aggregate, and what was fitted to the same answers on windows, have in common."""
    return _made_from(artifact, ("prompts", "scores"))
