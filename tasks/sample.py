"""Stage sample: curated examples -> the benchmark's."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from preprocessing.sampling import choose
from records.example import Example
from storage.artifacts import Artifact, ArtifactWriter
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

    facts: dict[str, str] = {}
    if "run" in node.params:
        from tasks.drawing import drawing, whose  # in the key of these nodes only

        told = drawing(node, inputs, added)
        writer.file(MANIFEST, told)
        facts = {"manifest": hashlib.sha256(told).hexdigest(), "wording": whose(node, inputs["curated"])}
    else:
        for _ in added(chosen_of(node, inputs["curated"])):
            pass
    writer.facts = {
        "examples": counts["examples"],
        "documents": len(documents),
        "references": counts["references"],
        **facts,
    }


def chosen_of(node: Node, curated: Artifact) -> Iterable[Example]:
    """What the node's policy takes; every window of it where the task is observed."""
    params = dict(node.params)
    how, strategy = params.pop("observed", None), params.pop("strategy", "")
    chosen = choose(Curated(curated), **params)
    if how is None:
        return chosen
    from tasks.windows import windows_of  # in the key of these nodes only

    return windows_of(chosen, curated, how, strategy, seed=params["seed"], suite=params["suite"])


@dataclass(frozen=True)
class Curated:
    """The examples of a curated artifact, read anew each time they are gone through: they are never all in memory."""

    artifact: Artifact

    def __iter__(self) -> Iterator[Example]:
        return self.artifact.rows("examples", Example)
