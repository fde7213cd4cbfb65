"""The score of a task in one run, for suites that draw new prompts in each run."""

from collections.abc import Mapping
from dataclasses import dataclass

from scrollwork.records.base import Row
from scrollwork.records.score import Coverage


@dataclass(frozen=True)
class RunScore(Row):
    """value: 0 to 100 over answered inputs of the run, None without any; for a family, the mean over its members.

    components: as in Aggregate. in_format: share of answers in the form asked for, 0 to 100, None if the metric reads
    any text. manifest: digest of what the run drew; runs with different ones are not compared.
    """

    suite: str
    task: str
    split: str
    model: str
    arm: str
    metric: str
    run: int
    value: float | None
    components: Mapping[str, float]
    in_format: float | None
    manifest: str
    coverage: Coverage

    def check(self) -> None:
        self.require((self.value is None) == (self.coverage.answered == 0), "value", "stands if something was answered")
        self.require(self.run >= 0, "run", "is negative")
