"""`seam rank` for people: models by AR, then each data set in the form of SEAM's table 3."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from scrollwork.analysis.runs.dominance import Dominance
from scrollwork.analysis.runs.ranking import Standing, in_order
from scrollwork.analysis.runs.scores import RunScores, ScoreTable
from scrollwork.cli.terminal.common import console
from scrollwork.reporting.page.text import cut_text


def show(table: ScoreTable, rows: Sequence[Standing], over: Iterable[Dominance]) -> None:
    """Print both tables."""
    print_rows(
        ("model", "AR", "ARSD %", *table.datasets),
        [
            (row.model, f"{row.ar:.4f}", percent(row.arsd), *(f"{row.ranks[dataset]:g}" for dataset in table.datasets))
            for row in rows
        ],
        "AR: mean of the ranks; ARSD: mean of std / mean",
    )
    arrows = {(one.dataset, one.worse): f"{one.arrow:.2f}" for one in over}
    digits = 1 if any(abs(scores.mean or 0) > 1 for scores in table.cells.values()) else 3
    print_rows(
        ("data set", "rank", "model", "mean ± std", "↓"),
        [
            (
                dataset,
                f"{row.ranks[dataset]:g}",
                row.model,
                mean_and_deviation(table.cell(row.model, dataset), digits),
                arrows.get((dataset, row.model), "–"),
            )
            for dataset in table.datasets
            for row in by_rank(table, rows, dataset)
        ],
        "↓: 1 - eps_min of the model above over this one; no probability",
    )


def show_detail(more: Mapping[str, Any]) -> None:
    """Print what --detail adds."""
    print_rows(
        ("model", "AR, 95 %", "ARSD, 95 %, in %", "best in %"),
        [
            (
                one["model"],
                interval_text(one["ar_interval"], 1, 2),
                interval_text(one["arsd_interval"], 100, 2),
                percent(one["best"], 1),
            )
            for one in more["robustness"]
        ],
        "by resampling runs",
    )
    if curve := more["stability"]["curve"]:
        needed = more["stability"]["runs_needed"]
        print_rows(
            ("runs", "same ranking in %", "Kendall's tau"),
            [(str(p["runs"]), percent(p["same"], 1), "–" if p["tau"] is None else f"{p['tau']:.3f}") for p in curve],
            f"same ranking in 95 % from {needed:,} runs on" if needed else "the same ranking in 95 %: not even then",
        )
    if more["dominance_official"]:
        print_rows(
            ("data set", "model", "over", "eps", "eps_min", "arrow"),
            [
                (
                    one["dataset"],
                    one["better"],
                    one["worse"],
                    *(f"{one[name]:.4f}" for name in ("eps", "eps_min")),
                    f"{one['arrow']:.2f}",
                )
                for one in more["dominance_official"]
            ],
            "on the official code's grid of 200 points",
        )
    if more["variance"]:
        print_rows(
            ("data set", "model", "source", "runs", "variance", "95 %", "share in %"),
            [
                (
                    part["dataset"],
                    part["model"],
                    source["source"],
                    str(source["runs"]),
                    f"{source['variance']:.4g}",
                    interval_text(source["interval"], 1, 4),
                    percent(source["share"], 1),
                )
                for part in more["variance"]
                for source in part["sources"]
            ],
            "shares: without the variance of the model's own draws where it was measured",
        )


def by_rank(table: ScoreTable, rows: Sequence[Standing], dataset: str) -> list[Standing]:
    """Sort models: the best first, those without a score last."""
    places = {model: place for place, model in enumerate(in_order(table.column(dataset)))}
    return sorted(rows, key=lambda row: (places.get(row.model, len(places)), row.model))


def mean_and_deviation(scores: RunScores, digits: int) -> str:
    """ "21.4 ± 0.7", or NA."""
    if scores.mean is None or scores.std is None:
        return "NA"
    return f"{scores.mean:.{digits}f} ± {scores.std:.{digits}f}"


def percent(share: float | None, digits: int = 4) -> str:
    """Format a share in percent, without the % sign."""
    return "–" if share is None else f"{100 * share:.{digits}f}"


def interval_text(ends: Sequence[float] | None, times: int, digits: int) -> str:
    """Format an interval."""
    return "–" if ends is None else f"{times * ends[0]:.{digits}f} to {times * ends[1]:.{digits}f}"


def print_rows(columns: Sequence[str], rows: Iterable[Sequence[str]], caption: str) -> None:
    """Print a table. Text from outside is shown literally, never as markup."""
    from rich.table import Table
    from rich.text import Text

    table = Table(caption=Text(cut_text(caption)), caption_justify="left")
    texts = ("model", "data set", "source", "over", "task", "problem")
    for name in columns:
        table.add_column(Text(cut_text(name)), justify="left" if name in texts else "right", overflow="fold")
    for row in rows:
        table.add_row(*(Text(cut_text(cell)) for cell in row))
    console().print(table)
