"""Stage aggregate: scores -> the task's value, interval, spread and coverage.

For runs (SEAM): runs.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from scrollwork.pipeline.inputs import InputArtifacts
from scrollwork.pipeline.parameters import non_default
from scrollwork.pipeline.plan import Node
from scrollwork.pipeline.session import Session
from scrollwork.records.score import SUBSETS, Aggregate, subset_metric
from scrollwork.storage.artifacts.artifact import ArtifactWriter

if TYPE_CHECKING:
    from scrollwork.suites.parts import Part

STAGE = "aggregate"


@dataclass(frozen=True)
class Parameters:
    """metric, profile: by name. reads_references: whether the model is an upper bound.

    subset: a flag; the examples that have it are also scored separately; "" for none. decoding, judges: given if they
    differ from the suite's; they are only shown, and change no row here.
    """

    metric: str
    profile: str
    reads_references: bool = False
    decoding: str = ""
    judges: Mapping[str, Any] | None = None
    subset: str = ""


def declare(
    part: Part,
    inputs: Mapping[str, Sequence[Node]],
    modules: Sequence[str],
    *,
    decoding: str = "",
    reads_references: bool = False,
    body: str = __name__,
) -> Node:
    """Declare the aggregate of a task. inputs: sample, answers, prompts and scores, of all shards or runs.

    modules: the metric's. decoding: the model's, if it differs from the suite's. body: the module that aggregates.
    """
    task = part.task
    judges = dict(task.judges) if task.judges else None
    parameters = Parameters(task.metric, part.profile.name, reads_references, decoding, judges, task.subset)
    named = tuple((name, tuple(nodes)) for name, nodes in inputs.items())
    return Node(STAGE, (*part.labels, ("metric", task.metric)), non_default(parameters), body, tuple(modules), named)


def run(node: Node, inputs: InputArtifacts, session: Session, writer: ArtifactWriter) -> None:
    """Write table `aggregates`: a row for each member and one for the family. Write the same to table `subsets` for the
    examples that have the flag `subset`, if there are any."""
    from scrollwork.analysis.comparison.summary import nothing_derived, summarize
    from scrollwork.scoring.registry import metric
    from scrollwork.tasks.aggregate.members import labels_of, members_of, scorable_inputs

    parameters = Parameters(**node.params)
    own = metric(parameters.metric)
    inputs_asked, without_gold = scorable_inputs(inputs, own)
    members = members_of(inputs, inputs_asked)
    table = writer.table("aggregates", Aggregate)
    derive = getattr(own, "derived", nothing_derived)
    for aggregate in summarize(labels_of(node), inputs_asked, members, own.headline, derive):
        table.add(aggregate)
    if flag := parameters.subset:
        flagged, _ = scorable_inputs(inputs, own, flag)
        if flagged.clusters:
            labels = replace(labels_of(node), metric=subset_metric(parameters.metric, flag))
            some = writer.table(SUBSETS, Aggregate)
            for aggregate in summarize(labels, flagged, members_of(inputs, flagged), own.headline, derive):
                some.add(aggregate)
    writer.facts = {"members": len(members), "without_gold": without_gold}
