"""Stage report: aggregates and everything behind them -> leaderboard and page."""

from __future__ import annotations

from collections.abc import Mapping

from records.score import Aggregate
from reporting.leaderboard import board
from storage.artifacts import Artifact, ArtifactWriter
from tasks.graph import Node
from tasks.lots import lots_of
from tasks.pages import PAGE, make, store_ledger
from tasks.workshop import Workshop


def fill(node: Node, inputs: Mapping[str, Artifact], shop: Workshop, writer: ArtifactWriter) -> None:
    """The page and its data files, and the aggregates that it shows."""
    table = writer.table("aggregates", Aggregate)
    rows = []
    for name, needed in node.inputs:
        if needed.stage == "aggregate":
            rows += list(inputs[name].rows("aggregates", Aggregate))
    for row in rows:
        table.add(row)
    content = board(rows, node.params)
    made = make(content, node.params, lots_of(node, inputs), store_ledger(shop), node.label("suite"), writer.file)
    writer.facts = {"rows": len(rows), "page": PAGE, "folder": made.folder, "files": made.files}
