"""Prompts of demonstrations and an instance (SEAM, figure 2; fact sheet seam.md 2).

Every block repeats the instruction, and the last one ends with the cue. A block is a string with placeholders:
{instruction}, {format}, {query} ({question}: with a question mark), {documents}, {highlights}, {target}. Documents may
have marks, which are literals at certain characters: mentions as `[text](id)`, highlights between {HS} and {HE}.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scrollwork.records.example import Example
from scrollwork.records.prompt import Part, render

PLACE = re.compile(r"\{(instruction|format|query|question|documents|highlights|target)\}")
HIGHLIGHT = ("{HS}", "{HE}")  # literal, in text and instructions (section 1.2)
BARE_HIGHLIGHT = re.compile(r"(?<![{\w])(HS|HE)(?![}\w])")

BREAK = "\n"

Mark = tuple[int, int, str, str]  # start, end, opening text, closing text


@dataclass(frozen=True)
class Block:
    """How blocks of a task look.

    text: with placeholders. document: before each document, with {number} from 1 or {index} from 0; end: after it; gap:
    between two. separator: between blocks. stripped: the prompt ends without the blanks of its cue. ordered: documents
    of demonstrations, too, are in the run's order. FuseReviews: stripped, not ordered.

    Only for the official code's prompts (fidelity.md#seam): unlisted: after the name of a review without highlights.
    swapped: of nested mentions that end together, the outer one's id comes first. verbatim: nothing is tidied, so
    documents keep the blanks around them (`blanks` of the metadata), empty ones are shown, HS and HE without braces
    stay, and a stripped block is stripped at both ends.
    """

    text: str
    document: str
    end: str = ""
    gap: str = "\n"
    separator: str = "\n\n"
    stripped: bool = False
    ordered: bool = True
    unlisted: str = ""
    swapped: bool = False
    verbatim: bool = False


def cue_of(text: str) -> str:
    """Return what is right before the target of a block's text, the cue that a prompt ends with."""
    return text.partition("{target}")[0].rpartition(BREAK)[2].strip()


@dataclass(frozen=True)
class Shared:
    """What all instances of a run share. instruction, format: of the paraphrase.

    shots: demonstrations in their order, each with the order of its documents.
    """

    instruction: str
    format: str
    shots: Sequence[tuple[Example, Sequence[int]]]


def demonstrations(block: Block, shared: Shared, length_of: Callable[[str], int]) -> tuple[Part, ...]:
    """Return the parts before the instance, the same for all instances of a run."""
    parts: list[Part] = []
    for shot, order in shared.shots:
        own = fill_block(shot, block, shared, length_of, order=order, target=shot.references[0])
        parts += [Part("demonstration", part.text, part.document_id, part.start, part.end) for part in own]
        parts.append(Part("demonstration", block.separator))
    return tuple(parts)


def fill_block(
    example: Example,
    block: Block,
    shared: Shared,
    length_of: Callable[[str], int],
    *,
    target: str,
    order: Sequence[int] | None = None,
    keep: Callable[[int], int] | None = None,
) -> list[Part]:
    """Return the parts of one block. target: "" for the instance.

    length_of: characters of a document by id. order: of its documents, None for theirs. keep: from a document's length
    to the characters of it that are kept, None for all.
    """
    facts = example.facts
    order = range(len(example.document_ids)) if order is None else order
    query = example.query or ""
    texts = {"instruction": shared.instruction, "format": shared.format, "query": query, "target": target}
    texts["question"] = query if query.rstrip().endswith("?") else f"{query}?"
    if "{highlights}" in block.text and not block.verbatim:
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
            parts += highlight_lists(example, facts.get("highlights", ()), order, block.unlisted)
        elif texts[piece]:
            parts.append(Part("query" if piece in ("query", "question", "target") else "instruction", texts[piece]))
    if block.stripped and block.verbatim:
        return strip_parts(parts)
    if block.stripped and not target and (cue := parts[-1].text) is not None:
        parts[-1] = Part(role, cue.rstrip())
    return parts


def strip_parts(parts: Sequence[Part]) -> list[Part]:
    """Return the parts without the blanks at both ends of their literal text."""
    found = list(parts)
    while found and found[0].text is not None and not found[0].text.strip():
        del found[0]
    while found and found[-1].text is not None and not found[-1].text.strip():
        del found[-1]
    for place, strip in ((0, str.lstrip), (-1, str.rstrip)):
        if found and (text := found[place].text) is not None:
            found[place] = Part(found[place].role, strip(text))
    return found


def highlight_lists(
    example: Example, highlights: Sequence[Sequence[int]], order: Sequence[int], unlisted: str = ""
) -> list[Part]:
    """Return the highlighted spans of each review in presented order: `review_0:`, then ` 1. span` (section 1.2).

    unlisted: for a review that has none.
    """
    parts: list[Part] = []
    for place, number in enumerate(order):
        parts.append(Part("query", f"{BREAK if place else ''}review_{place}:"))
        spans = [(start, end) for document, start, end in highlights if document == number]
        parts += [Part("query", unlisted)] if unlisted and not spans else []
        for count, (start, end) in enumerate(spans, start=1):
            parts.append(Part("query", f"{BREAK} {count}. "))
            parts.append(Part("query", None, example.document_ids[number], start, end))
    return parts


def marks_of(facts: Mapping[str, Any]) -> Mapping[int, list[Mark]]:
    """Return marks by number of the document: of mentions that have an id, and of highlights."""
    found: dict[int, list[Mark]] = {}
    if facts.get("marked"):  # the text contains them already
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
    """Return the documents in order, each after its header, with their marks."""
    parts: list[Part] = []
    for place, (before, number, behind) in enumerate(slots(example.facts, order, block)):
        if place and block.gap:
            parts.append(Part("gap", block.gap))
        header = block.document.replace("{number}", str(place + 1)).replace("{index}", str(place))
        parts.append(Part("inner_header", header + before))
        if number is not None:
            name = example.document_ids[number]
            length = length_of(name)
            parts += marked_parts(name, keep(length) if keep else length, marks.get(number, ()), swapped=block.swapped)
        parts += [Part("gap", behind + block.end)] if behind + block.end else []
    return parts


Slot = tuple[str, int | None, str]  # blanks before, number of the document (None: it has no text), blanks after


def slots(facts: Mapping[str, Any], order: Sequence[int], block: Block) -> list[Slot]:
    """Return what follows each header: the documents in order; in a verbatim block, also blanks and empty ones."""
    if not block.verbatim or "blanks" not in facts:
        return [("", number, "") for number in order]
    numbers = iter(order)
    return [(one, None, "") if isinstance(one, str) else (one[0], next(numbers), one[1]) for one in facts["blanks"]]


def blanks(text: str) -> str | list[str]:
    """Return what stripping takes off a text: [before, after], or all of a text that is nothing else."""
    bare = text.strip()
    return list(text.split(bare, 1)) if bare else text


def shown_documents(
    example: Example, text_of: Callable[[str], str], ids: Sequence[int] | None = None, *, swapped: bool = False
) -> list[str]:
    """Return the documents of a curated example with the marks of a prompt.

    ids: of its mentions, by default their numbers.
    """
    facts = example.facts
    marks = marks_of({**facts, "mention_ids": range(len(facts.get("mentions", ()))) if ids is None else ids})
    return [
        render(tuple(marked_parts(name, len(text_of(name)), marks.get(number, ()), swapped=swapped)), text_of)
        for number, name in enumerate(example.document_ids)
    ]


def marked_parts(document_id: str, length: int, marks: Sequence[Mark], *, swapped: bool = False) -> list[Part]:
    """Return the first `length` characters of a document, with the marks that fit into them as a whole.

    At one place, inner marks close before outer ones, all close before any opens, and outer ones open first. swapped:
    all open, then they close in the order in which they are given. Removing the marks restores the text.
    """
    events: list[tuple[int, int, int, int, str]] = []
    for number, (start, end, opens, closes) in enumerate(marks):
        if 0 <= start < end <= length:
            events.append((start, 1, -end, number, opens))
            events.append((end, 2, 0, number, closes) if swapped else (end, 0, -start, -number, closes))
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
