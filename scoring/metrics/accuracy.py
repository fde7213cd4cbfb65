"""Accuracy over answer letters (ZeroSCROLLS 3.2; zeroscrolls.md 7.3): quality."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from scrollwork.scoring.outcome import FloatArray, GoldError, Outcome, check_texts, single
from scrollwork.scoring.reading.parsing import letter

NAME = "accuracy"
VERSION = 1
RANGE = (0.0, 100.0)
NEEDS = ("references",)
COMPONENTS = (NAME,)


def score(prediction: str, references: Sequence[str]) -> Outcome:
    """Return 100 if the first letter A-D of the prediction is that of a reference, else 0 (ZeroSCROLLS 3.2).

    `parsed` is the letter; the flag `format_ok` says whether there is one. Raises GoldError if there is no reference or
    one has no letter, PredictionError if the prediction is not text.
    """
    check_texts(prediction, references)
    gold = {_gold_letter(reference) for reference in references}
    answer = letter(prediction)
    return single(NAME, float(answer in gold), answer, {"format_ok": answer is not None})


def headline(means: Mapping[str, FloatArray]) -> FloatArray:
    """Return the share of right letters, 0 to 100."""
    return means[NAME]


def _gold_letter(reference: str) -> str:
    found = letter(reference)
    if found is None:
        raise GoldError(f"reference {reference[:80]!r} names no answer letter A, B, C or D")
    return found
