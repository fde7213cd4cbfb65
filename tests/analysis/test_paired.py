"""Paired comparisons: difference, interval, error, what can be detected, Holm, averages."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy

from scrollwork.analysis.comparison.outcomes import Outcomes
from scrollwork.analysis.statistics.intervals import Floats, interval, resampled_headlines
from scrollwork.analysis.statistics.paired import (
    Pair,
    Paired,
    detectable_difference,
    holm,
    paired_averages,
    paired_comparison,
)
from tests.analysis.outcomes_kit import F1, GEO, documents, one, rouge, several

RANDOM = np.random.default_rng(3)
OURS, THEIRS = (np.random.default_rng(seed).uniform(0, 100, 120) for seed in (1, 2))


def compared(ours: Outcomes, theirs: Outcomes, headline: object = F1) -> Paired:
    found = paired_comparison(Pair.of(ours, theirs, headline, "t"))  # type: ignore[arg-type]
    assert found is not None
    return found


def test_inputs_that_one_did_not_answer_enter_the_difference() -> None:
    ours = one([10.0, 20.0, 90.0, 40.0], asked=6)
    theirs = replace(one([0.0, 0.0, 0.0], asked=6), names=("i000", "i001", "i005"))
    found = compared(ours, theirs)
    assert (found.ours, found.theirs, found.difference) == (15.0, 0.0, 15.0)
    assert (found.inputs, found.left_out) == (2, 4)


def test_models_without_a_common_input_are_compared() -> None:
    assert paired_comparison(Pair.of(one([1.0]), replace(one([1.0]), names=("x",)), F1, "t")) is None


def test_one_document_has_a_test() -> None:
    found = compared(one([1.0, 2.0], ["d", "d"]), one([3.0, 5.0], ["d", "d"]))
    assert found.difference == -2.5
    assert (found.interval, found.test, found.standard_error, found.detectable) == (None, None, None, None)


def test_interval_of_a_difference_differs_from_the_paired_bootstrap_of_scipy() -> None:
    found = compared(one(OURS), one(THEIRS))
    peer = scipy.stats.bootstrap(
        (OURS, THEIRS), lambda x, y, axis: x.mean(axis=axis) - y.mean(axis=axis), paired=True, n_resamples=9999,
        method="percentile", rng=np.random.default_rng(1), vectorized=True,
    )  # fmt: skip
    assert found.interval == pytest.approx(tuple(peer.confidence_interval), abs=1.2)  # it is about 15 wide


def test_models_are_resampled_apart() -> None:
    found = compared(one(OURS), one(OURS - 2.0, documents([1] * 120)))
    assert found.interval == pytest.approx((2.0, 2.0))
    assert found.standard_error == pytest.approx(0.0, abs=1e-9)


def test_error_of_a_mean_is_not_the_cluster_robust_one() -> None:
    """sqrt(C / (C - 1)) x sqrt(sum over documents of (sum of deviations)^2) / n, documents of one size: the CR1 error."""
    clusters = documents([4] * 30)
    found = compared(one(OURS, clusters), one(THEIRS, clusters))
    deviations = (OURS - THEIRS - (OURS - THEIRS).mean()).reshape(30, 4).sum(axis=1)
    assert found.standard_error == pytest.approx(np.sqrt(30 / 29) * np.sqrt((deviations**2).sum()) / 120)


def test_error_of_single_inputs_is_not_that_of_the_paired_t_test() -> None:
    found = compared(one(OURS), one(THEIRS))
    assert found.standard_error == pytest.approx(scipy.stats.sem(OURS - THEIRS))


def test_error_of_a_geometric_mean_is_far_from_the_spread_of_its_bootstrap() -> None:
    clusters = documents([2] * 60)
    rows = np.random.default_rng(9).uniform(5, 50, (2, 3, 120))
    pair = Pair.of(rouge(rows[0], clusters), rouge(rows[1], clusters), GEO, "t")
    assert pair.standard_error == pytest.approx(pair.difference.values.std(), rel=0.06)


def test_detectable_difference_is_not_the_one_of_the_formula() -> None:
    expected = (scipy.stats.t.ppf(0.975, 24) + scipy.stats.t.ppf(0.8, 24)) * 1.5
    assert detectable_difference(1.5, 25) == pytest.approx(expected)
    assert detectable_difference(1.0, 10**6) == pytest.approx(2.80159, abs=1e-4)


@pytest.mark.parametrize(("count", "told"), [(2, False), (5, False), (6, True), (40, True)])
def test_a_difference_is_called_detectable_that_no_p_can_show(count: int, told: bool) -> None:
    found = compared(one(OURS[:count]), one(THEIRS[:count]))
    assert (found.detectable is not None) == told
    apart = compared(one(np.full(count, 90.0) + OURS[:count] / 100), one(OURS[:count] / 100))
    assert apart.test is not None
    assert (apart.test.p < 0.05) == told  # as far apart as can be


def test_models_without_any_spread_between_them_detect_everything() -> None:
    assert compared(one(OURS), one(OURS)).detectable is None
    assert compared(one(OURS), one(OURS - 2.0)).detectable is None


def test_family_is_compared_by_one_seed() -> None:
    found = compared(several([[0.0, 10.0], [100.0, 50.0]]), one([10.0, 10.0]))
    assert (found.ours, found.theirs) == (40.0, 10.0)


@pytest.mark.parametrize(
    ("ps", "adjusted"),
    [
        # Holm 1979 by hand: sorted 0.01 x 4, 0.02 x 3, 0.03 x 2, 0.04 x 1, never falling
        ({"a": 0.04, "b": 0.01, "c": 0.03, "d": 0.02}, {"b": 0.04, "d": 0.06, "c": 0.06, "a": 0.06}),
        ({"a": 0.5, "b": 0.9}, {"a": 1.0, "b": 1.0}),
        ({"a": 0.02}, {"a": 0.02}),
        ({}, {}),
    ],
)
def test_holm_is_not_as_by_hand(ps: dict[str, float], adjusted: dict[str, float]) -> None:
    assert holm(ps) == pytest.approx(adjusted)


def test_average_of_tasks_is_weighted_by_inputs() -> None:
    pairs = [
        Pair.of(one([10.0] * 50), one([0.0] * 50), F1, "a"),
        Pair.of(one([30.0, 40.0]), one([30.0, 30.0]), F1, "b"),
    ]
    found = paired_averages(pairs)
    assert found is not None
    assert (found.ours, found.theirs, found.inputs, found.clusters) == (22.5, 15.0, 52, 52)


def test_error_of_an_average_is_not_that_of_independent_tasks() -> None:
    pairs = [Pair.of(one(OURS), one(THEIRS), F1, name) for name in ("a", "b")]
    found = paired_averages(pairs)
    assert found is not None
    assert found.standard_error == pytest.approx(pairs[0].standard_error / np.sqrt(2))
    alone = compared(one(OURS), one(THEIRS))
    assert found.interval is not None
    assert alone.interval is not None
    assert width(found.interval) == pytest.approx(width(alone.interval) / np.sqrt(2), rel=0.06)


def test_average_with_a_task_of_one_document_has_a_test() -> None:
    pairs = [Pair.of(one(OURS), one(THEIRS), F1, "a"), Pair.of(one([1.0]), one([2.0]), F1, "b")]
    found = paired_averages(pairs)
    assert found is not None
    assert (found.interval, found.test) == (None, None)


def test_average_with_a_task_without_common_inputs_is_a_number() -> None:
    pairs = [Pair.of(one([1.0]), replace(one([1.0]), names=("x",)), F1, "a")]
    assert paired_averages(pairs) is None
    assert paired_averages([]) is None


def test_interval_of_several_tasks_is_not_that_of_independent_normals() -> None:
    tasks = [one(RANDOM.uniform(0, 100, 200)) for _ in range(4)]
    low, high = interval(
        [resampled_headlines(task.components, task.grouped, F1, f"t{n}") for n, task in enumerate(tasks)]
    )
    errors = [scipy.stats.sem(task.components["f1"][0]) for task in tasks]
    assert high - low == pytest.approx(2 * 1.96 * np.sqrt(np.square(errors).sum()) / 4, rel=0.06)


def test_tasks_with_as_many_documents_are_resampled_alike() -> None:
    """One task twice: resampled alike the mean would spread as one task does."""
    task = one(RANDOM.uniform(0, 100, 200))
    alone, other = (resampled_headlines(task.components, task.grouped, F1, name) for name in ("a", "b"))
    assert width(interval([alone, other])) == pytest.approx(width(interval([alone])) / np.sqrt(2), rel=0.08)


def width(ends: tuple[float, float]) -> float:
    return ends[1] - ends[0]


def test_few_documents_have_the_plain_percentile_interval() -> None:
    """Hesterberg's tails for 10 documents: Phi(-sqrt(10 / 9) x t of 97.5 % with 9 degrees of freedom)."""
    found = resampled_headlines(one(OURS[:10]).components, one(OURS[:10]).grouped, F1, "t")
    tail = scipy.stats.norm.cdf(-np.sqrt(10 / 9) * scipy.stats.t.ppf(0.975, 9))
    expected: Floats = np.quantile(found.values, [tail, 1 - tail])
    assert interval([found]) == pytest.approx(tuple(expected))
