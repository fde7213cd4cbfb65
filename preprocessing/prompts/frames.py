"""Literals of a release that differ from the suite's template: with them, an imported prompt is the released one.

An example keeps them in its metadata as `frame`: {parts: [[role, text], ...], with ["document"] for each document and
["query"] for the query; separator: the released truncation_seperator}, each only if it differs.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from scrollwork.records.example import Example
from scrollwork.records.prompt import Part

FRAME = "frame"
SPANS = ("document", "query")


def frame_of(example: Example) -> Mapping[str, Any]:
    """Return the example's own literals; empty if its prompt is the template's."""
    if f'"{FRAME}":' not in example.metadata:  # the usual case, without parsing
        return {}
    found: Mapping[str, Any] = example.facts.get(FRAME, {})
    return found


def to_frame(parts: Sequence[Part]) -> list[list[str]]:
    """Return parts as the values that a frame stores."""
    return [[part.role] if part.role in SPANS else [part.role, part.text or ""] for part in parts]


def frame_parts(frame: Mapping[str, Any], example: Example, length_of: Callable[[str], int]) -> tuple[Part, ...]:
    """Make the example's prompt from its frame. length_of: characters of a document by id."""
    documents = iter(example.document_ids)
    parts = []
    for role, *text in frame["parts"]:
        if role == "document":
            document_id = next(documents)
            parts.append(Part(role, None, document_id, 0, length_of(document_id)))
        else:
            parts.append(Part(role, example.query if role == "query" else text[0]))
    return tuple(parts)
