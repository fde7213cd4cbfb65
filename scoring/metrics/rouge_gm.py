"""Geometric mean of stemmed ROUGE-1, ROUGE-2 and ROUGE-L for each answer: SEAM's MultiNews and OpenAsp (seam.md 6.1).

Unlike `rouge_geo`, which averages over the data set first and does not stem. An answer that shares no bigram with its
reference scores 0. The geometric mean of the means is reported beside it as `rouge_gm_of_means`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scrollwork.scoring.metrics import rouge_geo
from scrollwork.scoring.outcome import FloatArray, Outcome

NAME = "rouge_gm"
VERSION = 1
RANGE = (0.0, 100.0)
NEEDS = ("references",)
ROUGE = ("rouge1", "rouge2", "rougeL")
COMPONENTS = (*ROUGE, NAME)


def score(prediction: str, references: Sequence[str]) -> Outcome:
    """Return the ROUGE F-measures of one prediction and the cube root of their product, 0 to 100.

    Each type is the best over the references; R-L covers the whole text. Raises GoldError if there is no reference,
    PredictionError if the prediction is not text.
    """
    return batch([prediction], [references])[0]


def batch(predictions: Sequence[str], references: Sequence[Sequence[str]]) -> list[Outcome]:
    """Return `score` of each prediction and its references, identical to the last bit but many times faster."""
    found = rouge_geo.batch(predictions, references, stem=True)
    return [Outcome(one.value, {**{kind: one.components[kind] for kind in ROUGE}, NAME: one.value}) for one in found]


def headline(means: Mapping[str, FloatArray]) -> FloatArray:
    """Return the mean over the answers, 0 to 100."""
    return means[NAME]


def derived(means: Mapping[str, Any]) -> dict[str, FloatArray]:
    """Return the geometric mean of the means, 0 to 100, as in SCROLLS except for stemming."""
    return {"rouge_gm_of_means": rouge_geo.headline(means)}
