"""FuseReviews (Slobodkin et al. 2024): eight reviews with highlighted spans, to be fused into one text. SEAM 1.2.

Two layouts: the data set's own on the Hugging Face Hub (`review_0_offsets`, `review_0_alignments`, ...) and that of the
file for fine-tuning (`review_0_highlight_spans`, ..., `alignments`). The cells of both hold JSON.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from scrollwork.preprocessing.raw.errors import MalformedFile
from scrollwork.preprocessing.raw.files import RawFiles, Record, convert_records
from scrollwork.preprocessing.raw.json_objects import kind_name
from scrollwork.records.base import Row, canonical_json
from scrollwork.records.document import Document
from scrollwork.records.example import Example, metadata

REVIEWS = 8
GAP = " ... "  # between the pieces of an alignment, as upstream writes it
TEXT, OWN, FINE_TUNING = "review_{}_text", "review_{}_offsets", "review_{}_highlight_spans"  # columns
Span = tuple[int, int]


def curate(raw: RawFiles, task: str, split: str) -> Iterator[Row]:
    """Yield reviews as documents, and each row as an example; its id is its number, from 0.

    The reference is JSON: `highlights`, their texts by review, and `alignments`, the texts on the reviews' side, once
    for each review and alignment, sorted. A split without alignments has no reference.
    """
    for number, record in enumerate(raw.records()):
        if isinstance(record, Record) and record.file.lower().endswith(".csv"):
            check_columns(record)
        yield from convert_records([record], partial(instance, number, task, split), task=task, split=split)


def check_columns(record: Record) -> None:
    """Raise MalformedFile for a missing column, which all rows would lack, and for a review too many."""
    own = OWN if FINE_TUNING.format(0) not in record.data else FINE_TUNING
    for column in (one.format(index) for one in (TEXT, own) for index in range(REVIEWS)):
        if column not in record.data:
            there = ", ".join(list(record.data)[:12])
            raise MalformedFile(record.file, "line 1", column, f"is missing (there are: {there})", "missing field")
    if TEXT.format(REVIEWS) in record.data:
        said = f"is one review too many: there are {REVIEWS}"
        raise MalformedFile(record.file, "line 1", TEXT.format(REVIEWS), said, "too many reviews")


def instance(number: int, task: str, split: str, record: Record) -> Iterator[Row]:
    """Yield the reviews of one row, then the row.

    Metadata: `highlights`, [document, start, end], overlapping ones merged; `overlapping`, how many fewer they are by
    that.
    """
    names = [f"review_{index}" for index in range(REVIEWS)]
    texts = [record.text(TEXT.format(index)) for index in range(REVIEWS)]
    own = FINE_TUNING.format(0) not in record.data
    fields = [(OWN if own else FINE_TUNING).format(index) for index in range(REVIEWS)]
    given = [pairs(record, field, cell(record, field), text) for field, text in zip(fields, texts, strict=True)]
    merged = [merge(spans) for spans in given]
    if not any(merged):
        raise record.error(fields[0], "and those of the other reviews hold no highlight", "no highlight")
    aligned = own_alignments(record, names) if own else flat_alignments(record, texts)
    documents = [
        Document.of(text, title=name, source_file=record.file, source_record=record.where)
        for name, text in zip(names, texts, strict=True)
    ]
    highlights = [[text[start:end] for start, end in spans] for text, spans in zip(texts, merged, strict=True)]
    known = {name: record.optional_text(name) for name in ("database", "subset", "summary_name", "summary_text")}
    yield from documents
    yield Example(
        task=task,
        split=split,
        example_id=str(number),
        document_ids=tuple(document.document_id for document in documents),
        references=()
        if aligned is None
        else (canonical_json({"highlights": highlights, "alignments": sorted(text for _, _, text in aligned)}),),
        metadata=metadata(
            highlights=[[index, start, end] for index, spans in enumerate(merged) for start, end in spans],
            overlapping=sum(len(spans) for spans in given) - sum(len(spans) for spans in merged),
            **{name: text for name, text in known.items() if text},
        ),
    )


def cell(record: Record, field: str) -> Any:
    """Return the JSON value of a cell; NaN, which pandas writes for nothing, becomes None. Raises MalformedRecord."""
    text = record.text(field)
    try:
        return json.loads(text, parse_constant=lambda name: None)
    except (RecursionError, ValueError) as error:
        raise record.error(field, f"is not JSON: {error}", "broken JSON") from None


def pairs(record: Record, field: str, value: Any, text: str) -> list[Span]:
    """Return a list of [start, end) as spans of the text. Raises MalformedRecord."""
    if not isinstance(value, list):
        raise record.error(field, f"must be a list, is {kind_name(value)}", "wrong type")
    return [span(record, field, one, text) for one in value]


def span(record: Record, field: str, value: Any, text: str) -> Span:
    """Return [start, end) of characters of the text. Raises MalformedRecord."""
    ends = value if isinstance(value, (list, tuple)) else ()
    if len(ends) != 2 or not all(type(end) is int for end in ends) or not 0 <= ends[0] < ends[1] <= len(text):
        raise record.error(field, f"{value!r} is no span of {len(text):,} characters", "span out of range")
    return ends[0], ends[1]


def merge(spans: Iterable[Span]) -> list[Span]:
    """Return the spans in order, merging those that share a character."""
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged


Alignments = set[tuple[str, str, str]]  # (review, which alignment, text)


def own_alignments(record: Record, names: Sequence[str]) -> Alignments | None:
    """Return those of the Hub's layout, one list per review; None if the split has none."""
    if f"{names[0]}_alignments" not in record.data:
        return None
    found = set()
    for name in names:
        field = f"{name}_alignments"
        for one in objects(record, field, cell(record, field)):
            review = one.record("review")
            found.add((name, canonical_json(review.data), review.text("text")))
    return found


def flat_alignments(record: Record, texts: Sequence[str]) -> Alignments | None:
    """Return those of the fine-tuning file: one list, spans as text "414, 428;430, 440"; None if the split has none.

    An entry with null offsets (NaN) says that a review is not used in the summary.
    """
    if "alignments" not in record.data:
        return None
    found = set()
    reviews = {f"review_{index}": text for index, text in enumerate(texts)}
    for one in objects(record, "alignments", cell(record, "alignments")):
        name = one.text("review_name")
        if name not in reviews:
            raise one.error("review_name", f"{name!r} is none of {REVIEWS} reviews", "out of range")
        if one.data.get("review_span_offsets") is None:
            continue
        offsets = one.text("review_span_offsets")
        text = reviews[name]
        spans = [span(one, "review_span_offsets", numbers(piece), text) for piece in offsets.split(";")]
        found.add((name, offsets, GAP.join(text[start:end] for start, end in spans)))
    return found


def objects(record: Record, field: str, value: Any) -> Iterator[Record]:
    """Yield the objects of a list in a cell. Raises MalformedRecord."""
    if not isinstance(value, list):
        raise record.error(field, f"must be a list, is {kind_name(value)}", "wrong type")
    yield from Record({field: value}, record.file, record.where).records(field)


def numbers(text: str) -> tuple[int, ...]:
    """Return text such as "414, 428" as numbers; () for anything else."""
    pieces = [piece.strip() for piece in text.split(",")]
    if not all(piece.isascii() and piece.isdigit() and len(piece) < 10 for piece in pieces):
        return ()
    return tuple(map(int, pieces))
