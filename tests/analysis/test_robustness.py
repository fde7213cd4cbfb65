"""How sure AR, ARSD and the ranking are."""

from __future__ import annotations

import random
from fractions import Fraction
from math import isqrt

import numpy as np
import pytest
import scipy

from scrollwork.analysis.runs.ranking import standings
from scrollwork.analysis.runs.resampling import resampled_ar, resampled_means, resampled_ranks, weights
from scrollwork.analysis.runs.robustness import jackknife_variance, robustness_rows, shares_of_best
from scrollwork.analysis.runs.scores import NA, RunScores, ScoreTable
from scrollwork.analysis.runs.stability import Stability, agreement, curve_numbers, runs_needed, stability
from scrollwork.analysis.statistics.average_ranks import average_ranks
from tests.analysis.seam_vectors import SAMPLES, scores, table

NEAR = [number * 1e-9 for number in range(-500, 500)]
WHOLE = table(x=SAMPLES, y={**SAMPLES, "C": None}, z={name: values[:6] for name, values in SAMPLES.items()})


def test_interval_does_not_hold_its_value() -> None:
    rows = {row.model: row for row in standings(WHOLE)}
    for one in robustness_rows(WHOLE):
        assert one.ar is not None
        assert one.arsd is not None
        assert one.ar[0] <= rows[one.model].ar <= one.ar[1]
        assert one.arsd[0] < (rows[one.model].arsd or 0) < one.arsd[1]
    assert [one.model for one in robustness_rows(WHOLE)] == [row.model for row in standings(WHOLE)]


def test_intervals_of_ar_differ_from_a_bootstrap_with_the_same_draws_by_hand() -> None:
    column = WHOLE.column("x")
    drawn = weights(column["A"], "x")
    assert drawn.shape == (2000, 10)
    assert drawn.sum(axis=1) == pytest.approx(1)
    means = np.array([np.array(SAMPLES[name]) @ drawn[5] for name in WHOLE.models])
    ranks = resampled_ranks(WHOLE, "x")
    assert ranks[5].tolist() == average_ranks(means.tolist())
    assert resampled_means(WHOLE, "y")[:, 2].max() == -np.inf
    assert set(resampled_ranks(WHOLE, "y")[:, 2]) == {4.0}, "NA is last in every resample"


def test_models_with_the_same_runs_are_drawn_apart() -> None:
    """A model that is better by the same in every run is better in every resample."""
    numbers = np.random.default_rng(1).normal(20, 5, 10)
    pair = table(x={"a": numbers.tolist(), "b": (numbers - 0.1).tolist()})
    assert [(one.model, one.best, one.ar) for one in robustness_rows(pair)] == [("a", 1.0, (1, 1)), ("b", 0.0, (2, 2))]
    shifted = RunScores({run + 10: float(value) for run, value in enumerate(numbers - 0.1)})
    apart = ScoreTable.of({("a", "x"): pair.cell("a", "x"), ("b", "x"): shifted})
    assert 0.4 < (robustness_rows(apart)[0].best or 0) < 0.65, "other runs are other samplings"


def test_shares_of_the_best_do_not_sum_to_one() -> None:
    assert sum(one.best or 0 for one in robustness_rows(WHOLE)) == pytest.approx(1)
    same = table(x={"a": [1, 2, 3], "b": [3, 2, 1], "c": [1, 2, 3]})
    best = {one.model: one.best for one in robustness_rows(same)}
    assert best["a"] == best["c"]
    assert sum(share or 0 for share in best.values()) == pytest.approx(1)
    assert shares_of_best(np.array([[1.0, 1.0, 2.0], [3.0, 1.0, 2.0]])).tolist() == [0.25, 0.75, 0]


def test_jackknife_differs_from_leaving_out_by_hand() -> None:
    values = np.array(SAMPLES["A"])
    left = [np.delete(values, place) for place in range(10)]
    relative = np.array([rest.std() / rest.mean() for rest in left]) * np.sqrt((9 / 10) / (8 / 9))
    assert jackknife_variance(scores(SAMPLES["A"])) == pytest.approx(0.9 * ((relative - relative.mean()) ** 2).sum())


HARD = {
    "one apart": [99.99999999, 100.0, 100.0, 100.0],
    "two and two": [100 - 1e-6, 100 - 1e-6, 100 + 1e-6, 100 + 1e-6],
    "equal but one": [0.1, 0.1, 0.1, 0.2],
    "last digits": [100.0, 100.0 + 2**-46, 100.0 - 2**-46],
    "all equal": [0.1] * 7,
    "zeros": [0.0, 0.0, 5.0],
    "below zero": [-1.0, 0.5, 0.25],
    "tiny": [1e-300, 2e-300, 5e-300],
    "huge": [1e300, 2e300, 3e300],
    **{
        f"near 100, {count}": [100 + one for one in random.Random(count).sample(NEAR, count)]
        for count in (3, 5, 10, 60)
    },
}


@pytest.mark.parametrize("name", HARD)
def test_deviations_without_a_run_depend_on_the_machine(name: str) -> None:
    """Sums of squares that nearly cancel gave 2e-7 less on some machines, and 0 for numbers that are tiny."""
    wanted = left_out_by_hand(HARD[name])
    assert jackknife_variance(scores(HARD[name])) == pytest.approx(wanted, rel=1e-12, abs=0)
    assert (wanted == 0) == (name == "all equal")


def left_out_by_hand(values: list[float]) -> float:
    """The jackknife's variance from each remainder by itself, in fractions; roots to 120 digits."""
    count, digits = len(values), 10**120 * 10**300
    relative = []
    for place in range(count):
        rest = [Fraction(one) for one in values[:place] + values[place + 1 :]]
        mean = sum(rest) / len(rest)
        square = sum((one - mean) ** 2 for one in rest) / len(rest) / mean**2 if mean > 0 else Fraction(0)
        square *= Fraction((count - 1) ** 2, count * (count - 2))
        relative.append(Fraction(isqrt(square.numerator * digits**2 // square.denominator), digits))
    middle = sum(relative) / count
    return float(Fraction(count - 1, count) * sum((one - middle) ** 2 for one in relative))


def test_interval_of_arsd_differs_from_welch_by_hand() -> None:
    whole = table(x={"a": SAMPLES["A"]}, y={"a": SAMPLES["D"][:6]})
    (row,), (one,) = standings(whole), robustness_rows(whole)
    variances = [jackknife_variance(cell) / 4 for cell in whole.row("a").values()]
    freedom = int(sum(variances) ** 2 / (variances[0] ** 2 / 9 + variances[1] ** 2 / 5))
    assert row.arsd is not None
    width = scipy.stats.t.ppf(0.975, freedom) * np.sqrt(sum(variances)) / row.arsd
    assert one.arsd == pytest.approx((row.arsd * np.exp(-width), row.arsd * np.exp(width)))


def test_error_of_arsd_is_not_that_of_normal_scores() -> None:
    """Of a relative deviation: about itself / sqrt(2 (n - 1)) where the mean is far from 0."""
    values = np.random.default_rng(3).normal(100, 4, 4000)
    one = scores(values.tolist())
    wanted = (values.std() / values.mean()) / np.sqrt(2 * 3999)
    assert np.sqrt(jackknife_variance(one)) == pytest.approx(wanted, rel=0.05)


def test_too_few_runs_have_intervals() -> None:
    two = table(x={"a": [1, 2], "b": [1, 3]})
    assert all(one.ar is not None and one.arsd is None for one in robustness_rows(two))
    one_run = table(x={"a": [1], "b": [1, 3, 4]})
    assert [(one.ar, one.best) for one in robustness_rows(one_run)] == [(None, None)] * 2
    given = ScoreTable.of({("a", "x"): RunScores(given=(20.0, 1.0)), ("b", "x"): scores([1, 2, 3])})
    assert [(one.ar, one.arsd is None, one.best) for one in robustness_rows(given)] == [
        (None, True, None),
        (None, False, None),
    ]
    assert stability(given) == []


def test_scores_that_never_change_break_intervals() -> None:
    flat = table(x={"a": [3, 3, 3], "b": [2, 2, 2]}, y={"a": [0, 0, 0], "b": None})
    assert [(one.ar, one.arsd, one.best) for one in robustness_rows(flat)] == [
        ((1, 1), (0, 0), 1),
        ((2, 2), (0, 0), 0),
    ]
    assert [point.same for point in stability(flat)] == [1] * 6
    nothing = ScoreTable.of({("a", "x"): NA, ("b", "x"): NA})
    assert [(one.ar, one.best) for one in robustness_rows(nothing)] == [((1.5, 1.5), 0.5)] * 2
    assert stability(nothing)[0] == Stability(1, 1.0, None)


def test_order_of_rows_changes_intervals_or_curve() -> None:
    cells = [(names, RunScores(dict(reversed(one.runs.items())))) for names, one in WHOLE.cells.items()]
    random.Random(2).shuffle(cells)
    mixed = ScoreTable.of(dict(cells))
    assert robustness_rows(mixed) == robustness_rows(WHOLE)
    assert stability(mixed, [3]) == stability(WHOLE, [3])
    before = {one.model: one.arsd for one in robustness_rows(WHOLE)}
    fewer = ScoreTable.of({names: one for names, one in WHOLE.cells.items() if names[0] != "B"})
    assert {one.model: one.arsd for one in robustness_rows(fewer)}["A"] == before["A"]


def test_curve_does_not_rise_or_ends_before_it_is_stable() -> None:
    curve = stability(table(x=SAMPLES))
    assert [point.runs for point in curve] == [*range(1, 11), 20, 50, 100]
    assert curve[0].same < curve[9].same < curve[-1].same < 1
    assert curve[0].tau is not None
    assert curve[-1].tau is not None
    assert curve[0].tau < curve[-1].tau < 1
    clear = table(x={"a": [9, 9.5, 10], "b": [1, 1.5, 2]})
    assert runs_needed(stability(clear)) == 1
    assert curve_numbers(table(x={"a": list(range(1000))}))[-4:] == [1000, 2000, 5000, 10000]
    assert len(curve_numbers(table(x={"a": list(range(1000))}))) <= 23


def test_expected_share_of_one_run_is_another() -> None:
    """Of one run each, drawn together: the share of runs in which a is above b."""
    pair = table(x={"a": [3, 1, 5, 6, 2], "b": [1, 2, 1, 5, 3]})
    (point,) = stability(pair, [1])
    assert point.same == pytest.approx(3 / 5, abs=0.04)
    assert point.tau == pytest.approx(1 / 5, abs=0.08)


def test_runs_needed_takes_a_point_below_which_the_curve_falls_again() -> None:
    points = [Stability(1, 0.96, 1.0), Stability(2, 0.90, 1.0), Stability(4, 0.95, 1.0), Stability(8, 0.99, 1.0)]
    assert runs_needed(points) == 4
    assert runs_needed(points, 0.995) is None
    assert runs_needed([]) is None


def test_tau_differs_from_that_of_scipy() -> None:
    numbers = np.random.default_rng(4)
    for _ in range(50):
        full, other = numbers.permutation(6).astype(float), numbers.permutation(6).astype(float)
        same, tau = agreement(full, other[None, :])
        assert tau == pytest.approx(scipy.stats.kendalltau(full, other).statistic)
        assert same == (full == other).all()
        tied, loose = numbers.integers(0, 3, 6).astype(float), numbers.integers(0, 3, 6).astype(float)
        if len(set(tied)) > 1 and len(set(loose)) > 1:
            assert agreement(tied, loose[None, :])[1] == pytest.approx(scipy.stats.somersd(tied, loose).statistic)


def test_ties_of_the_full_ranking_make_it_unstable_for_ever() -> None:
    full = np.array([1.5, 1.5, 3.0])
    assert agreement(full, np.array([[1.0, 2.0, 3.0], [2.0, 1.0, 3.0], [1.0, 3.0, 2.0]])) == (
        pytest.approx(2 / 3),
        pytest.approx(2 / 3),
    )


def test_rounding_breaks_ties_of_resampled_means() -> None:
    pair = table(x={"a": [0.1, 0.2, 0.3], "b": [0.3, 0.1, 0.2], "c": [0.2, 0.3, 0.1]})
    each_once = (weights(pair.cell("a", "x"), "x") == 1 / 3).all(axis=1)
    assert (resampled_ranks(pair, "x")[each_once] == 2).all()
    assert each_once.any()
    numbers = np.random.default_rng(8).normal(20, 3, 10)
    same = table(x={name: numbers.tolist() for name in "abcdefg"})
    assert (resampled_ar(same) == 4).all()
