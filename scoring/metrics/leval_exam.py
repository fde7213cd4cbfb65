"""Exam score of L-Eval for one right option (An et al. 2023, section 4.1): quality, tpo.

An answer with some of the right options and no wrong one gets a quarter.
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

# \b follows Unicode word characters on purpose, as in `parsing.letter`. "ABCD" is an answer, "ABCDA" is not.
LETTERS = re.compile(r"\b[A-D]{1,4}\b")


def letters(text: str) -> str:
    """Return the letters of the first word that is one to four of A, B, C, D: sorted, each once; "" without any."""
    match = LETTERS.search(text)
    return "".join(sorted(set(match.group()))) if match else ""


def score(prediction: str, references: Sequence[str]) -> Outcome:
    """Return 100 if prediction and reference have the same set of letters, 25 for a proper subset, else 0 (L-Eval 4.1).

    No letter scores 0. The article "A" counts as a letter. `parsed` is the letters; the flag `format_ok` says whether
    there are any. Raises GoldError if there is no reference or one has no letters, PredictionError if the prediction is
    not text.
    """
    return exam(NAME, letters, prediction, references)


def headline(means: Mapping[str, FloatArray]) -> FloatArray:
    """Return the mean score, 0 to 100."""
    return means[NAME]
