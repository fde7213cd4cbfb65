"""Texts that the page shows of problems which were seen through windows (Dolce)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Excerpt:
    """A passage and what stands around it."""

    before: str
    text: str
    after: str


@dataclass(frozen=True)
class Question:
    """What a problem asks, and its references."""

    query: str
    references: Sequence[str]


@dataclass(frozen=True)
class Texts:
    """Of typical problems. passages: by (document, start, end); questions: by (task, split, problem)."""

    passages: Mapping[tuple[str, int, int], Excerpt] = field(default_factory=dict)
    questions: Mapping[tuple[str, str, str], Question] = field(default_factory=dict)
