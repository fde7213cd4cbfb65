"""Geometric mean of ROUGE-1, ROUGE-2 and ROUGE-L for each answer, stemmed. SEAM, MultiNews and OpenAsp (seam.md 6.1).

Not `rouge_geo`: there the mean over the data set comes first, and no word is stemmed. Here an answer that shares no
pair of words with its reference scores 0. The other order is reported beside it as `rouge_gm_of_means`.
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
    """ROUGE F-measures of one prediction and the cube root of their product, 0 to 100.

    Each type is the best over the references; L is over the whole text. Raises GoldError for no reference,
    PredictionError for a prediction that is no text.
    """
    return batch([prediction], [references])[0]


def batch(predictions: Sequence[str], references: Sequence[Sequence[str]]) -> list[Outcome]:
    """`score` of each prediction with its references, the same to the last bit, many times as fast."""
    found = rouge_geo.batch(predictions, references, stem=True)
    return [Outcome(one.value, {**{kind: one.components[kind] for kind in ROUGE}, NAME: one.value}) for one in found]


def headline(means: Mapping[str, FloatArray]) -> FloatArray:
    """The mean over the answers, 0 to 100."""
    return means[NAME]


def beside(means: Mapping[str, Any]) -> dict[str, FloatArray]:
    """The geometric mean of the means, as SCROLLS has it but for the stems, 0 to 100."""
    return {"rouge_gm_of_means": rouge_geo.headline(means)}
