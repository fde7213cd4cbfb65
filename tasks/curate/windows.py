"""Stage curate for windows (Dolce): problems whose context has no unit become drops."""

from __future__ import annotations

from scrollwork.pipeline.inputs import InputArtifacts
from scrollwork.pipeline.plan import Node
from scrollwork.pipeline.session import Session
from scrollwork.preprocessing.windows.observable import observable_rows
from scrollwork.storage.artifacts.artifact import ArtifactWriter
from scrollwork.tasks.curate.run import refuse_drops, write

__all__ = ["refuse_drops", "run"]


def run(node: Node, inputs: InputArtifacts, session: Session, writer: ArtifactWriter) -> None:
    """Write the rows of the data set; contexts without a unit of the parameter `units` become drops."""
    write(node, session, writer, lambda rows: observable_rows(rows, node.params["units"]))
