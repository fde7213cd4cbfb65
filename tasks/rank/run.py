"""Stage rank: scores of runs -> models ranked over data sets, their spread, dominance and stability (SEAM).

Only models whose runs drew the same are ranked together (analysis/runs/selection.py); who is left out is written down.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from scrollwork.analysis.runs.points import correlations, format_points, length_points
from scrollwork.analysis.runs.rank_rows import Of, Ranked, model_and_arm, rank, variance_rows, who
from scrollwork.analysis.runs.scores import NA, RunScores, ScoreTable
from scrollwork.analysis.runs.selection import Selected, select
from scrollwork.pipeline.inputs import InputArtifacts
from scrollwork.pipeline.plan import Node
from scrollwork.pipeline.session import Workshop
from scrollwork.preprocessing.tokens.tokenizer import Tokenizer
from scrollwork.records.ranking import PUBLISHED
from scrollwork.records.run_score import RunScore
from scrollwork.records.score import Aggregate
from scrollwork.reporting.boards.published import published_of
from scrollwork.reporting.runs.ranks import TABLES, Ranks
from scrollwork.storage.artifacts.artifact import Artifact, ArtifactWriter
from scrollwork.suites.vocabularies import load
from scrollwork.tasks.rank.lengths import measured
from scrollwork.tasks.report.behind_scores import Lot, lots_of

Designed = Mapping[str, Mapping[tuple[str, str], Mapping[str, RunScores]]]  # by split, (model, data set), source


def fill(node: Node, inputs: InputArtifacts, shop: Workshop, writer: ArtifactWriter) -> None:
    """The rows of a ranking, table by table."""
    scored = []
    for artifact in inputs.each("aggregates"):
        *_, family = artifact.rows("aggregates", Aggregate)
        scored.append((family, artifact))
    found = ranking_of(node.params, scored, lots_of(node, inputs), load(node.params["lengths"], shop.home))
    for name, row in TABLES.items():
        table = writer.table(name, row)
        for one in getattr(found, name):
            table.add(one)
    writer.facts = {"models": len(found.ranked()), "left_out": len(found.left_out)}


def ranking_of(
    params: Mapping[str, Any],
    scored: Iterable[tuple[Aggregate, Artifact]],
    lots: Sequence[Lot],
    tokenizer: Tokenizer,
    designed: Designed | None = None,
) -> Ranks:
    """The ranking of every split.

    params: as tasks/ranking.py gives them. scored: aggregates, each with the row whose model names what is shown of it,
    in the order in which models were asked. lots: of the same. designed: runs of experiments (readings/experiments.py).
    """
    rows = [row for shown, artifact in scored for row in runs_of(shown, artifact)]
    parts = [ranking_of_split(params, split, rows, lots, tokenizer, designed or {}) for split in splits(rows)]
    found: dict[str, Any] = {name: [row for part in parts for row in getattr(part, name)] for name in TABLES}
    return Ranks(**found)


def splits(rows: Iterable[RunScore]) -> list[str]:
    """Each once."""
    return list(dict.fromkeys(row.split for row in rows))


def runs_of(shown: Aggregate, artifact: Artifact) -> list[RunScore]:
    """The runs behind an aggregate, under the name that is shown; of a family not those of its members."""
    *_, family = artifact.rows("aggregates", Aggregate)
    return [
        replace(row, model=shown.model, split=shown.split)
        for row in artifact.rows("runs", RunScore)
        if row.model == family.model
    ]


def ranking_of_split(
    params: Mapping[str, Any],
    split: str,
    rows: Sequence[RunScore],
    lots: Sequence[Lot],
    tokenizer: Tokenizer,
    designed: Designed,
) -> Ranks:
    """The ranking of one split, and the paper's where its rows are of it."""
    paper = published_table(params["published"]) if params["published"].get("split") == split else None
    of = Of(
        str(params["suite"]),
        split,
        compared=[
            task for task in params["tasks"] if task not in params["proxies"] and paper and task in paper.datasets
        ],
        metrics=params["tasks"],
        proxies=params["proxies"],
    )
    failures = {
        (who(one["model"]), one["task"]): f"failed: {one['message']}"
        for one in params["failures"]
        if one["split"] == split
    }
    own = [row for row in rows if row.split == split]
    chosen = select(own, of, list(params["tasks"]), params["upper_bounds"], failures)
    known = chosen.table
    found = Ranked([], [], [])
    shared: list[str] = []
    if known.models:
        shared = [task for task in of.compared if task in known.datasets]
        found = rank(known, replace(of, compared=shared, reasons=chosen.reasons))
    printed = Ranked([], [], [])
    if paper is not None:
        printed = rank(paper, published(params, of, shared), sure=False)
    formats = format_points(of_the_ranked(chosen), of)
    mine = [lot for lot in lots if lot.split == split and lot.task in params["by_instance"]]
    lengths = length_points(measured(mine, counted(chosen), tokenizer), of)
    return Ranks(
        [*found.models, *printed.models],
        [*found.tasks, *printed.tasks],
        [*found.spreads, *printed.spreads],
        found.dominance,
        found.stability,
        formats,
        lengths,
        correlations(formats, lengths, tokenizer.name, params["published"].get("format", {}), of),
        variance_rows(designed.get(split, {}), known, of),
        chosen.left_out,
    )


def of_the_ranked(chosen: Selected) -> list[RunScore]:
    """Runs of models that stand in the table."""
    return [row for row in chosen.rows if who(row.model, row.arm) in chosen.table.models]


def counted(chosen: Selected) -> dict[tuple[str, str, str], frozenset[int]]:
    """Runs that count, by (model, arm, task)."""
    return {(*model_and_arm(name), task): frozenset(scores.runs) for (name, task), scores in chosen.table.cells.items()}


def published_table(data: Mapping[str, Any]) -> ScoreTable | None:
    """The paper's main table; None where it prints no deviations."""
    paper = published_of(data)
    rows = [row for row in paper.table(paper.main) if row.stds] if paper else []
    if not rows:
        return None
    tasks = list(dict.fromkeys(task for row in rows for task in (*row.scores, *row.na)))
    return ScoreTable(
        tuple(tasks),
        tuple(who(row.label) for row in rows),
        {
            (who(row.label), task): RunScores(given=(row.scores[task], row.stds[task])) if task in row.scores else NA
            for row in rows
            for task in tasks
        },
    )


def published(params: Mapping[str, Any], of: Of, shared: Sequence[str]) -> Of:
    """What a paper's table is ranked as. shared: data sets that count where ours is held against it."""
    paper = published_of(params["published"])
    assert paper is not None
    return Of(
        of.suite,
        of.split,
        PUBLISHED,
        compared=shared,
        reasons={(who(row.label), task): "printed as NA" for row in paper.rows for task in row.na},
        arrows={(who(row.label), task): arrow for row in paper.rows for task, arrow in row.arrows.items()},
    )
