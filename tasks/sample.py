"""Stage sample: curated examples -> the benchmark's."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from preprocessing.drawn import How, Pool, draw_of, drawn
from preprocessing.manifests import manifest
from preprocessing.sampling import choose
from records.example import Example
from storage.artifacts import Artifact, ArtifactWriter
from tasks.blocks import blocks_of
from tasks.graph import Node
from tasks.workshop import Workshop

MANIFEST = "draw.json"  # of a run


def fill(node: Node, inputs: Mapping[str, Artifact], shop: Workshop, writer: ArtifactWriter) -> None:
    """Choose, and count what was chosen. Of a run, its manifest too."""
    examples = writer.table("examples", Example)
    documents: set[str] = set()
    counts: Counter[str] = Counter()

    def added(chosen: Iterable[Example]) -> Iterator[Example]:
        for example in chosen:
            examples.add(example)
            documents.update(example.document_ids)
            counts["examples"] += 1
            counts["references"] += len(example.references)
            yield example

    curated, told = inputs["curated"], b""
    if "run" in node.params:
        told = drawing(node, curated, added)
        writer.file(MANIFEST, told)
    else:
        for _ in added(choose(Curated(curated), **node.params)):
            pass
    writer.facts = {
        "examples": counts["examples"],
        "documents": len(documents),
        "references": counts["references"],
        **({"manifest": hashlib.sha256(told).hexdigest()} if told else {}),
    }


def drawing(node: Node, curated: Artifact, added: Callable[[Iterable[Example]], Iterable[Example]]) -> bytes:
    """Draw one run; its manifest. added: takes its examples, as the run shows them, and passes them on.

    Raises ValueError for too few demonstrations or ids.
    """
    params = node.params["how"]
    lists: dict[str, Any] = {name: tuple(value) for name, value in params.items() if isinstance(value, list)}
    how = How(**{**params, **lists})
    task, suite = node.params["task"], node.params["suite"]
    one = draw_of(sizes(curated), task, pool_of(curated), how, node.params["run"])
    chosen = curated.rows("examples", Example, ("example_id", one.instances))
    blocks = blocks_of(node.params["block"], curated)
    return manifest(suite, task, one, how, added(drawn(chosen, suite, task, one, how)), blocks, curated.texts())


def sizes(curated: Artifact) -> dict[str, int]:
    """How many documents each example has, by its name."""
    rows = curated.columns("examples", ["example_id", "document_ids"])
    return {row["example_id"]: len(row["document_ids"]) for row in rows}


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
