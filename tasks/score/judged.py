"""Stage score by models: the checkpoints that a run names judge the answers (SEAM)."""

from __future__ import annotations

from collections.abc import Mapping

from scrollwork.pipeline.plan import Node
from scrollwork.pipeline.session import Workshop
from scrollwork.storage.artifacts.artifact import Artifact, ArtifactWriter
from scrollwork.tasks.score.judge_models import fic_of
from scrollwork.tasks.score.run import write


def fill(node: Node, inputs: Mapping[str, Artifact], shop: Workshop, writer: ArtifactWriter) -> None:
    """One row an answer to an input with gold. Judging models travel with how models are called."""
    calling = shop.locations.calling
    assert calling is not None
    write(node, inputs, writer, fic_of(calling.judges))
