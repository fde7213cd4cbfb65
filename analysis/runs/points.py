"""Run scores by format adherence, instance scores by prompt length (SEAM, A.6 and figure 5; fact sheet seam.md 7)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from scrollwork.analysis.runs.rank_rows import RankingLabels, model_and_arm
from scrollwork.analysis.statistics.association import Measured, lengths_and_scores, pearson, spearman
from scrollwork.records.ranking import FORMAT, LENGTH, Correlated, FormatPoint, LengthPoint
from scrollwork.records.run_score import RunScore


def format_points(rows: Iterable[RunScore], of: RankingLabels) -> list[FormatPoint]:
    """Return a point for each run of a data set whose answers have a form.

    rows: as analysis/runs/selection.py leaves them.
    """
    return [
        FormatPoint(of.suite, of.split, row.task, row.model, row.arm, row.run, row.in_format, row.value)
        for row in rows
        if row.in_format is not None and row.value is not None
    ]


def length_points(answers: Iterable[Measured], of: RankingLabels) -> list[LengthPoint]:
    """Return a point for each model and instance. answers: of all runs, in their order."""
    return [
        LengthPoint(of.suite, of.split, one.dataset, *model_and_arm(one.model), one.instance, one.length, one.score)
        for one in lengths_and_scores(answers)
    ]


def correlations(
    formats: Sequence[FormatPoint],
    lengths: Sequence[LengthPoint],
    unit: str,
    published: Mapping[str, float],
    of: RankingLabels,
) -> list[Correlated]:
    """Return a row for each data set and what its scores are correlated with.

    unit: of the lengths. published: r with formats in the paper, by data set.
    """
    pairs: dict[tuple[str, str], list[tuple[float, float]]] = defaultdict(list)
    for run in formats:
        pairs[FORMAT, run.task].append((run.in_format, run.score))
    for answer in lengths:
        pairs[LENGTH, answer.task].append((float(answer.length), answer.score))
    found = []
    order = {task: place for place, task in enumerate(of.metrics)}
    for (against, task), points in sorted(pairs.items(), key=lambda one: (one[0][0], order.get(one[0][1], 0))):
        xs, ys = zip(*points, strict=True)
        found.append(
            Correlated(
                *(of.suite, of.split, task, against, unit if against == LENGTH else ""),
                *(pearson(xs, ys).r, spearman(xs, ys).r, len(points)),
                published.get(task) if against == FORMAT else None,
            )
        )
    return found
