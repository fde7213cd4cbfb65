"""Names of the metrics and how to read their values, for people (ZeroSCROLLS 3.2). They are computed in scoring/."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Reading:
    """How to read a metric. short: its name above a column. name: in full. meaning: of 0, 100 and values between."""

    short: str
    name: str
    meaning: str


READINGS = {
    "rouge_geo": Reading(
        "ROUGE",
        "geometric mean of ROUGE-1, ROUGE-2 and ROUGE-L",
        "Words, word pairs and longest common subsequence shared with a reference summary, as F-measures without "
        "stemming. The mean of each over all inputs comes first, their geometric mean second. 100 is a word-for-word "
        "copy of a reference.",
    ),
    "f1": Reading(
        "F1",
        "token F1",
        "Words shared with the closest reference answer, after lower-casing and without punctuation and articles. "
        "100 is the same words, 0 none.",
    ),
    "f1_scrolls": Reading("F1", "token F1 (SCROLLS)", "Words shared with the closest reference answer."),
    "em": Reading("EM", "exact match", "The share of answers that equal a reference after normalisation."),
    "accuracy": Reading(
        "accuracy",
        "accuracy",
        "The share of right letters among four. Guessing gives 25.",
    ),
    "es": Reading(
        "ES",
        "exponential similarity",
        "100 for the right percentage, halved with every ten points off it, 0 for an answer without a percentage.",
    ),
    "concordance": Reading(
        "C-index",
        "concordance index",
        "The share of pairs of summaries put in the right order. Any order that does not depend on the text gives 50 "
        "on average; a list that is no permutation of the ids gives 0.",
    ),
    "rouge_gm": Reading(
        "ROUGE",
        "geometric mean of ROUGE-1, ROUGE-2 and ROUGE-L of each answer",
        "Words, word pairs and longest common subsequence shared with a reference summary, as F-measures of stems. "
        "Their geometric mean for each answer comes first, the mean over answers second: an answer that shares no pair "
        "of words gets 0.",
    ),
    "musique_output": Reading(
        "F1",
        "token F1 of outputs",
        "Words shared by the two objects as texts, keys included: a wrong answer with the right flag gets up to 75.",
    ),
    "conll": Reading(
        "CoNLL",
        "CoNLL F1, micro, official singletons",
        "The mean of MUC, B-cubed and CEAF-e over all instances together. Predicted singletons are dropped, gold ones "
        "are not, so that a perfect reply gets less than 100 where gold has singletons.",
    ),
    "fic_proxy": Reading(
        "FiC proxy",
        "lexical proxy of faithfulness and coverage",
        "Stems shared with the highlights and with the spans to cover. Not comparable with the published FuseReviews "
        "column.",
    ),
}


def metric_reading(metric: str) -> Reading:
    """The reading of a metric; for an unknown one, only its name."""
    return READINGS.get(metric, Reading(metric.rpartition(".")[2], metric, ""))


COMPONENTS = {
    "rouge1": "ROUGE-1",
    "rouge2": "ROUGE-2",
    "rougeL": "ROUGE-L",
    "rougeLsum": "ROUGE-Lsum",
    "per_instance_mean": "per-input mean",
}


def components(values: Mapping[str, float]) -> list[tuple[str, float]]:
    """(display name, value) of components in their usual order; unknown ones last, by name."""
    order = [*(name for name in COMPONENTS if name in values), *sorted(set(values) - set(COMPONENTS))]
    return [(COMPONENTS.get(name, name), values[name]) for name in order]
