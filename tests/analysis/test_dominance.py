"""Almost stochastic order: vectors of the SEAM fact sheet (8.5), unequal numbers of runs, and what must change nothing."""

from __future__ import annotations

import random
from fractions import Fraction
from math import inf, nan

import numpy as np
import pytest

from scrollwork.analysis.runs.dominance import (
    arrow,
    dominance,
    eps_min,
    neighbours,
    official_order,
    official_values,
    violation_ratio,
)
from tests.analysis.seam_vectors import SAMPLES, table

EXACT = {
    "AB": Fraction(0),
    "BA": Fraction(1),
    "AC": Fraction(0),
    "AD": Fraction(1, 51),
    "DA": Fraction(50, 51),
    "BD": Fraction(49, 66),
    "DB": Fraction(17, 66),
}
OFFICIAL = {"AB": 0.0, "BA": 1.0, "AC": 0.0, "AD": 0.020237, "DA": 0.979763, "BD": 0.743119, "DB": 0.256881}
EPS_MIN = {"AB": 0.0005, "BA": 1.0, "AC": 0.0, "AD": 0.0224, "DA": 0.9819, "BD": 0.7491, "DB": 0.2629}


@pytest.mark.parametrize("pair", EXACT)
def test_violation_ratio_differs_from_the_fact_sheet(pair: str) -> None:
    one, other = (SAMPLES[name] for name in pair)
    assert violation_ratio(one, other) == pytest.approx(float(EXACT[pair]), abs=1e-12)
    assert violation_ratio(one, other, official=True) == pytest.approx(OFFICIAL[pair], abs=5e-7)


@pytest.mark.parametrize("pair", EPS_MIN)
@pytest.mark.parametrize("official", [False, True])
def test_eps_min_differs_from_the_official_code(pair: str, official: bool) -> None:
    one, other = (SAMPLES[name] for name in pair)
    found = eps_min(one, other, official=official)
    assert found == pytest.approx(EPS_MIN[pair], abs=0.0005 if official else 0.002)
    assert found >= violation_ratio(one, other, official=official)


def test_arrows_of_the_fact_sheet_are_others() -> None:
    found = dominance(table(x=SAMPLES))
    assert [(one.better, one.worse, one.arrow) for one in found] == [
        ("A", "D", 0.98),
        ("D", "B", 0.74),
        ("B", "C", 1.00),
    ]


def test_official_quirk_of_the_file_order_is_lost() -> None:
    """The official code computes the model that comes first in its file over the other, and turns that round."""
    before = official_values(SAMPLES)
    behind = official_values(dict(reversed(SAMPLES.items())))
    assert arrow(before["D", "B"]) == 0.75
    assert arrow(behind["D", "B"]) == 0.74
    assert official_order(SAMPLES) == ["A", "D", "B", "C"]


def by_steps(ours: list[int], theirs: list[int]) -> Fraction:
    """The integrals as sums over n * m equal steps."""
    one = np.repeat(sorted(ours), len(theirs)).tolist()
    other = np.repeat(sorted(theirs), len(ours)).tolist()
    apart = [b - a for a, b in zip(one, other, strict=True)]
    whole = sum(step * step for step in apart)
    return Fraction(sum(step * step for step in apart if step > 0), whole) if whole else Fraction(1, 2)


def test_unequal_numbers_of_runs_give_another_integral() -> None:
    numbers = random.Random(7)
    for _ in range(400):
        ours, theirs = ([numbers.randrange(9) for _ in range(numbers.randrange(1, 8))] for _ in range(2))
        found = violation_ratio(ours, theirs)
        assert found == pytest.approx(float(by_steps(ours, theirs)), abs=1e-12)
        assert found + violation_ratio(theirs, ours) == pytest.approx(1)


def test_identical_samples_prefer_one_side() -> None:
    assert violation_ratio([1, 2], [2, 1]) == 0.5
    assert eps_min([1, 2], [2, 1]) == 0.5
    assert eps_min([1, 1, 2, 2], [2, 1]) == 0.5, "the same distribution in more runs"
    assert violation_ratio([1, 2], [2, 1], official=True) == 0.0
    (one,) = dominance(table(x={"a": [3, 3], "b": [3, 3]}))
    assert (one.better, one.worse, one.eps, one.eps_min, one.arrow) == ("a", "b", 0.5, 0.5, 0.5)


def test_two_runs_do_not_suffice() -> None:
    (one,) = dominance(table(x={"a": [5, 7], "b": [4, 9]}))
    assert (one.better, one.worse) == ("b", "a")
    assert one.eps == pytest.approx(1 / 5)
    assert one.eps <= one.eps_min <= one.eps + 1.6449 * 0.5 / 22.3607


def test_models_without_runs_have_dominance() -> None:
    whole = table(x={"a": [5, 6], "b": None, "c": [4, 3], "d": [1]})
    assert neighbours(whole) == [("x", "a", "c"), ("x", "c", "d")]
    assert [(one.better, one.worse) for one in dominance(whole)] == [("a", "c")]


def test_eps_min_depends_on_the_order_of_runs_or_on_the_other_models() -> None:
    numbers = random.Random(3)
    wanted = {(one.better, one.worse): one for one in dominance(table(x=SAMPLES, y=SAMPLES)) if one.dataset == "x"}
    mixed = {name: numbers.sample(values, 10) for name, values in reversed(SAMPLES.items())}
    assert {(one.better, one.worse): one for one in dominance(table(x=mixed))} == wanted
    (alone,) = dominance(table(x={name: mixed[name] for name in "DB"}))
    assert alone == wanted["D", "B"]


def test_far_apart_or_tiny_scores_overflow_or_vanish() -> None:
    assert violation_ratio([1e100, -1e100], [0, 0]) == 0.5
    assert violation_ratio([1e-200, 2e-200], [3e-200, 1e-200]) == 1
    assert violation_ratio([1e8, 1e8 + 3e-7], [1e8 + 1e-7, 1e8 + 1e-7]) == pytest.approx(1 / 5, abs=0.2)


def test_thousands_of_runs_break_eps_min() -> None:
    numbers = np.random.default_rng(2)
    ours, theirs = numbers.normal(20, 1, 3000), numbers.normal(19.9, 1, 2500)
    assert violation_ratio(ours, theirs) < eps_min(ours, theirs) < 0.2


@pytest.mark.parametrize(("bad", "said"), [([], "of no run"), ([1.0, nan], "not finite"), ([inf], "not finite")])
def test_what_is_no_score_is_compared(bad: list[float], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        violation_ratio([1.0], bad)
