"""A model's average over a suite's tasks, and two models (or arms) compared on the same inputs."""

from __future__ import annotations

from dataclasses import dataclass

from scrollwork.records.base import Row


@dataclass(frozen=True)
class Average(Row):
    """The plain mean of a model's task values with its 95 % interval. tasks: over how many.

    value: None if it is withheld, and `withheld` says why. low, high: also None if a task has fewer than two groups of
    documents.
    """

    suite: str
    split: str
    model: str
    arm: str
    value: float | None
    low: float | None
    high: float | None
    tasks: int
    withheld: str = ""

    def check(self) -> None:
        self.require((self.value is None) == bool(self.withheld), "withheld", "says why there is no value")


@dataclass(frozen=True)
class Comparison(Row):
    """model (arm) - other (other_arm), in points of the metric, over the inputs that both answered.

    task: "" for the mean over all tasks. value, other_value: on those inputs. left_out: inputs that were asked but not
    answered by both. clusters: groups of documents; with fewer than two, all that follows is None. low, high: 95 %
    interval of the difference, clustered by document. p: two-sided, of the permutation test; p_holm: adjusted for the
    tasks of this pair, None for the mean over tasks, which stands alone. exact: all permutations were counted.
    detectable: the least difference that these inputs show with 80 % power at 5 %, None if there is none: with fewer
    than six clusters no p is below 0.05.
    """

    suite: str
    task: str
    split: str
    metric: str
    model: str
    arm: str
    other: str
    other_arm: str
    value: float
    other_value: float
    difference: float
    inputs: int
    left_out: int
    clusters: int
    low: float | None = None
    high: float | None = None
    p: float | None = None
    p_holm: float | None = None
    permutations: int | None = None
    exact: bool | None = None
    standard_error: float | None = None
    detectable: float | None = None

    def check(self) -> None:
        self.require(self.inputs > 0, "inputs", "must be positive")
        self.require(self.left_out >= 0, "left_out", "is negative")
        for name in ("p", "p_holm"):
            p = getattr(self, name)
            self.require(p is None or 0 < p <= 1, name, f"{p} is no probability")
        self.require((self.model, self.arm) != (self.other, self.other_arm), "other", "is the same")
