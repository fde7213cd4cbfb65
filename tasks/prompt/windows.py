"""Stage prompt for windows (Dolce): each prompt shows one window of its document."""

from __future__ import annotations

from scrollwork.pipeline.inputs import InputArtifacts
from scrollwork.pipeline.plan import Node
from scrollwork.pipeline.session import Session
from scrollwork.preprocessing.prompts.template import Template
from scrollwork.preprocessing.windows.prompt_template import Through
from scrollwork.storage.artifacts.artifact import ArtifactWriter
from scrollwork.tasks.prompt.run import Parameters, write


def run(node: Node, inputs: InputArtifacts, session: Session, writer: ArtifactWriter) -> None:
    """Write table `prompts`, each with its window of the document."""
    parameters = Parameters(**node.params)
    template, variant = Template(**parameters.template), parameters.profile["variant"]
    write(parameters, Through(template, variant, parameters.arm, parameters.chat_sentence), inputs, session, writer)
