"""How often the gate is wrong on nights without change, and how soon it finds a drop."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from benchmarks.nights.draws import Model, Shape
from scrollwork.analysis.nights.night import ItemScore, Night, TaskScores
from scrollwork.analysis.nights.rule import Rule
from scrollwork.analysis.nights.verdict import verdict

SEED = 20_261_128


@dataclass(frozen=True)
class Alarms:
    """nights: without change, of each sequence after one reference. failed: those on which a drop was newly reported,
    by sequence. standing: in all, also those on which it stood.
    """

    nights: int
    failed: tuple[int, ...]
    standing: int


def false_alarms(shape: Shape, rule: Rule, nights: int, sequences: int, *, changed: bool = False) -> Alarms:
    """Simulate sequences of nights without a drop, each after one reference that stays.

    changed: after half of the nights the model is altered in a way that moves no mean.
    """
    failed, standing = [], 0
    for sequence in range(sequences):
        model = Model(shape, np.random.default_rng([SEED, 1, sequence]))
        reference = model.night("reference")
        earlier: list[Night] = []
        own = 0
        for number in range(nights):
            tonight = model.night(
                f"night {number + 1}", drop=-shape.drift * number, changed=changed and number >= nights // 2
            )
            found = verdict(reference, tonight, earlier, rule)
            own += found.failed
            standing += bool(found.dropped)
            earlier.append(replace(tonight, reported=found.dropped))
        failed.append(own)
    return Alarms(nights, tuple(failed), standing)


def found_by_night(shape: Shape, rule: Rule, drop: float, before: int, nights: int, trials: int) -> list[float]:
    """Return the share of trials in which a drop of the first task was reported by its first, second, ... night.

    before: nights without change, the reference included. Only the first task is simulated; the others stand in the
    correction, with p of 1, so their false alarms are not counted as found.
    """
    counts = np.zeros(nights)
    for trial in range(trials):
        model = Model(replace(shape, tasks=1), np.random.default_rng([SEED, 2, trial]))
        rest = {f"other{number}": _still() for number in range(shape.tasks - 1)}
        earlier = [_with(model.night(f"before {number}"), rest) for number in range(before)]
        for number in range(nights):
            tonight = _with(model.night(f"night {number}", drop, changed=True), rest)
            if verdict(earlier[0], tonight, earlier[1:], rule).failed:
                counts[number:] += 1
                break
            earlier.append(tonight)
    return [float(count) / trials for count in counts]


def _still() -> TaskScores:
    """Scores that never change."""
    return TaskScores.of([ItemScore("one", "one", 50.0), ItemScore("two", "two", 50.0)])


def _with(night: Night, rest: Mapping[str, TaskScores]) -> Night:
    """The night with further tasks."""
    return replace(night, tasks={**night.tasks, **rest})
