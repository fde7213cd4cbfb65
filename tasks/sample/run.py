"""Stage sample: curated examples -> the benchmark's. Runs (SEAM): runs.py; windows of contexts (Dolce): windows.py."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from scrollwork.pipeline.inputs import InputArtifacts
from scrollwork.pipeline.plan import Node
from scrollwork.pipeline.session import Workshop
from scrollwork.preprocessing.sampling import choose
from scrollwork.records.example import Example
from scrollwork.storage.artifacts.artifact import Artifact, ArtifactWriter


def fill(node: Node, inputs: InputArtifacts, shop: Workshop, writer: ArtifactWriter) -> None:
    """Choose, and count what was chosen."""
    writer.facts = kept(choose(Curated(inputs["curated"]), **node.params), writer)


def kept(chosen: Iterable[Example], writer: ArtifactWriter) -> dict[str, int]:
    """Write examples down; how many examples, documents and references they are."""
    keeper = Keeper(writer)
    for _ in keeper.keep(chosen):
        pass
    return keeper.counts()


class Keeper:
    """Writes examples down as they pass, and counts them."""

    def __init__(self, writer: ArtifactWriter) -> None:
        self._table = writer.table("examples", Example)
        self._documents: set[str] = set()
        self._counts: Counter[str] = Counter()

    def keep(self, chosen: Iterable[Example]) -> Iterator[Example]:
        """The same examples, each written down before it is passed on."""
        for example in chosen:
            self._table.add(example)
            self._documents.update(example.document_ids)
            self._counts["examples"] += 1
            self._counts["references"] += len(example.references)
            yield example

    def counts(self) -> dict[str, int]:
        """How many examples, documents and references have passed."""
        return {
            "examples": self._counts["examples"],
            "documents": len(self._documents),
            "references": self._counts["references"],
        }


@dataclass(frozen=True)
class Curated:
    """The examples of a curated artifact, read anew each time they are gone through: they are never all in memory."""

    artifact: Artifact

    def __iter__(self) -> Iterator[Example]:
        return self.artifact.rows("examples", Example)
