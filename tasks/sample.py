"""Stage sample: curated examples -> the benchmark's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from preprocessing.drawn import How, Pool, draw_of, drawn
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
    chosen = run(node, inputs["curated"]) if "run" in node.params else choose(Curated(inputs["curated"]), **node.params)
    for example in chosen:
        examples.add(example)
        documents.update(example.document_ids)
        count += 1
        references += len(example.references)
    writer.facts = {"examples": count, "documents": len(documents), "references": references}


def run(node: Node, curated: Artifact) -> Iterator[Example]:
    """The examples of one run of a suite that draws. Raises ValueError for too few demonstrations or ids."""
    params, examples = node.params, Curated(curated)
    how = How(**{**params["how"], "ids": tuple(params["how"]["ids"])})
    one = draw_of(examples, params["task"], pool_of(curated), how, params["run"])
    return drawn(examples, params["suite"], params["task"], one, how)


def pool_of(curated: Artifact) -> Pool:
    """What runs of a task choose from beside its instances."""
    instructions = sum(1 for _ in curated.columns("instructions", ["number"]))
    return Pool(instructions, list(curated.rows("demonstrations", Example)))


@dataclass(frozen=True)
class Curated:
    """The examples of a curated artifact, read anew each time they are gone through: they are never all in memory."""

    artifact: Artifact

    def __iter__(self) -> Iterator[Example]:
        return self.artifact.rows("examples", Example)
