"""Rows of a ranking, made from a table of run scores, for `seam rank` and for the report."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from scrollwork.analysis.runs.dominance import Dominance, dominance
from scrollwork.analysis.runs.ranking import dataset_arsd, standings
from scrollwork.analysis.runs.robustness import Sureness, robustness_rows
from scrollwork.analysis.runs.scores import RunScores, ScoreTable
from scrollwork.analysis.runs.stability import runs_needed, stability
from scrollwork.analysis.runs.variance import split
from scrollwork.analysis.statistics import boxes
from scrollwork.records.prompt import FULL
from scrollwork.records.ranking import COMPUTED, Box, Dominates, ModelRank, Stable, TaskRank, TaskSpread, VarianceSource

END = "\0"  # between a model and its arm in a table's names; no arm contains it


def model_label(model: str, arm: str = FULL) -> str:
    """Return the name of a model and arm in a table: the model's name alone for the usual arm."""
    return model if arm == FULL else f"{model}{END}{arm}"


def model_and_arm(name: str) -> tuple[str, str]:
    """Split a name made by `model_label` into model and arm."""
    model, _, arm = name.rpartition(END)
    return (model, arm) if model else (name, FULL)


@dataclass(frozen=True)
class RankingLabels:
    """What a ranking is of. compared: data sets that count when it is compared with another source's.

    metrics, proxies: by data set (records/ranking.py). reasons: of NA, by (model, data set). arrows: by (model, data
    set), of a published table.
    """

    suite: str = ""
    split: str = ""
    source: str = COMPUTED
    compared: Collection[str] = ()
    metrics: Mapping[str, str] = field(default_factory=dict)
    proxies: Mapping[str, str] = field(default_factory=dict)
    reasons: Mapping[tuple[str, str], str] = field(default_factory=dict)
    arrows: Mapping[tuple[str, str], float] = field(default_factory=dict)


@dataclass(frozen=True)
class Ranked:
    """The rows of a ranking, models in the order of their AR."""

    models: list[ModelRank]
    tasks: list[TaskRank]
    spreads: list[TaskSpread]
    dominance: list[Dominates] = field(default_factory=list)
    stability: list[Stable] = field(default_factory=list)


def rank(table: ScoreTable, of: RankingLabels, sure: bool = True) -> Ranked:
    """Make all rows for a table of one or more models and data sets. sure: intervals and stability too."""
    over = dominance(table)
    return Ranked(
        model_rows(table, of, robustness_rows(table) if sure else []),
        task_rows(table, of, over),
        spread_rows(table, of),
        [
            Dominates(
                *(of.suite, of.split, one.dataset),
                *model_and_arm(one.better),
                *model_and_arm(one.worse),
                *(one.eps, one.eps_min, one.arrow),
            )
            for one in over
        ],
        stability_rows(table, of) if sure else [],
    )


def model_rows(table: ScoreTable, of: RankingLabels, sure: Collection[Sureness]) -> list[ModelRank]:
    """Make a row for each model."""
    known = {one.model: one for one in sure}
    shared = [dataset for dataset in table.datasets if dataset in of.compared]
    compared = {row.model: row for row in standings(table.only(shared))} if shared else {}
    found = []
    for row in standings(table):
        one, held = known.get(row.model, Sureness(row.model, None, None, None)), compared.get(row.model)
        model, arm = model_and_arm(row.model)
        found.append(
            ModelRank(
                *(of.suite, of.split, of.source, model, arm),
                ar=row.ar,
                arsd=row.arsd,
                tasks=len(row.ranks),
                counted=len(row.relative_stds),
                compared_ar=held.ar if held else None,
                compared_arsd=held.arsd if held else None,
                compared=len(shared),
                ar_low=one.ar[0] if one.ar else None,
                ar_high=one.ar[1] if one.ar else None,
                arsd_low=one.arsd[0] if one.arsd else None,
                arsd_high=one.arsd[1] if one.arsd else None,
                best=one.best,
            )
        )
    return found


def task_rows(table: ScoreTable, of: RankingLabels, over: Collection[Dominance]) -> list[TaskRank]:
    """Make a row for each data set and model, models in the order of their AR."""
    arrows = {**{(one.worse, one.dataset): one.arrow for one in over}, **of.arrows}
    rows = standings(table)
    return [
        TaskRank(
            *(of.suite, of.split, of.source, dataset, of.metrics.get(dataset, "")),
            *model_and_arm(row.model),
            row.ranks[dataset],
            *(scores.mean, scores.std, scores.relative_std),
            scores.values,
            box_of(scores),
            arrows.get((row.model, dataset)),
            of.reasons.get((row.model, dataset), "") if scores.missing else "",
            of.proxies.get(dataset, ""),
        )
        for dataset in table.datasets
        for row in rows
        for scores in [table.cell(row.model, dataset)]
    ]


def spread_rows(table: ScoreTable, of: RankingLabels) -> list[TaskSpread]:
    """Make a row for each data set."""
    return [
        TaskSpread(
            *(of.suite, of.split, of.source, dataset, arsd),
            sum(scores.relative_std is not None for scores in table.column(dataset).values()),
        )
        for dataset, arsd in dataset_arsd(table).items()
    ]


def box_of(scores: RunScores) -> Box | None:
    """Make the box plot of a model's runs; None if no run is known."""
    return Box(**vars(boxes.box(scores.values))) if scores.runs else None


def stability_rows(table: ScoreTable, of: RankingLabels) -> list[Stable]:
    """Make a row for each number of runs."""
    curve = stability(table)
    needed = runs_needed(curve)
    return [
        Stable(of.suite, of.split, one.runs, one.same, one.tau, needed is not None and one.runs >= needed)
        for one in curve
    ]


def variance_rows(
    designed: Mapping[tuple[str, str], Mapping[str, RunScores]], table: ScoreTable, of: RankingLabels
) -> list[VarianceSource]:
    """Make a row for each model, data set and source.

    designed: by (model, data set), then source. table: of ordinary runs.
    """
    found = []
    for (model, dataset), sources in sorted(designed.items()):
        parts = split({source: scores.values for source, scores in sources.items()}, table.cell(model, dataset).values)
        found += [
            VarianceSource(
                *(of.suite, of.split, dataset, *model_and_arm(model)),
                vary=one.source,
                runs=one.runs,
                mean=one.mean,
                variance=one.variance,
                low=one.interval[0],
                high=one.interval[1],
                own=one.own,
                share=one.share,
                draws=parts.draws,
                total=parts.total,
                rest=parts.rest,
            )
            for one in parts.sources
        ]
    return found
