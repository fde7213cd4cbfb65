"""Stage prompt for runs (SEAM): prompts with the instructions and demonstrations that a run drew."""

from __future__ import annotations

from scrollwork.pipeline.inputs import InputArtifacts
from scrollwork.pipeline.plan import Node
from scrollwork.pipeline.session import Session
from scrollwork.storage.artifacts.artifact import ArtifactWriter
from scrollwork.tasks.prompt.run import Parameters, write
from scrollwork.tasks.sample.blocks import blocks_of


def run(node: Node, inputs: InputArtifacts, session: Session, writer: ArtifactWriter) -> None:
    """Write table `prompts` from the blocks of the suite file and from what the run drew, which its examples hold."""
    parameters = Parameters(**node.params)
    write(parameters, blocks_of(parameters.template["block"], inputs["curated"]), inputs, session, writer)
