"""The score of one answer by one metric, and of all answers of a task."""

from collections.abc import Mapping
from dataclasses import dataclass, fields

from scrollwork.records.base import Row

SUBSETS = "subsets"  # the table, beside that of aggregates, of those over the examples that have a flag
SUM = "sum_"  # prefix of counts among the components: terms of sums over inputs, on scales of their own


def subset_metric(metric: str, flag: str) -> str:
    """Name the score of the examples that have a flag."""
    return f"{metric}_{flag}"


@dataclass(frozen=True)
class Score(Row):
    """The score of one answer. value, components: 0 to 100, but for counts (SUM) among the components.

    parsed: what the metric read in the answer, None if it found nothing.
    """

    suite: str
    task: str
    split: str
    example_id: str
    draw: int
    model: str
    arm: str
    metric: str
    value: float
    components: Mapping[str, float]
    flags: Mapping[str, bool]
    parsed: str | None

    def check(self) -> None:
        self.require(-1e-9 <= self.value <= 100 + 1e-9, "value", f"{self.value} is outside 0-100")


@dataclass(frozen=True)
class Coverage(Row):
    """How many inputs of a task a score is based on.

    expected = attempted + missing; attempted = answered + failed; truncated: prompt cut; length_cut: answer cut.
    Answers that ended otherwise count as answered and are scored: refused (by the model), filtered (by the provider),
    context (the answer reached the end of the context). masked: answers from which a key was removed.
    """

    expected: int
    attempted: int
    answered: int
    failed: int
    missing: int
    truncated: int
    length_cut: int
    refused: int = 0
    filtered: int = 0
    context: int = 0
    masked: int = 0

    def check(self) -> None:
        for field in fields(self):
            self.require(getattr(self, field.name) >= 0, field.name, "is negative")
        self.require(self.expected == self.attempted + self.missing, "expected", "is not attempted + missing")
        self.require(self.attempted == self.answered + self.failed, "attempted", "is not answered + failed")
        self.require(self.truncated <= self.expected, "truncated", "is more than expected")
        for name in ("length_cut", "refused", "filtered", "context", "masked"):
            self.require(getattr(self, name) <= self.answered, name, "is more than answered")

    @property
    def complete(self) -> bool:
        """Return whether anything was expected, and all of it was answered."""
        return 0 < self.expected == self.answered


@dataclass(frozen=True)
class Aggregate(Row):
    """A task's score for a model.

    value: over answered inputs, None without any. value_missing_as_zero: unanswered inputs count 0. low, high: 95 %
    interval over inputs (bootstrap clustered by document). spread: standard deviation over seeds or draws, None for a
    single one. seeds: number of members of a family of baselines, else 1. clusters: groups of documents that the
    interval is from (records/comparison.py); None for intervals over runs, and for rows of earlier versions.
    """

    suite: str
    task: str
    split: str
    model: str
    arm: str
    metric: str
    value: float | None
    value_missing_as_zero: float
    low: float | None
    high: float | None
    spread: float | None
    seeds: int
    components: Mapping[str, float]
    coverage: Coverage
    clusters: int | None = None

    def check(self) -> None:
        self.require((self.value is None) == (self.coverage.answered == 0), "value", "stands if something was answered")


UPPER_BOUND = "upper bound: reads the references"  # shown instead of an average


def why_no_average(tasks: int, counts: Mapping[str, tuple[int, int]]) -> str:
    """Return why a benchmark has no average, "" if it has one: a task is missing, or an input is unanswered.

    tasks: how many the benchmark has. counts: (expected, answered) inputs of each task that was scored; one without
    inputs that can be scored counts as missing.
    """
    scored = {task: count for task, count in counts.items() if count[0]}
    unanswered = [task for task, (expected, answered) in scored.items() if answered < expected]
    reasons = [f"{len(scored)} of {tasks} tasks"] if len(scored) < tasks else []
    reasons += [f"unanswered inputs in {', '.join(unanswered)}"] if unanswered else []
    return "; ".join(reasons) or ("" if scored else "no tasks")
