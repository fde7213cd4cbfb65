"""Token F1 of ZeroSCROLLS 3.2 (zeroscrolls.md 7.2): qasper, narrative_qa, musique.

Normalisation ends with a transliteration to ASCII.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from scrollwork.scoring.outcome import FloatArray, Outcome, check_texts, single
from scrollwork.scoring.parts.normalize import zero_scrolls
from scrollwork.scoring.parts.overlap import best_token_f1

NAME = "f1"
VERSION = 1
RANGE = (0.0, 100.0)
NEEDS = ("references",)
COMPONENTS = (NAME,)


def score(prediction: str, references: Sequence[str]) -> Outcome:
    """Return the best token F1 over the references, 0 to 100 (ZeroSCROLLS 3.2).

    0 without a common token, also if both sides are empty after normalisation (test vectors F6, F7). Raises GoldError
    if there is no reference, PredictionError if the prediction is not text.
    """
    check_texts(prediction, references)
    return single(NAME, best_token_f1(prediction, references, zero_scrolls))


def headline(means: Mapping[str, FloatArray]) -> FloatArray:
    """Return the mean F1, 0 to 100."""
    return means[NAME]
