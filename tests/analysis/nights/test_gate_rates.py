"""A hundredth of the simulation of docs/gate.md."""

from benchmarks.nights.draws import Shape
from benchmarks.nights.rates import false_alarms, found_by_night
from scrollwork.analysis.nights.rule import STANDARD


def test_nights_without_change_alarm() -> None:
    assert sum(false_alarms(Shape(rho=0.3), STANDARD, 40, 1).failed) <= 3  # more have a chance of .1 % at 1 %


def test_a_drop_of_five_points_is_missed() -> None:
    assert found_by_night(Shape(), STANDARD, 5.0, 1, 1, 10)[0] >= 0.7
