"""Stage judge: answers and scores -> a description of each answer, measures of all, scores on parts of the inputs."""

from __future__ import annotations

from collections.abc import Sequence

from scrollwork.pipeline.inputs import InputArtifacts
from scrollwork.pipeline.plan import Node, topological
from scrollwork.pipeline.session import Session
from scrollwork.records.judgement import AnswerMeasure, Judgement, Slice
from scrollwork.storage.artifacts.artifact import ArtifactWriter
from scrollwork.tasks.score.run import STAGE as SCORE
from scrollwork.tasks.score.run import Parameters

STAGE = "judge"


def declare(aggregate: Node, words: Sequence[Node]) -> Node:
    """Declare the judging of the answers behind an aggregate, with the parameters of stage score. words: word counts of
    the documents of its samples."""
    inputs = (*aggregate.inputs, ("words", tuple(words)))
    scored = next(node for node in topological(aggregate.each("scores")[:1]) if node.stage == SCORE)
    return Node(STAGE, aggregate.labels, scored.params, __name__, aggregate.modules, inputs)


def run(node: Node, inputs: InputArtifacts, session: Session, writer: ArtifactWriter) -> None:
    """Write tables `judgements` (a row for each member and input, answered or not) and, for the family, `conduct`
    (measures of its answers) and `slices` (scores on parts of the inputs)."""
    from scrollwork.analysis.comparison.judged import JudgedAnswers, conduct, slices
    from scrollwork.scoring.registry import metric, stored_names
    from scrollwork.tasks.aggregate.members import labels_of, scorable_inputs
    from scrollwork.tasks.judge.judgements import judgements

    own = metric(Parameters(**node.params).metric)
    labels = labels_of(node)
    rows = list(judgements(node, inputs, scorable_inputs(inputs, own)[0], labels))
    found = JudgedAnswers.of(rows)
    table = writer.table("judgements", Judgement)
    for row in rows:
        table.add(row)
    measures = writer.table("conduct", AnswerMeasure)
    for measure in conduct(found, labels):
        measures.add(measure)
    parts = writer.table("slices", Slice)
    for part in slices(found, labels, own.headline, stored_names(own)):
        parts.add(part)
    writer.facts = {"judgements": len(rows), "inputs": len(found.inputs), "members": len(found.members)}
