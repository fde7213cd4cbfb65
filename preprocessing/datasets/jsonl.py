"""JSON Lines of examples, for a suite of your own: a layout of ours, not of any upstream (docs/plugins.md).

{"id": "a1", "document": "...", "query": "Who ...?", "references": ["..."]}
{"id": "a2", "documents": ["...", {"text": "...", "title": "..."}], "options": ["...", "..."], "references": ["A"]}
"""

from collections.abc import Iterator
from math import isfinite
from string import ascii_uppercase as LETTERS
from typing import Any

from scrollwork.preprocessing.raw.files import RawFiles, Record, convert_records
from scrollwork.records.base import Row
from scrollwork.records.document import Document
from scrollwork.records.example import Example, metadata

OUTPUTS = ("text", "letter")
# metadata names that stages use, which a record must not set
OURS = ("evidence_spans", "fields", "frame", "generation_seed", "pids")
BY_RECORD = ("records",)


def curate(raw: RawFiles, task: str, split: str, *, output: str = "text") -> Iterator[Row]:
    """Yield each record's documents, then the record as an example.

    output: how a reference names one of the options, "text" for the option itself, or "letter" (A for the first).
    Raises ValueError for another value.
    """
    if output not in OUTPUTS:
        raise ValueError(f"{task}.output must be one of {', '.join(OUTPUTS)}, is {output!r}")
    yield from convert_records(
        raw.records(), lambda record: example(record, task, split, output), task=task, split=split
    )


def example(record: Record, task: str, split: str, output: str) -> Iterator[Row]:
    """Yield the documents of a record, then its example."""
    example_id = identity(record)
    documents = list(documents_of(record))
    options = options_of(record)
    yield from documents
    yield Example(
        task=task,
        split=split,
        example_id=example_id,
        document_ids=tuple(document.document_id for document in documents),
        titles=tuple(document.title for document in documents) if any(one.title for one in documents) else (),
        query=query_of(record, options),
        options=options,
        references=references_of(record, options, output),
        metadata=metadata(**facts_of(record)),
    )


def identity(record: Record) -> str:
    """Return the id: a text, or a whole number."""
    given = record.data.get("id")
    return str(given) if isinstance(given, int) and not isinstance(given, bool) else record.text("id")


def documents_of(record: Record) -> Iterator[Document]:
    """Yield `document`, a text; or `documents`, a list of texts or of {text, title}."""
    several = record.data.get("documents") is not None
    if several and record.data.get("document") is not None:
        raise record.error("documents", "stands beside document; give one of the two")
    if not several:
        yield Document.of(record.text("document"), source_file=record.file, source_record=record.where)
        return
    listed = record.array("documents")
    if not listed:
        raise record.error("documents", "is empty", "empty field")
    for number, one in enumerate(listed):
        part = record.sub(one if isinstance(one, dict) else {"text": one}, "documents", number)
        title = part.optional_text("title")
        yield Document.of(part.text("text"), title=title, source_file=record.file, source_record=part.where)


def options_of(record: Record) -> tuple[str, ...]:
    """Return `options`, two texts or more, all different; () if the record has none."""
    if record.data.get("options") is None:
        return ()
    options = tuple(text.strip() for text in record.texts("options"))
    if not 2 <= len(options) <= len(LETTERS):
        raise record.error("options", f"must be 2 to {len(LETTERS)}, are {len(options)}", "wrong number of options")
    if "" in options:
        raise record.error("options", f"holds an empty text at place {options.index('') + 1}", "empty field")
    if len(set(options)) < len(options):
        raise record.error("options", "holds a text twice", "option twice")
    return options


def query_of(record: Record, options: tuple[str, ...]) -> str | None:
    """Return `query`, a blank line and the options, one per line, as far as there are any; None if there is neither."""
    query = record.optional_text("query").strip()
    lines = [f" ({letter}) {text}" for letter, text in zip(LETTERS, options, strict=False)]
    pieces = [query] if query else []
    pieces += ["\n".join(lines)] if lines else []
    return "\n\n".join(pieces) or None


def references_of(record: Record, options: tuple[str, ...], output: str) -> tuple[str, ...]:
    """Return `references`, [] if they are private. With options, each is the text of one, or its letter."""
    references = record.texts("references")
    for number, reference in enumerate(references):
        if not reference.strip():
            raise record.error(f"references[{number}]", "is empty", "empty field")
    if not options:
        return tuple(references)
    found = []
    for number, reference in enumerate(one.strip() for one in references):
        letters = LETTERS[: len(options)]
        if reference in options:
            place = options.index(reference)
        elif len(reference) == 1 and reference in letters:
            place = letters.index(reference)
        else:
            problem = "is none of the options, nor a letter of one"
            raise record.error(f"references[{number}]", problem, "answer is no option")
        found.append(letters[place] if output == "letter" else options[place])
    return tuple(found)


def facts_of(record: Record) -> dict[str, Any]:
    """Return `metadata`: texts, numbers and booleans by name, for `sample` and `subset` of the suite file."""
    if record.data.get("metadata") is None:
        return {}
    held = record.record("metadata")
    for name, value in held.data.items():
        if name in OURS:
            raise held.error(name, "is a name that scrollwork uses itself; choose another", "reserved name")
        if isinstance(value, str):
            held.text(name, empty=True)
        elif not isinstance(value, bool | int | float) or not isfinite(value):
            raise held.error(name, "must be text, a number, true or false", "wrong type")
    return dict(held.data)
