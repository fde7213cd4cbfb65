"""BAMBOO (Dong et al. 2024): eight of its ten tasks, in 4K and 16K tokens. Dolce's suites (dolce.md 8).

JSON Lines, one problem per record. Which fields are question and context differs by task, and `form` says it. The two
sorting tasks have neither and are left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from scrollwork.preprocessing.raw.files import RawFiles, Record, convert_records
from scrollwork.records.base import Row
from scrollwork.records.document import Document
from scrollwork.records.example import Example, metadata

SIZE = re.compile(r"_(\d+)k\.jsonl$")
SECTION = re.compile(r"^(Document|Question):\n", re.MULTILINE)
START, END = re.compile(r"# \[(?:start|begin)\]"), "# [end]"


def curate(raw: RawFiles, task: str, split: str, *, form: str, choice: str) -> Iterator[Row]:
    """Yield contexts as documents, problems as examples; ids are the size and the number in its file, from 0: "4k-17".

    form: sections, choices, dialogue, code or hypothesis. choice: a line added to the query, the choice of not
    answering; "" for none. The metadata have the size, "4K" or "16K". Raises ValueError for an unknown form.
    """
    if form not in FORMS:
        raise ValueError(f"bamboo.form must be one of {', '.join(FORMS)}, is {form!r}")
    file, number = "", 0
    for record in raw.records():
        number = number + 1 if record.file == file else 0
        file = record.file
        yield from convert_records(
            [record], partial(problem, number, form, choice, task, split), task=task, split=split
        )


def problem(number: int, form: str, choice: str, task: str, split: str, record: Record) -> Iterator[Row]:
    """Yield a context and its problem."""
    own = FORMS[form]
    context, query, facts = own.taken(record)
    if not context.strip():
        raise record.error(own.field, "has no text before its question", "empty field")
    if not query.strip():
        raise record.error(own.field, "has no question", "empty field")
    document = Document.of(context, source_file=record.file, source_record=record.where)
    size = match[1] if (match := SIZE.search(record.file)) else ""
    references = own.golds(record)
    yield document
    yield Example(
        task=task,
        split=split,
        example_id=f"{size}k-{number}" if size else str(number),
        document_ids=(document.document_id,),
        query=f"{query}\n{choice}" if choice else query,
        references=references,
        metadata=metadata(**({"size": f"{size}K"} if size else {}), **facts),
    )


Taken = tuple[str, str, Mapping[str, str]]  # context, question, further facts


def sections(record: Record) -> Taken:
    """Read AltQA: sections "Document" and "Question" in either order, after the instruction."""
    text = record.text("content")
    found = list(SECTION.finditer(text))
    first = {one[1]: one for one in reversed(found)}
    if len(first) != 2:
        missing = " and ".join(name for name in ("Document", "Question") if name not in first)
        raise record.error("content", f'has no section "{missing}:"', "missing field")
    document, question = first["Document"], first["Question"]
    if document.start() < question.start():  # the last one, as the document may have such a line too
        question = [one for one in found if one[1] == "Question"][-1]
    edge = max(document.start(), question.start())
    begins = min(document.start(), question.start())

    def body(one: re.Match[str]) -> str:
        return text[one.end() : edge if one.start() < edge else len(text)].strip("\n")

    return body(document), body(question).strip(), {"instruction": text[:begins].strip()}


def choices(record: Record) -> Taken:
    """Read PaperQA, MeetingQA: question and options. Some lists have all options in one text, or one in two."""
    options = [option.strip() for option in record.texts("options")]
    if not any(options):
        raise record.error("options", "is empty", "empty field")
    return record.text("content"), "\n".join([record.text("question").strip(), *options]), {}


def dialogue(record: Record) -> Taken:
    """Read ShowsPred, MeetingPred: the last line is the question, the lines before it are the context.

    The content may be a list of lines.
    """
    lines = isinstance(record.data.get("content"), list)
    text = "\n".join(record.texts("content")) if lines else record.text("content")
    before, _, last = text.rstrip("\n").rpartition("\n")
    return before, last.rstrip(), {}


def code(record: Record) -> Taken:
    """Read PrivateEval: API documentation between two marks, then the code to complete."""
    text = record.text("prompt")
    start = START.search(text)
    end = text.find(END, start.end()) if start else -1
    if start is None or end < 0:
        raise record.error("prompt", f'has no "{"# [start]" if start is None else END}"', "missing field")
    return text[start.end() : end].strip("\n"), text[end + len(END) :].strip("\n"), {}


def hypothesis(record: Record) -> Taken:
    """Read SenHallu, AbsHallu: a paper and a hypothesis."""
    return record.text("content"), record.text("hypothesis").strip(), {}


def answer(record: Record) -> tuple[str, ...]:
    """Return the answer."""
    return (record.text("answer").strip(),)


def truth(record: Record) -> tuple[str, ...]:
    """Return the Yes or No that the prompt asks for."""
    return ("Yes" if record.boolean("answer") else "No",)


def solutions(record: Record) -> tuple[str, ...]:
    """Return the right completions, without white space around them."""
    found = tuple(dict.fromkeys(text.strip() for text in record.texts("canonical_solution") if text.strip()))
    if not found:
        raise record.error("canonical_solution", "has no text", "empty field")
    return found


@dataclass(frozen=True)
class Form:
    """How a task's records are read. taken: context and question; field: where they are; golds: the references."""

    taken: Callable[[Record], Taken]
    field: str = "content"
    golds: Callable[[Record], tuple[str, ...]] = answer


FORMS: Mapping[str, Form] = {
    "sections": Form(sections),
    "choices": Form(choices),
    "dialogue": Form(dialogue),
    "code": Form(code, "prompt", solutions),
    "hypothesis": Form(hypothesis, golds=truth),
}
