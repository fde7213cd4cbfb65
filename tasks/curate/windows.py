"""Stage curate of a suite that observes: problems whose context has no unit are drops (Dolce)."""

from __future__ import annotations

from scrollwork.pipeline.inputs import InputArtifacts
from scrollwork.pipeline.plan import Node
from scrollwork.pipeline.session import Workshop
from scrollwork.preprocessing.windows.observable import observable
from scrollwork.storage.artifacts.artifact import ArtifactWriter
from scrollwork.tasks.curate.run import refuse_drops, write

__all__ = ["refuse_drops", "run"]


def run(node: Node, inputs: InputArtifacts, shop: Workshop, writer: ArtifactWriter) -> None:
    """Write the data set's rows, of what can be observed by the parameter `units`."""
    write(node, shop, writer, lambda rows: observable(rows, node.params["units"]))
