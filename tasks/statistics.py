"""Stage statistics: a built task -> lengths, histograms and spread."""

from __future__ import annotations

from typing import Any

from scrollwork.analysis.statistics.corpus import corpus, distributions, histograms
from scrollwork.pipeline.inputs import InputArtifacts
from scrollwork.pipeline.plan import Node
from scrollwork.pipeline.session import Workshop
from scrollwork.records.example import Example
from scrollwork.records.statistics import Bin, Distribution, Spread
from scrollwork.storage.artifacts.artifact import ArtifactWriter


def fill(node: Node, inputs: InputArtifacts, shop: Workshop, writer: ArtifactWriter) -> None:
    """Lengths come from the prompts of all shards, spread from documents and references."""
    labels = tuple(node.label(name) for name in ("suite", "task", "split"))
    words_in = {
        (row["example_id"], row["draw"]): row["words"]
        for shard in inputs.each("prompts")
        for row in shard.columns("prompts", ["example_id", "draw", "words"])
    }
    examples = [row for sample in inputs.each("sample") for row in sample.rows("examples", Example)]
    found = corpus(examples, words_in, inputs["curated"].texts(), **node.params)
    rows = writer.table("distributions", Distribution)
    bins = writer.table("histograms", Bin)
    spreads = writer.table("spreads", Spread)
    counted = {}
    for distribution in distributions(found, *labels):
        rows.add(distribution)
        counted[distribution.measure] = numbers(distribution)
    for one in histograms(found, *labels):
        bins.add(one)
    for pair in found.spreads:
        spreads.add(pair)
    facts = {}
    if "sizes" in inputs:  # of the data set whole, where the suite draws from it
        for distribution in inputs["sizes"].rows("distributions", Distribution):
            rows.add(distribution)
            counted[distribution.measure] = numbers(distribution)
        facts["tokenizer"] = inputs["sizes"].facts["tokenizer"]
    writer.facts = {
        "examples": len(examples),
        "documents": len({document_id for example in examples for document_id in example.document_ids}),
        "references": sum(len(example.references) for example in examples),
        "pairs": len(found.spreads),
        "distributions": counted,
        **facts,
    }


def numbers(row: Distribution) -> dict[str, Any]:
    """A distribution's numbers by name."""
    return {name: value for name, value in row.to_dict().items() if name not in ("suite", "task", "split", "measure")}
