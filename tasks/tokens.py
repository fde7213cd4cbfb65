"""Stage tokens: count each document of a sample once, for truncation, estimates and limits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from scrollwork.pipeline import progress
from scrollwork.pipeline.inputs import InputArtifacts
from scrollwork.pipeline.parameters import non_default
from scrollwork.pipeline.plan import Node
from scrollwork.pipeline.session import Session
from scrollwork.records.document import TokenCount
from scrollwork.records.example import Example
from scrollwork.storage.artifacts.artifact import Artifact, ArtifactWriter
from scrollwork.suites.vocabularies import load

STAGE = "tokens"


@dataclass(frozen=True)
class Parameters:
    """tokenizer: its permanent name (suites/tokenizers.py), or "words" for white-space words."""

    tokenizer: str


def declare(sample: Node, tokenizer: str, engine: Sequence[str] = ()) -> Node:
    """Declare the counting of a sample's documents. engine: the module that makes the tokenizer, if any."""
    labels = (*sample.labels, ("tokenizer", tokenizer))
    inputs = (("curated", (sample.input("curated"),)), ("sample", (sample,)))
    return Node(STAGE, labels, non_default(Parameters(tokenizer)), __name__, tuple(engine), inputs)


def run(node: Node, inputs: InputArtifacts, session: Session, writer: ArtifactWriter) -> None:
    """Write table `tokens`: a row for each document, in the order of their ids."""
    tokenizer = load(Parameters(**node.params).tokenizer, session.home)
    wanted = {name for example in inputs["sample"].rows("examples", Example) for name in example.document_ids}
    counted: dict[str, int] = {}
    # As they are stored, not in the order of their ids, in which each text would need a row group of megabytes.
    for document_id, text in inputs["curated"].tuples("documents", ("document_id", "text"), ("document_id", wanted)):
        counted[document_id] = tokenizer.count(text)
        progress.tell(node.title, len(counted), len(wanted))
    if lost := wanted - counted.keys():
        raise KeyError(min(lost))
    table = writer.table("tokens", TokenCount)
    for document_id, tokens in sorted(counted.items()):
        table.add(TokenCount(document_id, tokens))
    writer.facts = {"documents": len(wanted), "tokens": sum(counted.values())}


def counts(artifact: Artifact | None) -> dict[str, int]:
    """Read the number of tokens of each document, by document id; none if the artifact is None."""
    if artifact is None:
        return {}
    return {row.document_id: row.tokens for row in artifact.rows("tokens", TokenCount)}
