"""Stage compare: all models' judged answers -> averages with intervals, and each pair of models on the same inputs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scrollwork.pipeline import progress
from scrollwork.pipeline.inputs import InputArtifacts
from scrollwork.pipeline.parameters import non_default
from scrollwork.pipeline.plan import Node
from scrollwork.pipeline.session import Session
from scrollwork.records.comparison import Average, Comparison
from scrollwork.records.prompt import FULL
from scrollwork.storage.artifacts.artifact import Artifact, ArtifactWriter

if TYPE_CHECKING:
    from scrollwork.analysis.comparison.models import Measured, Who
    from scrollwork.analysis.comparison.outcomes import Outcomes

STAGE = "compare"


@dataclass(frozen=True)
class Parameters:
    """tasks: the metric of each task, in the suite's order. models: names as in the rows, in the order of the request.

    upper_bounds: models that read the references. averaged: False for a suite that ranks models instead. added: tasks
    that are left out of averages.
    """

    tasks: Mapping[str, str]
    models: Sequence[str]
    upper_bounds: Sequence[str]
    averaged: bool = True
    added: Sequence[str] = ()


def declare(suite: str, parameters: Parameters, judged: Sequence[Node], modules: Sequence[str]) -> Node:
    """Declare the comparison of all judged answers. modules: the metrics' modules."""
    labels = (("suite", suite), ("models", "+".join(parameters.models)))
    inputs = (("judge", tuple(sorted(judged, key=lambda node: node.slot))),)
    return Node(STAGE, labels, non_default(parameters), __name__, tuple(modules), inputs)


def run(node: Node, inputs: InputArtifacts, session: Session, writer: ArtifactWriter) -> None:
    """Write tables `averages` (a row for each model and arm) and `comparisons` (for each pair and task)."""
    means = writer.table("averages", Average)
    table = writer.table("comparisons", Comparison)
    compared = 0
    judged = [
        JudgedArtifact(one.label("split"), one.label("model"), one.label("arm"), one.label("task"), artifact)
        for one, artifact in zip(node.each("judge"), inputs.each("judge"), strict=True)
    ]
    for found in compare(node.label("suite"), Parameters(**node.params), judged):
        if isinstance(found, Average):
            means.add(found)
            continue
        for row in found.rows:
            table.add(row)
        progress.tell(node.title, found.number, found.of)
        compared += 1
    writer.facts = {"pairs": compared}


@dataclass(frozen=True)
class JudgedArtifact:
    """A model's judged answers to a task."""

    split: str
    model: str
    arm: str
    task: str
    artifact: Artifact


@dataclass(frozen=True)
class ComparedPair:
    """A comparison of two models. rows: one for each task and one for the averages, if the suite has them.

    number: from 1, among the `of` pairs of the split.
    """

    rows: Sequence[Comparison]
    number: int
    of: int


def compare(suite: str, parameters: Parameters, judged: Sequence[JudgedArtifact]) -> Iterator[Average | ComparedPair]:
    """Yield the averages of every split, then its pairs of models, in the order of `parameters.models`."""
    from scrollwork.analysis.comparison.models import averages, comparisons, pairs

    for measured in by_split(suite, parameters, judged):
        yield from averages(measured, parameters.upper_bounds) if parameters.averaged else ()
        listed = list(pairs(list(measured.outcomes), parameters.upper_bounds))
        for number, pair in enumerate(listed, start=1):
            rows = [row for row in comparisons(measured, pair) if row.task or parameters.averaged]
            yield ComparedPair(rows, number, len(listed))


def by_split(suite: str, parameters: Parameters, judged: Sequence[JudgedArtifact]) -> Iterator[Measured]:
    """Yield the measurements of each split, its models in the order of the request."""
    from scrollwork.analysis.comparison.judged import COLUMNS, outcomes_from
    from scrollwork.analysis.comparison.models import Measured
    from scrollwork.scoring.registry import metric, stored_names

    metrics = {name: metric(own) for name, own in parameters.tasks.items()}
    headlines = {name: own.headline for name, own in metrics.items()}
    for split in sorted({one.split for one in judged}):
        outcomes: dict[Who, dict[str, Outcomes]] = {}
        for one in judged:
            if one.split == split:
                rows = one.artifact.tuples("judgements", COLUMNS)
                outcomes.setdefault((one.model, one.arm), {})[one.task] = outcomes_from(
                    rows, stored_names(metrics[one.task])
                )
        found = in_order(outcomes, parameters)
        yield Measured(suite, split, parameters.tasks, headlines, found, parameters.added)


def in_order(outcomes: Mapping[Who, dict[str, Outcomes]], parameters: Parameters) -> dict[Who, dict[str, Outcomes]]:
    """Sort models in the order of the request, tasks in that of the suite; of a model's arms, the full one is first."""
    models, tasks = parameters.models, list(parameters.tasks)
    whos = sorted(outcomes, key=lambda who: (models.index(who[0]), who[1] != FULL, who[1]))
    return {who: {task: outcomes[who][task] for task in tasks if task in outcomes[who]} for who in whos}
