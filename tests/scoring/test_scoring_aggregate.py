"""Task values, coverage, and the benchmark average of ZeroSCROLLS tables 3 and 4 (zeroscrolls.md 9.3, 9.4,
11).
"""

import pytest

from scoring import f1, rouge_geo
from scoring.aggregate import Coverage, Summary, benchmark_average, combine, value_missing_as_zero
from scoring.outcome import Outcome

TASKS = [
    "gov_report",
    "summ_screen_fd",
    "qmsum",
    "squality",
    "qasper",
    "narrative_qa",
    "quality",
    "musique",
    "space_digest",
    "book_sum_sort",
]
# row, task scores, printed average, recomputed mean
TABLES = [
    ("Naive -", [22.6, 6.7, 6.7, 10.5, 6.1, 2.1, 26.6, 20.0, 45.0, 50.0], 19.6, 19.63),
    ("T0pp 8192", [7.1, 9.6, 7.2, 3.9, 25.0, 18.7, 21.4, 35.3, 15.2, 0.0], 14.3, 14.34),
    ("Flan-T5 8192", [17.6, 7.8, 11.0, 8.0, 48.3, 19.3, 75.2, 46.8, 48.7, 16.4], 29.9, 29.91),
    ("Flan-UL2 8192", [16.1, 11.5, 13.6, 5.7, 56.9, 25.5, 75.6, 51.3, 36.0, 14.0], 30.6, 30.62),
    ("DaVinci003 4096", [21.7, 16.1, 16.9, 22.0, 52.7, 24.6, 69.0, 33.5, 31.3, 49.5], 33.7, 33.73),
    ("ChatGPT 4096", [21.3, 16.1, 15.6, 20.4, 49.3, 25.1, 66.6, 27.1, 49.1, 49.8], 34.0, 34.04),
    ("Claude 8000", [24.2, 16.1, 14.6, 21.0, 52.3, 32.6, 84.8, 36.1, 61.6, 47.4], 39.1, 39.07),
    ("GPT-4 8192", [26.3, 17.3, 18.5, 22.6, 50.7, 27.6, 89.2, 41.1, 62.8, 60.5], 41.7, 41.66),
    ("Flan-T5-s 8192", [7.6, 4.2, 8.3, 3.8, 18.5, 11.6, 34.6, 21.0, 0.0, 0.0], 11.0, 10.96),
    ("Flan-T5-b 8192", [5.4, 5.1, 9.7, 5.6, 14.2, 16.5, 48.4, 26.9, 0.0, 0.3], 13.2, 13.21),
    ("Flan-T5-l 8192", [6.9, 6.8, 9.7, 5.7, 33.6, 20.1, 62.4, 33.1, 48.0, 0.3], 22.7, 22.66),
    ("Flan-T5-xl 8192", [15.2, 7.2, 10.2, 6.6, 46.6, 21.6, 69.6, 42.8, 32.8, 2.2], 25.5, 25.48),
    ("Flan-T5-xxl 8192", [17.6, 7.8, 11.0, 8.0, 48.3, 19.3, 75.2, 46.8, 48.7, 16.4], 29.9, 29.91),
    ("Flan-T5-xxl 512", [10.0, 7.9, 10.4, 6.1, 15.3, 17.6, 48.2, 26.0, 20.8, 9.0], 17.1, 17.13),
    ("Flan-T5-xxl 1024", [12.1, 9.4, 10.1, 6.3, 25.5, 18.9, 53.2, 30.3, 28.7, 13.4], 20.8, 20.79),
    ("Flan-T5-xxl 2048", [14.0, 10.0, 11.0, 6.8, 35.7, 20.9, 59.8, 40.6, 35.0, 14.7], 24.9, 24.85),
    ("Flan-T5-xxl 4096", [17.3, 9.1, 11.8, 7.4, 46.5, 22.2, 70.8, 46.8, 44.1, 15.1], 29.1, 29.11),
    ("Claude 4096", [23.0, 15.0, 14.3, 20.2, 47.7, 31.7, 76.8, 35.8, 61.1, 37.6], 36.3, 36.32),
    ("Claude 8000", [24.2, 16.1, 14.6, 21.0, 52.3, 32.6, 84.8, 36.1, 61.6, 47.4], 39.1, 39.07),
]


def coverage(expected=10, missing=0, failed=0, truncated=0, length_cut=0):
    attempted = expected - missing
    return Coverage(expected, attempted, attempted - failed, failed, missing, truncated, length_cut)


def plain(*values):
    return [Outcome(value, {"f1": value}, None, {}) for value in values]


@pytest.mark.parametrize(("row", "scores", "printed", "recomputed"), TABLES)
def test_benchmark_average_departs_from_the_published_table(row, scores, printed, recomputed):
    average = benchmark_average(dict(zip(TASKS, scores, strict=True)), TASKS, dict.fromkeys(TASKS, coverage()))
    assert average == pytest.approx(recomputed, abs=5.001e-3)
    assert abs(average - printed) <= 0.0501


def test_benchmark_average_is_given_while_something_is_unanswered():
    values, full = {"a": 10.0, "b": 20.0}, {"a": coverage(), "b": coverage()}
    assert benchmark_average(values, ["a", "b"], full) == 15.0
    assert benchmark_average({"a": 10.0, "b": None}, ["a", "b"], full) is None
    assert benchmark_average({"a": 10.0}, ["a", "b"], full) is None
    assert benchmark_average(values, ["a", "b"], {"a": coverage()}) is None
    for gap in (coverage(missing=1), coverage(failed=1), coverage(expected=0)):
        assert benchmark_average(values, ["a", "b"], {**full, "b": gap}) is None


def test_task_outside_the_suite_enters_the_average():
    assert benchmark_average({"a": 10.0, "x": 90.0}, ["a"], {"a": coverage(), "x": coverage()}) == 10.0


def test_average_of_nothing_or_of_nan_leaves_silently():
    full = {"a": coverage()}
    for tasks in ([], ["a", "a"]):
        with pytest.raises(ValueError, match="one task or more, each once"):
            benchmark_average({"a": 1.0}, tasks, full)
    with pytest.raises(ValueError, match='value of task "a"'):
        benchmark_average({"a": float("nan")}, ["a"], full)


def test_no_outcome_combines_to_a_number():
    with pytest.raises(ValueError, match="f1: no outcome to combine"):
        combine(f1, [])


def test_outcome_of_another_metric_is_combined():
    with pytest.raises(ValueError, match="f1 has the components f1; an outcome has em"):
        combine(f1, [Outcome(1.0, {"em": 1.0}, None, {})])


def test_task_value_depends_on_the_order_of_answers():
    values = [100 / 3, 1e-13, 100.0, 0.1, 0.2, 0.3] * 50
    assert combine(f1, plain(*values)) == combine(f1, plain(*reversed(values)))


def test_missing_answer_counts_as_nothing_in_the_pessimistic_value():
    assert value_missing_as_zero(f1, combine(f1, plain(50.0, 100.0)), 4) == 37.5
    assert value_missing_as_zero(f1, None, 4) == 0.0
    for expected in (0, 1):
        with pytest.raises(ValueError, match="inputs expected, but 2 answered"):
            value_missing_as_zero(f1, combine(f1, plain(50.0, 100.0)), expected)
    with pytest.raises(ValueError, match="0 inputs expected"):
        value_missing_as_zero(f1, None, 0)


def test_pessimistic_rouge_differs_from_scoring_an_empty_answer():
    answered = [rouge_geo.score("the cat sat on a mat", ["the cat sat on the mat"])]
    with_empty = combine(rouge_geo, [*answered, rouge_geo.score("", ["a b c"])])
    assert value_missing_as_zero(rouge_geo, combine(rouge_geo, answered), 2) == pytest.approx(with_empty.value)


@pytest.mark.parametrize(
    ("counts", "rule"),
    [
        ((10, 9, 9, 0, 0, 0, 0), "expected must be attempted"),
        ((10, 10, 9, 0, 0, 0, 0), "attempted must be answered"),
        ((10, 10, 10, 0, 0, 11, 0), "truncated must not exceed"),
        ((10, 10, 9, 1, 0, 0, 10), "length_cut must not exceed"),
        ((10, 11, 11, 0, -1, 0, 0), '"missing" must be a count'),
        ((1, True, 1, 0, 0, 0, 0), '"attempted" must be a count'),
        ((1.0, 1, 1, 0, 0, 0, 0), '"expected" must be a count'),
    ],
)
def test_counts_that_contradict_each_other_are_recorded(counts, rule):
    with pytest.raises(ValueError, match=rule):
        Coverage(*counts)


def test_summary_of_nothing_or_of_nan_can_be_built():
    with pytest.raises(ValueError, match="n must be 1"):
        Summary(1.0, {"f1": 1.0}, 0)
    with pytest.raises(ValueError, match="value must be"):
        Summary(float("nan"), {"f1": 1.0}, 1)
