"""Measures and slices of judged answers, by hand."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from scrollwork.analysis.comparison.judged import COLUMNS, JudgedAnswers, by_length, conduct, outcomes_from, slices
from scrollwork.analysis.comparison.summary import Labels
from scrollwork.records.judgement import AnswerMeasure, Judgement, Slice
from scrollwork.scoring.registry import metric

LABELS = Labels("s", "t", "test", "m", "full", "f1")
F1 = metric("f1")


def judgement(place: int, value: float | None = 50.0, **told: Any) -> Judgement:
    """Input number `place` with a document of its own; value None: not answered."""
    answered = value is not None
    said = {"words": 2, "in_format": True, "readable": None, "refusal": None, "length_cut": False}
    known: dict[str, Any] = {
        "suite": "s",
        "task": "t",
        "split": "test",
        "model": "m",
        "arm": "full",
        "metric": "f1",
        "example_id": f"e{place}",
        "draw": 0,
        "cluster": f"c{place}",
        "document_words": 100 * place,
        "truncated": False,
        "answer_in": None,
        "evidence_in": None,
        "reference_words": 4.0,
        "answerable": True,
        "answered": answered,
        "components": {"f1": value} if answered else {},
        **(said if answered else dict.fromkeys(said)),
    }
    return Judgement(**{**known, **told})


def measures(rows: list[Judgement]) -> dict[str, AnswerMeasure]:
    return {one.measure: one for one in conduct(JudgedAnswers.of(rows), LABELS)}


def parts(rows: list[Judgement], by: str) -> list[Slice]:
    return [one for one in slices(JudgedAnswers.of(rows), LABELS, F1.headline, F1.COMPONENTS) if one.by == by]


def test_share_is_not_of_the_answers() -> None:
    found = measures(
        [
            judgement(1, refusal="unanswerable"),
            judgement(2, refusal="unanswerable", answerable=False),
            judgement(3, refusal="context"),
            judgement(4, refusal="declined", length_cut=True),
            judgement(5, words=0, in_format=False),
            judgement(6, None),
        ]
    )
    assert {name: (one.value, one.answers) for name, one in found.items()} == {
        "in_format": (80.0, 5),
        "unanswerable": (40.0, 5),
        "wrongly_unanswerable": (25.0, 4),
        "lacks_context": (20.0, 5),
        "declined": (20.0, 5),
        "length_cut": (20.0, 5),
        "empty": (20.0, 5),
        "answer_words": (pytest.approx(1.6), 5),
        "reference_words": (4.0, 5),
        "length_ratio": (pytest.approx(0.4), 5),
    }


def test_metric_that_reads_everything_has_unreadable_answers() -> None:
    assert "unreadable" not in measures([judgement(1), judgement(2)])
    found = measures([judgement(1, readable=True), judgement(2, readable=False)])["unreadable"]
    assert (found.value, found.low, found.high) == (50.0, 0.0, 100.0)


def test_ratio_of_lengths_is_a_mean_of_ratios_or_divides_by_nothing() -> None:
    rows = [judgement(1, words=10, reference_words=1.0), judgement(2, words=2, reference_words=5.0)]
    assert measures(rows)["length_ratio"].value == pytest.approx(2.0)
    assert measures([*rows, judgement(3, words=9, reference_words=0.0)])["length_ratio"].answers == 2
    assert "length_ratio" not in measures([judgement(1, reference_words=0.0)])


def test_seeds_of_a_family_are_one_answer() -> None:
    rows = [judgement(1, refusal=kind, model=f"m:{seed}") for seed, kind in enumerate((None, "declined"))]
    found = measures(rows)["declined"]
    assert (found.value, found.answers, found.low) == (50.0, 1, None)


def test_input_that_one_seed_did_not_answer_is_measured() -> None:
    rows = [
        judgement(1, model="m:0"),
        judgement(1, None, model="m:1"),
        judgement(2, model="m:0"),
        judgement(2, model="m:1"),
    ]
    assert measures(rows)["in_format"].answers == 1


def test_nothing_answered_is_a_crash_or_a_measure() -> None:
    rows = [judgement(1, None), judgement(2, None)]
    assert measures(rows) == {}
    assert [(one.asked, one.answered, one.value) for one in parts(rows, "document_words")] == [(1, 0, None)] * 2


def test_parts_by_length_are_not_quartiles_of_what_was_asked() -> None:
    rows = [judgement(place, 10.0 * place) for place in range(1, 9)]
    rows[7] = judgement(8, None)
    found = parts(rows, "document_words")
    assert [(one.part, one.least, one.most, one.asked, one.answered, one.value) for one in found] == [
        ("100 to 200", 100, 200, 2, 2, 15.0),
        ("300 to 400", 300, 400, 2, 2, 35.0),
        ("500 to 600", 500, 600, 2, 2, 55.0),
        ("700 to 800", 700, 800, 2, 1, 70.0),
    ]


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 9, 100])
def test_input_is_in_no_part_or_in_two(count: int) -> None:
    inputs = JudgedAnswers.of([judgement(place, document_words=place % 7) for place in range(count)]).inputs
    groups = by_length(inputs)
    assert sorted(name for group in groups for name in group.names) == sorted(inputs)
    assert all(left.most < right.least for left, right in pairwise(groups))  # type: ignore[operator]
    assert 1 <= len(groups) <= 4


def test_documents_of_one_length_are_parted() -> None:
    assert parts([judgement(place, document_words=5) for place in range(9)], "document_words") == []


def test_cut_prompts_are_mixed_with_whole_ones() -> None:
    rows = [
        judgement(1, 10.0, truncated=True, evidence_in="dropped", answer_in="absent"),
        judgement(2, 30.0, truncated=True, evidence_in="kept"),
        judgement(3, 90.0),
    ]
    assert [(one.part, one.value) for one in parts(rows, "truncated")] == [("cut", 20.0), ("whole", 90.0)]
    assert [(one.part, one.value) for one in parts(rows, "evidence")] == [
        ("dropped", 10.0),
        ("kept", 30.0),
        ("not known", 90.0),
    ]
    assert [one.part for one in parts(rows, "answer")] == ["absent", "not known"]


def test_prompts_that_are_all_whole_are_a_slice() -> None:
    assert parts([judgement(1), judgement(2)], "truncated") == []
    assert parts([judgement(1), judgement(2)], "evidence") == []


def test_geometric_mean_of_a_slice_is_taken_per_input() -> None:
    geo = metric("rouge_geo")
    names = ("rouge1", "rouge2", "rougeL", "rougeLsum", "per_instance_mean")
    rows = [
        judgement(1, components=dict(zip(names, (80.0, 0.0, 80.0, 80.0, 0.0), strict=True)), truncated=True),
        judgement(2, components=dict(zip(names, (20.0, 50.0, 20.0, 20.0, 27.0), strict=True)), truncated=True),
        judgement(3, components=dict(zip(names, (50.0, 50.0, 50.0, 50.0, 50.0), strict=True))),
    ]
    found = [
        one for one in slices(JudgedAnswers.of(rows), LABELS, geo.headline, geo.COMPONENTS) if one.by == "truncated"
    ]
    assert found[0].value == pytest.approx((50.0 * 25.0 * 50.0) ** (1 / 3))


def test_order_of_rows_changes_a_bit() -> None:
    rows = [
        judgement(place, 3.3 * place + 0.1, words=place, model=f"m:{seed}")
        for place in range(1, 30)
        for seed in range(3)
    ]
    turned = rows[::-1]
    assert measures(rows) == measures(turned)
    assert parts(rows, "document_words") == parts(turned, "document_words")


def test_columns_give_other_outcomes_than_rows() -> None:
    rows = [judgement(1, 10.0), judgement(2, None), judgement(3, 30.0)]
    columns = [[row.to_dict()[name] for name in COLUMNS] for row in rows]
    left, right = JudgedAnswers.of(rows).outcomes(F1.COMPONENTS), outcomes_from(columns, F1.COMPONENTS)
    assert (left.names, left.clusters, left.asked) == (right.names, right.clusters, right.asked)
    assert left.asked == 3
    assert left.components["f1"].tolist() == right.components["f1"].tolist() == [[10.0, 30.0]]
