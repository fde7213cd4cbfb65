"""ContractNLI (Koreeda & Manning 2021): does a contract entail a hypothesis? SCROLLS 3.1.

17 hypotheses a contract; outputs Entailment, Contradiction, Not mentioned.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from preprocessing.raw import RawFiles, Record, each
from records.base import Row
from records.document import Document
from records.example import Example, metadata

OUTPUTS = {"Entailment": "Entailment", "Contradiction": "Contradiction", "NotMentioned": "Not mentioned"}


def curate(raw: RawFiles, task: str, split: str) -> Iterator[Row]:
    """Contracts as documents, each hypothesis as an example."""
    for path in raw.files():
        release = raw.object(path)
        labels = release.record("labels")
        hypotheses = {name: labels.record(name).text("hypothesis") for name in labels.data}
        convert = partial(contract, hypotheses, task, split)
        yield from each(release.records("documents"), convert, task=task, split=split)


def contract(hypotheses: Mapping[str, str], task: str, split: str, record: Record) -> Iterator[Row]:
    """A contract and its hypotheses, in the order of the release's labels; a malformed one is dropped alone."""
    text = record.text("text")
    contract_id = record.integer("id")
    spans = list(spans_of(record, len(text)))
    document = Document.of(
        text, title=str(record.data.get("file_name") or ""), source_file=record.file, source_record=record.where
    )
    annotated = list(record.records("annotation_sets"))
    if len(annotated) != 1:
        raise record.error("annotation_sets", f"must be one, are {len(annotated)}")
    annotations = annotated[0].record("annotations")
    unknown = sorted(set(annotations.data) - set(hypotheses))
    if unknown:
        raise record.error("annotations", f"names {unknown[0]!r}, which is no label of the release")
    choices = [(name, annotations.record(name)) for name in hypotheses if name in annotations.data]
    yield document
    for name, choice in choices:
        convert = partial(example, document, contract_id, name, hypotheses[name], spans, task, split)
        yield from each([choice], convert, task=task, split=split)


def spans_of(record: Record, length: int) -> Iterator[tuple[int, int]]:
    """The contract's evidence spans, [start, end) in characters."""
    for index, span in enumerate(record.array("spans")):
        ends = span if isinstance(span, list) else []
        if len(ends) != 2 or not all(isinstance(end, int) for end in ends) or not 0 <= ends[0] <= ends[1] <= length:
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
    choice: Record,
) -> Iterator[Example]:
    """One hypothesis; id: contract and label."""
    label = choice.text("choice")
    if label not in OUTPUTS:
        raise choice.error("choice", f"{label!r} is none of {', '.join(OUTPUTS)}", "answer is no option")
    evidence = choice.array("spans")
    if not all(isinstance(index, int) and 0 <= index < len(spans) for index in evidence):
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
