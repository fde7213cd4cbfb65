"""A ranking as printed by `seam rank --json`, and by `run --json` under its own key."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from scrollwork.analysis.runs.dominance import Dominance, dominance
from scrollwork.analysis.runs.ranking import Standing
from scrollwork.analysis.runs.robustness import Sureness
from scrollwork.analysis.runs.scores import ScoreTable
from scrollwork.analysis.runs.stability import Stability
from scrollwork.analysis.runs.variance import Split

Named = Callable[[str], str]


def as_it_is(name: str) -> str:
    """Return a model's name in the table unchanged."""
    return name


def as_json(
    table: ScoreTable, rows: Iterable[Standing], over: Iterable[Dominance], named: Named = as_it_is
) -> dict[str, Any]:
    """Return {models: [...], dominance: [...]}; means and deviations of NA are null. named: how names are shown."""
    return {
        "models": [
            {
                "model": named(row.model),
                "ar": row.ar,
                "arsd": row.arsd,
                "ranks": dict(row.ranks),
                "means": {dataset: scores.mean for dataset, scores in table.row(row.model).items()},
                "stds": {dataset: scores.std for dataset, scores in table.row(row.model).items()},
            }
            for row in rows
        ],
        "dominance": dominance_json(over, named),
    }


def dominance_json(over: Iterable[Dominance], named: Named) -> list[dict[str, Any]]:
    """Return a row for each pair of models."""
    return [
        {
            "dataset": one.dataset,
            "better": named(one.better),
            "worse": named(one.worse),
            "eps": one.eps,
            "eps_min": one.eps_min,
            "arrow": one.arrow,
        }
        for one in over
    ]


def detail_json(
    table: ScoreTable,
    sure: Iterable[Sureness],
    arsd: Mapping[str, float | None],
    curve: Sequence[Stability],
    needed: int | None,
    splits: Mapping[tuple[str, str], Split],
    named: Named = as_it_is,
) -> dict[str, Any]:
    """Return what --detail adds. splits: of designed experiments, by (model, data set).

    {robustness: [{model, ar_interval, arsd_interval, best, minima, maxima}], dataset_arsd, stability: {runs_needed,
    curve: [{runs, same, tau}]}, variance: [{model, dataset, sources, draws, total, rest}], dominance_official: like
    dominance, on the official code's grid}
    """
    return {
        "robustness": [
            {
                "model": named(one.model),
                "ar_interval": one.ar,
                "arsd_interval": one.arsd,
                "best": one.best,
                "minima": {dataset: scores.minimum for dataset, scores in table.row(one.model).items()},
                "maxima": {dataset: scores.maximum for dataset, scores in table.row(one.model).items()},
            }
            for one in sure
        ],
        "dataset_arsd": dict(arsd),
        "stability": {"runs_needed": needed, "curve": [vars(point) for point in curve]},
        "variance": [
            {"model": named(model), "dataset": dataset, **vars(found), "sources": [vars(one) for one in found.sources]}
            for (model, dataset), found in splits.items()
        ],
        "dominance_official": dominance_json(dominance(table, official=True), named),
    }
