"""The page section of a suite with runs, which reads the ranking of models (SEAM)."""

from __future__ import annotations

from collections.abc import Iterable

from scrollwork.reporting.boards.ranks import Ranks
from scrollwork.reporting.runs.section import Runs
from scrollwork.storage.artifacts.artifact import Artifact
from scrollwork.tasks.rank.tables import read_ranks
from scrollwork.tasks.report.sections import ReadingSection


class ReadingRuns(Runs, ReadingSection):
    """The section with the ranking that stage rank wrote."""

    def ranks(self, after_all_scores: Iterable[Artifact]) -> Ranks:
        """Read the ranking; it is empty if the stage failed."""
        return next(map(read_ranks, after_all_scores), Ranks())


SECTION = ReadingRuns()
