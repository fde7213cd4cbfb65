"""Sections of the page that read the artifacts behind its scores too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scrollwork.records.complexity import Agreement
from scrollwork.reporting.page.content import Beside, Texts
from scrollwork.reporting.page.examples import Key
from scrollwork.reporting.page.sections import Section
from scrollwork.tasks.report.behind_scores import Lot


@dataclass(frozen=True)
class Listing:
    """Inputs of a task that the page lists; the others are counted only. unit: what windows of contexts are made of,
    one and several."""

    inputs: set[Key] | None = None
    unit: tuple[str, str] = ("", "")


class ReadingSection(Section):
    """One that reads nothing."""

    def agreed(self, beside: Mapping[str, Sequence[Any]]) -> list[Agreement]:
        """Fits of every two models on the same problems held against each other. beside: rows by table."""
        return []

    def texts(self, beside: Beside, lots: Sequence[Lot]) -> Texts:
        """Texts that it shows."""
        return Texts()

    def listing(self, lots: Sequence[Lot], units: str) -> Listing:
        """Which inputs of the lots of a task are listed. units: of the task's contexts."""
        return Listing()


def reading(sections: Sequence[Section]) -> ReadingSection:
    """The section among these that reads artifacts; one that reads nothing where there is none."""
    return next((one for one in sections if isinstance(one, ReadingSection)), ReadingSection())
