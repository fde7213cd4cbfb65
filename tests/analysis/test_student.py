"""Student's t against scipy."""

from __future__ import annotations

import pytest
import scipy

from scrollwork.analysis.statistics.student import EXPANDED_FROM, quantile, two_sided_probability


@pytest.mark.parametrize(
    "freedom", [1, 2, 3, 4, 5, 9, 24, 25, 99, 500, EXPANDED_FROM - 1, EXPANDED_FROM, 2001, 12_345, 10**7]
)
@pytest.mark.parametrize("probability", [0.5, 0.55, 0.8, 0.975, 0.9999])
def test_quantile_differs_from_the_one_of_scipy(probability: float, freedom: int) -> None:
    assert quantile(probability, freedom) == pytest.approx(scipy.stats.t.ppf(probability, freedom), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("freedom", [1, 2, 7, 8, 300])
def test_probability_differs_from_the_one_of_scipy(freedom: int) -> None:
    for t in (0.0, 0.3, 1.0, 2.5, 40.0):
        assert two_sided_probability(t, freedom) == pytest.approx(1 - 2 * scipy.stats.t.sf(t, freedom), abs=1e-12)


def test_quantile_above_two_thousand_is_the_normals() -> None:
    assert round(quantile(0.975, EXPANDED_FROM), 5) == 1.96115


@pytest.mark.parametrize(("probability", "freedom"), [(0.975, 0), (0.3, 5), (1.0, 5)])
def test_quantile_that_does_not_exist_is_a_number(probability: float, freedom: int) -> None:
    with pytest.raises(ValueError, match="no quantile"):
        quantile(probability, freedom)
