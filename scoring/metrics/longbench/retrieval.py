"""Retrieval score of LongBench (Bai et al. 2024, section 3.3): passage_retrieval_en."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from scrollwork.scoring.outcome import FloatArray, GoldError, Outcome, check_texts
from scrollwork.scoring.parts.shares import share_of_numbers

NAME = "longbench_retrieval"
VERSION = 1
RANGE = (0.0, 100.0)
NEEDS = ("references",)
COMPONENTS = (NAME,)

PARAGRAPH = re.compile(r"Paragraph (\d+)")


def score(prediction: str, references: Sequence[str]) -> Outcome:
    """Return the share of the prediction's numbers that equal N in the reference's "Paragraph N", 0 to 100.

    Like longbench_count; best over the references. Raises GoldError if there is no reference or one has no "Paragraph
    N", PredictionError if the prediction is not text.
    """
    check_texts(prediction, references)
    return share_of_numbers(NAME, prediction, [_paragraph(reference) for reference in references])


def headline(means: Mapping[str, FloatArray]) -> FloatArray:
    """Return the mean share, 0 to 100."""
    return means[NAME]


def _paragraph(reference: str) -> str:
    found = PARAGRAPH.search(reference)
    if found is None:
        raise GoldError(f'reference {reference[:80]!r} names no paragraph: "Paragraph" and its number')
    return found[1]
