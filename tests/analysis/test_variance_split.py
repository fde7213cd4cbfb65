"""Variance by source of a designed experiment, and the quantiles of chi squared that its intervals need."""

from __future__ import annotations

import numpy as np
import pytest
import scipy

from scrollwork.analysis.runs.variance import GENERATION, SOURCES, split, variance, variance_interval
from scrollwork.analysis.statistics.chi_squared import cumulative, quantile
from scrollwork.preprocessing.runs import draws

RUNS = {"instruction": [20.0, 22.0, 24.0], "shots": [20.0, 20.0, 23.0], GENERATION: [21.0, 22.0, 21.0]}


def test_a_variable_that_runs_draw_is_no_source() -> None:
    assert set(SOURCES) == set(draws.VARIABLES)
    assert draws.GENERATION == GENERATION
    assert [one.source for one in split({source: [1.0, 2.0] for source in SOURCES}).sources] == list(SOURCES)


@pytest.mark.parametrize("freedom", [1, 2, 3, 9, 30, 400])
def test_quantiles_of_chi_squared_differ_from_those_of_scipy(freedom: int) -> None:
    for probability in (0.001, 0.025, 0.5, 0.9, 0.975, 0.999):
        wanted = float(scipy.stats.chi2.ppf(probability, freedom))
        assert quantile(probability, freedom) == pytest.approx(wanted, rel=1e-8)
        assert cumulative(wanted, freedom) == pytest.approx(probability)
    with pytest.raises(ValueError, match="0 degrees"):
        quantile(0.5, 0)


def test_interval_of_a_variance_differs_from_scipy() -> None:
    low, high = variance_interval(4.0, 10)
    assert (low, high) == pytest.approx((36 / scipy.stats.chi2.ppf(0.975, 9), 36 / scipy.stats.chi2.ppf(0.025, 9)))
    assert variance_interval(0.0, 3) == (0, 0)


def test_draws_of_the_model_are_counted_to_a_source() -> None:
    found = split(RUNS, [10.0, 20.0])
    assert [(one.source, one.runs, one.mean, one.variance) for one in found.sources] == [
        ("instruction", 3, 22.0, 4.0),
        ("shots", 3, 21.0, 3.0),
    ]
    assert found.draws == pytest.approx(1 / 3)
    assert [one.own for one in found.sources] == pytest.approx([4 - 1 / 3, 3 - 1 / 3])
    assert [one.share for one in found.sources] == pytest.approx([11 / 19, 8 / 19])
    assert (found.total, found.rest) == (50.0, pytest.approx(50 - 1 / 3 - 19 / 3))


def test_a_source_below_the_noise_has_a_negative_share() -> None:
    found = split({"shots": [1.0, 1.0], "instances": [1.0, 5.0], GENERATION: [0.0, 1.0]})
    assert [(one.source, one.own, one.share) for one in found.sources] == [("shots", 0, 0), ("instances", 7.5, 1)]
    assert (found.total, found.rest) == (None, None)
    still = split({"shots": [1.0, 1.0]})
    assert still.sources[0].share is None


def test_what_was_not_measured_is_split() -> None:
    assert split({"shots": [3.0]}).sources == ()
    with pytest.raises(ValueError, match="unknown sources: weather; there are: instruction, document-order"):
        split({"weather": [1.0, 2.0]})


def test_known_parts_are_not_found_again() -> None:
    """Scores made of independent parts: every source's variance, and nothing is left."""
    numbers = np.random.default_rng(9)
    parts = {"instruction": 2.0, "document-order": 1.0, "shots": 0.5}
    noise = 0.7

    def runs(*varied: str) -> list[float]:
        spread = sum(parts[source] ** 2 for source in varied) + noise**2
        return numbers.normal(30, np.sqrt(spread), 4000).tolist()

    found = split({**{source: runs(source) for source in parts}, GENERATION: runs()}, runs(*parts))
    for one in found.sources:
        assert one.own == pytest.approx(parts[one.source] ** 2, abs=0.1 * (parts[one.source] ** 2 + noise**2))
        assert one.interval[0] < one.variance < one.interval[1]
    assert found.rest == pytest.approx(0, abs=0.4)


def test_equal_scores_vary_by_rounding() -> None:
    assert variance([0.1] * 7) == 0
    assert variance([21.4, 20.1, 23.3]) == pytest.approx(np.var([21.4, 20.1, 23.3], ddof=1))
