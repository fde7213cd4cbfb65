"""SciCo (Cattan et al. 2021): mentions of scientific concepts in paragraphs of many papers. SEAM 1.2."""

from collections.abc import Iterator
from typing import Any

from scrollwork.preprocessing.datasets.coreference import Mention, clusters, is_whole, joined, spans
from scrollwork.preprocessing.raw.files import RawFiles, Record, convert_records
from scrollwork.records.base import Row
from scrollwork.records.document import Document
from scrollwork.records.example import Example, metadata

FLAGS = ("hard_10", "hard_20", "curated")
BY_RECORD = ("records",)


def curate(raw: RawFiles, task: str, split: str) -> Iterator[Row]:
    """Yield papers as documents, each row as an example; mentions are numbered in the row's order."""
    yield from convert_records(raw.records(), lambda record: topic(record, task, split), task=task, split=split)


def topic(record: Record, task: str, split: str) -> Iterator[Row]:
    """Yield the documents of one row, then the row."""
    paragraphs = tokens_of(record)
    owners = owners_of(record, len(paragraphs))
    order = sorted(set(owners))
    places: list[tuple[int, list[tuple[int, int]]]] = []  # document and [start, end) of each token, by paragraph
    texts = ["" for _ in order]
    for owner, tokens in zip(owners, paragraphs, strict=True):
        document = order.index(owner)
        line, ends = joined(tokens)
        before = len(texts[document])
        places.append((document, [(before + start, before + end) for start, end in ends]))
        texts[document] += f"{line}\n"
    for owner, text in zip(order, texts, strict=True):
        if not text.strip():
            raise record.error("tokens", f"document {owner} has no text", "empty document")
    found = [mention(record, index, value, places) for index, value in enumerate(record.array("mentions"))]
    if not found:
        raise record.error("mentions", "is empty", "empty field")
    documents = [Document.of(text, source_file=record.file, source_record=record.where) for text in texts]
    facts = {name: record.boolean(name) for name in FLAGS if record.data.get(name) is not None}
    yield from documents
    yield Example(
        task=task,
        split=split,
        example_id=str(record.integer("id")),
        document_ids=tuple(document.document_id for document in documents),
        references=(clusters(found),),
        metadata=metadata(mentions=spans(found), **facts),
    )


def tokens_of(record: Record) -> list[list[str]]:
    """Return the tokens of each paragraph. Raises MalformedRecord."""
    listed = record.array("tokens")
    if not listed:
        raise record.error("tokens", "is empty", "empty field")
    return [
        Record({f"tokens[{i}]": one}, record.file, record.where).texts(f"tokens[{i}]") for i, one in enumerate(listed)
    ]


def owners_of(record: Record, paragraphs: int) -> list[int]:
    """Return the document of each paragraph. Raises MalformedRecord."""
    owners = record.array("doc_ids")
    if len(owners) != paragraphs:
        raise record.error("doc_ids", f"are {len(owners)}, for {paragraphs} paragraphs", "out of range")
    if not all(is_whole(owner) for owner in owners):
        raise record.error("doc_ids", "must be whole numbers from 0", "wrong type")
    return owners


def mention(record: Record, index: int, value: Any, places: list[tuple[int, list[tuple[int, int]]]]) -> Mention:
    """Return [paragraph, first token, last token, cluster] as characters of a document. Raises MalformedRecord."""
    field = f"mentions[{index}]"
    if not isinstance(value, list) or len(value) != 4 or not all(is_whole(one) for one in value):
        raise record.error(field, f"{value!r} is not [paragraph, first, last, cluster]", "wrong type")
    paragraph, first, last, cluster = value
    if paragraph >= len(places):
        raise record.error(field, f"is in paragraph {paragraph} of {len(places)}", "mention out of range")
    document, tokens = places[paragraph]
    if not first <= last < len(tokens):
        problem = f"has tokens {first} to {last} of {len(tokens)} of its paragraph"
        raise record.error(field, problem, "mention out of range")
    start, end = tokens[first][0], tokens[last][1]
    if start == end:
        raise record.error(field, "has no text", "empty field")
    return Mention(document, start, end, cluster)
