"""Stage report: aggregates, and what was judged and compared -> leaderboard and page."""

from __future__ import annotations

from collections.abc import Mapping

from records.base import Row
from records.comparison import Average, Comparison
from records.judgement import Conduct, Slice
from records.score import Aggregate
from reporting.leaderboard import board
from reporting.page import page
from storage.artifacts import Artifact, ArtifactWriter
from tasks.graph import Node
from tasks.workshop import Workshop

BESIDE: Mapping[str, Mapping[str, type[Row]]] = {  # tables of a stage that the report keeps beside the scores
    "judge": {"conduct": Conduct, "slices": Slice},
    "compare": {"averages": Average, "comparisons": Comparison},
}


def fill(node: Node, inputs: Mapping[str, Artifact], shop: Workshop, writer: ArtifactWriter) -> None:
    """The page, and the aggregates that it shows."""
    table = writer.table("aggregates", Aggregate)
    rows = []
    for name, needed in node.inputs:
        if needed.stage == "aggregate":
            rows += list(inputs[name].rows("aggregates", Aggregate))
    for row in rows:
        table.add(row)
    copied(node, inputs, writer)
    content = board(rows, node.params)
    writer.file("page.html", page(content, node.params).encode("utf-8"))
    writer.facts = {"rows": len(rows)}


def copied(node: Node, inputs: Mapping[str, Artifact], writer: ArtifactWriter) -> None:
    """What was judged and compared, as the stages before left it."""
    for stage, tables in BESIDE.items():
        for table, row in tables.items():
            own = writer.table(table, row)
            for name, needed in node.inputs:
                if needed.stage == stage:
                    for one in inputs[name].rows(table, row):
                        own.add(one)
