"""Prompts that show their document through a window (observations.py makes the rows). Dolce (dolce.md 8)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from scrollwork.preprocessing.prompts.template import closed_book
from scrollwork.records.example import Example
from scrollwork.records.prompt import Part

WINDOW = "window"  # its field in an example's metadata


def window_in(example: Example) -> Mapping[str, int] | None:
    """The window that a row shows, None where it shows its documents whole."""
    if f'"{WINDOW}":' not in example.metadata:  # the usual case, without parsing
        return None
    found: Mapping[str, int] | None = example.facts.get(WINDOW)
    return found


def shown_through(parts: Sequence[Part], window: Mapping[str, int]) -> tuple[Part, ...]:
    """A prompt that shows its document through a window; without any of it where the window has no units."""
    if not window["length"]:
        return closed_book(parts)
    start, end = window["start"], window["end"]
    return tuple(replace(part, start=start, end=end) if part.role == "document" else part for part in parts)
