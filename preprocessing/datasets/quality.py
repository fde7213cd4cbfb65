"""QuALITY (Pang et al. 2022): multiple-choice questions on stories and articles. SCROLLS 3.1, ZeroSCROLLS 3.1.2.

Two layouts: the release v1.0.1 (`questions` list, HTML-stripped text) and the early one of upstream's example file
(question1, question1option1, ...; `article` a list of HTML lines).
"""

import re
from collections.abc import Iterator
from functools import partial
from typing import Any

from scrollwork.preprocessing.datasets.html import visible_text
from scrollwork.preprocessing.raw.errors import MalformedRecord
from scrollwork.preprocessing.raw.files import RawFiles, Record, convert_records
from scrollwork.records.base import Row
from scrollwork.records.document import Document
from scrollwork.records.example import Example, metadata

LETTERS = "ABCD"
NUMBERED = re.compile(r"question(\d{1,9})")
OUTPUTS = ("letter", "text")
BY_RECORD = ("records",)


def curate(raw: RawFiles, task: str, split: str, *, output: str) -> Iterator[Row]:
    """Yield articles as documents, each question as an example. Raises ValueError for another output.

    output: the right option's "letter" (ZeroSCROLLS) or its "text" (SCROLLS).
    """
    if output not in OUTPUTS:
        raise ValueError(f"quality.output must be one of {', '.join(OUTPUTS)}, is {output!r}")
    yield from convert_records(
        raw.records(), lambda record: article(record, task, split, output), task=task, split=split
    )


def article(record: Record, task: str, split: str, output: str) -> Iterator[Row]:
    """Yield an article and its questions; a malformed question is dropped alone."""
    early = "questions" not in record.data and "question1" in record.data
    text = visible_text("".join(record.texts("article"))) if early else record.text("article")
    if not text.strip():
        raise record.error("article", "has no text", "empty field")
    document = Document.of(
        text, title=record.text("title", empty=True), source_file=record.file, source_record=record.where
    )
    questions = list(early_questions(record) if early else record.items("questions"))
    yield document
    yield from convert_records(questions, partial(example, document, task, split, output), task=task, split=split)


def early_questions(record: Record) -> Iterator[Record | MalformedRecord]:
    """Yield the numbered fields of the early layout as questions of the release layout."""
    number = 1
    while f"question{number}" in record.data:
        options = [record.data.get(f"question{number}option{option}") for option in range(1, 5)]
        data: dict[str, Any] = {
            "question": record.data[f"question{number}"],
            "question_unique_id": f"{record.text('unique_id')}_{number}",
            "options": options,
            "gold_label": record.data.get(f"question{number}_gold_label"),
        }
        yield Record(data, record.file, f"{record.where}, question{number}")
        number += 1
    for field in record.data:
        if (later := NUMBERED.fullmatch(field)) and int(later[1]) > number:
            yield record.error(field, f"comes after a gap: question{number} is missing", "missing field")


def example(document: Document, task: str, split: str, output: str, question: Record) -> Iterator[Example]:
    """Yield one question; its query is the question, a blank line and four options, one per line (fact sheet 3.3)."""
    options = [text.strip() for text in question.texts("options")]
    if len(options) != len(LETTERS):
        raise question.error("options", f"must be four, are {len(options)}", "options not four")
    if "" in options:
        raise question.error("options", f"holds an empty text at place {options.index('') + 1}", "empty field")
    references: tuple[str, ...] = ()
    if split != "test" or question.data.get("gold_label") is not None:  # the published test file has no labels
        gold = question.integer("gold_label")
        if not 1 <= gold <= len(options):
            raise question.error("gold_label", f"{gold} names no option (1 to 4)", "answer is no option")
        references = (LETTERS[gold - 1] if output == "letter" else options[gold - 1],)
    lines = [f" ({letter}) {text}" for letter, text in zip(LETTERS, options, strict=True)]
    yield Example(
        task=task,
        split=split,
        example_id=question.text("question_unique_id"),
        document_ids=(document.document_id,),
        query="\n".join([question.text("question").strip(), "", *lines]),
        options=tuple(options),
        references=references,
        metadata=metadata(hard=is_hard(question)),
    )


def is_hard(question: Record) -> bool:
    """Return whether annotators under time pressure failed on it (`difficult`, 0 or 1; absent in the early layout)."""
    difficult = question.data.get("difficult", 0)
    if difficult not in (0, 1):
        raise question.error("difficult", "must be 0 or 1")
    return bool(difficult)
