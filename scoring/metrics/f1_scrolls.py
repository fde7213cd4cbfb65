"""Token F1 of SCROLLS 4 (scrolls.md 4.3): qasper, narrative_qa.

Like f1, but letters outside ASCII are kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from scrollwork.scoring.outcome import FloatArray, Outcome, check_texts, single
from scrollwork.scoring.parts.normalize import scrolls
from scrollwork.scoring.parts.overlap import best_token_f1

NAME = "f1_scrolls"
VERSION = 1
RANGE = (0.0, 100.0)
NEEDS = ("references",)
COMPONENTS = (NAME,)


def score(prediction: str, references: Sequence[str]) -> Outcome:
    """Return the best token F1 over the references, 0 to 100 (SCROLLS 4).

    0 without a common token, also if both sides are empty after normalisation (test vectors F6, F7). Raises GoldError
    if there is no reference, PredictionError if the prediction is not text.
    """
    check_texts(prediction, references)
    return single(NAME, best_token_f1(prediction, references, scrolls))


def headline(means: Mapping[str, FloatArray]) -> FloatArray:
    """Return the mean F1, 0 to 100."""
    return means[NAME]
