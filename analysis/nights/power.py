"""What any gate could find at best.

A night's difference to a reference of one night, on inputs like these, has the standard deviation sd. Of its variance
the share `own` is drawn anew every night (a model that samples): half by the night, half by the reference. The rest
came with a change of the model and stays (temperature 0: altered answers are the same every night). With b nights
before a change and m since, the standard error of their difference is

    sd sqrt((1 + (k - 1) rho) / n  (own / 2 (1 / b + 1 / m) + 1 - own)),

n inputs in documents of k, whose differences correlate by rho. Pooling nights averages the model's own noise of both
sides, never what stays.

For normal scores whose spread is known, the test of that difference is the most powerful one (Neyman and Pearson 1933;
the inputs' own means are nuisance, and the least favourable ones leave the difference alone). A gate that treats K
tasks alike, and alarms falsely on a share `level` of nights at most, has at most 1 - (1 - level) ** (1 / K) for a task
on a night; over m nights an alarm on any of them is one test of all the data, at m times that.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist

NORMAL = NormalDist()


@dataclass(frozen=True)
class Design:
    """sd: of the difference of an input between two nights, in points. items: of a task. size: inputs of a document."""

    sd: float = 20.0
    items: int = 500
    size: float = 5.0
    rho: float = 0.0
    own: float = 1.0
    tasks: int = 10

    def error(self, before: int, since: int) -> float:
        """Return the standard error of the mean difference, in points, for so many nights before and since a change."""
        varying = self.own / 2 * (1 / before + 1 / since) + 1 - self.own
        return self.sd * sqrt((1 + (self.size - 1) * self.rho) / self.items * varying)


def best_power(design: Design, drop: float, level: float, before: int, nights: int) -> float:
    """Return the most that any gate finds of a drop on one task, in points, by so many nights after it.

    level: share of nights with a false alarm over all tasks. before: nights before the change, the reference included.
    """
    task_level = 1 - (1 - level) ** (1 / design.tasks)
    critical = NORMAL.inv_cdf(1 - min(0.5, nights * task_level))
    return NORMAL.cdf(drop / design.error(before, nights) - critical)


def least_drop(design: Design, level: float, before: int, nights: int, power: float = 0.8) -> float:
    """Return the smallest drop on one task, in points, that the best gate finds with this chance."""
    task_level = 1 - (1 - level) ** (1 / design.tasks)
    critical = NORMAL.inv_cdf(1 - min(0.5, nights * task_level))
    return (critical + NORMAL.inv_cdf(power)) * design.error(before, nights)
