"""Charts of a ranking over runs, after SEAM's figures 3 to 5: scores of runs as boxes, average rank against spread,
score against format and against prompt length; and how many runs the ranking needs."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

from scrollwork.records.ranking import COMPUTED, FORMAT, LENGTH, PUBLISHED, LengthPoint, ModelRank, TaskRank
from scrollwork.reporting.boards.board import Board, SplitBoard
from scrollwork.reporting.boards.ranks import Ranks, label
from scrollwork.reporting.charts.drawing import INK, SOFT, Drawing, figure
from scrollwork.reporting.charts.figures import COLOURS, MARKERS, MOST_LINES, NAME, charted_lines, folder
from scrollwork.reporting.charts.point_names import name_places
from scrollwork.reporting.page.text import cut_text

if TYPE_CHECKING:
    import matplotlib.figure

ACROSS = 3  # panels in a row
MOST_POINTS = 400  # points in one panel
LONGEST = 7500  # longest prompt in SEAM's figure 5
PERCENT = 100.0
POINTS = 72  # typographic points per inch

BOXES = (
    "A box a model over the scores of its runs: from first to third quartile with the median, whiskers to the last run "
    "within 1.5 interquartile ranges, dots beyond."
)
SPREADS = (
    "Average rank (AR) against the mean of std / mean (ARSD): the lower left is best. Ranks are among the models of "
    "one panel, so places in one panel say nothing about the other."
)
FORMATS = "A mark a run of a model: its score against the share of its answers that were in the form asked for."
STABLE = (
    "Share of rankings from so many runs, drawn with replacement, that order every pair of models as the ranking from "
    "all runs does. Dashed: 95 %."
)


def run_drawings(board: Board) -> list[Drawing]:
    """The charts of every split for which there are data."""
    found = []
    for split in board.ranks.splits:
        several = len(board.ranks.splits) > 1
        of, ending = (f", split {split}", f"-{folder(split)}") if several else ("", "")
        section = next(one for one in board.sections if one.split == split)
        own = _Drawn(board, section, board.ranks.of(split))
        left = len(own.ranks.ranked()) - len(own.models)
        more = f" {left} further models are left out." if left else ""
        for name, title, caption, draw, wide, there in (
            ("runs", "Scores of runs", BOXES, own.boxes, True, any(row.scores for row in own.ranks.tasks)),
            ("rank-spread", "Average rank against spread", SPREADS, own.spreads, True, bool(own.models)),
            ("format", "Score against format", FORMATS, own.formats, True, bool(own.ranks.formats)),
            (
                "prompt-length",
                "Score against length of the prompt",
                own.told,
                own.lengths,
                True,
                bool(own.ranks.lengths),
            ),
            ("stability", "Runs that the ranking needs", STABLE, own.stability, False, bool(own.ranks.stability)),
        ):
            if there:
                found.append(Drawing(f"{name}{ending}", f"{title}{of}", caption + more, draw, wide))
    return found


def thin_out(points: Sequence[LengthPoint], most: int = MOST_POINTS) -> list[LengthPoint]:
    """At most `most` points, the same ones in any order: those with the lowest digests of their names."""
    if len(points) <= most:
        return list(points)

    def digest(point: LengthPoint) -> bytes:
        return hashlib.sha256(f"{point.instance}\0{point.model}\0{point.arm}".encode()).digest()

    return sorted(points, key=digest)[:most]


def places(section: SplitBoard, ranked: Sequence[tuple[str, str]]) -> dict[tuple[str, str], int]:
    """The place (colour and marker) of each drawn model, at most MOST_LINES. It is the one that the model has in the
    other charts of the page, so that its colour is the same; models that are not in them get the remaining places."""
    known = {(line.model, line.arm): place for place, line in enumerate(charted_lines(section))}
    left = iter(sorted(set(range(MOST_LINES)) - {known[who] for who in ranked if who in known}))
    return {who: known[who] if who in known else next(left) for who in ranked}


class _Drawn:
    """Draws the charts of one split. models: the drawn models, each with its place (colour and marker)."""

    def __init__(self, board: Board, section: SplitBoard, ranks: Ranks) -> None:
        self.ranks = ranks
        self.short = {column.task: column.short for column in board.columns}
        ranked = ranks.ranked()[:MOST_LINES]
        self.models = places(section, [(row.model, row.arm) for row in ranked])
        self.names = {(row.model, row.arm): cut(label(row.model, row.arm)) for row in ranked}

    @property
    def told(self) -> str:
        """Caption of the chart of prompt lengths."""
        unit = next((row.unit for row in self.ranks.correlations if row.against == LENGTH), "words")
        counted = "white-space words, as cl100k_base is not on this machine" if unit == "words" else unit
        most = f"{MOST_POINTS} points of a data set at most are drawn, all are counted in r" if self.thin else ""
        return (
            f"Length of the whole prompt (in {counted}, up to {LONGEST:,}) against the score of an instance, between a "
            f"model’s worst (0) and best (1) on the data set, averaged over its runs. {most}{'.' if most else ''}"
        ).strip()

    @property
    def thin(self) -> bool:
        """Whether points are left out of the chart of prompt lengths."""
        tasks = [point.task for point in self.ranks.lengths]
        return any(tasks.count(task) > MOST_POINTS for task in set(tasks))

    def boxes(self) -> matplotlib.figure.Figure:
        """Scores of runs: a panel for each data set, a box for each model, by name (SEAM, figure 3)."""
        order = sorted(self.models, key=lambda one: self.names[one].casefold())
        tasks = self.ranks.datasets()
        made, panels = self._panels(tasks, 0.75 + 0.24 * len(order))
        for number, (axes, task) in enumerate(zip(panels, tasks, strict=False)):
            rows = {(row.model, row.arm): row for row in self.ranks.column(task)}
            for y, who in enumerate(order):
                self._box(axes, y, rows[who], COLOURS[self.models[who] % len(COLOURS)])
            axes.set_ylim(len(order) - 0.4, -0.6)
            first = number % across_of(len(tasks)) == 0
            named = [self.names[who] for who in order] if first else [""] * len(order)
            axes.set_yticks(range(len(order)), named)
            axes.set_title(self._title(task), loc="left")
            axes.use_sticky_edges = False  # leave a margin, so that a box at the edge is not cut
            axes.margins(x=0.08)
        return made

    def _box(self, axes: Any, y: float, row: TaskRank, colour: str) -> None:
        if row.box is None:
            axes.annotate("NA", (0.02, y), xycoords=("axes fraction", "data"), color=SOFT, fontsize=8, va="center")
            return
        box = row.box
        axes.plot([box.low, box.high], [y, y], color=colour, linewidth=0.9)
        axes.barh(y, box.q3 - box.q1, left=box.q1, height=0.62, facecolor=colour, edgecolor=colour, alpha=0.35)
        axes.plot([box.median, box.median], [y - 0.31, y + 0.31], color=INK, linewidth=1.6)
        if box.fliers:
            axes.plot(box.fliers, [y] * len(box.fliers), linestyle="none", marker="o", markersize=3, color=colour)

    def spreads(self) -> matplotlib.figure.Figure:
        """AR against ARSD: a panel for our models, one for the paper's."""
        tables = [(COMPUTED, "here"), (PUBLISHED, "as published")]
        shown_tables = [(source, title) for source, title in tables if self._placed(source)]
        made = figure(9.2, 3.6)
        panels = made.subplots(1, len(shown_tables) or 1, squeeze=False)
        for axes, (source, title) in zip(panels.flat, shown_tables, strict=False):
            rows = self._placed(source)
            for number, row in enumerate(rows):
                place = number if source == PUBLISHED else self.models[row.model, row.arm]
                axes.plot(*spot(row), **mark(place), zorder=3)
            axes.set_title(title, loc="left")
            axes.set_xlabel(f"AR, over {rows[0].tasks} data set{'s' if rows[0].tasks > 1 else ''}")
            axes.set_ylabel("ARSD, %")
            axes.margins(0.12)
            top = PERCENT * max(row.arsd or 0.0 for row in rows) or 1.0
            axes.set_ylim(-0.05 * top, 1.15 * top)
        made.draw_without_rendering()  # so that positions in points are known
        for axes, (source, _) in zip(panels.flat, shown_tables, strict=False):
            rows = self._placed(source)
            points = axes.transData.transform([spot(row) for row in rows]) * POINTS / made.dpi
            left, right = (end * POINTS / made.dpi for end in axes.get_window_extent().intervalx)
            names = [cut(label(row.model, row.arm), 24) for row in rows]
            for row, name, (x, y, side) in zip(rows, names, name_places(points, names, left, right), strict=True):
                axes.annotate(name, spot(row), xytext=(x, y), textcoords="offset points", fontsize=8, ha=side)
        return made

    def _placed(self, source: str) -> list[ModelRank]:
        """Models with both AR and ARSD, at most MOST_LINES."""
        return [row for row in self.ranks.ranked(source)[:MOST_LINES] if row.arsd is not None]

    def formats(self) -> matplotlib.figure.Figure:
        """Score against format: a panel for each data set with a required answer format."""
        tasks = [task for task in self.ranks.datasets() if any(point.task == task for point in self.ranks.formats)]
        made, panels = self._panels(tasks, 2.7)
        for axes, task in zip(panels, tasks, strict=False):
            for who, place in self.models.items():
                points = [one for one in self.ranks.formats if (one.task, (one.model, one.arm)) == (task, who)]
                axes.plot([one.in_format for one in points], [one.score for one in points], **mark(place, 4))
            axes.set_xlim(-4, 104)
            axes.set_xlabel("answers in form, %")
            axes.set_title(self._title(task, FORMAT), loc="left")
        panels[0].set_ylabel("score of the run")
        self._legend(made, {(one.model, one.arm) for one in self.ranks.formats})
        return made

    def lengths(self) -> matplotlib.figure.Figure:
        """Score against prompt length: a panel for each data set with scores of single instances (SEAM, figure 5)."""
        tasks = [task for task in self.ranks.datasets() if any(point.task == task for point in self.ranks.lengths)]
        made, panels = self._panels(tasks, 2.7)
        unit = next((row.unit for row in self.ranks.correlations if row.against == LENGTH), "")
        for axes, task in zip(panels, tasks, strict=False):
            points = thin_out([one for one in self.ranks.lengths if one.task == task])
            for who, place in self.models.items():
                own = [one for one in points if (one.model, one.arm) == who]
                axes.plot([one.length for one in own], [one.score for one in own], **mark(place, 3), alpha=0.55)
            axes.set_ylim(-0.04, 1.04)
            axes.set_xlabel("words" if unit == "words" else "tokens")
            axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
            axes.locator_params(axis="x", nbins=5)
            axes.set_title(self._title(task, LENGTH), loc="left")
        panels[0].set_ylabel("score, worst to best")
        self._legend(made, {(one.model, one.arm) for one in self.ranks.lengths})
        return made

    def stability(self) -> matplotlib.figure.Figure:
        """Share of rankings that equal the full one, by number of runs."""
        made = figure(5.6, 3.2)
        axes = made.subplots()
        rows = sorted(self.ranks.stability, key=lambda row: row.runs)
        axes.plot(
            [row.runs for row in rows], [PERCENT * row.same for row in rows], color=COLOURS[0], marker="o", markersize=4
        )
        axes.axhline(95, color=SOFT, linestyle="--", linewidth=0.9)
        axes.set_xscale("log")
        axes.minorticks_off()
        ticks = sorted({rows[0].runs, rows[-1].runs, *(one for one in (2, 5, 10, 20, 50) if one < rows[-1].runs)})
        axes.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
        axes.set_ylim(0, 104)
        axes.set_xlabel("runs")
        axes.set_ylabel("same ranking, %")
        return made

    def _panels(self, tasks: Sequence[str], height: float) -> tuple[matplotlib.figure.Figure, list[Any]]:
        """A figure with a panel for each data set, and room for the legend."""
        across = across_of(len(tasks))
        down = -(-len(tasks) // across)
        made = figure(9.2, 0.5 + down * height)
        panels = list(made.subplots(down, across, squeeze=False).flat)
        for panel in panels[len(tasks) :]:
            panel.set_visible(False)
        return made, panels

    def _title(self, task: str, against: str = "") -> str:
        """Title of a data set's panel: its name, "(proxy)" if its metric is one, and Pearson's r with `against`."""
        proxy = " (proxy)" if task in self.ranks.proxies() else ""
        title = f"{cut_text(self.short.get(task, task), NAME)}{proxy}"
        for row in self.ranks.correlations:
            if (row.task, row.against) == (task, against) and row.pearson is not None:
                return f"{title}   r {row.pearson:.2f}, n {row.points:,}"
        return title

    def _legend(self, made: matplotlib.figure.Figure, drawn: Collection[tuple[str, str]]) -> None:
        """Add a legend. drawn: models with a point."""
        from matplotlib.lines import Line2D

        shown_models = [who for who in self.models if who in drawn]
        marks = [Line2D([], [], **mark(self.models[who])) for who in shown_models]
        names = [self.names[who] for who in shown_models]
        made.legend(marks, names, loc="outside upper left", ncols=min(4, len(names)), fontsize=8)


def across_of(panels: int) -> int:
    """Number of panels in a row; four panels are two and two."""
    return 2 if panels == 4 else min(ACROSS, panels)


def spot(row: ModelRank) -> tuple[float, float]:
    """Position of a model in the chart of AR against ARSD."""
    return row.ar, PERCENT * (row.arsd or 0.0)


def mark(place: int, size: float = 5) -> dict[str, Any]:
    """matplotlib settings of the marker at a place."""
    return {
        "color": COLOURS[place % len(COLOURS)],
        "marker": MARKERS[place % len(MARKERS)],
        "markersize": size,
        "markeredgewidth": 0.0,
        "linestyle": "none",
    }


def cut(name: str, most: int = NAME) -> str:
    """Shorten a name for a chart."""
    return cut_text(name, 120) if len(name) <= most else cut_text(name[: most - 1], 120) + "…"
