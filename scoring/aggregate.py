"""Many outcomes to one task value: the metric's headline over the answered inputs (ZeroSCROLLS 3.2)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from scrollwork.scoring.outcome import Metric, Outcome, check_percent


@dataclass(frozen=True, slots=True)
class Summary:
    """A task over its n answered inputs: value and dataset means of the components, 0 to 100, unrounded; behind these
    what the metric tells beside them. counts: their means, on scales of their own."""

    value: float
    components: Mapping[str, float]
    n: int
    counts: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_percent("value", self.value)
        for name, component in self.components.items():
            check_percent(f'component "{name}"', component)
        if self.n < 1:
            raise ValueError(f"n must be 1 at least, not {self.n}")
        object.__setattr__(self, "components", dict(self.components))
        object.__setattr__(self, "counts", dict(self.counts))


def combine(metric: Metric, outcomes: Sequence[Outcome]) -> Summary:
    """The task value over the outcomes of the answered inputs, equal weights.

    Raises ValueError for no outcome at all (a mean of nothing is no number) and for another metric's.
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
    return Summary(_headline(metric, known), {**means, **beside(metric, known)}, n, summed)


def beside(metric: Metric, means: Mapping[str, float]) -> dict[str, float]:
    """What the metric tells beside its value and its components' means, 0 to 100; nothing for most."""
    tell = getattr(metric, "beside", None)
    return {name: float(value) for name, value in tell(means).items()} if tell else {}


def _headline(metric: Metric, means: Mapping[str, float]) -> float:
    value = float(metric.headline(dict(means)))
    check_percent(f"{metric.NAME}: headline", value)
    return value
