"""What a page shows in addition to its leaderboard: examples, usage, comparisons, charts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from scrollwork.reporting.boards.board import Line
from scrollwork.reporting.page.usage import Usage

ENTRY = Mapping[str, Any]


@dataclass(frozen=True)
class Findings:
    """Results of the judge and compare stages, as plain rows; empty if they were not run or failed.

    comparisons, averages (records/comparison.py): models compared in pairs, and their means over tasks. conduct, slices
    (records/judgement.py): what answers look like, and scores on parts of the inputs. of_design: rows of the stages
    that the suite's design adds, by table."""

    comparisons: Sequence[ENTRY] = ()
    averages: Sequence[ENTRY] = ()
    conduct: Sequence[ENTRY] = ()
    slices: Sequence[ENTRY] = ()
    of_design: Mapping[str, Sequence[ENTRY]] = field(default_factory=dict)

    def table(self, name: str) -> Sequence[ENTRY]:
        """The rows of a table of the design; none where there is no such table."""
        return self.of_design.get(name, ())


@dataclass(frozen=True)
class Figure:
    """A chart of a page. svg: inline, in colours of the page. wide: whether it takes the whole width."""

    name: str
    title: str
    caption: str
    svg: str
    wide: bool = False


@dataclass(frozen=True)
class Content:
    """The content of a page besides its leaderboard. groups: tasks with examples, in page order. usage: by (split,
    number of the line). without_charts: why there are none that could be drawn, "" if they were. folder: of the data
    files, "" if the data are in the page. texts: what the design's section read."""

    groups: Sequence[ENTRY] = ()
    usage: Mapping[tuple[str, int], Usage] = field(default_factory=dict)
    findings: Findings = field(default_factory=Findings)
    figures: Sequence[Figure] = ()
    without_charts: str = ""
    folder: str = ""
    texts: Any = None

    def average(self, split: str, line: Line) -> tuple[float, float] | None:
        """The 95 % interval of a line's average over tasks; None if unknown."""
        for row in self.findings.averages:
            if (row["split"], row["model"], row["arm"]) == (split, line.model, line.arm) and row["low"] is not None:
                return row["low"], row["high"]
        return None
