"""Task values from outcomes (zeroscrolls.md 7, 11)."""

import pytest

from scrollwork.scoring.aggregate import Summary, combine, derived
from scrollwork.scoring.metrics import f1, musique_output
from scrollwork.scoring.outcome import Outcome


def plain(*values):
    return [Outcome(value, {"f1": value}, None, {}) for value in values]


def test_no_outcome_combines_to_a_number():
    with pytest.raises(ValueError, match="f1: no outcome to combine"):
        combine(f1, [])


def test_outcome_of_another_metric_is_combined():
    with pytest.raises(ValueError, match="f1 has the components f1; an outcome has em"):
        combine(f1, [Outcome(1.0, {"em": 1.0}, None, {})])


def test_task_value_depends_on_the_order_of_answers():
    values = [100 / 3, 1e-13, 100.0, 0.1, 0.2, 0.3] * 50
    assert combine(f1, plain(*values)) == combine(f1, plain(*reversed(values)))


def test_summary_of_nothing_or_of_nan_can_be_built():
    with pytest.raises(ValueError, match="n must be at least 1"):
        Summary(1.0, {"f1": 1.0}, 0)
    with pytest.raises(ValueError, match="value must be"):
        Summary(float("nan"), {"f1": 1.0}, 1)


def test_outcome_without_its_counts_is_combined():
    whole = musique_output.score("x", ['{"answer_content": "x", "is_answerable": true}'])
    with pytest.raises(ValueError, match="musique_output has the counts sum_answerable, sum_f1_answerable"):
        combine(musique_output, [whole, Outcome(whole.value, whole.components)])


def test_counts_are_told_as_components():
    whole = musique_output.score("x", ['{"answer_content": "x", "is_answerable": true}'])
    summary = combine(musique_output, [whole])
    assert set(summary.components) == {*musique_output.COMPONENTS, "f1_answerable"}
    assert set(summary.counts) == set(musique_output.COUNTS)
    assert derived(f1, {"f1": 1.0}) == {}
