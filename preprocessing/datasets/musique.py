"""MuSiQue (Trivedi et al. 2022): multi-hop questions over 20 paragraphs. ZeroSCROLLS 3.1.2, SEAM 1.2.

The answerable and the unanswerable version of a question ("twins") share an upstream id; here the unanswerable one's
example id ends in "_unanswerable", so that both can be kept and the sampler takes at most one (fidelity.md#musique).
"""

from collections.abc import Iterator

from scrollwork.preprocessing.raw.files import RawFiles, Record, convert_records
from scrollwork.records.base import Row, canonical_json
from scrollwork.records.document import Document
from scrollwork.records.example import Example, metadata

UNANSWERABLE = "unanswerable"
OUTPUTS = ("text", "object")
BY_RECORD = ("records",)


def curate(raw: RawFiles, task: str, split: str, *, output: str = "text") -> Iterator[Row]:
    """Yield paragraphs as documents, each question as an example with one reference.

    output: "text" (ZeroSCROLLS), the answer or "unanswerable", without aliases, paragraphs shown with their titles; or
    "object" (SEAM), JSON with the answer, even of unanswerable questions, whether there is one, and the aliases,
    paragraphs without titles. Raises ValueError for another value.
    """
    if output not in OUTPUTS:
        raise ValueError(f"musique.output must be one of {', '.join(OUTPUTS)}, is {output!r}")
    yield from convert_records(
        raw.records(), lambda record: question(record, task, split, output), task=task, split=split
    )


def question(record: Record, task: str, split: str, output: str) -> Iterator[Row]:
    """Yield the paragraphs of one question, then the question."""
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
    reference = whole_answer(record, answerable) if output == "object" else ""
    yield from documents
    yield Example(
        task=task,
        split=split,
        example_id=musique_id if answerable else f"{musique_id}_{UNANSWERABLE}",
        document_ids=tuple(document.document_id for document in documents),
        titles=() if output == "object" else tuple(document.title for document in documents),
        query=record.text("question"),
        references=(reference or (record.text("answer") if answerable else UNANSWERABLE),),
        metadata=metadata(answerable=answerable, musique_id=musique_id, evidence_spans=evidence),
    )


def whole_answer(record: Record, answerable: bool) -> str:
    """Return what SEAM asks for, and the aliases, as JSON."""
    aliases = [] if record.data.get("answer_aliases") is None else record.texts("answer_aliases")
    answer = record.text("answer")
    return canonical_json({"answer_content": answer, "is_answerable": answerable, "aliases": aliases})


def check_support(record: Record, paragraphs: int) -> None:
    """Raise MalformedRecord if a step of the decomposition names a paragraph that does not exist."""
    if record.data.get("question_decomposition") is None:
        return
    for step in record.records("question_decomposition"):
        field = "paragraph_support_idx"
        if step.data.get(field) is not None and not 0 <= step.integer(field) < paragraphs:
            raise step.error(field, f"{step.data[field]} names none of {paragraphs} paragraphs", "out of range")
