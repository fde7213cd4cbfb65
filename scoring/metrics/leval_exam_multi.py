"""Exam score of L-Eval for several right options (An et al. 2023, section 4.1): coursera.

Like leval_exam, but options may be listed one per line.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from scrollwork.scoring.outcome import FloatArray, Outcome
from scrollwork.scoring.parts.exam import exam
from scrollwork.scoring.reading.parsing import first_line

NAME = "leval_exam_multi"
VERSION = 1
RANGE = (0.0, 100.0)
NEEDS = ("references",)
COMPONENTS = (NAME,)

OPENS_LINE = re.compile(r"^([A-D])\b", re.MULTILINE)
CAPITAL = re.compile("[A-D]")


def letters(text: str) -> str:
    """Return the letters that stand alone at the start of a line; without any, every A, B, C, D of the first line.

    Sorted, each once; "" if there are none. So "A. one\\nC. two" is AC, "ACD" and "(A), (C), (D)" are ACD, and "A, C,
    D" is A: its first letter starts the line.
    """
    found = OPENS_LINE.findall(text) or CAPITAL.findall(first_line(text.lstrip("\r\n")))
    return "".join(sorted(set(found)))


def score(prediction: str, references: Sequence[str]) -> Outcome:
    """Return 100 if prediction and reference have the same set of letters, 25 for a proper subset, else 0 (L-Eval 4.1).

    No letter scores 0. `parsed` is the letters; the flag `format_ok` says whether there are any. Raises GoldError if
    there is no reference or one has no letters, PredictionError if the prediction is not text.
    """
    return exam(NAME, letters, prediction, references)


def headline(means: Mapping[str, FloatArray]) -> FloatArray:
    """Return the mean score, 0 to 100."""
    return means[NAME]
