"""What is judged and compared of everything a home has scored, also of models that no run had asked for together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from analysis.comparing import Measured, Who, averages, comparisons, pairs
from analysis.judged import COLUMNS, outcomes_from
from analysis.outcomes import Outcomes
from records.judgement import Conduct, Slice
from records.score import Aggregate
from reporting.content import Beside
from scoring.registry import metric, stored
from storage.artifacts import Artifact

Found = Iterable[tuple[Aggregate, Artifact]]


def beside_of(params: Mapping[str, Any], everything: Iterable[Artifact], scored: Found) -> Beside:
    """Measures and slices as stage judge left them, averages and comparisons worked out from its rows.

    params: of the report. everything: all artifacts of the home. scored: aggregates, each with the row that the page
    shows of it, whose names stand in what is given back. An aggregate that nobody judged has no part in it.
    """
    judged = {_made_from(one): one for one in everything if one.manifest.ingredients.stage == "judge"}
    conduct: list[dict[str, Any]] = []
    slices: list[dict[str, Any]] = []
    outcomes: dict[str, dict[Who, dict[str, Outcomes]]] = {}
    metrics = {task["name"]: task["metric"] for task in params["tasks"]}
    for row, aggregate in scored:
        found = judged.get(_made_from(aggregate))
        if found is None:
            continue
        conduct += [replace(one, model=row.model).to_dict() for one in found.rows("conduct", Conduct)]
        slices += [replace(one, model=row.model).to_dict() for one in found.rows("slices", Slice)]
        own = found.columns("judgements", list(COLUMNS))
        by_task = outcomes.setdefault(row.split, {}).setdefault((row.model, row.arm), {})
        by_task[row.task] = outcomes_from(own, stored(metric(metrics[row.task])))
    headlines = {task: metric(name).headline for task, name in metrics.items()}
    bounds = params.get("upper_bounds", ())
    means, compared = [], []
    for split, whos in sorted(outcomes.items()):
        measured = Measured(str(params["suite"]), split, metrics, headlines, whos)
        means += [one.to_dict() for one in averages(measured, bounds)]
        compared += [one.to_dict() for pair in pairs(list(whos), bounds) for one in comparisons(measured, pair)]
    return Beside(compared, means, conduct, slices)


def _made_from(artifact: Artifact) -> frozenset[tuple[str, str]]:
    """What an aggregate, and what was judged of the same scores, have in common."""
    return frozenset((name, key) for name, key in artifact.manifest.ingredients.inputs.items() if name != "words")
