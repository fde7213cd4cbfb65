"""Geometric mean of ROUGE-1, ROUGE-2 and ROUGE-L: ZeroSCROLLS 3.2 (zeroscrolls.md 7.1), SCROLLS 4 (scrolls.md 4.2).

Two aggregations are in print. The headline is that of the official code and of the published numbers: the geometric
mean of the three means over the data set. `per_instance_mean`, the mean of each answer's geometric mean, follows the
ZeroSCROLLS paper's wording and is reported beside it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np

from scrollwork.scoring.outcome import FloatArray, Outcome, check_texts
from scrollwork.scoring.rouge.engine import MEASURES, TYPES, Engine

NAME = "rouge_geo"
VERSION = 2  # 2: words of more than 100 letters are stemmed too, as rouge-score does
RANGE = (0.0, 100.0)
NEEDS = ("references",)
ROUGE = TYPES
COMPONENTS = (*ROUGE, "per_instance_mean")
OPTIONS = ("stem",)


def score(prediction: str, references: Sequence[str], *, stem: bool = False) -> Outcome:
    """Return the ROUGE F-measures of one prediction, 0 to 100; the value is the cube root of R1 x R2 x RL.

    Each type is the best over the references, so types may come from different references. stem: apply the Porter
    stemmer, which neither benchmark does. R-L covers the whole text; R-Lsum treats lines as sentences and does not
    enter the value. Raises GoldError if there is no reference, PredictionError if the prediction is not text.
    """
    if prediction == "":  # asked of every input, to learn whether it can be scored
        check_texts(prediction, references)
        return _outcome(dict.fromkeys(ROUGE, 0.0))
    return batch([prediction], [references], stem=stem)[0]


def batch(predictions: Sequence[str], references: Sequence[Sequence[str]], *, stem: bool = False) -> list[Outcome]:
    """Return `score` of each prediction and its references, identical to the last bit but many times faster."""
    for prediction, some in zip(predictions, references, strict=True):
        check_texts(prediction, some)
    fmeasures = _engine(stem).score(predictions, references)[:, :, MEASURES.index("fmeasure")]
    return [_outcome(dict(zip(ROUGE, row, strict=True))) for row in (100.0 * fmeasures).tolist()]


def headline(means: Mapping[str, FloatArray]) -> FloatArray:
    """Return the cube root of mean R1 x mean R2 x mean RL, 0 to 100 (zeroscrolls.md 7.1); arrays give an array."""
    return _geometric_mean(means)


def _geometric_mean(rouge: Mapping[str, FloatArray]) -> FloatArray:
    product = rouge["rouge1"] * rouge["rouge2"] * rouge["rougeL"]
    root: FloatArray = np.minimum(np.cbrt(product), 100.0)  # cbrt may round up past 100
    return root


def _outcome(rouge: Mapping[str, float]) -> Outcome:
    value = float(_geometric_mean(rouge))
    return Outcome(value, {**rouge, "per_instance_mean": value})


@cache
def _engine(stem: bool) -> Engine:
    return Engine(stem)
