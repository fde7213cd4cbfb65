"""Stage statistics: samples and prompts of a task -> lengths, histograms, and how spread out evidence is (spread).

A task with shards is counted in as many shares of its sample, by several processes. A share leaves the values of each
measure as a file of 64-bit floats; these are put together before anything is summed or sorted, so numbers are the same.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from scrollwork.pipeline.inputs import InputArtifacts
from scrollwork.pipeline.parameters import non_default
from scrollwork.pipeline.plan import Node
from scrollwork.pipeline.session import Session
from scrollwork.records.example import Example
from scrollwork.records.gold import KEPT
from scrollwork.records.key_table import KeyTable
from scrollwork.records.statistics import Bin, Distribution, Spread
from scrollwork.storage.artifacts.artifact import Artifact, ArtifactWriter

if TYPE_CHECKING:
    from scrollwork.analysis.statistics.corpus import Corpus
    from scrollwork.suites.parts import Part

STAGE = "statistics"
VALUES = ".values"  # ending of the files that shares leave


@dataclass(frozen=True)
class Parameters:
    """kind: of the task's template. output: what counts as the output in the spread: query, options or references.

    metric: "" unless it decides what a model writes (records/gold.py). share: [number, how many] of a node that counts
    a share of the sample, None for all of it.
    """

    kind: str
    output: str
    metric: str = ""
    share: Sequence[int] | None = None


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
    whole, of = Node(STAGE, part.base, non_default(parameters), __name__, (), tuple(inputs)), len(prompts)
    if of == 1 or len(samples) != 1 or sizes:  # SEAM's prompts are of runs
        return whole
    return replace(whole, inputs=(("sample", tuple(samples)), ("shares", whole.shares(of))))


def run(node: Node, inputs: InputArtifacts, session: Session, writer: ArtifactWriter) -> None:
    """Write tables `distributions`, `histograms` and `spreads`; of a share, `spreads` and a file for each measure."""
    from scrollwork.analysis.statistics.corpus import Corpus, distributions, histograms

    parameters = Parameters(**node.params)
    if parameters.share is not None:
        spreads, examples = writer.table("spreads", Spread), Counted(inputs, parameters.share)
        for measure, values in counted(inputs, parameters, examples, spreads.add).values.items():
            writer.file(f"{measure}{VALUES}", little_endian(values).tobytes())
        return
    labels = tuple(node.label(name) for name in ("suite", "task", "split"))
    rows = writer.table("distributions", Distribution)
    bins = writer.table("histograms", Bin)
    spreads = writer.table("spreads", Spread)
    examples = Counted(inputs)
    if "shares" in inputs:
        shares, sample = inputs.each("shares"), inputs["sample"].facts
        found = Corpus(joined(shares))
        for share in shares:
            for one in share.manifest.parts("spreads"):
                spreads.adopt(share.folder, one)
        facts = {name: sample[name] for name in ("examples", "documents")}
    else:
        found = counted(inputs, parameters, examples, spreads.add)
        facts = {"examples": examples.count, "documents": len(examples.documents)}
    measured = {}
    for distribution in distributions(found, *labels):
        rows.add(distribution)
        measured[distribution.measure] = numbers(distribution)
    for bin_ in histograms(found, *labels):
        bins.add(bin_)
    if "sizes" in inputs:  # runs draw from the data set: report on all of it too
        for distribution in inputs["sizes"].rows("distributions", Distribution):
            rows.add(distribution)
            measured[distribution.measure] = numbers(distribution)
        facts["tokenizer"] = inputs["sizes"].facts["tokenizer"]
    writer.facts = {
        **facts,
        "references": int(sum(found.values["references"])),
        "pairs": spreads.count,
        "distributions": measured,
    }


def counted(
    inputs: InputArtifacts, parameters: Parameters, examples: Counted, hand_over: Callable[[Spread], None]
) -> Corpus:
    """Count everything about these examples. Lengths come from the prompts of all shards, spread from documents and
    references."""
    from scrollwork.analysis.statistics.corpus import corpus

    told = Lengths(inputs), inputs["curated"].texts()
    kind, output, metric = parameters.kind, parameters.output, parameters.metric
    return corpus(examples, *told, kind=kind, output=output, metric=metric, hand_over=hand_over)


def joined(shares: Sequence[Artifact]) -> dict[str, array[float]]:
    """Return the values of each measure that the shares left, in their order."""
    names = [part.table for part in shares[0].manifest.files if part.table.endswith(VALUES)]
    found: dict[str, array[float]] = {name.removesuffix(VALUES): array("d") for name in names}
    for share in shares:
        for measure, values in found.items():
            values.extend(little_endian(array("d", share.bytes_of(f"{measure}{VALUES}"))))
    return found


def little_endian(values: array[float]) -> array[float]:
    """Return the values in the order of bytes that files have; or those of a file in the order of this machine."""
    if sys.byteorder == "big":
        values = array("d", values)
        values.byteswap()
    return values


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
    """The examples of all samples, or of a share of one, counted while they are read. documents: those that they are
    on."""

    def __init__(self, inputs: InputArtifacts, share: Sequence[int] | None = None) -> None:
        self._inputs, self._share = inputs, share
        self.count, self.documents = 0, KeyTable()

    def __iter__(self) -> Iterator[Example]:
        for sample in self._inputs.each("sample"):
            rows = sample.rows("examples", Example)
            if self._share is not None:
                total, (number, of) = sample.facts["examples"], self._share
                rows = islice(rows, total * number // of, total * (number + 1) // of)
            for example in rows:
                self.count += 1
                for document_id in example.document_ids:
                    self.documents.add(document_id)
                yield example


def numbers(row: Distribution) -> dict[str, Any]:
    """Return the numbers of a distribution by name."""
    return {name: value for name, value in row.to_dict().items() if name not in ("suite", "task", "split", "measure")}
