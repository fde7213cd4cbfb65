"""Histograms of units: units of a context, and words of a unit (Dolce, granularities)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from scrollwork.reporting.charts.drawing import Drawing, chart_file, figure
from scrollwork.reporting.charts.figures import COLOURS, NAME
from scrollwork.reporting.page.text import cut_text

if TYPE_CHECKING:
    import matplotlib.figure

BINS = 30  # at most


def units_figure(rows: Sequence[tuple[str, Sequence[int], Sequence[int]]], kind: str) -> bytes:
    """A chart as a file. rows: (name, units of each context, words of each unit). kind: "svg" or "png"."""

    def draw() -> matplotlib.figure.Figure:
        made = figure(7.4, 0.4 + 1.8 * max(1, len(rows)))
        panels = made.subplots(max(1, len(rows)), 2, squeeze=False)
        for (name, counts, lengths), (left, right) in zip(rows, panels, strict=False):
            left.hist(counts, bins=edges(counts), color=COLOURS[0])
            right.hist(lengths, bins=edges(lengths), color=COLOURS[1])
            left.set_ylabel("problems")
            right.set_ylabel("units")
            left.set_title(f"{cut_text(name, NAME)}: units of a context")
            right.set_title("words of a unit")
        return made

    return chart_file(Drawing("units", "Units", "", draw), kind)


def edges(values: Sequence[int]) -> list[float]:
    """Edges of bins with equally many whole numbers each; other bins would make smooth counts look jagged."""
    low, high = min(values, default=0), max(values, default=0)
    width = -(-(high - low + 1) // BINS)
    count = -(-(high - low + 1) // width)
    return [low - 0.5 + width * place for place in range(count + 1)]
