"""Stage tokens: each document of a sample counted once by a tokenizer; truncation, estimates and limits reuse it."""

from __future__ import annotations

from scrollwork.pipeline import progress
from scrollwork.pipeline.inputs import InputArtifacts
from scrollwork.pipeline.plan import Node
from scrollwork.pipeline.session import Workshop
from scrollwork.records.example import Example
from scrollwork.records.token_count import TokenCount
from scrollwork.storage.artifacts.artifact import Artifact, ArtifactWriter
from scrollwork.suites.vocabularies import load


def fill(node: Node, inputs: InputArtifacts, shop: Workshop, writer: ArtifactWriter) -> None:
    """A row a document, in the order of their ids."""
    tokenizer = load(node.params["tokenizer"], shop.home)
    text_of = inputs["curated"].texts()
    wanted = {name for example in inputs["sample"].rows("examples", Example) for name in example.document_ids}
    table = writer.table("tokens", TokenCount)
    total = 0
    for number, document_id in enumerate(sorted(wanted)):
        tokens = tokenizer.count(text_of(document_id))
        table.add(TokenCount(document_id, tokens))
        total += tokens
        progress.tell(node.title, number + 1, len(wanted))
    writer.facts = {"documents": len(wanted), "tokens": total}


def counts(artifact: Artifact | None) -> dict[str, int]:
    """Tokens by document id."""
    if artifact is None:
        return {}
    return {row.document_id: row.tokens for row in artifact.rows("tokens", TokenCount)}
