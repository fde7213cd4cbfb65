"""Values, spread, intervals and coverage of a task, by hand and against scipy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
import pytest
import scipy

from scrollwork.analysis.comparison.summary import Inputs, Labels, Member, summarize
from scrollwork.analysis.statistics.intervals import clustered_interval
from scrollwork.scoring.aggregate import combine, derived
from scrollwork.scoring.metrics import conll
from scrollwork.scoring.registry import metric

LABELS = Labels("s", "t", "test", "m", "full", "f1")
HEADLINE = metric("f1").headline
of_conll = partial(derived, conll)


def member(*values: float | None) -> Member:
    """Answers of inputs i0, i1, ...; None: not answered."""
    return Member({f"i{n}": {"f1": value} for n, value in enumerate(values) if value is not None})


def inputs(count: int, truncated: frozenset[str] = frozenset()) -> Inputs:
    return Inputs({f"i{n}": f"d{n}" for n in range(count)}, truncated)


def test_family_value_is_not_the_mean_over_seeds() -> None:
    rows = summarize(LABELS, inputs(2), {"m:0": member(0, 100), "m:1": member(50, 90)}, HEADLINE)
    assert [row.model for row in rows] == ["m:0", "m:1", "m"]
    assert [row.value for row in rows] == [50.0, 70.0, 60.0]
    assert rows[-1].spread == pytest.approx(14.142135623730951)  # sqrt(200), n - 1
    assert [row.spread for row in rows[:2]] == [None, None]
    assert rows[-1].seeds == 2


def test_unanswered_inputs_enter_the_value() -> None:
    (row,) = summarize(LABELS, inputs(4), {"m": member(100, None, 50, None)}, HEADLINE)
    assert row.value == 75.0
    assert row.value_missing_as_zero == 37.5
    assert (row.coverage.expected, row.coverage.answered, row.coverage.missing) == (4, 2, 2)
    assert not row.coverage.complete


def test_failed_call_counts_as_missing_or_as_an_answer() -> None:
    one = member(100, None, None)
    one.failed = {"i1"}
    (row,) = summarize(LABELS, inputs(3, frozenset({"i2"})), {"m": one}, HEADLINE)
    covered = row.coverage
    assert (covered.attempted, covered.answered, covered.failed, covered.missing, covered.truncated) == (2, 1, 1, 1, 1)
    assert row.value == 100.0


def test_input_that_one_seed_did_not_answer_counts_as_answered() -> None:
    rows = summarize(LABELS, inputs(2), {"m:0": member(10, 20), "m:1": member(10, None)}, HEADLINE)
    assert [row.coverage.answered for row in rows] == [2, 1, 1]


def test_value_without_answers_is_a_number() -> None:
    (row,) = summarize(LABELS, inputs(2), {"m": member(None, None)}, HEADLINE)
    assert (row.value, row.value_missing_as_zero, row.low, row.high) == (None, 0.0, None, None)


def test_geometric_mean_is_taken_per_instance() -> None:
    # Dataset vector RD2 of the fact sheet: items R1 and R7; geometric mean of the means 59.7603
    components = {
        "i0": dict(
            zip(
                ("rouge1", "rouge2", "rougeL", "rougeLsum", "per_instance_mean"),
                (76.9231, 54.5455, 76.9231, 76.9231, 68.5947),
                strict=True,
            )
        ),
        "i1": dict(
            zip(
                ("rouge1", "rouge2", "rougeL", "rougeLsum", "per_instance_mean"),
                (100.0, 0.0, 100.0, 100.0, 0.0),
                strict=True,
            )
        ),
    }
    (row,) = summarize(LABELS, inputs(2), {"m": Member(dict(components))}, metric("rouge_geo").headline)
    assert row.value == pytest.approx(59.7603, abs=1e-3)
    assert row.components["per_instance_mean"] == pytest.approx(34.2974, abs=1e-3)


def test_interval_differs_from_the_bootstrap_of_scipy() -> None:
    values = np.random.default_rng(5).uniform(0, 100, 120)
    ours = clustered_interval({"f1": values[None, :]}, [f"d{n}" for n in range(120)], HEADLINE)
    peer = scipy.stats.bootstrap((values,), np.mean, n_resamples=5000, method="percentile", random_state=1)
    assert ours == pytest.approx(tuple(peer.confidence_interval), abs=1.0)  # the interval is about 10 wide


def test_questions_on_one_document_are_taken_as_independent() -> None:
    values = np.repeat(np.random.default_rng(6).uniform(0, 100, 20), 10)[None, :]
    alone = clustered_interval({"f1": values}, [f"d{n}" for n in range(200)], HEADLINE)
    grouped = clustered_interval({"f1": values}, [f"d{n // 10}" for n in range(200)], HEADLINE)
    assert alone is not None
    assert grouped is not None
    # Ten equal questions a document are one observation: the interval is about sqrt(10) wider.
    assert 2.5 < (grouped[1] - grouped[0]) / (alone[1] - alone[0]) < 4.0


def test_one_document_has_an_interval() -> None:
    assert clustered_interval({"f1": np.array([[1.0, 2.0]])}, ["d", "d"], HEADLINE) is None


def test_two_calls_give_two_intervals() -> None:
    values = {"f1": np.array([[1.0, 5.0, 9.0, 70.0]])}
    assert clustered_interval(values, list("abcd"), HEADLINE) == clustered_interval(values, list("abcd"), HEADLINE)


def of_clusters(replies: Sequence[str | None]) -> Member:
    """Answers to inputs of the same three mentions, None for one that is missing."""
    gold = ["[[1, 2], [3]]"]
    found = {f"i{n}": conll.score(reply, gold).stored for n, reply in enumerate(replies) if reply is not None}
    return Member(dict(found))


def test_macro_f1_is_told_for_micro() -> None:
    whole, nothing = "[[1, 2], [3]]", "no clusters"
    (row,) = summarize(LABELS, inputs(3), {"m": of_clusters([whole, nothing, "[[1, 3]]"])}, conll.headline, of_conll)
    parts = [conll.score(reply, ["[[1, 2], [3]]"]) for reply in (whole, nothing, "[[1, 3]]")]
    told = combine(conll, parts)
    assert row.value == pytest.approx(told.value)
    assert row.components == pytest.approx(told.components)
    assert row.value != pytest.approx(row.components["conll_official"], abs=1.0)
    assert not [name for name in row.components if name.startswith("sum_")]


def test_missing_answer_leaves_a_ratio_of_sums_as_it_is() -> None:
    (row,) = summarize(LABELS, inputs(4), {"m": of_clusters(["[[1, 2]]", None, None, None])}, conll.headline, of_conll)
    assert row.value_missing_as_zero == pytest.approx(row.value / 4)


def test_what_one_seed_alone_tells_is_averaged() -> None:
    members = {"m:0": member(0, 100), "m:1": member(50, 90)}

    def now_and_then(means: Mapping[str, float]) -> Mapping[str, float]:
        return {"both": means["f1"] + 1, **({"one": 7.0} if means["f1"] > 60 else {})}

    rows = summarize(LABELS, inputs(2), members, HEADLINE, now_and_then)
    assert rows[1].components == {"f1": 70.0, "both": 71.0, "one": 7.0}
    assert rows[2].components == {"f1": 60.0, "both": 61.0}
