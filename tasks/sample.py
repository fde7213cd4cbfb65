"""Stage sample: curated examples -> the benchmark's."""

from __future__ import annotations

from collections.abc import Mapping

from preprocessing.sampling import choose
from records.example import Example
from storage.artifacts import Artifact, ArtifactWriter
from tasks.graph import Node
from tasks.workshop import Workshop


def fill(node: Node, inputs: Mapping[str, Artifact], shop: Workshop, writer: ArtifactWriter) -> None:
    """Choose, and count what was chosen."""
    chosen = choose(inputs["curated"].rows("examples", Example), **node.params)
    examples = writer.table("examples", Example)
    documents: set[str] = set()
    for example in chosen:
        examples.add(example)
        documents.update(example.document_ids)
    writer.facts = {
        "examples": len(chosen),
        "documents": len(documents),
        "references": sum(len(example.references) for example in chosen),
    }
