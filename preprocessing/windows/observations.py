"""Problems observed through windows: one row for each window of a problem's context. Dolce (dolce.md 8).

A row is the problem as it was, with the window's number (spans.py) as its `draw`, and the window in its metadata as
`window`: {units: C of the context; first, length: in units; start, end: characters of the document, equal for the
closed book}.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import merge
from itertools import groupby
from typing import Any

from scrollwork.preprocessing.windows.prompt_template import WINDOW
from scrollwork.preprocessing.windows.spans import Strategy, Window, windows
from scrollwork.preprocessing.windows.units import Span, units, window_span
from scrollwork.records.base import canonical_json
from scrollwork.records.example import Example


@dataclass(frozen=True)
class Observed:
    """How a task is observed. spec: of its units. lengths: of windows, in units. full: the whole context too.

    more: further lengths by group of problems (metadata field `size`, BAMBOO).
    """

    spec: str
    lengths: tuple[int, ...]
    full: bool = True
    more: Mapping[str, Sequence[int]] | None = None

    def lengths_of(self, facts: Mapping[str, Any]) -> list[int]:
        """Return the window lengths of a problem with this metadata."""
        return sorted({*self.lengths, *(self.more or {}).get(str(facts.get("size", "")), ())})


def observed_windows(
    examples: Iterable[Example],
    text_of: Callable[[str], str],
    how: Observed,
    one: Strategy,
    *,
    seed: int,
    suite: str = "",
) -> Iterator[Example]:
    """Yield the rows of all windows of all problems, by length and from the start of the context.

    Successive problems on one document are asked window by window: prompts that share a window share a provider's
    prefix cache. text_of: a document's text by id. Raises ValueError, naming the problem, if it does not have exactly
    one document, or if its context has no unit.
    """
    for _, problems in groupby(examples, key=lambda example: example.document_ids):
        yield from of_document(list(problems), text_of, how, one, seed, suite)


def of_document(
    problems: Sequence[Example], text_of: Callable[[str], str], how: Observed, one: Strategy, seed: int, suite: str
) -> Iterator[Example]:
    """Yield the rows of the problems on one document, those of a window together, in the order of the problems."""
    first = problems[0]
    if len(first.document_ids) != 1:
        raise ValueError(f"{first.task}, {first.example_id}: windows are of one document, not of several")
    text = text_of(first.document_ids[0])
    spans = units(text, how.spec)
    if not spans:
        raise ValueError(f"{first.task}, {first.example_id}: the context has no unit by {how.spec!r}")

    def windows_of(place: int, problem: Example) -> Iterator[tuple[Window, int]]:
        lengths = how.lengths_of(problem.facts)
        found = windows(len(spans), lengths, how.full, one, seed=seed, task=problem.task, problem=problem.example_id)
        return ((window, place) for window in found)

    facts = [problem.facts for problem in problems]
    for window, place in merge(*(windows_of(place, problem) for place, problem in enumerate(problems))):
        told = {**facts[place], WINDOW: facts_of(window, spans, len(text))}
        number = window.number(len(spans))
        yield replace(problems[place], suite=suite, draw=number, metadata=canonical_json(told))


def facts_of(window: Window, spans: list[Span], characters: int) -> dict[str, int]:
    """Return the metadata of a row's window."""
    start, end = window_span(spans, window.first, window.length, characters) if window.length else (0, 0)
    return {"units": len(spans), "first": window.first, "length": window.length, "start": start, "end": end}
