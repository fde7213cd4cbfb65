"""Stage score: answers -> scores by one metric. Rescoring never generates again.

If an answer must first be extracted from a reply (Dolce): windows.py. If models judge answers: judged.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scrollwork.pipeline import progress
from scrollwork.pipeline.inputs import InputArtifacts
from scrollwork.pipeline.parameters import non_default
from scrollwork.pipeline.plan import Node
from scrollwork.pipeline.session import Session
from scrollwork.records.example import Example, Repetitions
from scrollwork.records.score import Score
from scrollwork.storage.artifacts.artifact import Artifact, ArtifactWriter

if TYPE_CHECKING:
    from scrollwork.scoring.answers import Read
    from scrollwork.scoring.outcome import Metric
    from scrollwork.suites.parts import Part

STAGE = "score"


@dataclass(frozen=True)
class Parameters:
    """metric: its name (scoring/metrics). judges: the judging models, None for none. The others: how an
    answer is extracted from a reply (suites/replies.py)."""

    metric: str
    tag: str = ""
    cue: str = ""
    empty: str = ""
    judges: Mapping[str, Any] | None = None
    extractor: str = ""
    unknown: str = ""


def declare(
    part: Part, sample: Node, answers: Node, reading: Mapping[str, Any], modules: Sequence[str], body: str = __name__
) -> Node:
    """Declare the scoring of answers. reading: how an answer is extracted from a reply. modules: the metric's. body:
    the module that scores."""
    parameters = non_default(Parameters(part.task.metric, **reading))
    labels, inputs = (*part.sharded, ("metric", part.task.metric)), (("answers", (answers,)), ("sample", (sample,)))
    return Node(STAGE, labels, parameters, body, tuple(modules), inputs)


def run(node: Node, inputs: InputArtifacts, session: Session, writer: ArtifactWriter) -> None:
    """Write table `scores`: a row for each answer to an input that can be scored."""
    from scrollwork.scoring.registry import metric

    write(node, inputs, writer, metric(Parameters(**node.params).metric))


def write(node: Node, inputs: InputArtifacts, writer: ArtifactWriter, own: Metric, read: Read | None = None) -> None:
    """Write scores by a metric. read: extracts an answer from a reply; None if the reply is the answer."""
    from scrollwork.scoring.answers import EXAMPLE, SCORED, gold_problem, scores

    parameters = Parameters(**node.params)
    references = {name: gold for name, gold in golds(inputs["sample"]).items() if not gold_problem(own, gold)}
    table = writer.table("scores", Score)
    total = inputs["answers"].facts["answered"]
    answers = (one for one in inputs["answers"].tuples("responses", SCORED) if one[EXAMPLE] in references)
    done = 0
    for done, score in enumerate(
        scores(
            own,
            answers,
            references,
            tag=parameters.tag,
            cue=parameters.cue,
            empty=parameters.empty,
            read=read,
        ),
        start=1,
    ):
        table.add(score)
        if done % 100 == 0:
            progress.tell(node.title, done, total)
    writer.facts = {"scores": done}


def golds(sample: Artifact) -> dict[str, tuple[str, ...]]:
    """Read the references of a sample, by example id. Raises ValueError if examples with the same id differ, as a
    design may have written the sample without `write_sample`."""
    repetitions, found = Repetitions(f"{sample.folder}, table examples"), {}
    for example in sample.rows("examples", Example):
        repetitions.check(example)
        found[example.example_id] = example.references
    return found
