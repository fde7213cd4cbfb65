"""Clustered bootstrap intervals: against normal theory and cases by hand."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from scrollwork.analysis.comparison.summary import Inputs, Labels, Member, summarize
from scrollwork.analysis.statistics import intervals
from scrollwork.analysis.statistics.intervals import (
    RESAMPLES,
    Clusters,
    Floats,
    clustered_interval,
    few_counts,
    generator,
    many_counts,
    resample_counts,
    resampled_headlines,
)
from scrollwork.scoring.registry import metric

HEADLINE = metric("f1").headline
LABELS = Labels("s", "t", "test", "m", "full", "f1")


def interval(values: object, clusters: list[str], level: float = 0.95) -> tuple[float, float]:
    found = clustered_interval({"f1": np.atleast_2d(np.asarray(values, dtype=np.float64))}, clusters, HEADLINE, level)
    assert found is not None
    return found


@pytest.mark.parametrize(("level", "z"), [(0.95, 1.960), (0.5, 0.6745)])
def test_interval_of_one_input_a_document_departs_from_normal_theory(level: float, z: float) -> None:
    values = np.random.default_rng(1).uniform(0, 100, 400)
    low, high = interval(values, [f"d{number}" for number in range(400)], level)
    half = z * values.std() / np.sqrt(400)  # the bootstrap's own variance divides by n
    assert (low + high) / 2 == pytest.approx(values.mean(), abs=0.15 * half)
    assert (high - low) / 2 == pytest.approx(half, rel=0.08)


def test_two_documents_have_other_ends_than_their_means() -> None:
    """Resamples of two clusters: both the first (1/4), both the second (1/4), one of each: ends are the two means."""
    assert interval([0, 20, 90], ["a", "a", "b"]) == pytest.approx((10.0, 90.0))


def test_large_document_weighs_as_little_as_a_small_one() -> None:
    # Half of all resamples hold each document once: inputs, not documents, are averaged: (3 * 0 + 100) / 4
    # (10 % of two clusters: tails of Phi(-sqrt(2) x 0.158) = 41 %, t with one degree of freedom)
    low, high = interval([0, 0, 0, 100], ["a", "a", "a", "b"], level=0.1)
    assert (low, high) == pytest.approx((25.0, 25.0))


def test_equal_values_have_a_width() -> None:
    assert interval([40.0] * 6, list("aabbcc")) == pytest.approx((40.0, 40.0))


def test_order_or_names_of_documents_change_the_interval() -> None:
    values, clusters = [10.0, 30.0, 50.0, 90.0], ["a", "b", "c", "d"]
    assert interval(values, clusters) == interval(values, ["w", "x", "y", "z"])
    assert interval(values[::-1], clusters[::-1]) == pytest.approx(interval(values, clusters))


@pytest.mark.parametrize("clusters", [["a"], ["a", "a"], []])
def test_fewer_than_two_documents_have_an_interval(clusters: list[str]) -> None:
    values = np.zeros((1, len(clusters)))
    assert clustered_interval({"f1": values}, clusters, HEADLINE) is None


def test_seeds_are_resampled_apart() -> None:
    """Two members that always add up to 100 have a mean of 50 in every resample of shared inputs."""
    values = np.random.default_rng(2).uniform(0, 100, 50)
    low, high = interval([values, 100 - values], [f"d{number}" for number in range(50)])
    assert (low, high) == pytest.approx((50.0, 50.0))


def test_geometric_headline_of_two_documents_leaves_their_range() -> None:
    """Two documents by hand: resamples give R1 = R2 = RL of the one, of the other, or the mean of both."""
    names = ("rouge1", "rouge2", "rougeL")
    components = {name: np.array([[10.0, 40.0]]) for name in (*names, "rougeLsum", "per_instance_mean")}
    found = clustered_interval(components, ["a", "b"], metric("rouge_geo").headline)
    assert found == pytest.approx((10.0, 40.0))


def test_input_that_one_seed_did_not_answer_enters_the_interval() -> None:
    inputs = Inputs({"i0": "d0", "i1": "d1", "i2": "d2"})
    members = {
        "m:0": Member({"i0": {"f1": 10.0}, "i1": {"f1": 30.0}, "i2": {"f1": 100.0}}),
        "m:1": Member({"i0": {"f1": 10.0}, "i1": {"f1": 30.0}}),
    }
    family = summarize(LABELS, inputs, members, HEADLINE)[-1]
    assert (family.low, family.high) == pytest.approx((10.0, 30.0))
    assert (family.coverage.answered, family.coverage.missing) == (2, 1)
    assert family.value == pytest.approx((140 / 3 + 20) / 2)
    assert family.value_missing_as_zero == pytest.approx((140 / 3 + 40 / 3) / 2)


def test_family_of_which_one_seed_answered_nothing_has_a_value_of_the_others_only() -> None:
    inputs = Inputs({"i0": "d0", "i1": "d1"})
    members = {"m:0": Member({"i0": {"f1": 80.0}, "i1": {"f1": 40.0}}), "m:1": Member()}
    rows = summarize(LABELS, inputs, members, HEADLINE)
    assert [row.value for row in rows] == [60.0, None, None]
    assert rows[-1].value_missing_as_zero == 30.0
    assert [row.coverage.complete for row in rows] == [True, False, False]


def test_answer_cut_by_length_is_counted_twice_or_not_at_all() -> None:
    inputs = Inputs({"i0": "d0", "i1": "d1", "i2": "d2"}, frozenset({"i0", "i1"}))
    scores = {name: {"f1": 50.0} for name in ("i0", "i1", "i2")}
    members = {
        "m:0": Member(dict(scores), set(), {"i0": "length"}),
        "m:1": Member(dict(scores), set(), {"i0": "length", "i2": "length"}, masked={"i1", "i2"}),
    }
    rows = summarize(LABELS, inputs, members, HEADLINE)
    assert [row.coverage.length_cut for row in rows] == [1, 2, 2]
    assert [row.coverage.masked for row in rows] == [0, 2, 2]
    assert [row.coverage.truncated for row in rows] == [2, 2, 2]


@pytest.mark.parametrize("clusters", [2, 7, 300])
def test_resamples_in_blocks_are_other_resamples(clusters: int, monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(clusters)
    components = {name: random.uniform(0, 100, (3, 2 * clusters)) for name in ("one", "two")}
    grouped = Clusters.of([f"document {number % clusters}" for number in range(2 * clusters)])

    def resampled() -> Floats:
        few_counts.cache_clear()
        many_counts.cache_clear()
        return resampled_headlines(components, grouped, lambda means: means["one"] * means["two"], "a task").values

    whole = resampled()
    counts = resample_counts(clusters, "a task")
    plain = generator("bootstrap", "a task", clusters).multinomial(
        clusters, np.full(clusters, 1 / clusters), size=RESAMPLES
    )
    assert (counts == plain).all()
    monkeypatch.setattr(intervals, "BLOCK_BYTES", 8 * clusters * 7)
    assert len(intervals.blocks(clusters)) == -(-RESAMPLES // 7)
    assert resampled() == pytest.approx(whole, rel=1e-12)
    assert (resample_counts(clusters, "a task") == counts).all()


def test_many_documents_are_held_as_floats(monkeypatch: pytest.MonkeyPatch) -> None:
    """2,000 bytes a document are held, one for each resample; as floats it would be 16,000."""
    monkeypatch.setattr(intervals, "BLOCK_BYTES", 1 << 20)
    many = 4_000
    grouped = Clusters.of([f"document {number}" for number in range(many)])
    many_counts.cache_clear()
    tracemalloc.start()
    try:
        resampled_headlines({"f1": np.ones((1, many))}, grouped, lambda means: means["f1"], "a task")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
        many_counts.cache_clear()
    assert peak < 3_000 * many
