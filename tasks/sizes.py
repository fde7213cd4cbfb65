"""Stage sizes: measure a whole data set, not only what runs draw from it, as in table 1 of SEAM."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scrollwork.pipeline import progress
from scrollwork.pipeline.inputs import InputArtifacts
from scrollwork.pipeline.parameters import non_default
from scrollwork.pipeline.plan import Node
from scrollwork.pipeline.session import Session
from scrollwork.records.example import Example
from scrollwork.records.gold import written_references
from scrollwork.records.statistics import Distribution
from scrollwork.storage.artifacts.artifact import ArtifactWriter
from scrollwork.suites.vocabularies import load

if TYPE_CHECKING:
    from scrollwork.suites.parts import Part

STAGE = "sizes"


@dataclass(frozen=True)
class Parameters:
    """metric: of the task; it decides which references a model is asked to write. tokenizer: its permanent name."""

    metric: str
    tokenizer: str


def declare(part: Part, curated: Node, tokenizer: str) -> Node:
    """Declare the measuring of a curated data set."""
    parameters = non_default(Parameters(part.task.metric, tokenizer))
    return Node(STAGE, part.base, parameters, __name__, part.engine(tokenizer), (("curated", (curated,)),))


def run(node: Node, inputs: InputArtifacts, session: Session, writer: ArtifactWriter) -> None:
    """Write table `distributions`: the number of documents of each example, the tokens that a prompt shows of them, and
    the tokens of each reference."""
    from scrollwork.analysis.statistics.corpus import Corpus, distributions
    from scrollwork.preprocessing.runs.blocks import shown_documents

    parameters = Parameters(**node.params)
    curated, tokenizer = inputs["curated"], load(parameters.tokenizer, session.home)
    text_of = curated.texts()
    found = Corpus({name: array("d") for name in ("documents", "tokens_in", "tokens_out")})
    number = 0
    for number, example in enumerate(curated.rows("examples", Example), start=1):
        texts = shown_documents(example, text_of)
        found.values["documents"].append(len(texts))
        found.values["tokens_in"].append(sum(map(tokenizer.count, texts)))
        found.values["tokens_out"].extend(map(tokenizer.count, written_references(example, parameters.metric)))
        progress.tell(node.title, number, curated.facts["examples"])
    rows = writer.table("distributions", Distribution)
    for row in distributions(found, *(node.label(name) for name in ("suite", "task", "split"))):
        rows.add(row)
    writer.facts = {"examples": number, "tokenizer": parameters.tokenizer}
