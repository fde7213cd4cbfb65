"""Stage score: answers -> scores by one metric. Rescoring never generates again."""

from __future__ import annotations

from collections.abc import Mapping

from records.example import Example
from records.response import Response
from records.score import Score
from scoring.answers import scores
from scoring.registry import metric
from storage.artifacts import Artifact, ArtifactWriter
from tasks import progress
from tasks.graph import Node
from tasks.workshop import Workshop


def fill(node: Node, inputs: Mapping[str, Artifact], shop: Workshop, writer: ArtifactWriter) -> None:
    """One row an answer."""
    references = {e.example_id: e.references for e in inputs["sample"].rows("examples", Example)}
    table = writer.table("scores", Score)
    total = inputs["answers"].facts["answered"]
    responses = inputs["answers"].rows("responses", Response)
    for done, score in enumerate(scores(metric(node.params["metric"]), responses, references), start=1):
        table.add(score)
        if done % 100 == 0:
            progress.tell(node.title, done, total)
    writer.facts = {"scores": total}
