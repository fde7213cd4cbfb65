"""Prompts that show their document through a window (observations.py makes the rows). Dolce (dolce.md 8)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from scrollwork.preprocessing.prompts.from_examples import Whole
from scrollwork.preprocessing.prompts.template import closed_book
from scrollwork.records.example import Example
from scrollwork.records.prompt import Part

WINDOW = "window"  # its field in an example's metadata


def window_in(example: Example) -> Mapping[str, int] | None:
    """Return the window that a row shows; None if it shows whole documents."""
    if f'"{WINDOW}":' not in example.metadata:  # the usual case, without parsing
        return None
    found: Mapping[str, int] | None = example.facts.get(WINDOW)
    return found


def shown_through(parts: Sequence[Part], window: Mapping[str, int]) -> tuple[Part, ...]:
    """Return a prompt that shows its document through a window; none of it if the window has no units."""
    if not window["length"]:
        return closed_book(parts)
    start, end = window["start"], window["end"]
    return tuple(replace(part, start=start, end=end) if part.role == "document" else part for part in parts)


class Through(Whole):
    """The way of rows that show a window; other rows are shown as usual."""

    def shown(self, example: Example, parts: tuple[Part, ...]) -> tuple[Part, ...]:
        """Return the parts, with the document reduced to the example's window."""
        window = window_in(example)
        return parts if window is None else shown_through(parts, window)

    def columns(self, example: Example) -> Mapping[str, Any]:
        """Return units of the context, span_start and span_length of the window, in units."""
        window = window_in(example)
        if window is None:
            return {}
        return {"units": window["units"], "span_start": window["first"], "span_length": window["length"]}
