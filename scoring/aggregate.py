"""Many outcomes to one task value, many task values to one benchmark score.

ZeroSCROLLS 3.2 (zeroscrolls.md 7). The value of a task is the metric's headline over the answered inputs;
coverage stands beside it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from records.score import Coverage
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


def value_missing_as_zero(metric: Metric, summary: Summary | None, n_expected: int) -> float:
    """The task value, 0 to 100, if every expected input without an answer had scored 0.

    The headline of component sums over the expected count. summary: None where nothing was answered. Raises
    ValueError if fewer were expected than answered.
    """
    answered = summary.n if summary else 0
    if n_expected < max(answered, 1):
        raise ValueError(f"{metric.NAME}: {n_expected} inputs expected, but {answered} answered")
    if summary is None:
        return 0.0
    share = answered / n_expected
    return _headline(metric, {name: mean * share for name, mean in summary.components.items()})


def benchmark_average(
    values: Mapping[str, float | None], tasks: Sequence[str], coverages: Mapping[str, Coverage]
) -> float | None:
    """The plain mean of the unrounded values of `tasks`, 0 to 100 (ZeroSCROLLS 3.2, benchmark score).

    None while a task has no value or no complete coverage. Raises ValueError for no task, a task named twice,
    and a value that is not a finite number from 0 to 100.
    """
    if not tasks or len(set(tasks)) < len(tasks):
        raise ValueError(f"a benchmark average takes one task or more, each once, not {list(tasks)}")
    scored: list[float] = []
    for task in tasks:
        value = values.get(task)
        if value is None:
            continue
        check_percent(f'value of task "{task}"', value)
        if task in coverages and coverages[task].complete:
            scored.append(value)
    return math.fsum(scored) / len(tasks) if len(scored) == len(tasks) else None


def _headline(metric: Metric, means: Mapping[str, float]) -> float:
    value = float(metric.headline(dict(means)))
    check_percent(f"{metric.NAME}: headline", value)
    return value
