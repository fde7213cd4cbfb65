"""Token F1 of LongBench (Bai et al. 2024, section 3.3) for question answering; the same as the F1 of SCROLLS."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from scrollwork.scoring.outcome import FloatArray, Outcome, check_texts, single
from scrollwork.scoring.parts.normalize import scrolls
from scrollwork.scoring.parts.overlap import best_token_f1

NAME = "longbench_qa_f1"
VERSION = 1
RANGE = (0.0, 100.0)
NEEDS = ("references",)
COMPONENTS = (NAME,)


def score(prediction: str, references: Sequence[str]) -> Outcome:
    """Return the best token F1 over the references, 0 to 100; see f1_scrolls.

    Raises GoldError if there is no reference, PredictionError if the prediction is not text.
    """
    check_texts(prediction, references)
    return single(NAME, best_token_f1(prediction, references, scrolls))


def headline(means: Mapping[str, FloatArray]) -> FloatArray:
    """Return the mean F1, 0 to 100."""
    return means[NAME]
