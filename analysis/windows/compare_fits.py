"""Comparison of two fits of the same problems: by models, strategies, granularities, thresholds or suites.

RC, relative change: mean |a - b| / max(a, b), 0 if both are 0 (fact sheet 8: the paper's formula is lost). Spearman's
rho of lambda and of k, None if one of them never changes. KL(reference || test) of the noise, in nats.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, log

from scrollwork.analysis.statistics.association import spearman

FLOOR = 1e-6  # in place of a probability of 0 in the other fit


@dataclass(frozen=True)
class Compared:
    """A comparison. problems: in both fits. rc, rho: of lambda and of k. kl: of the noise, None without one (PIG)."""

    problems: int
    rc_complexity: float
    rho_complexity: float | None
    rc_redundancy: float
    rho_redundancy: float | None
    kl: float | None


def relative_change(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """Return the mean change over pairs, 0 to 1; infinite against finite is 1. Raises ValueError if there are none."""
    if len(ours) != len(theirs) or not ours:
        raise ValueError("a change needs pairs, at least one")
    return sum(map(_change, ours, theirs)) / len(ours)


def _change(a: float, b: float) -> float:
    if a == b:
        return 0.0
    return 1.0 if inf in (a, b) else abs(a - b) / max(a, b)


def divergence(reference: Sequence[float], test: Sequence[float]) -> float:
    """Return KL(reference || test) in nats; a 0 of the test is taken as 1e-6."""
    pairs = zip(reference, test, strict=True)
    return sum(p * log(p / max(q, FLOOR)) for p, q in pairs if p > 0)


def compare_complexities(
    reference: Sequence[tuple[float, float]],
    test: Sequence[tuple[float, float]],
    noise: tuple[Sequence[float], Sequence[float]] | None = None,
) -> Compared:
    """Compare two fits. Raises ValueError if they are empty or not of the same length.

    reference, test: (lambda, k) of the same problems, in the same order. noise: of both, None in PIG.
    """
    (ours, own), (theirs, other) = (tuple(zip(*rows, strict=True)) or ((), ()) for rows in (reference, test))
    return Compared(
        len(reference),
        relative_change(ours, theirs),
        spearman(ours, theirs).r,
        relative_change(own, other),
        spearman(own, other).r,
        divergence(*noise) if noise else None,
    )
