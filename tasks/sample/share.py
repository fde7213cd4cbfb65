"""Stage sample, of a share: the examples of one curated share that can be chosen. together.py chooses."""

from __future__ import annotations

from scrollwork.pipeline.inputs import InputArtifacts
from scrollwork.pipeline.plan import Node
from scrollwork.pipeline.session import Session
from scrollwork.storage.artifacts.artifact import ArtifactWriter
from scrollwork.tasks.sample.run import Parameters, write_sample

READ = ("examples", "documents")  # facts of the curated share that are noted here


def run(node: Node, inputs: InputArtifacts, session: Session, writer: ArtifactWriter) -> None:
    """Write table `examples`: those that can be chosen, in their order. Note how many examples there were to read."""
    curated = inputs["curated"]
    counts = write_sample(Parameters(**node.params).possible(curated), writer)
    writer.facts = {**counts, "read": {name: curated.facts.get(name, 0) for name in READ}}
