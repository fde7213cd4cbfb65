"""A released `input` split into documents, query and the literals around them (fact sheets 2 and 3)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from scrollwork.preprocessing.prompts.template import BLANK, Template
from scrollwork.preprocessing.raw.files import Record
from scrollwork.records.document import Document
from scrollwork.records.prompt import Part

OPTION = re.compile(r"^[ \t]*\(([A-D])\)[ \t]*(.*)$", re.MULTILINE)
LAST_OPTION = re.compile(r"\n[ \t]*\(D\)")
QUERY_ENDS = ("", "blank_line", "options")


@dataclass(frozen=True)
class Pieces:
    """The pieces of an input, whose parts, joined, are the input. titled: headers have titles.

    separator: the released one, None without.
    """

    documents: tuple[Document, ...]
    query: str | None
    parts: tuple[Part, ...]
    titled: bool = False
    separator: str | None = None


def by_offsets(record: Record, template: Template) -> Pieces:
    """Split an input with offsets (ZeroSCROLLS). Raises MalformedRecord for offsets that cannot be this input's."""
    text = record.text("input")
    start = place(record, "document_start_index", 0, len(text))
    end = place(record, "document_end_index", start + 1, len(text))
    asks = place(record, "query_start_index", end, len(text))
    asked = place(record, "query_end_index", asks, len(text))
    parts = [*before_documents(text[:start])]
    documents: list[Document] = []
    for part, document in document_parts(record, template, text, start, end):
        parts.append(part)
        if document is not None:
            documents.append(document)
    parts += literal_gap(text[end:asks])
    query = None
    if asked > asks:
        header = query_header(text[asks:asked], template)
        query = text[asks + len(header) : asked]
        ending = text[asked:]
        rest = ending.lstrip("\n")
        blank = ending[: len(ending) - len(rest)]
        parts += [
            Part("query_header", header),
            Part("query", query),
            *literal_gap(blank),
            Part("response_header", rest),
        ]
    else:
        parts.append(Part("response_header", text[asks:]))
    titled = "{title}" in template.inner_header
    return Pieces(tuple(documents), query, tuple(parts), titled, record.text("truncation_seperator", empty=True))


def without_offsets(record: Record, query_ends: str) -> Pieces:
    """Split an input of SCROLLS: query, blank line, document. query_ends: one of QUERY_ENDS. Raises MalformedRecord."""
    text = record.text("input")
    if query_ends not in QUERY_ENDS:
        raise ValueError(f"query_ends must be one of {', '.join(QUERY_ENDS)}, is {query_ends!r}")
    query, own = None, text
    parts: list[Part] = []
    if query_ends:
        at = 0
        if query_ends == "options":
            last = LAST_OPTION.search(text)
            if last is None:
                raise record.error("input", 'has no line with option "(D)"', "no query")
            at = last.end()
        at = text.find(BLANK, at)
        if at < 0:
            raise record.error("input", "has no blank line after its query", "no query")
        query, own = text[:at], text[at + len(BLANK) :]
        parts += [Part("query", query), Part("gap", BLANK)]
    document = document_of(record, own, "input")
    return Pieces((document,), query, (*parts, whole_document(document)))


def place(record: Record, field: str, least: int, most: int) -> int:
    """Return an offset that must be from `least` to `most`. Raises MalformedRecord."""
    value = record.integer(field)
    if not least <= value <= most:
        raise record.error(field, f"is {value:,}, must lie between {least:,} and {most:,}", "offset out of range")
    return value


def before_documents(text: str) -> Iterator[Part]:
    """Yield the parts before the documents; the instruction ends at the first blank line."""
    instruction, blank, header = text.partition(BLANK)
    if blank:
        yield from (Part("instruction", instruction), Part("gap", blank))
    yield Part("context_header", header if blank else instruction)


def document_parts(
    record: Record, template: Template, text: str, start: int, end: int
) -> Iterator[tuple[Part, Document | None]]:
    """Yield the parts of the documents, each after its header; spans come with their document."""
    if not template.inner_header:
        document = document_of(record, text[start:end], "document_start_index")
        yield whole_document(document), document
        return
    starts = inner_starts(record, start, end)
    yield from ((part, None) for part in literal_gap(text[start : starts[0]]))
    for number, (at, to) in enumerate(zip(starts, [*starts[1:], end], strict=True), start=1):
        block = text[at:to]
        last = to == end
        blank = "" if last else next(blank for blank in (BLANK, "\n", "") if block.endswith(blank))
        header, title = inner_header(block, template, number)
        own = block[len(header) : len(block) - len(blank)]
        document = document_of(record, own, f"inner_docs_start_indices[{number - 1}]", title)
        yield Part("inner_header", header), None
        yield whole_document(document), document
        yield from ((part, None) for part in literal_gap(blank))


def inner_starts(record: Record, start: int, end: int) -> list[int]:
    """Return where each inner document begins, in ascending order. Raises MalformedRecord."""
    field = "inner_docs_start_indices"
    starts = record.array(field)
    if not starts:
        raise record.error(field, "is empty", "empty field")
    least = start
    for number, value in enumerate(starts):
        least = place(record.sub({field: value}, field, number), field, least, end - 1) + 1
    return list(starts)


def inner_header(block: str, template: Template, number: int) -> tuple[str, str]:
    """Return (header, title) of inner document `number` (from 1): the template's form, else a similar one, else ""."""
    for pattern in header_patterns(template.inner_header, number):
        if match := re.match(pattern, block):
            return match[0], match.groupdict().get("title", "")
    return "", ""


def header_patterns(header: str, number: int) -> tuple[str, str]:
    """Return the template's header as a pattern, and a looser one: "Review 3" with or without colon and line break."""
    exact = re.escape(header).replace(r"\{title\}", r"(?P<title>[^\n]*)").replace(r"\{number\}", str(number))
    word = re.escape(header.split()[0].rstrip(":"))
    if "{title}" in header:
        return exact, rf"{word}[ \t]*:?[ \t]*(?P<title>[^\n]*)\n"
    return exact, rf"{word}[ \t]*\d+[ \t]*[:.)]?[ \t]*\n?"


def query_header(text: str, template: Template) -> str:
    """Return the header in a query's span: the template's, else its first line."""
    own = f"{template.query_header}\n"
    if template.query_header and text.startswith(own):
        return own
    line, newline, _ = text.partition("\n")
    return line + newline if newline else ""


def document_of(record: Record, text: str, field: str, title: str = "") -> Document:
    """Return the document of a span. Raises MalformedRecord if it has no text."""
    if not text.strip():
        raise record.error(field, "leaves no text for the document", "empty document")
    return Document.of(text, title=title, source_file=record.file, source_record=record.where)


def whole_document(document: Document) -> Part:
    """Return a part that spans a whole document."""
    return Part("document", None, document.document_id, 0, len(document.text))


def literal_gap(text: str) -> list[Part]:
    """Return literal text between pieces as a part, if there is any."""
    return [Part("gap", text)] if text else []


def options_of(query: str) -> tuple[str, ...]:
    """Return the four options that a multiple-choice query lists, in order; () for any other query."""
    found = OPTION.findall(query)
    return tuple(text.strip() for _, text in found) if [letter for letter, _ in found] == list("ABCD") else ()
