"""Faithfulness and coverage as judged by entailment models: SEAM's FuseReviews (seam.md 6.2), after fusion-in-context.

Faithfulness: the mean over the output's sentences of the probability that the listed highlights entail them. Coverage:
the mean over the alignment spans of the probability that the output covers them. There is no threshold. F1: their
harmonic mean for each answer. A model is any callable that returns a probability for each pair of texts
(models/local/entailment.py wraps a checkpoint). The alternative without models is fic_proxy.py, under other names. The
module itself has what needs no model (names, gold, means), like that of any metric.

The official evaluator splits sentences with a spaCy model; here they end at . ! or ? before white space.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from scrollwork.scoring.outcome import FloatArray, Outcome, check_texts
from scrollwork.scoring.parts.fusion import fusion_in, harmonic, sentences

Pair = tuple[str, str]


class Entailment(Protocol):
    """A model that judges pairs of texts. name: reported with the scores, with the checkpoint's revision or digest."""

    @property
    def name(self) -> str: ...

    def __call__(self, pairs: Sequence[Pair]) -> Sequence[float]:
        """Return a probability for each pair, in order: (premise, hypothesis), or (span, output)."""


NAME = "fic"
VERSION = 1
RANGE = (0.0, 100.0)
NEEDS = ("references",)
COMPONENTS = ("faithfulness", "coverage", "f1")


def score(prediction: str, references: Sequence[str]) -> Outcome:
    """Score an output that needs no model: one without a sentence gets 0.

    Raises GoldError, PredictionError, and ValueError for any other output.
    """
    return Fic(_Nobody(), _Nobody()).score(prediction, references)


def headline(means: Mapping[str, FloatArray]) -> FloatArray:
    """Return the mean F1, 0 to 100."""
    return means["f1"]


class _Nobody:
    """A placeholder for a model, which refuses to judge."""

    name = "no model"

    def __call__(self, pairs: Sequence[Pair]) -> Sequence[float]:
        raise ValueError(f"{NAME} is scored by models; none is at hand")


class Fic:
    """The metric with its two models, a scrollwork.scoring.outcome.Metric."""

    NAME, VERSION, RANGE, NEEDS, COMPONENTS = NAME, VERSION, RANGE, NEEDS, COMPONENTS

    def __init__(self, entails: Entailment, covers: Entailment) -> None:
        """Hold the models. entails: judges (premise, hypothesis). covers: judges (span, output)."""
        self.entails, self.covers = entails, covers

    @property
    def judges(self) -> dict[str, str]:
        """Return the names of the models, as they are reported with the scores."""
        return {"faithfulness": self.entails.name, "coverage": self.covers.name}

    def score(self, prediction: str, references: Sequence[str]) -> Outcome:
        """Return the measures of one output, 0 to 100; one without a sentence gets 0, and no model is asked.

        references: see scoring/parts/fusion.py. Raises GoldError, PredictionError, and ValueError if a model returns
        something other than a probability.
        """
        return self.batch([prediction], [references])[0]

    def batch(self, predictions: Sequence[str], references: Sequence[Sequence[str]]) -> list[Outcome]:
        """Return `score` of each prediction and its reference; each model is called once, with all pairs."""
        for prediction, some in zip(predictions, references, strict=True):
            check_texts(prediction, some)
        gold = [fusion_in(some) for some in references]
        parts = [sentences(prediction) for prediction in predictions]
        faith = _means(
            self.entails, [[(one.listed, part) for part in some] for one, some in zip(gold, parts, strict=True)]
        )
        cover = _means(
            self.covers,
            [
                [(span, prediction) for span in one.alignments] if some else []
                for one, some, prediction in zip(gold, parts, predictions, strict=True)
            ],
        )
        return [_outcome(*both) for both in zip(faith, cover, strict=True)]

    def headline(self, means: Mapping[str, FloatArray]) -> FloatArray:
        """Return the mean F1, 0 to 100."""
        return headline(means)


def _outcome(faith: float, cover: float) -> Outcome:
    values = [100.0 * one for one in (faith, cover, harmonic(faith, cover))]
    return Outcome(values[2], dict(zip(COMPONENTS, values, strict=True)))


def _means(model: Entailment, asked: Sequence[Sequence[Pair]]) -> list[float]:
    """Return the mean of the model's probabilities for each list of pairs, 0 for an empty list."""
    pairs = [pair for some in asked for pair in some]
    said = list(map(float, model(pairs))) if pairs else []
    if len(said) != len(pairs):
        raise ValueError(f"{model.name} gave {len(said)} answers to {len(pairs)} pairs")
    if bad := [one for one in said if not 0.0 <= one <= 1.0]:
        raise ValueError(f"{model.name} gave {bad[0]!r}, which is no probability")
    left = iter(said)
    return [sum(next(left) for _ in some) / len(some) if some else 0.0 for some in asked]
