"""Edit similarity of LongBench (Bai et al. 2024, section 3.3): lcc, repobench-p."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from scrollwork.scoring.outcome import FloatArray, Outcome, check_texts
from scrollwork.scoring.parts.matching import ratio
from scrollwork.scoring.reading.parsing import cut_for_record

NAME = "longbench_code"
VERSION = 1
RANGE = (0.0, 100.0)
NEEDS = ("references",)
COMPONENTS = (NAME,)

NO_CODE = ("`", "#", "//")  # marks of Markdown and of comments


def score(prediction: str, references: Sequence[str]) -> Outcome:
    """Return difflib's ratio of the first line of code and a reference, in whole percent, best over the references.

    The first line of code is the first one, after leading newlines, without a backtick, # or //; if there is none, it
    is empty. Nothing else is compared. `parsed` is that line, cut to 1,000 characters; the flag `format_ok` says
    whether there is one. Raises GoldError if there is no reference, PredictionError if the prediction is not text.
    """
    check_texts(prediction, references)
    line = first_code_line(prediction)
    best = float(max(round(100 * ratio(line or "", reference)) for reference in references))
    return Outcome(best, {NAME: best}, None if line is None else cut_for_record(line), {"format_ok": line is not None})


def first_code_line(text: str) -> str | None:
    """Return the first line without a mark of Markdown or of a comment, or None if there is none."""
    for line in text.lstrip("\n").split("\n"):
        if not any(mark in line for mark in NO_CODE):
            return line
    return None


def headline(means: Mapping[str, FloatArray]) -> FloatArray:
    """Return the mean similarity, 0 to 100."""
    return means[NAME]
