"""Prompts of demonstrations and an instance (SEAM, figure 2; fact sheet seam.md 2): every block repeats the
instruction, the last one ends with the cue.

A block is a string with places: {instruction}, {format}, {query} ({question}: with a question mark), {documents},
{highlights}, {target}. Documents may carry marks, literals at their characters: mentions as `[text](id)`, highlights
between {HS} and {HE}.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from records.example import Example
from records.prompt import Part, render

PLACE = re.compile(r"\{(instruction|format|query|question|documents|highlights|target)\}")
HIGHLIGHT = ("{HS}", "{HE}")  # literal, in text and instructions (section 1.2)
BARE_HIGHLIGHT = re.compile(r"(?<![{\w])(HS|HE)(?![}\w])")

BREAK = "\n"

Mark = tuple[int, int, str, str]  # from, to, what opens, what closes


@dataclass(frozen=True)
class Block:
    """How blocks of a task look.

    text: with places. document: before each document, with {number} from 1 or {index} from 0; end: behind it; gap:
    between two. separator: between blocks. stripped: the prompt ends without the blanks of its cue. ordered: the
    documents of demonstrations, too, stand in the run's order. FuseReviews: stripped, not ordered.
    """

    text: str
    document: str
    end: str = ""
    gap: str = "\n"
    separator: str = "\n\n"
    stripped: bool = False
    ordered: bool = True


def cue_of(text: str) -> str:
    """What stands right before the target of a block's text, the cue that a prompt ends with."""
    return text.partition("{target}")[0].rpartition(BREAK)[2].strip()


@dataclass(frozen=True)
class Shared:
    """What all instances of a run share. instruction, format: of the paraphrase; shots: demonstrations in their order,
    each with the order of its documents."""

    instruction: str
    format: str
    shots: Sequence[tuple[Example, Sequence[int]]]


def demonstrations(block: Block, shared: Shared, length_of: Callable[[str], int]) -> tuple[Part, ...]:
    """What stands before the instance, the same for all instances of a run."""
    parts: list[Part] = []
    for shot, order in shared.shots:
        own = filled(shot, block, shared, length_of, order=order, target=shot.references[0])
        parts += [Part("demonstration", part.text, part.document_id, part.start, part.end) for part in own]
        parts.append(Part("demonstration", block.separator))
    return tuple(parts)


def filled(
    example: Example,
    block: Block,
    shared: Shared,
    length_of: Callable[[str], int],
    *,
    target: str,
    order: Sequence[int] | None = None,
    keep: Callable[[int], int] | None = None,
) -> list[Part]:
    """One block. order: of its documents, as they stand where None."""
    facts = example.facts
    order = range(len(example.document_ids)) if order is None else order
    query = example.query or ""
    texts = {"instruction": shared.instruction, "format": shared.format, "query": query, "target": target}
    texts["question"] = query if query.rstrip().endswith("?") else f"{query}?"
    if "{highlights}" in block.text:
        texts["instruction"] = BARE_HIGHLIGHT.sub(r"{\1}", shared.instruction)
    role = "context_header"
    parts: list[Part] = []
    for number, piece in enumerate(PLACE.split(block.text)):
        if number % 2 == 0:
            parts += [Part(role, piece)] if piece else []
        elif piece == "documents":
            parts += documents(example, block, order, marks_of(facts), length_of, keep)
            role = "response_header"
        elif piece == "highlights":
            parts += listed(example, facts.get("highlights", ()), order)
        elif texts[piece]:
            parts.append(Part("query" if piece in ("query", "question", "target") else "instruction", texts[piece]))
    if block.stripped and not target and (cue := parts[-1].text) is not None:
        parts[-1] = Part(role, cue.rstrip())
    return parts


def listed(example: Example, highlights: Sequence[Sequence[int]], order: Sequence[int]) -> list[Part]:
    """Highlighted spans of each review in presented order: `review_0:`, then ` 1. span` (section 1.2)."""
    parts: list[Part] = []
    for place, number in enumerate(order):
        parts.append(Part("query", f"{BREAK if place else ''}review_{place}:"))
        spans = [(start, end) for document, start, end in highlights if document == number]
        for count, (start, end) in enumerate(spans, start=1):
            parts.append(Part("query", f"{BREAK} {count}. "))
            parts.append(Part("query", None, example.document_ids[number], start, end))
    return parts


def marks_of(facts: Mapping[str, Any]) -> Mapping[int, list[Mark]]:
    """Marks by number of the document: of mentions that have an id, of highlights."""
    found: dict[int, list[Mark]] = {}
    if facts.get("marked"):  # the text has them already
        return found
    for (document, start, end), name in zip(facts.get("mentions", ()), facts.get("mention_ids", ()), strict=False):
        found.setdefault(document, []).append((start, end, "[", f"]({name})"))
    for document, start, end in facts.get("highlights", ()):
        found.setdefault(document, []).append((start, end, *HIGHLIGHT))
    return found


def documents(
    example: Example,
    block: Block,
    order: Sequence[int],
    marks: Mapping[int, Sequence[Mark]],
    length_of: Callable[[str], int],
    keep: Callable[[int], int] | None,
) -> list[Part]:
    """The documents in order, each after its header, with their marks."""
    parts: list[Part] = []
    for place, number in enumerate(order):
        name = example.document_ids[number]
        length = length_of(name)
        if place and block.gap:
            parts.append(Part("gap", block.gap))
        header = block.document.replace("{number}", str(place + 1)).replace("{index}", str(place))
        parts.append(Part("inner_header", header))
        parts += marked(name, keep(length) if keep else length, marks.get(number, ()))
        parts += [Part("gap", block.end)] if block.end else []
    return parts


def shown_documents(example: Example, text_of: Callable[[str], str], ids: Sequence[int] | None = None) -> list[str]:
    """The documents of a curated example with the marks of a prompt. ids: of its mentions, else their numbers."""
    facts = example.facts
    marks = marks_of({**facts, "mention_ids": range(len(facts.get("mentions", ()))) if ids is None else ids})
    return [
        render(tuple(marked(name, len(text_of(name)), marks.get(number, ()))), text_of)
        for number, name in enumerate(example.document_ids)
    ]


def marked(document_id: str, length: int, marks: Sequence[Mark]) -> list[Part]:
    """The first characters of a document with the marks that fit into them whole.

    At one place inner marks close before outer ones, all close before any opens, and outer ones open first. Removing
    the marks gives the text back.
    """
    events: list[tuple[int, int, int, int, str]] = []
    for number, (start, end, opens, closes) in enumerate(marks):
        if 0 <= start < end <= length:
            events.append((start, 1, -end, number, opens))
            events.append((end, 0, -start, -number, closes))
    parts: list[Part] = []
    at = 0
    for place, _, _, _, text in sorted(events):
        if place > at:
            parts.append(Part("document", None, document_id, at, place))
            at = place
        parts.append(Part("mark", text))
    if length > at or not parts:
        parts.append(Part("document", None, document_id, at, length))
    return parts
