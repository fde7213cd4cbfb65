"""Qasper (Dasigi et al. 2021): questions on NLP papers. SCROLLS 3.1.

The text is section names, each followed by its paragraphs, with single newlines, from the first section on; it has
neither title nor abstract (SCROLLS table 5).
"""

from collections.abc import Iterator
from functools import partial

from scrollwork.preprocessing.raw.errors import MalformedRecord
from scrollwork.preprocessing.raw.files import RawFiles, Record, convert_records, drop_by_filter, drop_of_error
from scrollwork.preprocessing.raw.members import named_parts, whole_object
from scrollwork.records.base import Row
from scrollwork.records.document import Document
from scrollwork.records.example import Example, metadata

BY_RECORD = ()  # a share has a stretch of the papers


def curate(raw: RawFiles, task: str, split: str, *, fewest_chars: int) -> Iterator[Row]:
    """Yield papers as documents, each question as an example with the answers of all annotators.

    fewest_chars: shorter papers are left out with their questions (SCROLLS 3.1: 8,192).
    """
    for paper_id, record in raw.own(papers(raw)):
        yield from convert_records(
            [record], partial(paper, paper_id, fewest_chars, task, split), task=task, split=split
        )


def papers(raw: RawFiles) -> Iterator[tuple[str, Record | MalformedRecord]]:
    """Yield (paper id, paper) of the release's files, each an object by paper id."""
    for path in raw.files():
        yield from named_parts(path[0], "paper", whole_object(raw, path).data)


def paper(paper_id: str, fewest_chars: int, task: str, split: str, record: Record) -> Iterator[Row]:
    """Yield a paper and its questions; a malformed question is dropped alone."""
    text = "\n".join(lines(record))
    if not text.strip():
        raise record.error("full_text", "has no text", "empty field")
    title = record.optional_text("title")
    document = Document.of(text, title=title, source_file=record.file, source_record=record.where)
    questions = list(record.items("qas"))
    if len(text) < fewest_chars:
        for question in questions:
            if isinstance(question, Record):
                yield drop_by_filter(question, "short paper", f"{len(text):,} characters", task=task, split=split)
            else:
                yield drop_of_error(question, task, split)
        return
    yield document
    yield from convert_records(questions, partial(example, document, paper_id, task, split), task=task, split=split)


def lines(record: Record) -> Iterator[str]:
    """Yield section names and paragraphs in order, without blank ones. A section may have no name (null upstream)."""
    for section in record.records("full_text"):
        named = section.data.get("section_name") is not None
        texts = [section.text("section_name", empty=True)] if named else []
        yield from (text for text in [*texts, *section.texts("paragraphs")] if text.strip())


def example(document: Document, paper_id: str, task: str, split: str, question: Record) -> Iterator[Example]:
    """Yield one question; its id is the release's."""
    answers = [item.record("answer") for item in question.records("answers")]
    references = [answer(item) for item in answers]
    if not references:
        raise question.error("answers", "is empty", "empty field")
    yield Example(
        task=task,
        split=split,
        example_id=question.text("question_id"),
        document_ids=(document.document_id,),
        query=question.text("question"),
        references=tuple(references),
        metadata=metadata(paper=paper_id, evidence_spans=evidence(answers, document.text)),
    )


def evidence(answers: list[Record], text: str) -> list[list[int]]:
    """Return where the paragraphs marked by annotators are, [0, start, end]; tables and figures are not in the text."""
    listed = [found for one in answers if isinstance(found := one.data.get("evidence"), list)]
    marked = {piece for found in listed for piece in found if isinstance(piece, str) and piece}
    return sorted([0, text.index(piece), text.index(piece) + len(piece)] for piece in marked if piece in text)


def answer(record: Record) -> str:
    """Return one annotator's answer: Unanswerable, Yes or No, the spans joined by ", ", or the free-form text."""
    if record.boolean("unanswerable"):
        return "Unanswerable"
    if record.data.get("yes_no") is not None:
        return "Yes" if record.boolean("yes_no") else "No"
    spans = record.texts("extractive_spans")
    if spans:
        if not "".join(spans).strip():
            raise record.error("extractive_spans", "has no text", "empty field")
        return ", ".join(spans)
    return record.text("free_form_answer")
