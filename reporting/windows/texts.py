"""Texts of problems that the page shows (Dolce): passages and questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Excerpt:
    """A passage, and the text before and after it."""

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
    """Texts of typical problems. passages: by (document, start, end). questions: by (task, split, problem)."""

    passages: Mapping[tuple[str, int, int], Excerpt] = field(default_factory=dict)
    questions: Mapping[tuple[str, str, str], Question] = field(default_factory=dict)
