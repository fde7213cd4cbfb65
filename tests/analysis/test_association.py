"""Correlations, min-max scores, lengths against scores, box-plot numbers."""

from __future__ import annotations

import numpy as np
import pytest
import scipy
from matplotlib import cbook

from scrollwork.analysis.statistics.association import (
    Correlation,
    Measured,
    lengths_and_scores,
    min_max,
    pearson,
    spearman,
)
from scrollwork.analysis.statistics.boxes import box

XS, YS = [0.10, 0.35, 0.50, 0.80, 0.95, 1.00], [2, 9.5, 11, 30, 33, 41]


def test_pearson_differs_from_the_fact_sheet() -> None:
    found = pearson(XS, YS)
    assert (found.r, found.n) == (pytest.approx(0.977559, abs=5e-7), 6)


def test_coefficients_differ_from_those_of_scipy() -> None:
    numbers = np.random.default_rng(6)
    for size in (3, 10, 70):
        xs = numbers.integers(0, 5, size) + 1e6
        ys = numbers.normal(size=size) + xs / 3
        if len(set(xs)) > 1:
            assert pearson(xs, ys).r == pytest.approx(scipy.stats.pearsonr(xs, ys).statistic)
            assert spearman(xs, ys).r == pytest.approx(scipy.stats.spearmanr(xs, ys).statistic)


def test_a_line_correlates_by_more_than_one() -> None:
    xs = [0.1 * step for step in range(50)]
    assert pearson(xs, [7 - 3 * x for x in xs]).r == -1
    assert spearman(xs, [x**3 for x in xs]).r == 1


@pytest.mark.parametrize(("xs", "ys"), [([], []), ([1], [2]), ([1, 1, 1], [1, 2, 3]), ([1, 2], [0.1, 0.1])])
def test_what_does_not_change_has_a_coefficient(xs: list[float], ys: list[float]) -> None:
    assert pearson(xs, ys) == spearman(xs, ys) == Correlation(None, len(xs))
    with pytest.raises(ValueError, match="make no pairs"):
        pearson([*xs, 1], ys)


def test_min_max_differs_from_the_fact_sheet() -> None:
    assert min_max([0.2, 0.5, 0.9]) == pytest.approx([0, 0.428571, 1], abs=5e-7)
    assert min_max([3, 3]) == [0, 0]


def test_scores_of_an_instance_are_scaled_after_they_were_averaged() -> None:
    """i stands in two runs of m with 2 and 6, j in one with 0, so m's scale ends at 6, not at the mean 4."""
    answers = [
        Measured("m", "x", "i", 100, 2.0),
        Measured("m", "x", "j", 7500, 0.0),
        Measured("m", "x", "i", 999, 6.0),
        Measured("n", "x", "i", 50, 1.0),
        Measured("n", "x", "k", 7501, 2.0),
        Measured("n", "y", "i", 7, 1.0),
    ]
    found = [(one.model, one.dataset, one.instance, one.length, one.score) for one in lengths_and_scores(answers)]
    assert found == [
        ("m", "x", "i", 100, pytest.approx(2 / 3)),
        ("m", "x", "j", 7500, 0),
        ("n", "x", "i", 100, 0),
        ("n", "y", "i", 7, 0),
    ], "the length is the first one seen; what is too long is not shown but scales"


def test_box_differs_from_the_fact_sheet() -> None:
    found = box([11.0, 11.4, 11.5, 11.6, 11.9, 12.0, 12.1, 12.4, 12.6, 14.2])
    assert (found.q1, found.median, found.q3) == pytest.approx((11.525, 11.95, 12.325))
    assert (found.low, found.high, found.fliers) == (11.0, 12.6, (14.2,))


def test_box_differs_from_that_of_matplotlib() -> None:
    numbers = np.random.default_rng(10)
    for size in (1, 2, 3, 4, 10, 50):
        for _ in range(40):
            values = numbers.standard_t(1.5, size)
            found, (peer,) = box(values), cbook.boxplot_stats(values)
            assert (found.q1, found.median, found.q3) == pytest.approx((peer["q1"], peer["med"], peer["q3"]))
            assert (found.low, found.high) == pytest.approx((peer["whislo"], peer["whishi"]))
            assert found.fliers == tuple(sorted(peer["fliers"]))
    with pytest.raises(ValueError, match="no value"):
        box([])
