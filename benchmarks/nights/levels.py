"""The level of one task's test, by very many nights: what a few thousand whole nights cannot show.

On a night of ten tasks a task regresses first at p of a thousandth. Nights are drawn as in draws.py, in sequences of
one task; those whose furthest contrast is small are not tested, for their p is far above a thousandth, and a hundredth
part of them is, to see that. Reports of earlier nights, which change the baseline, are left out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from benchmarks.nights.draws import Model, Shape
from scrollwork.analysis.nights.aligned import Aligned, one_sided
from scrollwork.analysis.nights.exchange import exchange_test, windows_of
from scrollwork.analysis.nights.rule import Rule
from scrollwork.analysis.statistics.intervals import Clusters, Floats

SEED = 20_261_128
NIGHTS = 40  # of a sequence
SMALL = -2.5  # a contrast above it is not tested
EVERY = 100  # of those one in so many is


@dataclass(frozen=True)
class Level:
    """Tests without change, those at or below the task's level by exchange alone and with the t-test, by sequence.

    overlooked: of the small contrasts that were tested all the same, those at or below the level.
    """

    tests: int
    exchange: tuple[int, ...]
    both: tuple[int, ...]
    checked: int
    overlooked: int


def level_of(shape: Shape, rule: Rule, sequences: int, stream: int = 0) -> Level:
    """Count false alarms of one task's test on the nights after the baseline is full. stream: of random numbers."""
    level = rule.level / shape.tasks
    exchange, both, checked, overlooked = [], [], 0, 0
    first = rule.baseline + rule.windows - 1
    for sequence in range(sequences):
        model = Model(replace(shape, tasks=1), np.random.default_rng([SEED, 5, stream, sequence]))
        clusters = Clusters.of(model.documents)
        scores = np.stack([model.scores("task0", 0.0, False) for _ in range(NIGHTS)])
        sums = clusters.sums(scores) / scores.shape[1]
        own = [0, 0]
        for night in range(first, NIGHTS):
            rows = [*range(rule.baseline), *range(night - rule.windows + 1, night + 1)]
            large = _lowest(sums[rows], rule.windows) <= SMALL
            if not large and (night + sequence) % EVERY:
                continue
            test = exchange_test(sums[rows], rule.windows, rule.level, shape.tasks, "task0")
            if not large:
                checked, overlooked = checked + 1, overlooked + (test.drop <= level)
                continue
            if test.drop <= level:
                own[0] += 1
                aligned = Aligned(tuple(map(str, rows)), scores[rows], model.documents, len(model.items), 0, 0, 0)
                own[1] += one_sided(aligned, test.drop, test.lowest, -1, rule.level) <= level
        exchange.append(own[0])
        both.append(own[1])
    return Level((NIGHTS - first) * sequences, tuple(exchange), tuple(both), checked, overlooked)


def _lowest(sums: Floats, windows: int) -> float:
    """Return the least contrast of the windows, as in exchange.py."""
    means, nights = sums.sum(axis=1), len(sums)
    spread = sums.var(axis=0, ddof=1).sum()
    if not spread:
        return 0.0
    return min(
        float((means[-one:].mean() - means[:-one].mean()) / np.sqrt(spread * (1 / one + 1 / (nights - one))))
        for one in windows_of(nights, windows)
    )
