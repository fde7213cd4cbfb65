"""Prompts as parts: instruction, document and query in the layout of ZeroSCROLLS, section 3 (tables 5 and 6)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from scrollwork.preprocessing.prompts.frames import frame_of, frame_parts
from scrollwork.records.example import Example
from scrollwork.records.prompt import Part, part_text

BLANK = "\n\n"


ZERO_SCROLLS = (("instruction",), ("context_header", "documents"), ("query_header", "query"), ("response_header",))


@dataclass(frozen=True)
class Template:
    """The strings of a task, "" for those that it does not have, and their order.

    instruction may contain {n}, the number of documents; inner_header {number} (from 1) or {title}. layout: groups of
    pieces in order; a blank line separates groups, and a piece that a task does not have is left out. omission_gap:
    what follows the omission. block: for prompts with demonstrations (blocks.Block), which have none of the other
    strings.
    """

    kind: str
    instruction: str = ""
    context_header: str = ""
    response_header: str = ""
    omission: str = ""
    query_header: str = ""
    inner_header: str = ""
    layout: tuple[tuple[str, ...], ...] = ZERO_SCROLLS
    omission_gap: str = BLANK
    block: Mapping[str, Any] | None = None

    @property
    def separator(self) -> str:
        """Return the text between a trimmed document and the query (released as truncation_seperator)."""
        return self.omission + self.omission_gap


def assemble(example: Example, template: Template, length_of: Callable[[str], int]) -> tuple[Part, ...]:
    """Make the parts of the non-chat prompt. length_of: characters of a document by id.

    ZeroSCROLLS (fact sheet 3.1): INSTRUCTION, blank line, CONTEXT_HEADER, newline, DOCUMENT, blank line, QUERY_HEADER,
    newline, QUERY, blank line, RESPONSE_HEADER, newline; without a query its group is left out. SCROLLS (fact sheet
    3.1): QUERY, blank line, DOCUMENT. An imported example may bring its own literals (frames.py).
    """
    frame = frame_of(example)
    if "parts" in frame:
        return frame_parts(frame, example, length_of)
    groups = []
    for names in template.layout:
        group = [part for name in names for part in piece(name, example, template, length_of)]
        if group:
            groups.append(group)
    parts = groups[0]
    for group in groups[1:]:
        parts = [*parts, Part("gap", BLANK), *group]
    return tuple(parts)


def own_template(example: Example, template: Template) -> Template:
    """Return the template with the example's own omission text and response header, if it has them."""
    frame = frame_of(example)
    changes: dict[str, Any] = {}
    if "separator" in frame:
        separator: str = frame["separator"]
        omission = separator.removesuffix(BLANK)
        changes |= {"omission": omission, "omission_gap": separator[len(omission) :]}
    for role, *text in frame.get("parts", ()):
        if role == "response_header" and text[0].strip():
            changes[role] = text[0].strip()
    return replace(template, **changes) if changes else template


def piece(name: str, example: Example, template: Template, length_of: Callable[[str], int]) -> list[Part]:
    """Make the parts of one piece of the layout; [] if the task does not have it."""
    if name == "documents":
        return document_parts(example, template, length_of)
    if name == "query":
        return [Part("query", example.query)] if example.query is not None else []
    text: str = getattr(template, name)
    if name == "instruction":
        return [Part(name, text.replace("{n}", str(len(example.document_ids))))] if text else []
    return [Part(name, text + "\n")] if text else []


def document_parts(example: Example, template: Template, length_of: Callable[[str], int]) -> list[Part]:
    """Make the parts of the documents in order, each after its header, with blank lines between them."""
    parts: list[Part] = []
    for index, document_id in enumerate(example.document_ids):
        if index:
            parts.append(Part("gap", BLANK))
        if template.inner_header:
            parts.append(Part("inner_header", inner_header(template, example, index)))
        parts.append(Part("document", None, document_id, 0, length_of(document_id)))
    return parts


def inner_header(template: Template, example: Example, index: int) -> str:
    """Return the text before inner document `index`."""
    title = example.titles[index] if example.titles else ""
    return template.inner_header.replace("{number}", str(index + 1)).replace("{title}", title)


def closed_book(parts: Sequence[Part]) -> tuple[Part, ...]:
    """Return the prompt without its documents, their headers and the blank lines that are then superfluous."""
    gone = ("context_header", "inner_header", "document")
    kept: list[Part] = []
    for part in parts:
        after_gap = not kept or kept[-1].role == "gap"
        if part.role not in gone and not (part.role == "gap" and after_gap):
            kept.append(part)
    while kept and kept[-1].role == "gap":
        kept.pop()
    return tuple(kept)


def query_start(parts: Sequence[Part]) -> int:
    """Return the index of the query's first part, without a query that of the response header (fact sheet 2).

    The number of parts if there is neither.
    """
    roles = [part.role for part in parts]
    asked = [roles.index(role) for role in ("query_header", "query") if role in roles]
    return min(asked) if asked else (*roles, "response_header").index("response_header")


@dataclass(frozen=True)
class Offsets:
    """Character offsets in the rendered prompt (fact sheet 2)."""

    document_start: int
    document_end: int
    query_start: int
    query_end: int
    inner_starts: tuple[int, ...]


def offsets(parts: Sequence[Part], text_of: Callable[[str], str]) -> Offsets:
    """Find the offsets of document and query in an uncut non-chat prompt.

    document: without its header. query: from its header, if it has one, to its last character; without a query both are
    the first character of the response header, and without that the end. inner_starts: of each inner document's header;
    none for a single document.
    """
    starts: list[int] = []
    at = 0
    for part in parts:
        starts.append(at)
        at += len(part_text(part, text_of))
    ends = [*starts[1:], at]
    roles = [part.role for part in parts]
    last = len(roles) - 1 - roles[::-1].index("document")
    inner = tuple(start for start, role in zip(starts, roles, strict=True) if role == "inner_header")
    query = [*starts, at][query_start(parts)]
    query_end = ends[roles.index("query")] if "query" in roles else query
    return Offsets(inner[0] if inner else starts[roles.index("document")], ends[last], query, query_end, inner)


def official_rows(example: Example, template: Template, text_of: Callable[[str], str]) -> list[dict[str, Any]]:
    """Make the released records of an input, one per reference, with one `id` and different `pid`s (fact sheet 2)."""
    template = own_template(example, template)
    parts = assemble(example, template, lambda document_id: len(text_of(document_id)))
    record: dict[str, Any] = {
        "id": example.example_id,
        "pid": example.example_id,
        "input": "".join(part_text(part, text_of) for part in parts),
        "output": None,
    }
    where = offsets(parts, text_of) if template.response_header or template.inner_header else None
    if where and template.response_header:  # SCROLLS records have no offsets
        record |= {
            "document_start_index": where.document_start,
            "document_end_index": where.document_end,
            "query_start_index": where.query_start,
            "query_end_index": where.query_end,
            "truncation_seperator": template.separator,
        }
    if where and template.inner_header:
        record["inner_docs_start_indices"] = list(where.inner_starts)
    pids = pids_of(example)
    return [
        {**record, "pid": pid, "output": output}
        for pid, output in zip(pids, example.references or (None,), strict=True)
    ]


def pids_of(example: Example) -> list[str]:
    """Return the `pid` of each row of an input: those of an imported release, else ours (fidelity.md#prompts)."""
    if '"pids":' in example.metadata and (released := example.facts.get("pids")):
        return list(released)
    if len(example.references) < 2:
        return [example.example_id]
    return [f"{example.example_id}_{number}" for number in range(len(example.references))]
