"""Stage score with judging models (SEAM): the checkpoints that a request names judge the answers."""

from __future__ import annotations

from scrollwork.pipeline.inputs import InputArtifacts
from scrollwork.pipeline.plan import Node
from scrollwork.pipeline.session import Session
from scrollwork.storage.artifacts.artifact import ArtifactWriter
from scrollwork.tasks.score.judge_models import fic_of
from scrollwork.tasks.score.run import write

ONE_PROCESS = True  # checkpoints are loaded once


def run(node: Node, inputs: InputArtifacts, session: Session, writer: ArtifactWriter) -> None:
    """Write table `scores`: a row for each answer to an input that can be scored. The settings for calling models
    (`Calling`) name the judging models."""
    calling = session.locations.calling
    assert calling is not None
    write(node, inputs, writer, fic_of(calling.judges))
