"""Accuracy of an extracted answer (Dolce, arXiv 2409.06338, appendix G): equal text, or equal number."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from scrollwork.scoring.outcome import FloatArray, Outcome, check_texts, single
from scrollwork.scoring.reading.dolce_answers import MARKS, canonical

NAME = "dolce_accuracy"
VERSION = 1
RANGE = (0.0, 100.0)
NEEDS = ("references",)
COMPONENTS = (NAME,)

NUMERAL = re.compile(r"-?[$€£¥]?(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]+)?|-?\.[0-9]+")
CURRENCY = str.maketrans("", "", "$€£¥")


def score(prediction: str, references: Sequence[str]) -> Outcome:
    """Return 100 if the answer equals one of the references, else 0.

    Case, the amount of white space, and punctuation at both ends do not count; articles do (the letter A is an answer).
    Numbers are compared exactly, as numbers. An empty answer is always wrong. Raises GoldError if there is no
    reference, PredictionError if the prediction is not text.
    """
    check_texts(prediction, references)
    answer = compared_text(prediction)
    return single(NAME, float(bool(answer) and answer in {compared_text(reference) for reference in references}))


def compared_text(text: str) -> str:
    """Return an answer in the normalised form in which answers are compared."""
    plain = " ".join(text.casefold().split())
    if NUMERAL.fullmatch(plain.rstrip(".")):
        return canonical(plain.rstrip(".").translate(CURRENCY))
    return plain.strip(MARKS + " ")


def headline(means: Mapping[str, FloatArray]) -> FloatArray:
    """Return the share of right answers, 0 to 100."""
    return means[NAME]
