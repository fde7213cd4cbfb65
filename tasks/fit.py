"""Stage fit: examples whose outputs are known -> what a heuristic takes from them."""

from __future__ import annotations

from collections.abc import Iterator

from scrollwork.models.baselines.fitted_rules import Case, fit
from scrollwork.pipeline.inputs import InputArtifacts
from scrollwork.pipeline.plan import Node
from scrollwork.pipeline.session import Workshop
from scrollwork.preprocessing.prompts.template import Template, assemble
from scrollwork.records.document import Document
from scrollwork.records.example import Example
from scrollwork.records.fitted import Fitted
from scrollwork.records.prompt import Part
from scrollwork.storage.artifacts.artifact import Artifact, ArtifactWriter


def fill(node: Node, inputs: InputArtifacts, shop: Workshop, writer: ArtifactWriter) -> None:
    """Every value of the rule, a row each."""
    rows = fit(node.params["kind"], cases(inputs["curated"], Template(**node.params["template"])))
    table = writer.table("fitted", Fitted)
    for row in rows:
        table.add(row)
    writer.facts = {
        "kind": node.params["kind"],
        "split": node.label("split"),
        "cases": rows[0].cases,
        "value": rows[0].choice if rows[0].number is None else rows[0].number,
    }


def cases(curated: Artifact, template: Template) -> Iterator[Case]:
    """Each example with the characters of its documents and of its prompt; no text is read for it."""
    lengths = {document.document_id: len(document.text) for document in curated.rows("documents", Document)}
    for example in curated.rows("examples", Example):
        parts = assemble(example, template, lengths.__getitem__)
        yield Case(example, sum(chars(part) for part in parts if part.role == "document"), sum(map(chars, parts)))


def chars(part: Part) -> int:
    """Characters of a part."""
    if part.text is not None:
        return len(part.text)
    assert part.start is not None
    assert part.end is not None
    return part.end - part.start
