"""The value of a task: the metric's headline over its answered inputs (ZeroSCROLLS 3.2)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from scrollwork.scoring.outcome import Metric, Outcome, check_percent


@dataclass(frozen=True, slots=True)
class Summary:
    """A task's score over its n answered inputs.

    value, components: 0 to 100, unrounded. components: means over the data set, then the metric's derived values
    (`derived`). counts: means of the outcomes' counts, on scales of their own. Raises ValueError for a value or
    component outside 0 to 100 and for n < 1.
    """

    value: float
    components: Mapping[str, float]
    n: int
    counts: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_percent("value", self.value)
        for name, component in self.components.items():
            check_percent(f'component "{name}"', component)
        if self.n < 1:
            raise ValueError(f"n must be at least 1, not {self.n}")
        object.__setattr__(self, "components", dict(self.components))
        object.__setattr__(self, "counts", dict(self.counts))


def combine(metric: Metric, outcomes: Sequence[Outcome]) -> Summary:
    """Return the task's score over the outcomes of its answered inputs, equally weighted.

    Raises ValueError if there are no outcomes, or if one has other components or counts than the metric.
    """
    if not outcomes:
        raise ValueError(f"{metric.NAME}: no outcome to combine")
    counts: tuple[str, ...] = getattr(metric, "COUNTS", ())
    for outcome in outcomes:
        if set(outcome.components) != set(metric.COMPONENTS):
            raise ValueError(
                f"{metric.NAME} has the components {', '.join(metric.COMPONENTS)}; "
                f"an outcome has {', '.join(outcome.components) or 'none'}"
            )
        if set(outcome.counts) != set(counts):
            raise ValueError(f"{metric.NAME} has the counts {', '.join(counts) or 'none'}; an outcome has others")
    n = len(outcomes)
    # fsum: the mean does not depend on the order in which answers arrived
    means = {name: math.fsum(outcome.components[name] for outcome in outcomes) / n for name in metric.COMPONENTS}
    summed = {name: math.fsum(outcome.counts[name] for outcome in outcomes) / n for name in counts}
    known = {**means, **summed}
    return Summary(_headline(metric, known), {**means, **derived(metric, known)}, n, summed)


def derived(metric: Metric, means: Mapping[str, float]) -> dict[str, float]:
    """Return the values of the task that a metric derives from the means, 0 to 100; empty for most metrics."""
    derive = getattr(metric, "derived", None)
    return {name: float(value) for name, value in derive(means).items()} if derive else {}


def _headline(metric: Metric, means: Mapping[str, float]) -> float:
    value = float(metric.headline(dict(means)))
    check_percent(f"{metric.NAME}: headline", value)
    return value
