"""Charts of the complexity of problems, after Dolce's: shares of categories by task, problems by lambda and k, answers
by length of the window."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Mapping, Sequence
from math import nan
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from scrollwork.records.complexity import CATEGORIES, COW, PIG, SCENARIOS
from scrollwork.reporting.charts.drawing import SOFT, Drawing, figure
from scrollwork.reporting.charts.figures import MARKERS, NAME, folder
from scrollwork.reporting.page.content import Findings
from scrollwork.reporting.page.text import cut_text
from scrollwork.reporting.windows.problems import LAST, MEANINGS, is_same_fit, name, whole_tasks

if TYPE_CHECKING:
    import matplotlib.figure

Entry = Mapping[str, Any]
# From "no context needed" to "all of it"; they differ in grey too.
COLOURS = ("#bfbfbf", "#8ecae6", "#0072b2", "#e69f00", "#9e2a2b")
UNSOLVED, UNOBSERVED, UNDECIDED = "#4a1518", "#d9a5a6", "#ffffff"  # two parts of V, and problems in no category
OUTCOMES = (("right", "#0072b2"), ("declined", "#cfc9bd"), ("wrong", "#d55e00"))
LEVELS = (0.1, 0.5, 0.9)
NOTHING = 0.4  # position of a lambda or k of 0 on a logarithmic axis
POWERS = (1, 10, 100, 1000, 10_000, 100_000, 1_000_000)
SCORE = "#4d8f8b"
EDGE = SOFT
SEGMENTS = (  # (name, colour) of the segments of a bar
    *((f"{one} {meaning}", colour) for one, meaning, colour in zip(CATEGORIES[:LAST], MEANINGS, COLOURS, strict=False)),
    ("V holistic", COLOURS[LAST]),
    ("V unsolved by all of it", UNSOLVED),
    ("V, all of it not asked", UNOBSERVED),
    ("undecided", UNDECIDED),
)
KINDS = {COW: "COW: answers are right, wrong or declined", PIG: "PIG: answers have parts, scores are graded"}
MOST_BARS = 100
MOST_PANELS = 24
ACROSS = 3

SHARES = (
    "Share of problems in each category, of V what the whole context solves and what it does not; undecided ones are "
    "in none. Bars by III + IV + V."
)
PLANE = (
    "A mark a problem: units that one piece of evidence takes (λ) and how often it stands in the context (k), both on "
    "logarithmic axes, a little apart where several meet. Hollow: undecided. Colours and shapes are categories. "
    "Lines, in COW: where a window of l units has a chance of 10, 50 and 90 % to show the evidence."
)
BY_LENGTH = "Answers by units shown, C is the whole context: shares of windows, in PIG the mean score."


def complexity_drawings(findings: Findings) -> list[Drawing]:
    """The charts of every split with fits."""
    found = []
    splits = list(dict.fromkeys(row["split"] for row in findings.table("mixtures")))
    for split in splits:
        told, ending = (f", split {split}", f"-{folder(split)}") if len(splits) > 1 else ("", "")
        own = _Drawn(findings, split)
        for title, key, caption, draw, wide in (
            ("Categories of problems", "categories", SHARES, own.shares, True),
            ("Complexity and redundancy", "complexity", PLANE, own.plane, True),
            ("Answers by length of the window", "windows", BY_LENGTH, own.by_length, True),
        ):
            found.append(Drawing(f"{key}{ending}", f"{title}{told}", caption + own.left(key), draw, wide))
    return found


class _Drawn:
    """Draws the charts of one split."""

    def __init__(self, findings: Findings, split: str) -> None:
        self.findings = findings
        own = [row for row in findings.table("mixtures") if row["split"] == split]
        tasks, models = (list(dict.fromkeys(key(row) for row in own)) for key in (itemgetter("task"), name))
        self.rows = sorted(own, key=lambda row: (tasks.index(row["task"]), models.index(name(row)), row["scenario"]))
        self.tasks = whole_tasks(self.rows)

    def left(self, key: str) -> str:
        """A sentence on what a chart leaves out, "" for nothing."""
        most, rows = (MOST_BARS, self.rows) if key == "categories" else (MOST_PANELS, self.tasks)
        return f" {len(rows) - most} further lines are left out." if len(rows) > most else ""

    def shares(self) -> matplotlib.figure.Figure:
        """Shares of categories: a bar for each task and model, COW above PIG, each sorted by the share of III, IV and V
        (figure 2 of the paper)."""
        rows = self.rows[:MOST_BARS]
        kinds = [
            (kind, own)
            for kind in SCENARIOS
            if (own := sorted((row for row in rows if row["scenario"] == kind), key=needing))
        ]
        made = figure(9.2, 0.5 + sum(0.7 + 0.28 * len(own) for _, own in kinds))
        ratios = [1.0 + len(own) for _, own in kinds]
        panels = made.subplots(len(kinds), 1, squeeze=False, sharex=True, height_ratios=ratios).ravel()
        several = len({name(row) for row in rows}) > 1
        for axes, (kind, own) in zip(panels, kinds, strict=True):
            for place, row in enumerate(own):
                begin = 0.0
                for share, (_, colour) in zip(parts_of(row), SEGMENTS, strict=True):
                    axes.barh(-place, 100 * share, left=begin, color=colour, edgecolor=EDGE, linewidth=0.4, height=0.7)
                    begin += 100 * share
            axes.set_yticks([-place for place in range(len(own))], [bar_label(row, several) for row in own])
            axes.set_xlim(0, 100)
            axes.set_ylim(0.5 - len(own), 0.5)
            axes.set_title(KINDS[kind], loc="left")
            axes.grid(axis="y", visible=False)
        panels[-1].set_xlabel("% of problems")
        shown = [one for row in rows for one in zip(parts_of(row), SEGMENTS, strict=True)]
        drawn = {name for share, (name, _) in shown if share} | {name for name, _ in SEGMENTS[: len(CATEGORIES)]}
        marks = [
            panels[0].barh(0, 0, color=colour, edgecolor=EDGE, linewidth=0.4, label=label)
            for label, colour in SEGMENTS
            if label in drawn
        ]
        made.legend(handles=marks, loc="outside upper center", ncols=4, fontsize=8)
        return made

    def plane(self) -> matplotlib.figure.Figure:
        """Problems by lambda and k: a panel for each task and model."""
        made, panels = grid(self.tasks[:MOST_PANELS])
        for axes, row in panels:
            problems = [
                one
                for mixture in self.rows
                if is_same_task(mixture, row)
                for one in self.findings.table("complexity")
                if is_same_fit(one, mixture)
            ]
            top = max((one["units"] for one in problems), default=1)
            for one in problems:
                category = CATEGORIES.index(one["category"])
                x = NOTHING if one["complexity"] == 0 else 2.0 * top if one["complexity"] is None else one["complexity"]
                y = one["redundancy"] or NOTHING
                across, up = jitter(one["example_id"])
                colour = UNSOLVED if category == LAST and one["solved"] is False else COLOURS[category]
                axes.plot(
                    x * across,
                    y * up,
                    MARKERS[category],
                    color=colour,
                    markerfacecolor="none" if one["undecided"] else colour,
                    markersize=5,
                )
            ends = [(2.0 * top, "∞")] if any(one["complexity"] is None for one in problems) else []
            log_axis(axes, "x", max(one["complexity"] or 1 for one in problems) if problems else 1, ends)
            log_axis(axes, "y", max((one["redundancy"] for one in problems), default=1), [])
            for one in self.findings.table("planes"):
                if is_same_task(one, row) and row["scenario"] == COW:
                    contours(axes, one)
            axes.set_xlabel("λ, units" if row["scenario"] == COW else "λ, aspects")
            axes.set_ylabel("k")
        return made

    def by_length(self) -> matplotlib.figure.Figure:
        """Answers by length of the window: a panel for each task and model."""
        made, panels = grid(self.tasks[:MOST_PANELS])
        for axes, row in panels:
            own = [one for one in self.findings.table("observed") if is_same_task(one, row)]
            if row["scenario"] != COW:
                axes.bar(range(len(own)), [one["score"] for one in own], color=SCORE, width=0.8)
                axes.set_ylabel("mean score")
            begin = [0.0] * len(own)
            for outcome, colour in OUTCOMES if row["scenario"] == COW else ():
                values = [100 * one[outcome] for one in own]
                axes.bar(range(len(own)), values, bottom=begin, color=colour, width=0.8, label=outcome)
                begin = [low + value for low, value in zip(begin, values, strict=True)]
            axes.set_xticks(range(len(own)), ["C" if one["length"] is None else str(one["length"]) for one in own])
            axes.set_ylim(0, 100)
            axes.set_xlabel("units shown")
            axes.grid(axis="x", visible=False)
        drawn = next((axes for axes, row in panels if row["scenario"] == COW), None)
        if drawn is not None:
            made.legend(*drawn.get_legend_handles_labels(), loc="outside upper center", ncols=3, fontsize=8)
        return made


def needing(row: Entry) -> float:
    """Sort key of bars: minus the share of III, IV and V."""
    return -float(sum(row["decided"][2:]))


def parts_of(row: Entry) -> list[float]:
    """The shares of a fit's bar, 0 to 1, in the order of SEGMENTS."""
    return [*row["decided"][:LAST], *row["holistic"], row["undecided"] / row["problems"]]


def log_axis(axes: Any, which: str, top: float, more: Sequence[tuple[float, str]]) -> None:
    """Make an axis ("x" or "y") logarithmic from 0 to `top`, with plain numbers. more: (position, label) of more
    ticks."""
    ticks = [(NOTHING, "0"), *((float(one), f"{one:,}") for one in POWERS if one == 1 or one <= top), *more]
    ends = NOTHING / 1.4, 1.4 * max(top, *(place for place, _ in ticks))
    if which == "x":
        axes.set_xscale("log")
        axes.set_xticks(*zip(*ticks, strict=True))
        axes.set_xlim(ends)
    else:
        axes.set_yscale("log")
        axes.set_yticks(*zip(*ticks, strict=True))
        axes.set_ylim(ends)
    axes.minorticks_off()


def contours(axes: Any, plane: Entry) -> None:
    """Draw the lines on which a window shows the evidence with the probabilities LEVELS."""
    across, up = list(plane["complexities"]), list(plane["redundancies"])
    if len(across) < 2:
        return
    values = [
        [plane["values"][x * len(up) + y] if across[x] * up[y] <= plane["units"] else nan for x in range(len(across))]
        for y in range(len(up))
    ]
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="No contour levels were found")  # all lines are outside
        drawn = axes.contour(across, up, values, levels=LEVELS, colors=SOFT, linewidths=0.7)
    axes.clabel(drawn, fmt=lambda one: f"{100 * one:.0f} %", fontsize=6)
    axes.text(
        1.0, 1.0, f"l = {plane['length']:,}, C = {plane['units']:,}", transform=axes.transAxes, fontsize=6, color=SOFT,
        ha="right", va="top",
    )  # fmt: skip


def is_same_task(row: Entry, other: Entry) -> bool:
    """Whether two rows belong to the same task and model."""
    return all(row[one] == other[one] for one in ("task", "split", "model", "arm"))


def bar_label(row: Entry, several: bool) -> str:
    """The label of a bar or panel. several: whether there are several models."""
    told = f"{row['task']}, {name(row)}" if several else str(row["task"])
    return cut_text(told, NAME)


def jitter(problem: str) -> tuple[float, float]:
    """Factors, 0.9 to 1.1, by which a mark is moved so that equal ones stay visible; by the problem's name."""
    digest = hashlib.sha256(problem.encode("utf-8", "surrogatepass")).digest()
    return 0.9 + 0.2 * digest[0] / 255, 0.9 + 0.2 * digest[1] / 255


def grid(rows: Sequence[Entry]) -> tuple[matplotlib.figure.Figure, list[tuple[Any, Entry]]]:
    """(figure, [(axes, row)]) with a panel for each row."""
    down = -(-len(rows) // ACROSS)
    made = figure(9.2, 0.3 + 2.5 * down)
    panels = made.subplots(down, min(ACROSS, len(rows)), squeeze=False).ravel()
    several = len({name(row) for row in rows}) > 1
    for axes, row in zip(panels, rows, strict=False):
        axes.set_title(bar_label(row, several), color=SOFT)
    for axes in panels[len(rows) :]:
        axes.set_visible(False)
    return made, list(zip(panels, rows, strict=False))
