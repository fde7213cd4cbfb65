"""Make the rows of a ranking, split by split, from the scores of runs and the paper's tables (SEAM)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from scrollwork.analysis.runs.points import correlations, format_points, length_points
from scrollwork.analysis.runs.rank_rows import Ranked, RankingLabels, model_and_arm, model_label, rank, variance_rows
from scrollwork.analysis.runs.scores import NA, RunScores, ScoreTable
from scrollwork.analysis.runs.selection import Selected, select
from scrollwork.preprocessing.tokens.tokenizer import Tokenizer
from scrollwork.records.ranking import PUBLISHED
from scrollwork.records.run_score import RunScore
from scrollwork.records.score import Aggregate
from scrollwork.reporting.boards.published import published_of
from scrollwork.reporting.boards.ranks import TABLES, Ranks
from scrollwork.storage.artifacts.artifact import Artifact
from scrollwork.tasks.rank.lengths import scores_with_lengths
from scrollwork.tasks.report.behind_scores import ScoredTask

if TYPE_CHECKING:
    from scrollwork.tasks.rank.run import Parameters

Designed = Mapping[str, Mapping[tuple[str, str], Mapping[str, RunScores]]]  # by split, (model, data set), source


def ranking_of(
    parameters: Parameters,
    scored: Iterable[tuple[Aggregate, Artifact]],
    scored_tasks: Sequence[ScoredTask],
    tokenizer: Tokenizer,
    designed: Designed | None = None,
) -> Ranks:
    """Rank the models of every split.

    scored: aggregates in the order of the request, each with the row whose model name is shown. scored_tasks: the
    artifacts behind them. designed: runs of experiments (readings/runs/experiments.py), None for none.
    """
    rows = [row for shown, artifact in scored for row in runs_of(shown, artifact)]
    parts = [
        ranking_of_split(parameters, split, rows, scored_tasks, tokenizer, designed or {}) for split in splits(rows)
    ]
    found: dict[str, Any] = {name: [row for part in parts for row in getattr(part, name)] for name in TABLES}
    return Ranks(**found)


def splits(rows: Iterable[RunScore]) -> list[str]:
    """List the splits of the rows, each once."""
    return list(dict.fromkeys(row.split for row in rows))


def runs_of(shown: Aggregate, artifact: Artifact) -> list[RunScore]:
    """List the runs behind an aggregate, under the shown model name, without those of a family's members."""
    *_, family = artifact.rows("aggregates", Aggregate)
    return [
        replace(row, model=shown.model, split=shown.split)
        for row in artifact.rows("runs", RunScore)
        if row.model == family.model
    ]


def ranking_of_split(
    parameters: Parameters,
    split: str,
    rows: Sequence[RunScore],
    scored_tasks: Sequence[ScoredTask],
    tokenizer: Tokenizer,
    designed: Designed,
) -> Ranks:
    """Rank the models of one split, and those of the paper if its table is of this split."""
    paper = published_table(parameters.published) if parameters.published.get("split") == split else None
    of = RankingLabels(
        parameters.suite,
        split,
        compared=[
            task for task in parameters.tasks if task not in parameters.proxies and paper and task in paper.datasets
        ],
        metrics=parameters.tasks,
        proxies=parameters.proxies,
    )
    failures = {
        (model_label(one["model"]), one["task"]): f"failed: {one['message']}"
        for one in parameters.failures
        if one["split"] == split
    }
    own = [row for row in rows if row.split == split]
    chosen = select(own, of, list(parameters.tasks), parameters.upper_bounds, failures)
    known = chosen.table
    found = Ranked([], [], [])
    shared: list[str] = []
    if known.models:
        shared = [task for task in of.compared if task in known.datasets]
        found = rank(known, replace(of, compared=shared, reasons=chosen.reasons))
    printed = Ranked([], [], [])
    if paper is not None:
        printed = rank(paper, published_ranking(parameters, of, shared), sure=False)
    formats = format_points(of_the_ranked(chosen), of)
    mine = [one for one in scored_tasks if one.split == split and one.task in parameters.by_instance]
    lengths = length_points(scores_with_lengths(mine, counted_runs(chosen), tokenizer), of)
    return Ranks(
        [*found.models, *printed.models],
        [*found.tasks, *printed.tasks],
        [*found.spreads, *printed.spreads],
        found.dominance,
        found.stability,
        formats,
        lengths,
        correlations(formats, lengths, tokenizer.name, parameters.published.get("format", {}), of),
        variance_rows(designed.get(split, {}), known, of),
        chosen.left_out,
    )


def of_the_ranked(chosen: Selected) -> list[RunScore]:
    """List the runs of models that are in the table."""
    return [row for row in chosen.rows if model_label(row.model, row.arm) in chosen.table.models]


def counted_runs(chosen: Selected) -> dict[tuple[str, str, str], frozenset[int]]:
    """List the numbers of the runs that count, by (model, arm, task)."""
    return {(*model_and_arm(name), task): frozenset(scores.runs) for (name, task), scores in chosen.table.cells.items()}


def published_table(data: Mapping[str, Any]) -> ScoreTable | None:
    """Read the paper's main table. Return None without one, or if it has no standard deviations."""
    paper = published_of(data)
    rows = [row for row in paper.table(paper.main) if row.stds] if paper else []
    if not rows:
        return None
    tasks = list(dict.fromkeys(task for row in rows for task in (*row.scores, *row.na)))
    return ScoreTable(
        tuple(tasks),
        tuple(model_label(row.label) for row in rows),
        {
            (model_label(row.label), task): RunScores(given=(row.scores[task], row.stds[task]))
            if task in row.scores
            else NA
            for row in rows
            for task in tasks
        },
    )


def published_ranking(parameters: Parameters, of: RankingLabels, shared: Sequence[str]) -> RankingLabels:
    """Describe the ranking of the paper's table. shared: data sets on which it is compared with ours."""
    paper = published_of(parameters.published)
    assert paper is not None
    return RankingLabels(
        of.suite,
        of.split,
        PUBLISHED,
        compared=shared,
        reasons={(model_label(row.label), task): "printed as NA" for row in paper.rows for task in row.na},
        arrows={(model_label(row.label), task): arrow for row in paper.rows for task, arrow in row.arrows.items()},
    )
