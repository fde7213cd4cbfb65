"""Classification score of LongBench (Bai et al. 2024, section 3.3): trec, lsht."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from scrollwork.scoring.outcome import FloatArray, GoldError, Outcome, check_texts, single
from scrollwork.scoring.reading.parsing import cut_for_record

NAME = "longbench_classification"
VERSION = 1
RANGE = (0.0, 100.0)
NEEDS = ("references", "options")
COMPONENTS = (NAME,)


def score(prediction: str, references: Sequence[str], options: Sequence[str] = ()) -> Outcome:
    """Return 100/n if the gold class is one of the n classes in the prediction, else 0; best over the references.

    options: all classes, matched verbatim. A class that is a proper substring of the gold class does not count: "Other
    location" contains "location" too. `parsed` is the classes named; the flag `format_ok` says whether there are any.
    Raises GoldError if there are no references or no options, PredictionError if the prediction is not text.
    """
    check_texts(prediction, references)
    if not options:
        raise GoldError("options must hold the classes: the list is empty")
    named = [option for option in options if option in prediction]
    best = max(_share(named, reference) for reference in references)
    return single(NAME, best, cut_for_record(", ".join(named)) if named else None, {"format_ok": bool(named)})


def _share(named: Sequence[str], reference: str) -> float:
    left = [option for option in named if option == reference or option not in reference]
    return 1.0 / len(left) if reference in left else 0.0


def headline(means: Mapping[str, FloatArray]) -> FloatArray:
    """Return the mean score, 0 to 100."""
    return means[NAME]
