"""Stage report: aggregates -> leaderboard and page."""

from __future__ import annotations

from collections.abc import Mapping

from records.score import Aggregate
from reporting.leaderboard import board
from reporting.page import page
from storage.artifacts import Artifact, ArtifactWriter
from tasks.graph import Node
from tasks.workshop import Workshop


def fill(node: Node, inputs: Mapping[str, Artifact], shop: Workshop, writer: ArtifactWriter) -> None:
    """The page, and the aggregates that it shows."""
    table = writer.table("aggregates", Aggregate)
    rows = []
    for name, _ in node.inputs:
        rows += list(inputs[name].rows("aggregates", Aggregate))
    for row in rows:
        table.add(row)
    content = board(rows, node.params)
    writer.file("page.html", page(content, node.params).encode("utf-8"))
    writer.facts = {"rows": len(rows)}
