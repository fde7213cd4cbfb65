"""Problems observed through windows: one row for each window of a problem's context. Dolce (dolce.md 8).

A row is the problem as it was, with the window's number (spans.py) as its `draw` and in the metadata, as `window`,
{units: C of the context; first, length: in units; start, end: characters of the document, equal for the closed book}.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from preprocessing.spans import Strategy, Window, windows
from preprocessing.units import Span, units, window_span
from preprocessing.windowed import WINDOW
from records.base import canonical_json
from records.example import Example

REMEMBERED = 64  # documents whose units are kept: the problems of one document stand together


@dataclass(frozen=True)
class Observed:
    """How a task is observed. spec: of its units. lengths: in units. full: the whole context too. more: further
    lengths by group of problems (metadata field `size`, BAMBOO)."""

    spec: str
    lengths: tuple[int, ...]
    full: bool = True
    more: Mapping[str, Sequence[int]] | None = None

    def lengths_of(self, facts: Mapping[str, Any]) -> list[int]:
        """The lengths of a problem with that metadata."""
        return sorted({*self.lengths, *(self.more or {}).get(str(facts.get("size", "")), ())})


def observed(
    examples: Iterable[Example],
    text_of: Callable[[str], str],
    how: Observed,
    one: Strategy,
    *,
    seed: int,
    suite: str = "",
) -> Iterator[Example]:
    """The rows of all windows of all problems, a problem's by length and from the start of its context.

    Raises ValueError, naming the problem, where it has not one document, or a context without a unit.
    """
    spans_of = lru_cache(REMEMBERED)(lambda document_id: units(text_of(document_id), how.spec))
    for example in examples:
        if len(example.document_ids) != 1:
            raise ValueError(f"{example.task}, {example.example_id}: windows are of one document, not of several")
        (document_id,) = example.document_ids
        spans = spans_of(document_id)
        if not spans:
            raise ValueError(f"{example.task}, {example.example_id}: the context has no unit by {how.spec!r}")
        facts = example.facts
        asked = how.lengths_of(facts)
        characters = len(text_of(document_id))
        for window in windows(
            len(spans), asked, how.full, one, seed=seed, task=example.task, problem=example.example_id
        ):
            told = {**facts, WINDOW: facts_of(window, spans, characters)}
            yield replace(example, suite=suite, draw=window.number(len(spans)), metadata=canonical_json(told))


def facts_of(window: Window, spans: list[Span], characters: int) -> dict[str, int]:
    """What a row says of its window."""
    start, end = window_span(spans, window.first, window.length, characters) if window.length else (0, 0)
    return {"units": len(spans), "first": window.first, "length": window.length, "start": start, "end": end}
