"""QMSum (Zhong et al. 2021): meetings with general and specific queries. SCROLLS 3.1, ZeroSCROLLS 3.1.1."""

import re
from collections.abc import Iterator
from functools import partial

from preprocessing.raw import RawFiles, Record, each
from records.base import Row
from records.document import Document, text_id
from records.example import Example, metadata

SPACE_BEFORE = re.compile(r"[ \t]+(?=[.,?!](?:\s|$))")


def curate(raw: RawFiles, task: str, split: str, *, join_punctuation: bool) -> Iterator[Row]:
    """Meetings as documents, each query as an example.

    join_punctuation removes the space that the raw text has before , . ? ! (SCROLLS table 5 shows it removed; the
    ZeroSCROLLS lengths need it kept, fidelity.md#qmsum).
    """
    yield from each(
        raw.records(), lambda record: meeting(record, task, split, join_punctuation), task=task, split=split
    )


def meeting(record: Record, task: str, split: str, join_punctuation: bool) -> Iterator[Row]:
    """The transcript, one turn a line, and its queries; a malformed query is dropped alone."""
    turns = [
        f"{t.text('speaker', empty=True)}: {t.text('content', empty=True)}"
        for t in record.records("meeting_transcripts")
    ]
    transcript = clean("\n".join(turns), join_punctuation)
    document = Document.of(transcript, source_file=record.file, source_record=record.where)
    queries = [(kind, query) for kind in ("general", "specific") for query in record.records(f"{kind}_query_list")]
    yield document
    for number, (kind, query) in enumerate(queries):
        convert = partial(example, document, number, kind, task, split, join_punctuation)
        yield from each([query], convert, task=task, split=split)


def example(
    document: Document, number: int, kind: str, task: str, split: str, join_punctuation: bool, query: Record
) -> Iterator[Example]:
    """One query. Upstream gives no ids: the digest of the meeting's text and the query's place in it name it."""
    yield Example(
        task=task,
        split=split,
        example_id=f"{kind[0]}{number}-{text_id(document.text)[:16]}",
        document_ids=(document.document_id,),
        query=clean(query.text("query"), join_punctuation),
        references=(clean(query.text("answer"), join_punctuation),),
        metadata=metadata(kind=kind),
    )


def clean(text: str, join_punctuation: bool) -> str:
    """The text as the suite wants it."""
    return SPACE_BEFORE.sub("", text) if join_punctuation else text
