"""A model's average over a suite's tasks, two models (or arms) compared on the same inputs, and how many documents that
takes."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from scrollwork.records.base import Row

# How many clusters an interval and a test need: one threshold and one sentence for all that show them.
FEW_CLUSTERS = 10  # with fewer, intervals hold less often than they say (docs/comparisons.md)
FEWEST_CLUSTERS = 6  # with fewer no p of a permutation test is below 5 %: at least 2 of 2 ** 5 are as extreme


NO_WIDTH = "all runs or documents have the same value: the interval has no width, and cannot say how others would score"
TOO_NARROW = f"an interval from fewer than {FEW_CLUSTERS} is often too narrow and cannot be trusted"


def few_clusters_of(counts: Mapping[str, Collection[int]]) -> str:
    """Return one sentence on the tasks whose intervals are over so few clusters, "" for none. counts: by task."""
    told = ", ".join(f"{task} ({min(found)})" for task, found in counts.items())
    return f"few clusters (documents) in {told}: {TOO_NARROW}" if told else ""


def few_clusters(clusters: int | None, items: int | None = None, *, of_two: bool = True) -> str:
    """Return why an interval over so few clusters cannot be trusted; "" for enough, for none and for an unknown number.

    items: in them; where each is a cluster of its own, the sentence speaks of items. of_two: say also where two models
    cannot be told apart; several nights can (docs/gate.md).
    """
    if not clusters or clusters >= FEW_CLUSTERS:
        return ""
    what = "independent item" if clusters == items else "cluster"
    of = "" if clusters == items else " (documents)"
    if clusters == 1:
        return f"only 1 {what}: there is no interval, and nothing can be tested"
    tested = f", and with fewer than {FEWEST_CLUSTERS} no difference can be significant"
    return f"only {clusters} {what}s{of}: {TOO_NARROW}{tested if of_two and clusters < FEWEST_CLUSTERS else ''}"


def interval_note(low: float | None, high: float | None, clusters: int | None) -> str:
    """Return why a score's interval cannot be trusted; "" if it can, or if there is none."""
    return few_clusters(clusters) or (NO_WIDTH if low is not None and low == high else "")


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
