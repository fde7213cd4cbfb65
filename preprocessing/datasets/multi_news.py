"""Multi-News (Fabbri et al. 2019): news articles on one event with a professional summary. SEAM 1.2.

Two layouts: upstream's pair of text files, whose lines n belong together, newlines written as NEWLINE_CHAR; and records
with `document` and `summary`, as data sets on the Hugging Face Hub have them.
"""

from collections.abc import Iterator
from functools import partial
from itertools import zip_longest
from pathlib import Path

from scrollwork.preprocessing.raw.errors import MalformedFile, MalformedRecord
from scrollwork.preprocessing.raw.files import RawFiles, Record, convert_records, drop_by_filter
from scrollwork.preprocessing.raw.lines import text_lines
from scrollwork.preprocessing.runs.blocks import blanks
from scrollwork.records.base import Row
from scrollwork.records.document import Document
from scrollwork.records.example import Example, metadata

SEPARATOR = "|||||"
NEWLINE = "NEWLINE_CHAR"
ARTICLES = (".src", ".src.cleaned")  # endings of upstream's files with articles


def curate(raw: RawFiles, task: str, split: str) -> Iterator[Row]:
    """Yield articles as documents, each row as an example with one summary; its id is its number, from 0.

    Articles are stripped. Empty ones are left out and counted, as are rows without any; rows with one article stay.
    Metadata `blanks`: what was stripped (runs/blocks.py), for prompts that show it.
    """
    for number, record in enumerate(rows(raw)):
        yield from convert_records([record], partial(cluster, number, task, split), task=task, split=split)


def rows(raw: RawFiles) -> Iterator[Record | MalformedRecord]:
    """Yield the rows of either layout, in order, broken ones too. Raises MalformedFile."""
    articles = raw.files("articles")
    if not articles[0][0].endswith(ARTICLES):
        yield from raw.records("articles")
        return
    summaries = raw.files("summaries")
    if len(articles) != len(summaries):
        names = ", ".join(name for name, _ in (*articles, *summaries))
        raise MalformedFile(raw.dataset, "", "", f"articles and summaries are not pairs: {names}", "missing file")
    for pair in zip(articles, summaries, strict=True):
        yield from paired_lines(*pair)


def paired_lines(articles: tuple[str, Path], summaries: tuple[str, Path]) -> Iterator[Record | MalformedRecord]:
    """Yield line n of two files as a record of the first. Raises MalformedFile if one ends before the other."""
    for number, (document, summary) in enumerate(zip_longest(text_lines(articles), text_lines(summaries)), start=1):
        if document is None or summary is None:
            short, long = (articles, summaries) if document is None else (summaries, articles)
            problem = f"ends after line {number - 1}, {long[0]} does not: which lines belong together is not known"
            raise MalformedFile(short[0], "", "", problem, "missing line")
        if isinstance(document, MalformedRecord):
            yield document
        elif isinstance(summary, MalformedRecord):
            yield summary
        else:
            data = {"document": document[1].strip().replace(NEWLINE, "\n"), "summary": summary[1]}
            yield Record(data, articles[0], document[0])


def cluster(number: int, task: str, split: str, record: Record) -> Iterator[Row]:
    """Yield the articles of one row, then the row."""
    given = record.text("document", empty=True).split(SEPARATOR)
    pieces = [piece.strip() for piece in given]
    articles = [piece for piece in pieces if piece]
    if not articles:
        yield drop_by_filter(record, "no document", "the row has no article", task=task, split=split)
        return
    summary = record.text("summary").strip()
    empty = [place for place, piece in enumerate(pieces) if not piece]
    documents = [Document.of(text, source_file=record.file, source_record=record.where) for text in articles]
    yield from documents
    yield Example(
        task=task,
        split=split,
        example_id=str(number),
        document_ids=tuple(document.document_id for document in documents),
        references=(summary,),
        metadata=metadata(
            documents=len(documents), empty_documents=len(empty), empty_places=empty, blanks=[*map(blanks, given)]
        ),
    )
    if empty:
        detail = f"{len(empty)} of {len(pieces)} articles are empty; the others stand"
        yield drop_by_filter(record, "empty document", detail, task=task, split=split)
