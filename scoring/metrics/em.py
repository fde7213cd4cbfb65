"""Exact match of SCROLLS 4 (scrolls.md 4.4): quality, contract_nli."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from scrollwork.scoring.outcome import FloatArray, Outcome, check_texts, single
from scrollwork.scoring.parts.normalize import scrolls

NAME = "em"
VERSION = 1
RANGE = (0.0, 100.0)
NEEDS = ("references",)
COMPONENTS = (NAME,)


def score(prediction: str, references: Sequence[str]) -> Outcome:
    """Return 100 if the normalised prediction equals a normalised reference, else 0 (SCROLLS 4).

    As in the official code, an empty text equals a lone article, and "(A) text" equals "text" while "(B) text" does
    not: the letter A is dropped as an article (test vectors E6, E8, E9). Raises GoldError if there is no reference,
    PredictionError if the prediction is not text.
    """
    check_texts(prediction, references)
    answer = scrolls(prediction)
    return single(NAME, float(any(answer == scrolls(reference) for reference in references)))


def headline(means: Mapping[str, FloatArray]) -> FloatArray:
    """Return the share of exact matches, 0 to 100."""
    return means[NAME]
