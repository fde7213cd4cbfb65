"""Averages with intervals, and which models are compared on which inputs."""

from __future__ import annotations

import numpy as np
import pytest

from scrollwork.analysis.comparison.models import Measured, Who, averages, comparisons, pairs
from scrollwork.analysis.comparison.outcomes import Outcomes
from scrollwork.records.prompt import CLOSED_BOOK, FULL
from tests.analysis.outcomes_kit import F1, one

A, B, CLOSED = ("a", FULL), ("b", FULL), ("a", CLOSED_BOOK)
LEFT, RIGHT = (np.random.default_rng(seed).uniform(0, 100, 40) for seed in (5, 6))


def measured(outcomes: dict[Who, dict[str, Outcomes]], tasks: tuple[str, ...] = ("x", "y")) -> Measured:
    return Measured("s", "test", dict.fromkeys(tasks, "f1"), dict.fromkeys(tasks, F1), outcomes)


WHOLE = {"x": one(LEFT), "y": one(RIGHT)}
OTHER = {"x": one(RIGHT), "y": one(LEFT)}


def test_average_without_an_interval() -> None:
    (row,) = averages(measured({A: WHOLE}))
    assert row.value == pytest.approx((LEFT.mean() + RIGHT.mean()) / 2)
    assert row.low is not None
    assert row.high is not None
    assert row.low < row.value < row.high
    assert row.high - row.low < 15.0  # one task's is about 18 wide


@pytest.mark.parametrize(
    ("outcomes", "why"),
    [
        ({"x": one(LEFT)}, "1 of 2 tasks"),
        ({"x": one(LEFT), "y": one(RIGHT, asked=41)}, "unanswered inputs in y"),
        ({"x": one(LEFT[:0].tolist() or [], asked=0), "y": one(RIGHT)}, "1 of 2 tasks"),
    ],
)
def test_average_of_something_that_is_not_whole(outcomes: dict[str, Outcomes], why: str) -> None:
    (row,) = averages(measured({A: outcomes}))
    assert (row.value, row.low, row.high, row.withheld) == (None, None, None, why)
    rows = comparisons(measured({A: outcomes, B: OTHER}), (A, B))
    assert "" not in [row.task for row in rows]


def test_average_with_a_task_of_one_document_has_an_interval() -> None:
    (row,) = averages(measured({A: {"x": one(LEFT), "y": one([5.0, 7.0], ["d", "d"])}}))
    assert (row.value, row.low) == (pytest.approx((LEFT.mean() + 6) / 2), None)


def test_every_pair_once_and_none_across_arms_but_a_models_own() -> None:
    c = ("c", FULL)
    assert list(pairs([A, CLOSED, B, c])) == [(A, B), (A, c), (B, c), (A, CLOSED)]
    assert list(pairs([A, CLOSED, B, ("b", CLOSED_BOOK)])) == [
        (A, B),
        (CLOSED, ("b", CLOSED_BOOK)),
        (A, CLOSED),
        (B, ("b", CLOSED_BOOK)),
    ]


def test_upper_bound_is_compared() -> None:
    assert list(pairs([A, B, ("oracle", FULL), ("oracle", CLOSED_BOOK)], ["oracle"])) == [(A, B)]


def test_arm_without_the_other_is_compared() -> None:
    assert list(pairs([CLOSED])) == []


def test_adjusted_p_is_not_of_the_tasks_of_the_pair() -> None:
    rows = {row.task: row for row in comparisons(measured({A: WHOLE, B: OTHER}), (A, B))}
    assert sorted(rows) == ["", "x", "y"]
    x, y, whole = rows["x"], rows["y"], rows[""]
    assert x.difference == pytest.approx(-y.difference)
    assert x.p is not None
    assert y.p is not None
    assert x.p_holm == min(1.0, 2 * min(x.p, y.p)) or x.p_holm == y.p_holm
    assert (whole.difference, whole.p_holm, whole.metric) == (pytest.approx(0.0, abs=1e-9), None, "")
    assert (whole.inputs, whole.clusters, x.inputs) == (80, 80, 40)


def test_task_that_only_one_was_asked_is_compared() -> None:
    rows = comparisons(measured({A: WHOLE, CLOSED: {"y": one(LEFT)}}), (A, CLOSED))
    assert [(row.task, row.arm, row.other_arm) for row in rows] == [("y", FULL, CLOSED_BOOK)]


def test_direction_of_a_comparison_is_the_other_one() -> None:
    rows = comparisons(measured({A: {"x": one(LEFT + 10.0)}, B: {"x": one(LEFT)}}), (A, B))
    (row,) = rows
    assert (row.model, row.other) == ("a", "b")
    assert (row.difference, row.low, row.high) == (pytest.approx(10.0),) * 3
    turned = comparisons(measured({A: {"x": one(LEFT + 10.0)}, B: {"x": one(LEFT)}}), (B, A))
    assert turned[0].p == row.p
