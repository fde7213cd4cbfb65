"""Many outcomes to one task value: the metric's headline over the answered inputs (ZeroSCROLLS 3.2)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scoring.outcome import Metric, Outcome, check_percent


@dataclass(frozen=True, slots=True)
class Summary:
    """A task over its n answered inputs: value and dataset means of the components, 0 to 100, unrounded."""

    value: float
    components: Mapping[str, float]
    n: int

    def __post_init__(self) -> None:
        check_percent("value", self.value)
        for name, component in self.components.items():
            check_percent(f'component "{name}"', component)
        if self.n < 1:
            raise ValueError(f"n must be 1 at least, not {self.n}")
        object.__setattr__(self, "components", dict(self.components))


def combine(metric: Metric, outcomes: Sequence[Outcome]) -> Summary:
    """The task value over the outcomes of the answered inputs, equal weights.

    Raises ValueError for no outcome at all (a mean of nothing is no number) and for another metric's.
    """
    if not outcomes:
        raise ValueError(f"{metric.NAME}: no outcome to combine")
    for outcome in outcomes:
        if set(outcome.components) != set(metric.COMPONENTS):
            raise ValueError(
                f"{metric.NAME} has the components {', '.join(metric.COMPONENTS)}; "
                f"an outcome has {', '.join(outcome.components) or 'none'}"
            )
    n = len(outcomes)
    # fsum: the mean does not depend on the order in which answers arrived
    means = {name: math.fsum(outcome.components[name] for outcome in outcomes) / n for name in metric.COMPONENTS}
    return Summary(_headline(metric, means), means, n)


def _headline(metric: Metric, means: Mapping[str, float]) -> float:
    value = float(metric.headline(dict(means)))
    check_percent(f"{metric.NAME}: headline", value)
    return value
