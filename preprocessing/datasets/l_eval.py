"""L-Eval (An et al. 2023): long documents with several instructions each. Dolce's suites (dolce.md 8).

JSON Lines: `input` is the context; each of `instructions` becomes a separate problem, with the entry of `outputs` at
the same place as its reference.
"""

import re
from collections.abc import Iterator
from functools import partial

from scrollwork.preprocessing.raw.files import RawFiles, Record, convert_records
from scrollwork.records.base import Row
from scrollwork.records.document import Document
from scrollwork.records.example import Example, metadata

LETTERS = re.compile(r"\s*\(?([A-E]{1,5})\b")
OPTION = re.compile(r"^ *\(?([A-E])[.)] *(\S.*)$", re.MULTILINE)
FACT = "[fact:"  # comes between a claim's truth in the story and its truth in the world
GOLDS = ("text", "letters", "claim")


def curate(raw: RawFiles, task: str, split: str, *, gold: str, choice: str) -> Iterator[Row]:
    """Yield contexts as documents, each instruction as an example; ids are numbers of record and instruction, from 0.

    gold: which part of an output is the reference: all of its "text", the "letters" that it begins with, or a "claim"
    without its truth in the world. choice: a line added to every instruction, the choice of not answering; "" for none.
    Raises ValueError for another gold.
    """
    if gold not in GOLDS:
        raise ValueError(f"l_eval.gold must be one of {', '.join(GOLDS)}, is {gold!r}")
    for number, record in enumerate(raw.records()):
        yield from convert_records(
            [record], partial(context, number, gold, choice, task, split), task=task, split=split
        )


def context(number: int, gold: str, choice: str, task: str, split: str, record: Record) -> Iterator[Row]:
    """Yield a context and its problems; a malformed instruction or output costs only its own problem."""
    document = Document.of(record.text("input"), source_file=record.file, source_record=record.where)
    instructions, outputs = record.array("instructions"), record.array("outputs")
    if len(instructions) != len(outputs):
        problem = (
            f"has {len(outputs)} entries, instructions has {len(instructions)}: which belong together is not known"
        )
        raise record.error("outputs", problem)
    yield document
    pairs = [
        record.sub({"instructions": instruction, "outputs": output}, "instructions", place)
        for place, (instruction, output) in enumerate(zip(instructions, outputs, strict=True))
    ]
    for place, pair in enumerate(pairs):
        name = f"{number}-{place}"
        yield from convert_records(
            [pair], partial(problem_of, document, name, gold, choice, task, split), task=task, split=split
        )


def problem_of(
    document: Document, name: str, gold: str, choice: str, task: str, split: str, pair: Record
) -> Iterator[Example]:
    """Yield one instruction with its output."""
    query = pair.text("instructions").strip()
    yield Example(
        task=task,
        split=split,
        example_id=name,
        document_ids=(document.document_id,),
        query=f"{query}\n{choice}" if choice else query,
        references=(reference(pair, gold),),
        options=options(query) if gold == "letters" else (),
        metadata=metadata(context=name.partition("-")[0]),
    )


def options(query: str) -> tuple[str, ...]:
    """Return the options of a question, lines that begin with "A." or "(A)" and so on; () if a letter is missing."""
    found = OPTION.findall(query)
    inner = tuple(text.strip() for _, text in found)
    return inner if "".join(letter for letter, _ in found) == "ABCDE"[: len(found)] and all(inner) else ()


def reference(pair: Record, gold: str) -> str:
    """Return what an answer is compared with. Raises MalformedRecord if an output has no letters or no claim."""
    text = pair.text("outputs").strip()
    if gold == "text":
        return text
    if gold == "letters":
        found = LETTERS.match(text)
        if not found:
            raise pair.error("outputs", f"begins with no letter of an option: {text[:40]!r}", "answer is no option")
        return found[1]
    claim = text.partition(FACT)[0].strip()
    if not claim:
        raise pair.error("outputs", f"says nothing before {FACT}", "empty field")
    return claim
