"""Sections of the page that read the artifacts behind its scores too."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scrollwork.records.base import Row
from scrollwork.reporting.boards.ranks import Ranks
from scrollwork.reporting.page.content import Findings
from scrollwork.reporting.page.examples import Key
from scrollwork.reporting.page.sections import PageSection
from scrollwork.storage.artifacts.artifact import Artifact
from scrollwork.tasks.report.behind_scores import ScoredTask


@dataclass(frozen=True)
class Listing:
    """Inputs of a task that the page lists; the others are counted only. unit: what windows of contexts are made of,
    one and several."""

    inputs: set[Key] | None = None
    unit: tuple[str, str] = ("", "")


class ReadingSection(PageSection):
    """Base class of sections that read artifacts; this one reads nothing. A subclass overrides what it needs.

    tables: rows that a further stage of the design left of each score, by table; reads: the inputs that this stage has
    in common with the aggregate. worked_out: tables that are made of all models' rows together (`work_out`).
    """

    tables: Mapping[str, type[Row]] = {}
    reads: Sequence[str] = ()
    worked_out: Mapping[str, type[Row]] = {}

    def work_out(self, tables: Mapping[str, Sequence[Any]]) -> Mapping[str, Sequence[Row]]:
        """Make the rows of `worked_out` from those of `tables`."""
        return {}

    def ranks(self, together: Iterable[Artifact]) -> Ranks:
        """Read the ranking of all models. together: what the design's stages made of all scores."""
        return Ranks()

    def texts(self, findings: Findings, tasks: Sequence[ScoredTask]) -> Any:
        """Read the texts that it shows; they come back to it as `Content.texts`."""
        return None

    def listing(self, tasks: Sequence[ScoredTask], units: str) -> Listing:
        """Choose the inputs of a task that are listed. tasks: its models. units: of the task's contexts."""
        return Listing()


def artifact_section(sections: Sequence[PageSection]) -> ReadingSection:
    """Find the section among these that reads artifacts; one that reads nothing where there is none. Raises ValueError
    for a second: it would be passed over."""
    found = [one for one in sections if isinstance(one, ReadingSection)]
    if len(found) > 1:
        names = ", ".join(type(one).__name__ for one in found)
        raise ValueError(f"one section of a design reads artifacts, not {len(found)}: {names}")
    return found[0] if found else ReadingSection()
