"""Scores of a task that another tool runs (`export lm-eval-task`, `export inspect-task`): of an answer, of the task.

This module is imported in that tool's environment, where only numpy, rapidfuzz and unidecode need to be installed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Any

from scrollwork.records.score import SUM
from scrollwork.scoring.aggregate import Summary, combine
from scrollwork.scoring.answers import scored_part
from scrollwork.scoring.outcome import GoldError, Metric, Outcome, PredictionError
from scrollwork.scoring.registry import metric, stored_names

SCORE, RUN = "score", "run"  # keys of an item: the answer's value; the run that drew its prompt, from 0


@dataclass(frozen=True)
class TaskScorer:
    """How the answers of a task are scored.

    metric: by name (names.py). version: of the metric when the task was exported. tag, cue, empty: see `scored_part`.
    Raises ValueError for an unknown metric and for one of another version, ImportError if a library of it is missing.
    """

    metric: str
    version: int
    tag: str = ""
    cue: str = ""
    empty: str = ""

    def __post_init__(self) -> None:
        here = self.own.VERSION
        if here != self.version:
            raise ValueError(
                f"metric {self.metric} of this scrollwork has version {here}, the task was exported with version "
                f"{self.version}, which scores otherwise: export it again, or install the scrollwork that exported it"
            )

    @property
    def own(self) -> Metric:
        """The metric."""
        return metric(self.metric)

    @property
    def components(self) -> tuple[str, ...]:
        """Names of the metric's components, in order."""
        return self.own.COMPONENTS

    def item(self, row: Mapping[str, Any], reply: object) -> dict[str, float]:
        """Return {run, score, components and counts} of one reply; score and components are 0 to 100.

        row: an exported one, of which id, run and references are read. Raises PredictionError for a reply that is no
        text, GoldError for references that the metric cannot read; both name the row.
        """
        if not isinstance(reply, str):
            raise PredictionError(
                f"row {row['id']}: the model's reply must be text, not {type(reply).__name__}; a call that failed has "
                "no score: ask again"
            )
        try:
            outcome = self.own.score(scored_part(reply, self.tag, self.cue, self.empty), tuple(row["references"]))
        except GoldError as error:
            raise GoldError(f"row {row['id']}: {error}") from error
        return {RUN: int(row[RUN]), SCORE: outcome.value, **outcome.stored}

    def headline(self, items: Sequence[Mapping[str, float]]) -> float:
        """Return the task's value over items, 0 to 100: the metric's headline, of several runs the mean over them."""
        return self.values(items)[SCORE]

    def values(self, items: Sequence[Mapping[str, float]]) -> dict[str, float]:
        """Return {score: the task's value, components: their means, derived values}, 0 to 100, of several runs the
        mean over them (seam.md 7). Raises ValueError without items."""
        if not items:
            raise ValueError(f"{self.metric}: no item to combine")
        by_run: dict[float, list[Mapping[str, float]]] = {}
        for one in items:
            by_run.setdefault(one[RUN], []).append(one)
        runs = [self._summary(some) for _, some in sorted(by_run.items())]
        names = [name for name in runs[0].components if all(name in one.components for one in runs)]
        means = {name: _mean(one.components[name] for one in runs) for name in names}
        return {SCORE: _mean(one.value for one in runs), **means}

    def _summary(self, items: Iterable[Mapping[str, float]]) -> Summary:
        own = self.own
        return combine(own, [_outcome(own, one) for one in items])


def _outcome(own: Metric, item: Mapping[str, float]) -> Outcome:
    """Return the outcome that an item was made from, without what the metric found in the text."""
    stored = {name: float(item[name]) for name in stored_names(own)}
    counts = {name: value for name, value in stored.items() if name.startswith(SUM)}
    return Outcome(
        float(item[SCORE]), {name: value for name, value in stored.items() if name not in counts}, counts=counts
    )


def _mean(values: Iterable[float]) -> float:
    listed = list(values)
    return fsum(listed) / len(listed)
