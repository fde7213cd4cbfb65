"""Stage sample: curated examples -> the benchmark's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from preprocessing.sampling import choose
from records.example import Example
from storage.artifacts import Artifact, ArtifactWriter
from tasks.graph import Node
from tasks.workshop import Workshop


def fill(node: Node, inputs: Mapping[str, Artifact], shop: Workshop, writer: ArtifactWriter) -> None:
    """Choose, and count what was chosen."""
    examples = writer.table("examples", Example)
    documents: set[str] = set()
    count = references = 0
    for example in choose(Curated(inputs["curated"]), **node.params):
        examples.add(example)
        documents.update(example.document_ids)
        count += 1
        references += len(example.references)
    writer.facts = {"examples": count, "documents": len(documents), "references": references}


@dataclass(frozen=True)
class Curated:
    """The examples of a curated artifact, read anew each time they are gone through: they are never all in memory."""

    artifact: Artifact

    def __iter__(self) -> Iterator[Example]:
        return self.artifact.rows("examples", Example)
