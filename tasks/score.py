"""Stage score: answers -> scores by one metric. Rescoring never generates again."""

from __future__ import annotations

from collections.abc import Mapping

from records.example import Example
from records.response import Response
from records.score import Score
from scoring.answers import Read, gold_problem, scores
from scoring.outcome import Metric
from scoring.registry import metric
from storage.artifacts import Artifact, ArtifactWriter
from tasks import progress
from tasks.graph import Node
from tasks.judges import fic_of
from tasks.workshop import Workshop

DECLINED = "idk"  # flag of an answer that leaves its problem open


def fill(node: Node, inputs: Mapping[str, Artifact], shop: Workshop, writer: ArtifactWriter) -> None:
    """One row an answer to an input with gold."""
    own = metric_of(node, shop)
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
            read=reading(node, inputs["sample"]),
        ),
        start=1,
    ):
        table.add(score)
        if done % 100 == 0:
            progress.tell(node.title, done, total)
    writer.facts = {"scores": done}


def metric_of(node: Node, shop: Workshop) -> Metric:
    """The node's metric, with the models that judge where it has some."""
    if "judges" not in node.params:
        return metric(node.params["metric"])
    calling = shop.locations.calling
    assert calling is not None, "judges travel with how models are called"
    return fic_of(calling.judges)


def reading(node: Node, sample: Artifact) -> Read | None:
    """How answers are taken out of replies, None where a reply is its answer."""
    if "extractor" not in node.params:
        return None
    from scoring.dolce_answers import extract, left_open  # in the key of these nodes only

    name, by = node.params["extractor"], node.params.get("unknown", "")
    classes = {row["example_id"]: row["options"] for row in sample.columns("examples", ["example_id", "options"])}

    def read(example_id: str, reply: str) -> tuple[str, dict[str, bool]]:
        answer = extract(name, reply, classes[example_id])
        return answer, {DECLINED: left_open(reply, answer, by)}

    return read
