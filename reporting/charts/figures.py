"""The charts of a report, drawn by matplotlib: as files for papers, and inline in the colours of the page.

matplotlib is used because papers use it, because it writes SVG and PNG, and because the page then needs no script: five
charts are about 150 KB of SVG (20 KB compressed), a charting script alone is 1 to 4 MB. Lines differ by marker and
stroke too, so that they can be read in grey.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from scrollwork.reporting.boards.board import Board, Line, SplitBoard
from scrollwork.reporting.boards.cells import Column
from scrollwork.reporting.charts.drawing import LINE, PAPER, SOFT, Drawing, chart_file, figure, inline, quantiles
from scrollwork.reporting.page.content import Figure, Findings
from scrollwork.reporting.page.text import cut_text
from scrollwork.reporting.page.usage import Usage

if TYPE_CHECKING:
    import matplotlib.figure

MOST_LINES = 12  # models in one chart
NAME = 42  # characters of a model's name in a chart
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#b35f93", "#8a7a00", "#7b61c9", "#3c93c2", "#777777")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*", "<", ">", "p", "h")
STROKES = ("-", "--", "-.", ":")
GAP, BOX = 1.0, 0.7  # space between two tasks, height of a box; in slots
SLOT = 0.155  # height of a line's slot, inches
Lengths = Mapping[tuple[str, str, int], Sequence[float]]


def drawings(
    board: Board, findings: Findings, usage: Mapping[tuple[str, int], Usage], lengths: Lengths
) -> list[Drawing]:
    """The charts of every split for which there are data."""
    found = []
    for section in board.sections:
        lines = charted_lines(section)
        if not lines:
            continue
        several = len(board.sections) > 1
        of, ending = (f", split {section.split}", f"-{folder(section.split)}") if several else ("", "")
        left = len(section.lines) - len(lines)
        more = (
            f" {left} further lines of the leaderboard are left out." if left > 0 and len(lines) == MOST_LINES else ""
        )
        own = _Drawn(board.columns, section, lines, findings, usage, lengths)
        for name, title, caption, draw, wide, there in (
            ("scores", "Scores", INTERVALS.format(RUNS if board.ranked else DOCUMENTS), own.scores, True, True),
            ("by-length", "Score by document length", SLICED, own.by_length, True, bool(own.slices)),
            ("lengths", "Words of answers", BOXES, own.answer_lengths, False, bool(own.counted)),
            ("cost", "Cost against score", COSTS, own.cost, False, bool(own.priced)),
        ):
            if there:
                found.append(Drawing(f"{name}{ending}", f"{title}{of}", caption + more, draw, wide))
    return found


def charted_lines(section: SplitBoard) -> list[Line]:
    """The lines of a section that charts show; their order decides colours and markers."""
    return [line for line in section.lines if any(cell.value is not None for cell in line.cells)][:MOST_LINES]


INTERVALS = "Dots are scores, bars 95 % intervals ({}). A hollow dot has unanswered inputs."
DOCUMENTS, RUNS = "bootstrap over documents", "Student’s, for the mean of runs"
SLICED = "Score on quarters of the inputs by words of their documents (logarithmic axis), with 95 % intervals."
BOXES = "Boxes from first to third quartile with the median, whiskers from the 5th to the 95th percentile."
COSTS = "Benchmark average against what the answers cost, on a logarithmic axis."


def folder(name: str) -> str:
    """A name as part of a file's name."""
    return re.sub(r"[^A-Za-z0-9_-]+", "-", name)


def figures(drawings: Iterable[Drawing]) -> list[Figure]:
    """Draw charts as inline SVG for a page."""
    return [
        Figure(one.name, one.title, one.caption, inline(chart_file(one, "svg").decode("utf-8"), one), one.wide)
        for one in drawings
    ]


class _Drawn:
    """Draws the charts of one split."""

    def __init__(
        self,
        columns: Sequence[Column],
        section: SplitBoard,
        lines: Sequence[Line],
        findings: Findings,
        usage: Mapping[tuple[str, int], Usage],
        lengths: Lengths,
    ) -> None:
        self.columns, self.lines = columns, lines
        numbers = [section.lines.index(line) for line in lines]
        self.slices = [
            row
            for row in findings.slices
            if row["split"] == section.split and row["by"] == "document_words" and row["value"] is not None
        ]
        names = {(line.model, line.arm) for line in lines}
        self.slices = [row for row in self.slices if (row["model"], row["arm"]) in names]
        self.counted = {
            (column.task, place): lengths[column.task, section.split, number]
            for column in columns
            for place, number in [*enumerate(numbers), (-1, -1)]
            if lengths.get((column.task, section.split, number))
        }
        self.priced = [
            (place, usage[section.split, number].cost_nano_usd / 1e9, line.average.value)
            for place, (number, line) in enumerate(zip(numbers, lines, strict=True))
            if line.average.value is not None
            and (section.split, number) in usage
            and usage[section.split, number].cost_nano_usd
        ]

    def scores(self) -> matplotlib.figure.Figure:
        """Scores: a row for each task, in it a dot with its interval for each model."""
        places = range(len(self.lines))
        rows = [
            (column, [place for place in places if self.lines[place].cells[at].value is not None])
            for at, column in enumerate(self.columns)
        ]
        made, axes = _banded(9.2, rows)
        for column, place, y in _slots(rows):
            cell = self.lines[place].cells[self.columns.index(column)]
            if cell.low is not None and cell.high is not None:
                axes.plot([cell.low, cell.high], [y, y], color=_colour(place), linewidth=1.3)
            axes.plot(cell.value, y, **_dot(place, hollow=bool(cell.unanswered)))
        axes.set_xlabel("score")
        axes.margins(x=0.02)
        axes.set_xlim(left=0)
        self._legend(made)
        return made

    def by_length(self) -> matplotlib.figure.Figure:
        """Score by document length: a panel for each task, a curve for each model."""
        tasks = [column for column in self.columns if any(row["task"] == column.task for row in self.slices)]
        across = min(5, len(tasks))
        down = -(-len(tasks) // across)
        made = figure(9.2, 0.8 + 1.75 * down)
        panels = made.subplots(down, across, squeeze=False)
        for panel in panels.flat[len(tasks) :]:
            panel.set_visible(False)
        for panel, column in zip(panels.flat, tasks, strict=False):
            for place, line in enumerate(self.lines):
                self._curve(panel, place, line, column.task)
            panel.set_xscale("log")
            panel.set_title(cut_text(column.short, NAME), loc="left")
            panel.minorticks_off()
            values = [row for row in self.slices if row["task"] == column.task]
            ticks = [min(_middle(row) for row in values), max(_middle(row) for row in values)]
            panel.set_xticks(sorted(set(ticks)), [f"{tick:,.0f}" for tick in sorted(set(ticks))])
        self._legend(made)
        return made

    def _curve(self, panel: Any, place: int, line: Line, task: str) -> None:
        rows = [row for row in self.slices if (row["task"], row["model"], row["arm"]) == (task, line.model, line.arm)]
        rows.sort(key=_middle)
        x = [_middle(row) for row in rows]
        panel.plot(
            x,
            [row["value"] for row in rows],
            color=_colour(place),
            marker=MARKERS[place % len(MARKERS)],
            markersize=3.5,
            linestyle=STROKES[place % len(STROKES)],
            linewidth=1.2,
        )
        for at, row in zip(x, rows, strict=True):
            if row["low"] is not None:
                panel.plot([at, at], [row["low"], row["high"]], color=_colour(place), linewidth=0.7)

    def answer_lengths(self) -> matplotlib.figure.Figure:
        """Lengths of answers: boxes for the references and each model."""
        places = [*range(len(self.lines)), -1]
        rows = [(one, [place for place in places if (one.task, place) in self.counted]) for one in self.columns]
        made, axes = _banded(5.6, rows)
        for column, place, y in _slots(rows):
            self._box(axes, y, self.counted[column.task, place], place)
        axes.set_xscale("symlog", linthresh=1)
        axes.set_xlim(left=0)
        axes.set_xlabel("words")
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
        self._legend(made, references=True)
        return made

    def _box(self, axes: Any, y: float, values: Sequence[float], place: int) -> None:
        low, first, middle, third, high = quantiles(values, (0.05, 0.25, 0.5, 0.75, 0.95))
        colour = SOFT if place < 0 else _colour(place)
        axes.plot([low, high], [y, y], color=colour, linewidth=0.8)
        axes.barh(
            y,
            third - first,
            left=first,
            height=BOX,
            facecolor="none" if place < 0 else colour,
            edgecolor=colour,
            linewidth=0.8,
            alpha=1 if place < 0 else 0.35,
        )
        if place < 0:
            axes.plot([middle, middle], [y - BOX / 2, y + BOX / 2], color=SOFT, linewidth=1.6)
        else:
            axes.plot(middle, y, **{**_dot(place), "markersize": 4})

    def cost(self) -> matplotlib.figure.Figure:
        """Cost against average score: a dot for each model that cost something."""
        made = figure(5.6, 3.6)
        axes = made.subplots()
        for place, dollars, value in self.priced:
            axes.plot(dollars, value, **{**_dot(place), "markersize": 8})
            axes.annotate(_name(self.lines[place]), (dollars, value), (7, 5), textcoords="offset points", fontsize=8)
        axes.set_xscale("log")
        axes.margins(0.25)
        axes.xaxis.set_major_formatter(lambda dollars, _: f"${dollars:g}")
        axes.minorticks_off()
        axes.set_xlabel("cost of all answers")
        axes.set_ylabel("average score")
        return made

    def _legend(self, made: matplotlib.figure.Figure, references: bool = False) -> None:
        from matplotlib.lines import Line2D
        from matplotlib.patches import Patch

        marks: list[Any] = [
            Line2D([], [], **{**_dot(place), "linestyle": STROKES[place % len(STROKES)]})
            for place in range(len(self.lines))
        ]
        names = [_name(line) for line in self.lines]
        if references:
            marks.append(Patch(facecolor="none", edgecolor=SOFT))
            names.append("references")
        widest = 0.35 + 0.068 * max(map(len, names))  # inches of a column at 8 points
        columns = max(1, min(3, len(names), int(made.get_figwidth() / widest)))
        made.legend(marks, names, loc="outside upper left", ncols=columns, fontsize=8)


Rows = Sequence[tuple[Column, Sequence[int]]]  # tasks, and the numbers of the lines with data


def _banded(width: float, rows: Rows) -> tuple[matplotlib.figure.Figure, Any]:
    """An empty chart with a band for each task, as high as its number of lines; every other band is shaded."""
    held = [(column, places) for column, places in rows if places]
    heights = [len(places) + GAP for _, places in held]
    made = figure(width, 1.1 + SLOT * sum(heights))
    axes = made.subplots()
    edges = [sum(heights[:place]) for place in range(len(heights) + 1)]
    bands = list(pairwise(edges))
    for top, bottom in bands[::2]:
        axes.axhspan(top, bottom, facecolor=LINE, alpha=0.22, linewidth=0)
    axes.set_yticks([(top + bottom) / 2 for top, bottom in bands], [cut_text(column.task, NAME) for column, _ in held])
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="y", visible=False)
    axes.set_ylim(edges[-1], 0)
    return made, axes


def _slots(rows: Rows) -> Iterator[tuple[Column, int, float]]:
    """(task, line, y) of every slot in a chart of `_banded`."""
    top = 0.0
    for column, places in rows:
        for at, place in enumerate(places):
            yield column, place, top + (GAP + 1) / 2 + at
        top += len(places) + GAP if places else 0


def _middle(row: Mapping[str, Any]) -> float:
    """The position of a quarter of the inputs on a logarithmic axis of words: the geometric mean of its ends."""
    return float((max(1, row["least"]) * max(1, row["most"])) ** 0.5)


def _colour(place: int) -> str:
    return COLOURS[place % len(COLOURS)]


def _dot(place: int, hollow: bool = False) -> dict[str, Any]:
    face = PAPER if hollow else _colour(place)
    return {
        "color": _colour(place),
        "marker": MARKERS[place % len(MARKERS)],
        "markersize": 5,
        "linestyle": "none",
        "markerfacecolor": face,
        "clip_on": False,  # do not cut marks at the edge
    }


def _name(line: Line) -> str:
    return cut_text(line.label, 120) if len(line.label) <= NAME else cut_text(line.label[: NAME - 1], 120) + "…"
