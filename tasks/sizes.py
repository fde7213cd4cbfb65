"""Stage sizes: a data set whole, before anything is drawn from it, as SEAM's table 1 counts it."""

from __future__ import annotations

from scrollwork.analysis.statistics.corpus import Corpus, distributions
from scrollwork.pipeline import progress
from scrollwork.pipeline.inputs import InputArtifacts
from scrollwork.pipeline.plan import Node
from scrollwork.pipeline.session import Workshop
from scrollwork.preprocessing.runs.blocks import shown_documents
from scrollwork.records.example import Example
from scrollwork.records.gold import written
from scrollwork.records.statistics import Distribution
from scrollwork.storage.artifacts.artifact import ArtifactWriter
from scrollwork.suites.vocabularies import load


def fill(node: Node, inputs: InputArtifacts, shop: Workshop, writer: ArtifactWriter) -> None:
    """Documents of each example, tokens of these as a prompt shows them, tokens of what a model is asked to write."""
    curated, tokenizer = inputs["curated"], load(node.params["tokenizer"], shop.home)
    text_of = curated.texts()
    found = Corpus({name: [] for name in ("documents", "tokens_in", "tokens_out")})
    number = 0
    for number, example in enumerate(curated.rows("examples", Example), start=1):
        texts = shown_documents(example, text_of)
        found.values["documents"].append(len(texts))
        found.values["tokens_in"].append(sum(map(tokenizer.count, texts)))
        found.values["tokens_out"] += map(tokenizer.count, written(example, node.params["metric"]))
        progress.tell(node.title, number, curated.facts["examples"])
    rows = writer.table("distributions", Distribution)
    for row in distributions(found, *(node.label(name) for name in ("suite", "task", "split"))):
        rows.add(row)
    writer.facts = {"examples": number, "tokenizer": node.params["tokenizer"]}
