"""Faithfulness and coverage with models that are plain functions."""

import json

import pytest

from scrollwork.scoring.answers import gold_problem
from scrollwork.scoring.metrics.fic import Fic

GOLD = [json.dumps({"highlights": [["staff is great"], ["great location"]], "alignments": ["one", "two", "three"]})]


class Table:
    """Says of each pair what its second or first text says."""

    name = "table"

    def __init__(self, values, side):
        self.values, self.side, self.asked = values, side, []

    def __call__(self, pairs):
        self.asked += pairs
        return [self.values[pair[self.side]] for pair in pairs]


def fic():
    return Fic(Table({"Good.": 1.0, "Bad.": 0.8}, 1), Table({"one": 0.9, "two": 0.6, "three": 0.3}, 0))


def test_measures_are_not_the_means_of_what_the_models_say():
    metric = fic()
    found = metric.score("Good. Bad.", GOLD)
    assert found.components == pytest.approx({"faithfulness": 90.0, "coverage": 60.0, "f1": 72.0})
    assert metric.entails.asked[0] == ("review_0:\n 1. staff is great\nreview_1:\n 1. great location", "Good.")
    assert metric.covers.asked == [(span, "Good. Bad.") for span in ("one", "two", "three")]


def test_answers_of_a_model_go_to_another_instance():
    metric = fic()
    found = metric.batch(["Good.", "", "Bad. Bad."], [GOLD] * 3)
    assert [one.components["faithfulness"] for one in found] == pytest.approx([100.0, 0.0, 80.0])
    assert [one.components["coverage"] for one in found] == pytest.approx([60.0, 0.0, 60.0])
    assert metric.headline({"f1": 12.5}) == 12.5


def test_models_are_asked_whether_gold_is_there():
    metric = fic()
    assert gold_problem(metric, GOLD) == ""
    assert not metric.entails.asked
    assert not metric.covers.asked


@pytest.mark.parametrize(("value", "problem"), [(1.5, "1.5, which is no"), (float("nan"), "nan, which is no")])
def test_number_that_is_no_probability_is_scored(value, problem):
    with pytest.raises(ValueError, match=f"table gave {problem}"):
        Fic(Table({"Good.": value}, 1), Table({}, 0)).score("Good.", GOLD)


def test_model_that_leaves_a_pair_out_shifts_the_others():
    short = Table({}, 0)
    short.__class__ = type("Short", (Table,), {"__call__": lambda self, pairs: [0.5] * (len(pairs) - 1)})
    with pytest.raises(ValueError, match="table gave 1 answers to 2 pairs"):
        Fic(short, Table({}, 0)).score("One. Two.", GOLD)
