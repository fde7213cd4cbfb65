"""MuSiQue (Trivedi et al. 2022): multi-hop questions over 20 paragraphs. ZeroSCROLLS 3.1.2.

The answerable and the unanswerable version of a question ("twins") share an upstream id; here the unanswerable one's
example id ends in "_unanswerable", so that both can stand and the sampler takes at most one (fidelity.md#musique).
"""

from collections.abc import Iterator

from preprocessing.raw import RawFiles, Record, each
from records.base import Row
from records.document import Document
from records.example import Example, metadata

UNANSWERABLE = "unanswerable"


def curate(raw: RawFiles, task: str, split: str) -> Iterator[Row]:
    """Paragraphs as documents, each question as an example with one reference; aliases are not used."""
    yield from each(raw.records(), lambda record: question(record, task, split), task=task, split=split)


def question(record: Record, task: str, split: str) -> Iterator[Row]:
    """The paragraphs of one question, then the question."""
    paragraphs = list(record.records("paragraphs"))
    if not paragraphs:
        raise record.error("paragraphs", "is empty", "empty field")
    documents = [
        Document.of(p.text("paragraph_text"), title=p.text("title"), source_file=p.file, source_record=p.where)
        for p in paragraphs
    ]
    evidence = [
        [number, 0, len(documents[number].text)]
        for number, p in enumerate(paragraphs)
        if p.data.get("is_supporting") is True
    ]
    check_support(record, len(paragraphs))
    musique_id = record.text("id")
    answerable = record.boolean("answerable")
    yield from documents
    yield Example(
        task=task,
        split=split,
        example_id=musique_id if answerable else f"{musique_id}_{UNANSWERABLE}",
        document_ids=tuple(document.document_id for document in documents),
        titles=tuple(document.title for document in documents),
        query=record.text("question"),
        references=(record.text("answer") if answerable else UNANSWERABLE,),
        metadata=metadata(answerable=answerable, musique_id=musique_id, evidence_spans=evidence),
    )


def check_support(record: Record, paragraphs: int) -> None:
    """Each step of the decomposition, where there is one, names a paragraph that is there. Raises MalformedRecord."""
    if record.data.get("question_decomposition") is None:
        return
    for step in record.records("question_decomposition"):
        field = "paragraph_support_idx"
        if step.data.get(field) is not None and not 0 <= step.integer(field) < paragraphs:
            raise step.error(field, f"{step.data[field]} names none of {paragraphs} paragraphs", "out of range")
