"""Stage sizes: a data set whole, before anything is drawn from it, as SEAM's table 1 counts it."""

from __future__ import annotations

from collections.abc import Mapping

from analysis.corpus import Corpus, distributions
from preprocessing.blocks import shown_documents
from records.example import Example
from records.gold import written
from records.statistics import Distribution
from storage.artifacts import Artifact, ArtifactWriter
from tasks import progress
from tasks.graph import Node
from tasks.vocabularies import load
from tasks.workshop import Workshop


def fill(node: Node, inputs: Mapping[str, Artifact], shop: Workshop, writer: ArtifactWriter) -> None:
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
