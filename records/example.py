"""An example: documents in order, a query, references."""

import json
from dataclasses import dataclass
from typing import Any

from scrollwork.records.base import Row, canonical_json
from scrollwork.records.key_table import KeyTable


@dataclass(frozen=True)
class Example(Row):
    """One input of a benchmark with its references.

    suite: "" until the sample stage assigns a curated example to a suite. document_ids: in the order in which the
    prompt shows them; titles: one per document, or none at all. query: None for tasks without one. options: for
    multiple choice, in order. references: gold outputs, in upstream's order; structured ones as canonical JSON; empty
    if they are private. metadata: canonical JSON object with facts for sampler and report. draw: the run (SEAM) or
    window (Dolce), else 0.
    """

    task: str
    split: str
    example_id: str
    document_ids: tuple[str, ...]
    references: tuple[str, ...]
    query: str | None = None
    titles: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    metadata: str = "{}"
    suite: str = ""
    draw: int = 0

    def check(self) -> None:
        self.require(bool(self.task), "task", "is empty")
        self.require(bool(self.example_id), "example_id", "is empty")
        self.require(bool(self.document_ids), "document_ids", "an example needs a document")
        self.require(len(self.titles) in (0, len(self.document_ids)), "titles", "one a document, or none")
        self.require(self.draw >= 0, "draw", "is negative")
        self.require(_is_object(self.metadata), "metadata", "must be a JSON object")

    @property
    def facts(self) -> dict[str, Any]:
        """Return the parsed metadata."""
        parsed: dict[str, Any] = json.loads(self.metadata)
        return parsed


class Repetitions:
    """A check that refuses rows of one table that later stages would confuse.

    They find references and options by the example's id, so an example may occur several times, distinguished by
    `draw`, but always with the same of both. where: the table, for messages. Values are remembered by their hash: a
    sample of windows has many rows.
    """

    def __init__(self, where: str) -> None:
        self._where = where
        self._held = KeyTable()  # under "FIELD ID" its hash, and under "DRAW ID" nothing

    def check(self, example: Example) -> None:
        """Raise ValueError for a row that contradicts an earlier one."""
        name, draw = example.example_id, example.draw
        said = f"{self._where}, example {name!r}, draw {draw}"
        fields = {"references": hash(example.references), "options": hash(example.options)}
        held = {field: self._held.add(f"{field} {name}", value) for field, value in fields.items()}
        if other := [field for field in fields if held[field] not in (None, fields[field])]:
            raise ValueError(
                f'{said}: field "{other[0]}" differs from that of an earlier row with this id; repetitions that change '
                f"the {other[0]} need a sample each, a shard of their own"
            )
        if self._held.add(f"{draw} {name}") is not None:
            raise ValueError(f'{said}: field "draw" is that of an earlier row with this id; repetitions need one each')


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False


def metadata(**facts: Any) -> str:
    """Return the metadata of an example as canonical JSON."""
    return canonical_json(facts)
