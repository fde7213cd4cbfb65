"""Histograms of units: how many a context has, and how many words a unit (Dolce, granularities)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from reporting.drawing import Drawing, figure, written
from reporting.figures import COLOURS, NAME
from reporting.text import shown

if TYPE_CHECKING:
    import matplotlib.figure

BINS = 30


def units_figure(rows: Sequence[tuple[str, Sequence[int], Sequence[int]]], kind: str) -> bytes:
    """rows: (name, units of each context, words of each unit). kind: "svg" or "png"."""

    def draw() -> matplotlib.figure.Figure:
        made = figure(7.4, 0.4 + 1.8 * max(1, len(rows)))
        panels = made.subplots(max(1, len(rows)), 2, squeeze=False)
        for (name, counts, lengths), (left, right) in zip(rows, panels, strict=False):
            left.hist(counts, bins=BINS, color=COLOURS[0])
            right.hist(lengths, bins=BINS, color=COLOURS[1])
            left.set_title(f"{shown(name, NAME)}: units of a context")
            right.set_title("words of a unit")
        return made

    return written(Drawing("units", "Units", "", draw), kind)
