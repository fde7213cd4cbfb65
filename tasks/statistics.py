"""Stage statistics: samples and prompts of a task -> lengths, histograms, and how spread out evidence is (spread)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scrollwork.pipeline.inputs import InputArtifacts
from scrollwork.pipeline.parameters import non_default
from scrollwork.pipeline.plan import Node
from scrollwork.pipeline.session import Session
from scrollwork.records.example import Example
from scrollwork.records.gold import KEPT
from scrollwork.records.key_table import KeyTable
from scrollwork.records.statistics import Bin, Distribution, Spread
from scrollwork.storage.artifacts.artifact import ArtifactWriter

if TYPE_CHECKING:
    from scrollwork.suites.parts import Part

STAGE = "statistics"


@dataclass(frozen=True)
class Parameters:
    """kind: of the task's template. output: what counts as the output in the spread: query, options or references.

    metric: "" unless it decides what a model writes (records/gold.py).
    """

    kind: str
    output: str
    metric: str = ""


def declare(part: Part, curated: Node, samples: Sequence[Node], prompts: Sequence[Node], sizes: Node | None) -> Node:
    """Declare the statistics of a task and split. prompts: of all shards. sizes: of the data set, if runs draw from it,
    else None."""
    kind = str(part.task.template["kind"])
    letters = part.request.options_of(part.task).get("output") == "letter"
    # SCROLLS 6.4: ContractNLI's outputs are labels, so its hypotheses are searched for instead
    output = "query" if kind == "nli" else "options" if letters else "references"
    parameters = Parameters(kind, output, part.task.metric if part.task.metric in KEPT else "")
    inputs: list[tuple[str, tuple[Node, ...]]] = [("curated", (curated,)), ("sample", tuple(samples))]
    inputs += [("sizes", (sizes,))] if sizes else []
    inputs.append(("prompts", tuple(prompts)))
    return Node(STAGE, part.base, non_default(parameters), __name__, (), tuple(inputs))


def run(node: Node, inputs: InputArtifacts, session: Session, writer: ArtifactWriter) -> None:
    """Write tables `distributions`, `histograms` and `spreads`. Lengths come from the prompts of all shards, spread
    from documents and references."""
    from scrollwork.analysis.statistics.corpus import corpus, distributions, histograms

    labels = tuple(node.label(name) for name in ("suite", "task", "split"))
    rows = writer.table("distributions", Distribution)
    bins = writer.table("histograms", Bin)
    spreads = writer.table("spreads", Spread)
    examples = Counted(inputs)
    parameters = non_default(Parameters(**node.params))
    told = Lengths(inputs), inputs["curated"].texts()
    found = corpus(examples, *told, **parameters, hand_over=spreads.add)
    counted = {}
    for distribution in distributions(found, *labels):
        rows.add(distribution)
        counted[distribution.measure] = numbers(distribution)
    for one in histograms(found, *labels):
        bins.add(one)
    facts = {}
    if "sizes" in inputs:  # runs draw from the data set: report on all of it too
        for distribution in inputs["sizes"].rows("distributions", Distribution):
            rows.add(distribution)
            counted[distribution.measure] = numbers(distribution)
        facts["tokenizer"] = inputs["sizes"].facts["tokenizer"]
    writer.facts = {
        "examples": examples.count,
        "documents": len(examples.documents),
        "references": int(sum(found.values["references"])),
        "pairs": spreads.count,
        "distributions": counted,
        **facts,
    }


class Lengths:
    """White-space words of the prompts of all shards, by example id and draw."""

    def __init__(self, inputs: InputArtifacts) -> None:
        self._words = KeyTable()
        for shard in inputs.each("prompts"):
            for example_id, draw, words in shard.tuples("prompts", ("example_id", "draw", "words")):
                self._words.add(f"{draw} {example_id}", words)

    def __getitem__(self, name: tuple[str, int]) -> int:
        if (words := self._words.get(f"{name[1]} {name[0]}")) is None:
            raise KeyError(name)
        return words


class Counted:
    """The examples of all samples, counted while they are read. documents: those that they are on."""

    def __init__(self, inputs: InputArtifacts) -> None:
        self._inputs = inputs
        self.count, self.documents = 0, KeyTable()

    def __iter__(self) -> Iterator[Example]:
        for sample in self._inputs.each("sample"):
            for example in sample.rows("examples", Example):
                self.count += 1
                for document_id in example.document_ids:
                    self.documents.add(document_id)
                yield example


def numbers(row: Distribution) -> dict[str, Any]:
    """Return the numbers of a distribution by name."""
    return {name: value for name, value in row.to_dict().items() if name not in ("suite", "task", "split", "measure")}
