"""Tables that a report keeps beside its scores."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scrollwork.pipeline.inputs import InputArtifacts
from scrollwork.records.base import Row
from scrollwork.records.comparison import Average, Comparison
from scrollwork.records.complexity import (
    Agreement,
    AtLength,
    Complexity,
    Mixture,
    Passage,
    Plane,
    ProblemAtLength,
    Sights,
)
from scrollwork.records.judgement import Conduct, Slice
from scrollwork.reporting.boards.ranks import Ranks
from scrollwork.storage.artifacts.artifact import ArtifactWriter
from scrollwork.tasks.rank.tables import read_ranks
from scrollwork.tasks.report.sections import ReadingSection

BESIDE: Mapping[str, Mapping[str, type[Row]]] = {  # tables of a stage that the report keeps beside the scores
    "judge": {"conduct": Conduct, "slices": Slice},
    "compare": {"averages": Average, "comparisons": Comparison},
    "complexity": {
        "complexity": Complexity,
        "mixtures": Mixture,
        "observed": AtLength,
        "tables": ProblemAtLength,
        "planes": Plane,
        "sights": Sights,
        "passages": Passage,
    },
}

AGREEMENTS = "agreements"  # of fits, worked out here: they are of all models


def copied(inputs: InputArtifacts, writer: ArtifactWriter) -> dict[str, list[Row]]:
    """What was judged and compared, as the stages before left it, written down again; by table."""
    found: dict[str, list[Row]] = {}
    for stage, tables in BESIDE.items():
        for table, row in tables.items():
            own = writer.table(table, row)
            for artifact in inputs.each(stage):
                for one in artifact.rows(table, row):
                    own.add(one)
                    found.setdefault(table, []).append(one)
    return found


def agreed(section: ReadingSection, beside: Mapping[str, list[Any]], writer: ArtifactWriter) -> list[Agreement]:
    """What the section says of fits of every two models, written down."""
    table = writer.table(AGREEMENTS, Agreement)
    found = section.agreed(beside)
    for row in found:
        table.add(row)
    return found


def ranks_in(inputs: InputArtifacts) -> Ranks:
    """The ranking over runs, empty where the suite has none."""
    return read_ranks(inputs["rank"]) if "rank" in inputs else Ranks()
