"""SQuALITY (Wang et al. 2022): stories, five questions on each, four written answers to each. ZeroSCROLLS 3.1.1.

Release v1.2 by default: its lengths are those of the paper's table (fidelity.md#squality).
"""

from collections.abc import Iterator
from functools import partial

from scrollwork.preprocessing.raw.files import RawFiles, Record, convert_records
from scrollwork.records.base import Row
from scrollwork.records.document import Document
from scrollwork.records.example import Example, metadata

BY_RECORD = ("records",)


def curate(raw: RawFiles, task: str, split: str, *, release: str) -> Iterator[Row]:
    """Yield stories as documents, each question as an example with all its responses.

    release: not used here; it has selected the file.
    """
    yield from convert_records(raw.records(), lambda record: story(record, task, split), task=task, split=split)


def story(record: Record, task: str, split: str) -> Iterator[Row]:
    """Yield a story and its questions; a malformed question is dropped alone."""
    about = record.record("metadata")
    passage = about.text("passage_id")
    document = Document.of(record.text("document"), source_file=record.file, source_record=record.where)
    questions = list(record.items("questions"))
    yield document
    yield from convert_records(questions, partial(example, document, passage, task, split), task=task, split=split)


def example(document: Document, passage: str, task: str, split: str, question: Record) -> Iterator[Example]:
    """Yield one question; its id is the passage and upstream's question number."""
    responses = [response.text("response_text") for response in question.records("responses")]
    if not responses:
        raise question.error("responses", "is empty", "empty field")
    yield Example(
        task=task,
        split=split,
        example_id=f"{passage}_{question.integer('question_number')}",
        document_ids=(document.document_id,),
        query=question.text("question_text"),
        references=tuple(responses),
        metadata=metadata(passage=passage),
    )
