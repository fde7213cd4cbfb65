"""What a page shows beside its leaderboard: groups of examples, what answers took, what was compared, figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from scrollwork.reporting.boards.board import Line
from scrollwork.reporting.page.usage import Usage

ENTRY = Mapping[str, Any]


@dataclass(frozen=True)
class Excerpt:
    """A passage and what stands around it."""

    before: str
    text: str
    after: str


@dataclass(frozen=True)
class Question:
    """What a problem asks, and its references."""

    query: str
    references: Sequence[str]


@dataclass(frozen=True)
class Texts:
    """Of typical problems. passages: by (document, start, end); questions: by (task, split, problem)."""

    passages: Mapping[tuple[str, int, int], Excerpt] = field(default_factory=dict)
    questions: Mapping[tuple[str, str, str], Question] = field(default_factory=dict)


@dataclass(frozen=True)
class Beside:
    """Rows of the stages judge and compare as plain values, named as there: comparisons and averages
    (records/comparison.py), conduct and slices (records/judgement.py). Of stage complexity (records/complexity.py):
    problems, mixtures of tasks, what was observed at each length of tasks and (tables) of problems, how probable it is
    that windows show evidence (planes), where typical problems were answered right (sights, passages), how fits of two
    models agree. Empty where nothing was judged."""

    comparisons: Sequence[ENTRY] = ()
    averages: Sequence[ENTRY] = ()
    conduct: Sequence[ENTRY] = ()
    slices: Sequence[ENTRY] = ()
    complexity: Sequence[ENTRY] = ()
    mixtures: Sequence[ENTRY] = ()
    observed: Sequence[ENTRY] = ()
    tables: Sequence[ENTRY] = ()
    planes: Sequence[ENTRY] = ()
    sights: Sequence[ENTRY] = ()
    passages: Sequence[ENTRY] = ()
    agreements: Sequence[ENTRY] = ()


@dataclass(frozen=True)
class Figure:
    """A chart. wide: over the whole width of the page. svg: inline, in colours of the page."""

    name: str
    title: str
    caption: str
    svg: str
    wide: bool = False


@dataclass(frozen=True)
class Content:
    """groups: tasks with examples, as the page lists them. usage: by (split, number of the line in it). folder: where
    the page finds its data, "" where they are within it. texts: of typical problems in Dolce."""

    groups: Sequence[ENTRY] = ()
    usage: Mapping[tuple[str, int], Usage] = field(default_factory=dict)
    beside: Beside = field(default_factory=Beside)
    figures: Sequence[Figure] = ()
    folder: str = ""
    texts: Texts = field(default_factory=Texts)

    def average(self, split: str, line: Line) -> tuple[float, float] | None:
        """The 95 % interval of a line's average over tasks, where it is known."""
        for row in self.beside.averages:
            if (row["split"], row["model"], row["arm"]) == (split, line.model, line.arm) and row["low"] is not None:
                return row["low"], row["high"]
        return None
