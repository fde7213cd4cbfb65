"""Two fits of the same problems held against each other: of models, strategies, granularities, thresholds, suites.

RC: mean |a - b| / max(a, b), 0 where both are 0 (fact sheet 8: the paper's formula is lost). Spearman's rho of lambda
and of k, None where one of them never changes. KL(reference || test) of the noise, in nats.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, log

from scrollwork.analysis.statistics.association import spearman

FLOOR = 1e-6  # of a probability that the other fit has at 0


@dataclass(frozen=True)
class Compared:
    """problems: how many both have. rc, rho: of lambda and of k; kl: of the noise, None where a fit has none (PIG)."""

    problems: int
    rc_complexity: float
    rho_complexity: float | None
    rc_redundancy: float
    rho_redundancy: float | None
    kl: float | None


def relative_change(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """The mean over pairs, 0 to 1; an infinite value against a finite one changes by 1. Raises ValueError."""
    if len(ours) != len(theirs) or not ours:
        raise ValueError("a change is of pairs, one at least")
    return sum(map(_change, ours, theirs)) / len(ours)


def _change(a: float, b: float) -> float:
    if a == b:
        return 0.0
    return 1.0 if inf in (a, b) else abs(a - b) / max(a, b)


def divergence(reference: Sequence[float], test: Sequence[float]) -> float:
    """KL(reference || test) in nats; a 0 of the test is taken for 1e-6."""
    pairs = zip(reference, test, strict=True)
    return sum(p * log(p / max(q, FLOOR)) for p, q in pairs if p > 0)


def compare_complexities(
    reference: Sequence[tuple[float, float]],
    test: Sequence[tuple[float, float]],
    noise: tuple[Sequence[float], Sequence[float]] | None = None,
) -> Compared:
    """reference, test: (lambda, k) of the same problems, in the same order. Raises ValueError."""
    (ours, own), (theirs, other) = (tuple(zip(*rows, strict=True)) or ((), ()) for rows in (reference, test))
    return Compared(
        len(reference),
        relative_change(ours, theirs),
        spearman(ours, theirs).r,
        relative_change(own, other),
        spearman(own, other).r,
        divergence(*noise) if noise else None,
    )
