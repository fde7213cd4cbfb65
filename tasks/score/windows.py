"""Stage score for windows (Dolce): extract an answer from each reply, which may also decline to answer."""

from __future__ import annotations

from scrollwork.pipeline.inputs import InputArtifacts
from scrollwork.pipeline.plan import Node
from scrollwork.pipeline.session import Session
from scrollwork.scoring.answers import Read
from scrollwork.scoring.reading.dolce_answers import extract, left_open
from scrollwork.scoring.registry import metric
from scrollwork.storage.artifacts.artifact import Artifact, ArtifactWriter
from scrollwork.tasks.score.run import Parameters, write

DECLINED = "idk"  # flag of an answer that declines


def run(node: Node, inputs: InputArtifacts, session: Session, writer: ArtifactWriter) -> None:
    """Write table `scores`: a row for each answer to an input that can be scored."""
    parameters = Parameters(**node.params)
    write(node, inputs, writer, metric(parameters.metric), answer_reader(parameters, inputs["sample"]))


def answer_reader(parameters: Parameters, sample: Artifact) -> Read:
    """Make the function that extracts an answer from a reply and says whether the reply declines to answer."""
    name, by = parameters.extractor, parameters.unknown
    classes = {row["example_id"]: row["options"] for row in sample.columns("examples", ["example_id", "options"])}

    def read(example_id: str, reply: str) -> tuple[str, dict[str, bool]]:
        answer = extract(name, reply, classes[example_id])
        return answer, {DECLINED: left_open(reply, answer, by)}

    return read
