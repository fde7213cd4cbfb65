"""Exam score of L-Eval for one right option (An et al. 2023, section 4.1): quality, tpo.

A quarter for an answer that names some of the right options and no wrong one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from scrollwork.scoring.outcome import FloatArray, Outcome
from scrollwork.scoring.parts.exam import exam

NAME = "leval_exam"
VERSION = 1
RANGE = (0.0, 100.0)
NEEDS = ("references",)
COMPONENTS = (NAME,)

# Unicode word characters on purpose, as in `parsing.letter`. "ABCD" is an answer, "ABCDA" is none.
LETTERS = re.compile(r"\b[A-D]{1,4}\b")


def letters(text: str) -> str:
    """The letters of the first word that is one to four of A, B, C, D: sorted, each once; "" where there is none."""
    match = LETTERS.search(text)
    return "".join(sorted(set(match.group()))) if match else ""


def score(prediction: str, references: Sequence[str]) -> Outcome:
    """100 where the letters of prediction and reference are the same set, 25 for a proper subset, else 0 (L-Eval 4.1).

    No letter scores 0. The article "A" counts as a letter. `parsed` is the letters; the flag `format_ok` says whether
    there were any. Raises GoldError for no reference or one without letters, PredictionError for a prediction that is
    no text.
    """
    return exam(NAME, letters, prediction, references)


def headline(means: Mapping[str, FloatArray]) -> FloatArray:
    """The mean score, 0 to 100."""
    return means[NAME]
