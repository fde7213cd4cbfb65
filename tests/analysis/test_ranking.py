"""Means, deviations, ranks, AR and ARSD of repeated runs; the numbers are of the SEAM fact sheet, section 8.5."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest
import scipy

from scrollwork.analysis.runs.ranking import dataset_arsd, in_order, standings
from scrollwork.analysis.runs.scores import NA, RunScores, ScoreTable
from scrollwork.analysis.statistics.average_ranks import average_ranks
from tests.analysis.seam_vectors import SAMPLES, scores, table

SPREAD = {
    "A": (21.2700, 0.648151, 0.030473),
    "B": (21.0100, 0.639453, 0.030436),
    "C": (19.2900, 0.341906, 0.017725),
    "D": (21.0500, 0.665207, 0.031601),
}


@pytest.mark.parametrize("name", SAMPLES)
def test_deviation_is_not_that_of_the_population(name: str) -> None:
    one = scores(SAMPLES[name])
    assert (one.mean, one.std, one.relative_std) == pytest.approx(SPREAD[name], abs=5e-7)
    assert (one.minimum, one.maximum) == (min(SAMPLES[name]), max(SAMPLES[name]))


def test_aggregation_of_run_means_differs_from_the_fact_sheet() -> None:
    one = scores([float(np.mean(run)) for run in ([0.2, 0.4], [0.6, 0.8], [0.5, 0.9])])
    assert (one.mean, one.std, one.relative_std) == pytest.approx((0.566667, 0.188562, 0.332756), abs=5e-7)


def test_equal_runs_have_a_deviation_by_rounding() -> None:
    assert [scores([value] * 7).std for value in (0.1, 0.7, 21.3)] == [0, 0, 0]


def test_a_run_alone_has_no_deviation() -> None:
    one = scores([3.5])
    assert (one.mean, one.std, one.relative_std) == (3.5, 0.0, 0.0)
    assert (NA.mean, NA.std, NA.relative_std, NA.minimum, NA.missing) == (None, None, None, None, True)


def test_ranking_of_the_fact_sheet_is_another() -> None:
    assert in_order(table(x=SAMPLES).column("x")) == ["A", "D", "B", "C"]


def test_ties_do_not_share_the_mean_of_their_places() -> None:
    assert average_ranks([5, 4, 4, 1]) == [1, 2.5, 2.5, 4]


def test_missing_scores_are_not_last() -> None:
    assert average_ranks([None, -3.0, 2.0]) == [3, 2, 1]
    assert average_ranks([None, 1, None]) == [2.5, 1, 2.5], "several share the last places"
    assert average_ranks([None, None]) == [1.5, 1.5]


def test_means_that_are_equal_on_paper_differ_by_rounding() -> None:
    """In binary 0.1 + 0.2 + 0.3 is not 3 x 0.2."""
    rows = standings(table(x={"a": [0.1, 0.2, 0.3], "b": [0.2, 0.2, 0.2], "c": [0.3, 0.1, 0.2]}))
    assert {row.model: row.ar for row in rows} == {"a": 2, "b": 2, "c": 2}


def test_means_that_differ_in_the_last_place_are_tied() -> None:
    rows = standings(table(x={"a": [20.0], "b": [20.000000000000004]}))
    assert [(row.model, row.ar) for row in rows] == [("b", 1), ("a", 2)]


def test_ranks_differ_from_those_of_scipy() -> None:
    numbers = random.Random(5)
    for _ in range(300):
        values = [numbers.choice([Fraction(numbers.randrange(6), 7), None]) for _ in range(numbers.randrange(1, 12))]
        peer = scipy.stats.rankdata([1 if value is None else -float(value) for value in values])
        assert average_ranks(values) == peer.tolist()


def test_na_counts_in_arsd_or_is_left_out_of_ar() -> None:
    rows = standings(table(x={"a": [2, 4], "b": [1, 1]}, y={"a": None, "b": [1, 3]}))
    assert [(row.model, row.ar, row.arsd) for row in rows] == [("a", 1.5, 1 / 3), ("b", 1.5, 0.25)]
    assert rows[0].ranks == {"x": 1, "y": 2}
    assert dataset_arsd(table(x={"a": [2, 4], "b": [1, 1]}, y={"a": None, "b": None})) == {"x": 1 / 6, "y": None}


@pytest.mark.parametrize("values", [[0.0, 0.0], [-4.0, -2.0], [1.0, -1.0]])
def test_means_that_are_not_above_zero_enter_arsd(values: list[float]) -> None:
    rows = standings(table(x={"a": values, "b": [1, 3]}))
    assert {row.model: row.arsd for row in rows} == {"a": None, "b": 0.5}
    assert rows[0].model == "b", "the mean counts for the rank"


def test_order_of_rows_and_models_changes_the_ranking() -> None:
    cells = {(model, dataset): scores(values) for dataset in "xy" for model, values in SAMPLES.items()}
    wanted = standings(ScoreTable.of(cells))
    for seed in range(5):
        mixed = list(cells.items())
        random.Random(seed).shuffle(mixed)
        assert standings(ScoreTable.of(dict(mixed))) == wanted


def test_order_of_runs_changes_mean_or_deviation() -> None:
    values = [random.Random(1).uniform(0, 100) for _ in range(50)]
    backwards = RunScores({run: values[49 - run] for run in range(50)})
    one = scores(values)
    assert (one.mean, one.std) == (backwards.mean, backwards.std)
    assert one.std == pytest.approx(np.std(values), rel=1e-12)
