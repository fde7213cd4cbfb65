"""Counting score of LongBench (Bai et al. 2024, section 3.3): passage_count."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from scrollwork.scoring.outcome import FloatArray, GoldError, Outcome, check_texts
from scrollwork.scoring.parts.shares import share_of_numbers

NAME = "longbench_count"
VERSION = 1
RANGE = (0.0, 100.0)
NEEDS = ("references",)
COMPONENTS = (NAME,)


def score(prediction: str, references: Sequence[str]) -> Outcome:
    """Return the share of the prediction's numbers that equal the reference, 0 to 100, best over the references.

    Numbers are runs of digits, compared as text: "05" is not "5", "1,000" is two numbers. No number scores 0. `parsed`
    is the numbers, cut to 1,000 characters; the flag `format_ok` says whether there are any. Raises GoldError if there
    is no reference or one is not a number, PredictionError if the prediction is not text.
    """
    check_texts(prediction, references)
    return share_of_numbers(NAME, prediction, [_number(reference) for reference in references])


def headline(means: Mapping[str, FloatArray]) -> FloatArray:
    """Return the mean share, 0 to 100."""
    return means[NAME]


def _number(reference: str) -> str:
    if not re.fullmatch(r"\d+", reference):
        raise GoldError(f"reference {reference[:80]!r} is no number")
    return reference
