"""Official releases of ZeroSCROLLS and SCROLLS as raw files: released rows to documents and examples.

Fields and merging of rows: fact sheets zeroscrolls.md 2 and scrolls.md 2. Where a release differs from the suite's
template, the example keeps the release's text (prompts/frames.py), so that its prompt is the released `input` byte for
byte.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from scrollwork.preprocessing.datasets.released_input import Pieces, by_offsets, options_of, without_offsets
from scrollwork.preprocessing.prompts.frames import FRAME, to_frame
from scrollwork.preprocessing.prompts.template import Template, assemble, pids_of
from scrollwork.preprocessing.raw.files import RawFiles, Record, convert_records
from scrollwork.records.base import Row, canonical_json
from scrollwork.records.example import Example

OFFSETS = ("document_start_index", "document_end_index", "query_start_index", "query_end_index")
FIELDS = frozenset(("id", "pid", "input", "output", "truncation_seperator", "inner_docs_start_indices", *OFFSETS))


def curate(raw: RawFiles, task: str, split: str, *, template: Mapping[str, Any], query_ends: str = "") -> Iterator[Row]:
    """Yield each id of a release as an example, in the order of first rows, and its documents.

    template: the suite's, for the task. query_ends: how the query of an input without offsets ends ("blank_line",
    "options"), "" if it has none.
    """
    release = Release(task, split, Template(**template), query_ends)
    yield from convert_records(raw.records(), release.take, task=task, split=split)
    yield from release.examples()


@dataclass
class PartialInput:
    """An input whose rows are not all read yet; its text is kept only as a digest."""

    example: Example
    input_sha256: bytes
    pids: list[str]
    references: list[str]


class Release:
    """The rows of one release file, merged by id: the first one is kept, and the outputs of the others are appended."""

    def __init__(self, task: str, split: str, template: Template, query_ends: str) -> None:
        self._task, self._split, self._template, self._query_ends = task, split, template, query_ends
        self._held: dict[str, PartialInput] = {}

    def take(self, record: Record) -> Iterator[Row]:
        """Yield the documents of a row, or nothing for a further reference. Raises MalformedRecord."""
        name, text = record.text("id"), record.text("input")
        output = output_of(record, self._split)
        pid = record.text("pid") if record.data.get("pid") is not None else name
        digest = hashlib.sha256(text.encode("utf-8")).digest()
        held = self._held.get(name)
        if held is None:
            pieces = pieces_of(record, self._template, self._query_ends)
            held = PartialInput(self._example(record, name, pieces), digest, [], [])
            yield from pieces.documents
            self._held[name] = held
        elif held.input_sha256 != digest:
            raise record.error("input", f"is not that of the first row of id {name!r}", "rows of an id differ")
        if output is not None:
            held.references.append(output)
        if output is not None or not held.pids:
            held.pids[len(held.references) - 1 if held.references else 0 :] = [pid]

    def examples(self) -> Iterator[Example]:
        """Yield every input with all its references."""
        for held in self._held.values():
            example = replace(held.example, references=tuple(held.references))
            if held.pids != pids_of(example):
                example = replace(example, metadata=canonical_json({**example.facts, "pids": held.pids}))
            yield example

    def _example(self, record: Record, name: str, pieces: Pieces) -> Example:
        """Return the input without its references; what differs from the template is kept as its frame."""
        example = Example(
            task=self._task,
            split=self._split,
            example_id=name,
            document_ids=tuple(document.document_id for document in pieces.documents),
            references=(),
            query=pieces.query,
            titles=tuple(document.title for document in pieces.documents) if pieces.titled else (),
            options=options_of(pieces.query or ""),
        )
        lengths = {document.document_id: len(document.text) for document in pieces.documents}
        frame: dict[str, Any] = {}
        if assemble(example, self._template, lengths.__getitem__) != pieces.parts:
            frame["parts"] = to_frame(pieces.parts)
        if pieces.separator is not None and pieces.separator != self._template.separator:
            frame["separator"] = pieces.separator
        more = dict(unknown_fields(record))
        facts = {**({FRAME: frame} if frame else {}), **({"fields": more} if more else {})}
        return replace(example, metadata=canonical_json(facts))


def unknown_fields(record: Record) -> Iterator[tuple[str, Any]]:
    """Yield fields that the fact sheets do not name (SCROLLS' flag of hard questions), lists and objects as JSON."""
    for field, value in record.data.items():
        if field in FIELDS or value is None:
            continue
        try:
            yield field, canonical_json(value) if isinstance(value, list | dict) else value
        except RecursionError:
            raise record.error(field, "nests too deep to be kept", "nesting") from None


def output_of(record: Record, split: str) -> str | None:
    """Return the row's reference; None if it is private: null, or no such field in the test split."""
    if record.data.get("output") is None and ("output" in record.data or split == "test"):
        return None
    return record.text("output", empty=True)


def pieces_of(record: Record, template: Template, query_ends: str) -> Pieces:
    """Return documents, query and literals of a row's input. Raises MalformedRecord naming the field."""
    if template.response_header:
        return by_offsets(record, template)
    if "document_start_index" in record.data:
        raise record.error("document_start_index", "is there: this is a row of ZeroSCROLLS", "other benchmark")
    return without_offsets(record, query_ends)
