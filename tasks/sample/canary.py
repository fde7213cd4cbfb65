"""Stage sample for the canary of a night (docs/nights.md): a few examples of the benchmark's."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from scrollwork.pipeline.inputs import InputArtifacts
from scrollwork.pipeline.plan import Node
from scrollwork.pipeline.session import Session
from scrollwork.preprocessing.canary import canary_of
from scrollwork.records.example import Example
from scrollwork.storage.artifacts.artifact import ArtifactWriter
from scrollwork.tasks.sample.run import STAGE, write_sample

if TYPE_CHECKING:
    from scrollwork.suites.parts import Part

LABEL = ("subset", "canary")  # tells the node from that of the whole sample


@dataclass(frozen=True)
class Parameters:
    """share: of a task's inputs, 0 to 1, about that of its money. least: inputs on different documents, at least."""

    seed: int
    share: float = 0.01
    least: int = 5


def declare(part: Part, sampled: Node) -> Node:
    """Declare the choice of a canary from the benchmark's examples."""
    parameters = asdict(Parameters(part.seed))
    inputs = (("curated", (sampled.input("curated"),)), ("sample", (sampled,)))  # later stages look for the first there
    return Node(STAGE, (*part.sampled, LABEL), parameters, __name__, (), inputs)


def run(node: Node, inputs: InputArtifacts, session: Session, writer: ArtifactWriter) -> None:
    """Write table `examples`: those of the canary, in the order of the sample."""
    parameters, sample = Parameters(**node.params), inputs["sample"]
    chosen = canary_of(
        list(sample.rows("examples", Example)),
        seed=parameters.seed,
        share=parameters.share,
        least=parameters.least,
    )
    kept = (one for one in sample.rows("examples", Example) if one.example_id in chosen)
    writer.facts = write_sample(kept, writer)
