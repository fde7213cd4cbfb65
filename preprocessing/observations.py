"""Problems observed through windows: one row for each window of a problem's context. Dolce (dolce.md 8).

A row is the problem as it was, with the window's number (spans.py) as its `draw` and in the metadata, as `window`,
{units: C of the context; first, length: in units; start, end: characters of the document, equal for the closed book}.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from preprocessing.spans import Strategy, Window, windows
from preprocessing.units import Span, units, window_span
from preprocessing.windowed import WINDOW
from records.base import canonical_json
from records.example import Example


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
    """The rows of all windows of all problems. Problems of one document that follow each other are taken together,
    window by window, by length and from the start of their context: prompts that show the same text follow each other,
    and share a provider's prefix cache.

    Raises ValueError, naming the problem, where it has not one document, or a context without a unit.
    """
    for document_ids, problems in groupby(examples, key=lambda example: example.document_ids):
        together = list(problems)
        if len(document_ids) != 1:
            raise ValueError(f"{_name(together[0])}: windows are of one document, not of several")
        text = text_of(document_ids[0])
        spans = units(text, how.spec)
        if not spans:
            raise ValueError(f"{_name(together[0])}: the context has no unit by {how.spec!r}")
        who: defaultdict[Window, list[Example]] = defaultdict(list)
        for example in together:
            asked = how.lengths_of(example.facts)
            problem = example.example_id
            for window in windows(len(spans), asked, how.full, one, seed=seed, task=example.task, problem=problem):
                who[window].append(example)
        for window in sorted(who):
            shown = facts_of(window, spans, len(text))
            for example in who[window]:
                told = canonical_json({**example.facts, WINDOW: shown})
                yield replace(example, suite=suite, draw=window.number(len(spans)), metadata=told)


def _name(example: Example) -> str:
    return f"{example.task}, {example.example_id}"


def facts_of(window: Window, spans: list[Span], characters: int) -> dict[str, int]:
    """What a row says of its window."""
    start, end = window_span(spans, window.first, window.length, characters) if window.length else (0, 0)
    return {"units": len(spans), "first": window.first, "length": window.length, "start": start, "end": end}
