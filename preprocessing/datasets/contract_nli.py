"""ContractNLI (Koreeda & Manning 2021): does a contract entail a hypothesis? SCROLLS 3.1.

17 hypotheses per contract; outputs Entailment, Contradiction, Not mentioned.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from scrollwork.preprocessing.raw.errors import MalformedRecord
from scrollwork.preprocessing.raw.files import RawFiles, Record, convert_records
from scrollwork.preprocessing.raw.members import member_of, named_parts, whole_object
from scrollwork.records.base import Row
from scrollwork.records.document import Document
from scrollwork.records.example import Example, metadata

OUTPUTS = {"Entailment": "Entailment", "Contradiction": "Contradiction", "NotMentioned": "Not mentioned"}

BY_RECORD = ()  # a share has a stretch of the contracts
Hypotheses = Mapping[str, str | None]  # by label; None if the label itself is malformed


def curate(raw: RawFiles, task: str, split: str) -> Iterator[Row]:
    """Yield contracts as documents, each hypothesis as an example; a malformed label is dropped with its examples."""
    for hypotheses, record in raw.own(entries(raw)):
        convert = partial(contract, hypotheses, task, split)
        yield from convert_records([record], convert, task=task, split=split)


def entries(raw: RawFiles) -> Iterator[tuple[Hypotheses, Record | MalformedRecord]]:
    """Yield the malformed labels of each file, then its contracts, with the hypotheses of its labels."""
    for path in raw.files():
        release = whole_object(raw, path)
        try:
            labels, documents = release.record("labels"), release.array("documents")
        except MalformedRecord as error:
            raise error.of_file() from error
        hypotheses: dict[str, str | None] = {}
        for name, label in named_parts(path[0], "label", labels.data):
            try:
                hypotheses[name] = hypothesis_of(label)
            except MalformedRecord as error:
                hypotheses.setdefault(name, None)
                yield hypotheses, error
        for index, value in enumerate(documents):
            yield hypotheses, member_of(path[0], f"documents[{index}]", value)


def hypothesis_of(label: Record | MalformedRecord) -> str:
    """Return the text of a label. Raises MalformedRecord."""
    if isinstance(label, MalformedRecord):
        raise label
    return label.text("hypothesis")


def contract(hypotheses: Hypotheses, task: str, split: str, record: Record) -> Iterator[Row]:
    """Yield a contract and its hypotheses, in the order of the release's labels; a malformed one is dropped alone."""
    text = record.text("text")
    contract_id = record.integer("id")
    spans = list(spans_of(record, len(text)))
    title = record.optional_text("file_name")
    document = Document.of(text, title=title, source_file=record.file, source_record=record.where)
    annotated = list(record.records("annotation_sets"))
    if len(annotated) != 1:
        raise record.error("annotation_sets", f"must be one, are {len(annotated)}")
    annotations = annotated[0].record("annotations")
    unknown = sorted(set(annotations.data) - set(hypotheses))
    if unknown:
        raise record.error("annotations", f"names {unknown[0]!r}, which is no label of the release")
    yield document
    for name, hypothesis in hypotheses.items():
        if hypothesis is not None:
            convert = partial(example, document, contract_id, name, hypothesis, spans, task, split)
            yield from convert_records([annotations], convert, task=task, split=split)


def spans_of(record: Record, length: int) -> Iterator[tuple[int, int]]:
    """Yield the contract's evidence spans, [start, end) in characters. Raises MalformedRecord."""
    for index, span in enumerate(record.array("spans")):
        ends = span if isinstance(span, list) else []
        if len(ends) != 2 or not all(type(end) is int for end in ends) or not 0 <= ends[0] <= ends[1] <= length:
            raise record.error(f"spans[{index}]", f"{span!r} is no span of {length:,} characters", "span out of range")
        yield ends[0], ends[1]


def example(
    document: Document,
    contract_id: int,
    name: str,
    hypothesis: str,
    spans: Sequence[tuple[int, int]],
    task: str,
    split: str,
    annotations: Record,
) -> Iterator[Example]:
    """Yield one hypothesis; its id is contract and label."""
    choice = annotations.record(name)
    label = choice.text("choice")
    if label not in OUTPUTS:
        raise choice.error("choice", f"{label!r} is none of {', '.join(OUTPUTS)}", "answer is no option")
    evidence = choice.array("spans")
    if not all(type(index) is int and 0 <= index < len(spans) for index in evidence):
        raise choice.error("spans", f"{evidence!r} names a span that the contract does not have", "span out of range")
    yield Example(
        task=task,
        split=split,
        example_id=f"{contract_id}_{name}",
        document_ids=(document.document_id,),
        query=hypothesis,
        options=tuple(OUTPUTS.values()),
        references=(OUTPUTS[label],),
        metadata=metadata(hypothesis=name, evidence_spans=[[0, *spans[index]] for index in evidence]),
    )
