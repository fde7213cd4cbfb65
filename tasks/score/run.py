"""Stage score: answers -> scores by one metric. Rescoring never generates again.

Replies out of which an answer is taken: tasks/score/windows.py; scores by models: tasks/score/judged.py.
"""

from __future__ import annotations

from scrollwork.pipeline import progress
from scrollwork.pipeline.inputs import InputArtifacts
from scrollwork.pipeline.plan import Node
from scrollwork.pipeline.session import Workshop
from scrollwork.records.example import Example
from scrollwork.records.response import Response
from scrollwork.records.score import Score
from scrollwork.scoring.answers import Read, gold_problem, scores
from scrollwork.scoring.outcome import Metric
from scrollwork.scoring.registry import metric
from scrollwork.storage.artifacts.artifact import ArtifactWriter


def fill(node: Node, inputs: InputArtifacts, shop: Workshop, writer: ArtifactWriter) -> None:
    """One row an answer to an input with gold."""
    write(node, inputs, writer, metric(node.params["metric"]))


def write(node: Node, inputs: InputArtifacts, writer: ArtifactWriter, own: Metric, read: Read | None = None) -> None:
    """Scores by a metric. read: takes answers out of replies, None where a reply is its answer."""
    references = {
        example.example_id: example.references
        for example in inputs["sample"].rows("examples", Example)
        if not gold_problem(own, example.references)
    }
    table = writer.table("scores", Score)
    total = inputs["answers"].facts["answered"]
    responses = (row for row in inputs["answers"].rows("responses", Response) if row.example_id in references)
    done = 0
    for done, score in enumerate(
        scores(
            own,
            responses,
            references,
            tag=node.params.get("tag", ""),
            cue=node.params.get("cue", ""),
            empty=node.params.get("empty", ""),
            read=read,
        ),
        start=1,
    ):
        table.add(score)
        if done % 100 == 0:
            progress.tell(node.title, done, total)
    writer.facts = {"scores": done}
