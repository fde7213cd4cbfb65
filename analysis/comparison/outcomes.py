"""The scores of one model on the inputs of one task, as arrays, for intervals, comparisons and slices."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from scrollwork.analysis.statistics.intervals import Clusters, Floats, Headline


@dataclass(frozen=True)
class Outcomes:
    """Scores of the inputs that every member (seed) answered, in the order of their names.

    clusters: document group of each input. components: by name, shape (members, inputs), 0-100. asked: number of inputs
    put to the model.
    """

    names: tuple[str, ...]
    clusters: tuple[str, ...]
    components: Mapping[str, Floats]
    asked: int

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def grouped(self) -> Clusters:
        """Return the inputs grouped by cluster."""
        return Clusters.of(self.clusters)

    @property
    def averaged(self) -> dict[str, Floats]:
        """Return each component averaged over the members, shape (1, inputs)."""
        return {name: values.mean(axis=0, keepdims=True) for name, values in self.components.items()}

    def value(self, headline: Headline) -> float:
        """Return the headline averaged over the members, 0 to 100. Raises ValueError without inputs."""
        if not self.names:
            raise ValueError("no input was answered: there is no value")
        means = {name: values.mean(axis=1) for name, values in self.components.items()}
        return float(np.asarray(headline(means)).mean())

    def only(self, names: Collection[str]) -> Outcomes:
        """Return the outcomes of these inputs, as far as they were answered."""
        if len(names) == len(self.names) == self.asked and all(name in names for name in self.names):
            return self
        places = [place for place, name in enumerate(self.names) if name in names]
        return Outcomes(
            tuple(self.names[place] for place in places),
            tuple(self.clusters[place] for place in places),
            {name: values[:, places] for name, values in self.components.items()},
            len(names),
        )


def outcomes_of(
    scores: Mapping[str, Mapping[str, Mapping[str, float]]], clusters: Mapping[str, str], components: Sequence[str]
) -> Outcomes:
    """Make outcomes from components by member and answered input. clusters: the document group of every input."""
    names = sorted(name for name in clusters if scores and all(name in answered for answered in scores.values()))
    return Outcomes(
        tuple(names),
        tuple(clusters[name] for name in names),
        {
            one: stack_members([[own[name][one] for name in names] for _, own in sorted(scores.items())])
            for one in components
        },
        len(clusters),
    )


def stack_members(rows: Iterable[Sequence[float]]) -> Floats:
    """Put the members' values into one array of shape (members, inputs)."""
    return np.array(list(rows), dtype=np.float64)
