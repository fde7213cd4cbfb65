"""The dip: against its definition as a linear program and a published implementation, p, spread buckets, scenario."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import pytest
from scipy.optimize import linprog

from scrollwork.analysis.windows.dip import (
    SPLIT,
    bucket_counts,
    dip,
    dip_test,
    p_value,
    simulated_dips,
    spread_over_buckets,
)
from scrollwork.analysis.windows.dip_table import QUANTILES, SHARES, SMALLEST


def raw(values: np.ndarray) -> list[tuple[float, float]]:
    return [(float(one), place + 1.0) for place, one in enumerate(np.sort(values))]


def nearest_unimodal(values: np.ndarray) -> float:
    """The smallest distance to a function that is convex up to a value and concave from there: the definition."""
    x = np.sort(values)
    n = len(x)
    best = 1.0
    for mode in range(n):
        rows, limits = [], []

        def add(terms: dict[int, float], at_most: float, rows: list = rows, limits: list = limits) -> None:
            row = np.zeros(2 * n + 1)
            for place, factor in terms.items():
                row[place] = factor
            rows.append(row)
            limits.append(at_most)

        low, high = range(n), range(n, 2 * n)  # the unimodal function just below and at each value; a jump at the mode
        for i in range(n):
            add({high[i]: 1, 2 * n: -1}, (i + 1) / n)
            add({high[i]: -1, 2 * n: -1}, -(i + 1) / n)
            add({low[i]: 1, 2 * n: -1}, i / n)
            add({low[i]: -1, 2 * n: -1}, -i / n)
            add({low[i]: 1, high[i]: -1}, 0)
            if i != mode:
                add({low[i]: -1, high[i]: 1}, 0)
            if i:
                add({high[i - 1]: 1, low[i]: -1}, 0)
        for i in range(1, n - 1):
            a, b = x[i] - x[i - 1], x[i + 1] - x[i]
            if i < mode:  # slope rises
                add({high[i - 1]: -b, low[i]: a + b, low[i + 1]: -a}, 0)
            elif i > mode:
                add({high[i - 1]: b, high[i]: -(a + b), high[i + 1]: a}, 0)
        bounds = [(0, 1)] * (2 * n) + [(0, 1)]
        found = linprog([0.0] * (2 * n) + [1.0], A_ub=rows, b_ub=limits, bounds=bounds)
        best = min(best, found.fun)
    return best


@pytest.mark.parametrize("seed", range(12))
def test_the_dip_is_not_the_distance_to_the_nearest_unimodal_function(seed: int) -> None:
    random = np.random.default_rng(seed)
    values = random.random(4 + seed % 6) if seed % 2 else np.concatenate([random.beta(1, 9, 4), random.beta(9, 1, 4)])
    assert dip(raw(values)) == pytest.approx(nearest_unimodal(values), abs=1e-6)


def test_the_dip_differs_from_a_published_implementation() -> None:
    diptest = pytest.importorskip(
        "diptest", reason="the oracle of this test; GPL, so never a dependency of the project"
    )
    random = np.random.default_rng(1)
    for turn in range(300):
        size = int(random.integers(4, 80))
        values = random.beta(0.5, 0.5, size) if turn % 2 else random.random(size)
        wanted, p = diptest.diptest(np.sort(values))
        assert dip(raw(values)) == pytest.approx(wanted, abs=1e-12)
        if size >= 10:
            assert p_value(wanted, size) == pytest.approx(p, abs=0.03)


# dip and p of these values by `diptest` 0.12.0 with 200,000 uniform samples of each size, seed 1
FEW = [
    ((0.1, 0.2, 0.8, 0.9), 0.214286, 0.0356),
    ((0.05, 0.1, 0.5, 0.8, 0.9), 0.1625, 0.1904),
    ((0.02, 0.1, 0.15, 0.55, 0.8, 0.85, 0.95), 0.160714, 0.0487),
    ((0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.7, 0.8, 0.9, 0.95), 0.099174, 0.4078),
    ((0.01, 0.03, 0.2, 0.25, 0.3, 0.4, 0.45, 0.5, 0.6, 0.62, 0.7, 0.77, 0.9), 0.068826, 0.9122),
    ((0, 0.02, 0.05, 0.07, 0.09, 0.1, 0.3, 0.5, 0.55, 0.7, 0.8, 0.82, 0.85, 0.86, 0.9, 0.93, 0.95, 0.97, 0.99), 0.125, 0.0081),
    ((0, 0.02, 0.05, 0.07, 0.09, 0.1, 0.12, 0.14, 0.8, 0.82, 0.85, 0.86, 0.9, 0.93, 0.95, 0.97, 0.99, 1), 0.183333, 0),
]  # fmt: skip


@pytest.mark.parametrize(("values", "wanted", "p"), FEW)
def test_p_of_few_values_is_that_of_another_size(values: tuple[float, ...], wanted: float, p: float) -> None:
    found = dip(raw(np.array(values)))
    assert found == pytest.approx(wanted, abs=5e-7)
    assert p_value(found, len(values)) == pytest.approx(p, abs=0.006)


@pytest.mark.parametrize("size", [4, 5, 11, 19, 28])
def test_p_is_not_the_share_of_fresh_uniform_samples(size: int) -> None:
    fresh = simulated_dips(size, 4000, 2026)
    for place in range(200, 4000, 200):
        p = (fresh >= fresh[place] - 1e-9).mean()
        assert p_value(float(fresh[place]) / size**0.5, size) == pytest.approx(p, abs=0.03)


def test_the_corners_of_buckets_lose_what_all_their_values_hold() -> None:
    random = np.random.default_rng(2)
    for _ in range(60):
        counts = random.multinomial(random.integers(1, 120), random.dirichlet(np.ones(10) * 0.4))
        every = [(i + (r + 0.5) / c) / 10 for i, c in enumerate(counts.tolist()) for r in range(c)]
        assert dip(spread_over_buckets(counts)) == pytest.approx(dip(raw(np.array(every))), abs=1e-12)


def test_the_table_cannot_be_made_again() -> None:
    for size in (4, 20):
        found = np.quantile(simulated_dips(size, 10_000, 7), SHARES)
        assert QUANTILES[size] == pytest.approx(found, abs=5.1e-6)
    smallest = simulated_dips(5, 10_000, 7) * 2 * 5**0.5 <= 1 + 1e-9
    assert SMALLEST[5] == pytest.approx(smallest.mean())


SHAPES: dict[str, tuple[Callable[[np.random.Generator, int], np.ndarray], bool]] = {
    "beta 2, 5": (lambda random, n: random.beta(2, 5, n), False),
    "narrow normal": (lambda random, n: random.normal(0.3, 0.05, n).clip(0, 1), False),
    "uniform": (lambda random, n: random.random(n), False),
    "all zero": (lambda random, n: np.zeros(n), False),
    "70/30 of 0 and 1": (lambda random, n: (random.random(n) < 0.3).astype(float), True),
    "40 % zeros": (lambda random, n: np.where(random.random(n) < 0.4, 0.0, random.beta(5, 5, n)), True),
}


@pytest.mark.parametrize("size", [50, 200, 1000])
@pytest.mark.parametrize("name", SHAPES)
def test_one_heap_is_taken_for_two(name: str, size: int) -> None:
    """The table of fact sheet 7: ten draws each."""
    made, two = SHAPES[name]
    random = np.random.default_rng(11)
    flagged = sum(dip_test(made(random, size))[1] < SPLIT for _ in range(10))
    assert flagged >= 8 if two else flagged <= 2, flagged


def test_scores_on_one_value_or_fewer_than_four_are_of_two_heaps() -> None:
    for values in ([0.0] * 50, [0.0, 1.0], [0.0, 1.0, 1.0], [0.3]):
        assert dip_test(np.array(values))[1] == 1


def test_counts_are_not_repeated_scores() -> None:
    assert dip_test(np.array([0.0, 0.5, 1.0]), np.array([7, 2, 9])) == dip_test(
        np.array([0.0] * 7 + [0.5] * 2 + [1.0] * 9)
    )
    assert bucket_counts(np.array([0.0, 0.09, 0.1, 0.95, 1.0])).tolist() == [2, 1, 0, 0, 0, 0, 0, 0, 0, 2]


def test_p_jumps_between_sizes_or_leaves_0_to_1() -> None:
    for size in (10, 99, 101, 4999, 10**6):
        found = [p_value(one, size) for one in np.linspace(0, 0.25, 200)]
        assert found == sorted(found, reverse=True)
        assert (found[0], found[-1]) == (1, 0)
    assert p_value(0.03, 99) == pytest.approx(p_value(0.03, 101), abs=0.05)


@pytest.mark.parametrize("values", [[-0.1], [1.1], [float("nan")]])
def test_scores_outside_0_to_1_are_tested(values: list[float]) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        dip_test(np.array(values))


def test_no_score_has_a_dip() -> None:
    with pytest.raises(ValueError, match="no score"):
        dip_test(np.zeros(0))


def test_200_problems_of_2000_scores_take_seconds() -> None:
    random = np.random.default_rng(0)
    heaps = [random.random(2000) for _ in range(200)]
    began = time.process_time()
    for one in heaps:
        dip_test(one)
    assert time.process_time() - began < 1
