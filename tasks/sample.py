"""Stage sample: curated examples -> the benchmark's."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from preprocessing.drawn import How, Pool, draw_of, drawn
from preprocessing.draws import Draw
from preprocessing.manifests import manifest
from preprocessing.sampling import choose
from records.example import Example
from storage.artifacts import Artifact, ArtifactWriter
from tasks.blocks import blocks_of
from tasks.graph import Node
from tasks.workshop import Workshop

MANIFEST = "draw.json"  # of a run


def fill(node: Node, inputs: Mapping[str, Artifact], shop: Workshop, writer: ArtifactWriter) -> None:
    """Choose, and count what was chosen."""
    examples = writer.table("examples", Example)
    documents: set[str] = set()
    count = references = 0
    drawing = "run" in node.params
    for example in run(node, inputs["curated"]) if drawing else choose(Curated(inputs["curated"]), **node.params):
        examples.add(example)
        documents.update(example.document_ids)
        count += 1
        references += len(example.references)
    writer.facts = {"examples": count, "documents": len(documents), "references": references}
    if drawing:
        told = told_of(node, inputs["curated"])
        writer.file(MANIFEST, told)
        writer.facts |= {"manifest": hashlib.sha256(told).hexdigest()}


def run(node: Node, curated: Artifact) -> Iterator[Example]:
    """The examples of one run of a suite that draws. Raises ValueError for too few demonstrations or ids."""
    one, how = draw_and_how(node, curated)
    return drawn(Curated(curated), node.params["suite"], node.params["task"], one, how)


def draw_and_how(node: Node, curated: Artifact) -> tuple[Draw, How]:
    """What a run draws, and how."""
    params = node.params["how"]
    lists: dict[str, Any] = {name: tuple(value) for name, value in params.items() if isinstance(value, list)}
    how = How(**{**params, **lists})
    return draw_of(Curated(curated), node.params["task"], pool_of(curated), how, node.params["run"]), how


def told_of(node: Node, curated: Artifact) -> bytes:
    """The manifest of a run."""
    one, how = draw_and_how(node, curated)
    blocks = blocks_of(node.params["block"], curated)
    names = node.params["suite"], node.params["task"]
    return manifest(*names, one, how, run(node, curated), blocks, curated.texts())


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
