"""Sections of the page that also read the artifacts behind its scores."""

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
    """The inputs of a task that the page lists, None for all; the others are only counted.

    unit: name of the unit of contexts that windows consist of, singular and plural.
    """

    inputs: set[Key] | None = None
    unit: tuple[str, str] = ("", "")


class ReadingSection(PageSection):
    """Base class of sections that read artifacts; this one reads nothing. A subclass overrides what it needs.

    tables: types of the rows that the design's stage after each score writes, by table. reads: the inputs that
    this stage has in common with the aggregate. worked_out: types of the rows that `work_out` makes, by table.
    """

    tables: Mapping[str, type[Row]] = {}
    reads: Sequence[str] = ()
    worked_out: Mapping[str, type[Row]] = {}

    def work_out(self, tables: Mapping[str, Sequence[Any]]) -> Mapping[str, Sequence[Row]]:
        """Return the rows of the tables in `worked_out`, made from all models' rows of the tables in `tables`."""
        return {}

    def ranks(self, after_all_scores: Iterable[Artifact]) -> Ranks:
        """Read the ranking of all models. after_all_scores: artifacts that the design's stages made from all scores."""
        return Ranks()

    def texts(self, findings: Findings, tasks: Sequence[ScoredTask]) -> Any:
        """Read the texts that the section shows; it gets them back as `Content.texts`."""
        return None

    def listing(self, tasks: Sequence[ScoredTask], units: str) -> Listing:
        """Choose the inputs of a task that are listed. tasks: its scores, by model. units: of the task's contexts."""
        return Listing()


def artifact_section(sections: Sequence[PageSection]) -> ReadingSection:
    """Return the one section that reads artifacts, or one that reads nothing if there is none.

    Raises ValueError if there are several, as only one would be used.
    """
    found = [one for one in sections if isinstance(one, ReadingSection)]
    if len(found) > 1:
        names = ", ".join(type(one).__name__ for one in found)
        raise ValueError(f"one section of a design reads artifacts, not {len(found)}: {names}")
    return found[0] if found else ReadingSection()
