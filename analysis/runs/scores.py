"""Scores of whole runs, by data set and model, of a benchmark that is run several times with new samples (SEAM).

A run of a data set is one sampling, the same for every model. Of a model on a data set there are the scores of each
run, or only their mean and standard deviation, as papers print them, or nothing (NA).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import sqrt

LARGEST_RELATIVE = 1e100


def exact_fraction(value: float) -> Fraction:
    """Return the number as it is written: 0.1 is a tenth. Means that are equal on paper are then equal."""
    return Fraction(repr(float(value)))


@dataclass(frozen=True)
class RunScores:
    """A model on a data set. runs: score by number of the run, finite. given: (mean, std) if no run is known.

    Neither: NA, no score at all.
    """

    runs: Mapping[int, float] = field(default_factory=dict)
    given: tuple[float, float] | None = None

    @cached_property
    def values(self) -> tuple[float, ...]:
        """Return the run scores, in the order of the runs."""
        return tuple(float(self.runs[run]) for run in sorted(self.runs))

    @property
    def missing(self) -> bool:
        """Return whether it is NA."""
        return not self.runs and self.given is None

    @cached_property
    def exact_mean(self) -> Fraction | None:
        """Return the mean over runs, unrounded; None for NA."""
        if self.given is not None:
            return exact_fraction(self.given[0])
        return sum(map(exact_fraction, self.values), Fraction()) / len(self.values) if self.values else None

    @property
    def mean(self) -> float | None:
        """Return the mean over runs; None for NA."""
        return None if self.exact_mean is None else float(self.exact_mean)

    @cached_property
    def std(self) -> float | None:
        """Return the population standard deviation (ddof 0) of run scores; 0 for a single run, None for NA."""
        if self.given is not None:
            return self.given[1]
        mean = self.exact_mean
        if mean is None:
            return None
        return sqrt(sum(((exact_fraction(value) - mean) ** 2 for value in self.values), Fraction()) / len(self.values))

    @property
    def relative_std(self) -> float | None:
        """Return std / mean; None for NA, and if the mean is not above 0 or too small for a useful quotient."""
        mean, std = self.mean, self.std
        if mean is None or std is None or mean <= 0 or std / mean > LARGEST_RELATIVE:
            return None
        return std / mean

    @property
    def minimum(self) -> float | None:
        """Return the lowest run score; None if no run is known."""
        return min(self.values, default=None)

    @property
    def maximum(self) -> float | None:
        """Return the highest run score; None if no run is known."""
        return max(self.values, default=None)


NA = RunScores()


@dataclass(frozen=True)
class ScoreTable:
    """Every model on every data set, NA if it was not given. datasets, models: in the order of tables."""

    datasets: tuple[str, ...]
    models: tuple[str, ...]
    cells: Mapping[tuple[str, str], RunScores]  # by (model, data set)

    @classmethod
    def of(cls, cells: Mapping[tuple[str, str], RunScores]) -> ScoreTable:
        """Make the table of all models and data sets that occur, sorted by name."""
        models, datasets = ({names[place] for names in cells} for place in (0, 1))
        return cls(tuple(sorted(datasets)), tuple(sorted(models)), cells)

    def cell(self, model: str, dataset: str) -> RunScores:
        """Return a model's scores on a data set, NA if none were given."""
        return self.cells.get((model, dataset), NA)

    def column(self, dataset: str) -> dict[str, RunScores]:
        """Return the scores on a data set, by model."""
        return {model: self.cell(model, dataset) for model in self.models}

    def row(self, model: str) -> dict[str, RunScores]:
        """Return a model's scores, by data set."""
        return {dataset: self.cell(model, dataset) for dataset in self.datasets}

    def only(self, datasets: Iterable[str]) -> ScoreTable:
        """Return the same models on some of the data sets."""
        return ScoreTable(tuple(datasets), self.models, self.cells)
