"""The gold of a fusion of reviews: highlighted spans, and spans to cover. SEAM's FuseReviews (seam.md 1.2, 6.2)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from scrollwork.scoring.outcome import GoldError
from scrollwork.scoring.parts.gold_json import object_in

# The official code splits with a spaCy model; this rule needs none.
SENTENCE_ENDS = re.compile(r"(?<=[.!?])\s+")


@dataclass(frozen=True, slots=True)
class Fusion:
    """The gold of one fusion. highlights: spans by review. alignments: review spans that the gold summary draws on."""

    highlights: tuple[tuple[str, ...], ...]
    alignments: tuple[str, ...]

    @property
    def joined(self) -> str:
        """Return all highlighted spans, joined by spaces."""
        return " ".join(span for review in self.highlights for span in review)

    @property
    def listed(self) -> str:
        """Return the highlighted spans as the prompt lists them, review by review."""
        lines = []
        for number, review in enumerate(self.highlights):
            spans = "".join(f" {place}. {span}" for place, span in enumerate(review, start=1))
            lines.append(f"review_{number}:\n{spans}")
        return "\n".join(lines)


def fusion_in(references: Sequence[str]) -> Fusion:
    """Parse one JSON object {"highlights": [[span, ...], one list per review], "alignments": [span, ...]}.

    Raises GoldError.
    """
    found, start = object_in(references, "a fusion has")
    reviews, alignments = found.get("highlights"), found.get("alignments")
    if not isinstance(reviews, list) or not all(map(_texts, reviews)) or not any(reviews):
        raise GoldError(f'{start}: "highlights" must be lists of texts, one a review, not all of them empty')
    if not _texts(alignments) or not alignments:
        raise GoldError(f'{start}: "alignments" must be a list of texts and not empty')
    return Fusion(tuple(map(tuple, reviews)), tuple(alignments))


def sentences(text: str) -> list[str]:
    """Split an output into sentences: after . ! or ? if white space follows."""
    return [part for part in SENTENCE_ENDS.split(text.strip()) if part]


def harmonic(first: float, second: float) -> float:
    """Return the harmonic mean of two numbers from 0 to 1; 0 if either is 0."""
    return min(2 * first * second / (first + second), 1.0) if first > 0 and second > 0 else 0.0


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)
