"""Outcomes that cannot be."""

import pickle

import pytest

from scrollwork.scoring.outcome import Outcome


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -0.001, 100.001])
def test_number_off_the_scale_is_recorded(number):
    with pytest.raises(ValueError, match="value must be a finite number"):
        Outcome(number, {"f1": 1.0}, None, {})
    with pytest.raises(ValueError, match='component "f1" must be a finite number'):
        Outcome(1.0, {"f1": number}, None, {})


def test_outcome_changes_with_the_mapping_that_it_was_made_from():
    components = {"f1": 50.0}
    outcome = Outcome(50.0, components, None, {"format_ok": True})
    components["f1"] = 0.0
    assert outcome.components == {"f1": 50.0}


def test_outcome_cannot_cross_to_a_worker_process():
    outcome = Outcome(50.0, {"f1": 50.0}, "x", {"format_ok": True})
    assert pickle.loads(pickle.dumps(outcome)) == outcome


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -0.001])
def test_count_that_is_no_sum_is_recorded(number):
    with pytest.raises(ValueError, match='count "sum_x" must be a finite number from 0'):
        Outcome(1.0, {"f1": 1.0}, counts={"sum_x": number})


def test_counts_and_components_are_mixed_up():
    with pytest.raises(ValueError, match='count "links" must be named sum_'):
        Outcome(1.0, {"f1": 1.0}, counts={"links": 3.0})
    with pytest.raises(ValueError, match='component "sum_links" is named as a count'):
        Outcome(1.0, {"sum_links": 1.0})
    outcome = Outcome(1.0, {"f1": 1.0}, counts={"sum_links": 1234.0})
    assert outcome.stored == {"f1": 1.0, "sum_links": 1234.0}
    assert pickle.loads(pickle.dumps(outcome)) == outcome
