"""Accuracy of an extracted answer (Dolce, arXiv 2409.06338, appendix G): the same text, or the same number."""

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
    """100 if the answer is one of the references, else 0.

    Case, white space and punctuation at both ends do not count; an article does (the letter A is an answer). Numbers
    are compared as numbers, exactly. An empty answer is right for no reference. Raises GoldError for no reference,
    PredictionError for a prediction that is no text.
    """
    check_texts(prediction, references)
    answer = compared_text(prediction)
    return single(NAME, float(bool(answer) and answer in {compared_text(reference) for reference in references}))


def compared_text(text: str) -> str:
    """What of an answer is compared."""
    plain = " ".join(text.casefold().split())
    if NUMERAL.fullmatch(plain.rstrip(".")):
        return canonical(plain.rstrip(".").translate(CURRENCY))
    return plain.strip(MARKS + " ")


def headline(means: Mapping[str, FloatArray]) -> FloatArray:
    """The share of right answers, 0 to 100."""
    return means[NAME]
