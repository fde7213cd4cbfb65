"""What the gate is asked to find, and how often it may be wrong."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

MOST_NIGHTS = 20  # of a baseline: the test lists the orders of four nights among all, 212,520 of 23


@dataclass(frozen=True)
class Rule:
    """size: a drop is reported if it is significant and at least so large, in points of 0 to 100.

    level: chance of a false alarm on a night, over all tasks; at most .05. windows: the last 1, 2, 3 nights are each
    compared with the nights before them. baseline: nights from the reference on that later ones are compared with; 1 is
    the reference alone. coverage: share of a task's inputs, 0 to 1, that must be answered. Raises ValueError.
    """

    size: float = 1.0
    level: float = 0.01
    windows: int = 3
    baseline: int = 10
    coverage: float = 0.98

    def __post_init__(self) -> None:
        if not isfinite(self.size) or not 0 <= self.size <= 100:
            raise ValueError(f"size: {self.size} is not a drop of 0 to 100 points")
        if not 1e-6 <= self.level <= 0.05:
            raise ValueError(f"level: {self.level} is not between 0.000001 and 0.05")
        if not 1 <= self.windows <= 3:
            raise ValueError(f"windows: {self.windows} is not 1, 2 or 3 nights")
        if not 1 <= self.baseline <= MOST_NIGHTS:
            raise ValueError(f"baseline: {self.baseline} is not between 1 and {MOST_NIGHTS} nights")
        if not 0 < self.coverage <= 1:
            raise ValueError(f"coverage: {self.coverage} is not a share above 0, at most 1")


STANDARD = Rule()


def level_spent(chance: float, nights: int) -> float:
    """Return the level of a night so that the chance of any false alarm in so many nights is at most `chance`.

    The chance is spent evenly over the nights, whose dependence does not matter (Bonferroni). Raises ValueError.
    """
    if not 0 < chance < 1 or nights < 1:
        raise ValueError(f"a chance between 0 and 1 over at least one night, not {chance} over {nights}")
    return chance / nights
