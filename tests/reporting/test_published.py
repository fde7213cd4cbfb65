from decimal import ROUND_HALF_UP, Decimal

import pytest
from boards import PUBLISHED, TASKS, family, params, row

from scrollwork.reporting.boards.leaderboard import as_json, board
from scrollwork.reporting.boards.published import published_of

WHOLE = [one for one in PUBLISHED["row"] if "average" in one]


@pytest.mark.parametrize("one", WHOLE, ids=lambda one: f"table {one['table']}, {one['label']}, {one.get('tokens')}")
def test_printed_averages_are_the_means_of_the_printed_columns(one: dict[str, object]) -> None:
    scores = one["scores"]
    assert isinstance(scores, dict)
    assert list(scores) == TASKS
    mean = sum((Decimal(str(value)) for value in scores.values()), Decimal(0)) / len(TASKS)
    assert mean.quantize(Decimal("0.1"), ROUND_HALF_UP) == Decimal(str(one["average"]))


def test_both_tables_are_whole() -> None:
    labels = {table: [one["label"] for one in PUBLISHED["row"] if one["table"] == table] for table in "34"}
    main = ["Naive", "Human", "T0pp", "Flan-T5", "Flan-UL2", "DaVinci003", "ChatGPT", "Claude", "GPT-4", "CoLT5"]
    assert labels["3"] == main
    assert len(labels["4"]) == 11
    assert [one["label"] for one in PUBLISHED["row"] if "average" not in one] == ["Human", "CoLT5"]
    assert all(set(one["scores"]) <= set(TASKS) for one in PUBLISHED["row"])


def test_means_before_rounding_are_those_recomputed_in_the_fact_sheet() -> None:
    means = [round(sum(one["scores"].values()) / 10, 2) for one in WHOLE]
    assert means[:8] == [19.63, 14.34, 29.91, 30.62, 33.73, 34.04, 39.07, 41.66]
    assert means[8:] == [10.96, 13.21, 22.66, 25.48, 29.91, 17.13, 20.79, 24.85, 29.11, 36.32, 39.07]


def test_published_rows_enter_neither_averages_nor_json() -> None:
    rows = [*family(), row("qmsum", "Human"), *family("Naive")]
    with_paper = as_json(board(rows, params(["naive", "Human", "Naive"])))
    without = as_json(board(rows, params(["naive", "Human", "Naive"], published={})))
    assert with_paper == without
    assert with_paper["averages"] == {"naive": pytest.approx(11.0), "Human": None, "Naive": pytest.approx(11.0)}


def test_a_kind_that_nobody_knows_is_refused() -> None:
    bad = {**PUBLISHED, "row": [{**PUBLISHED["row"][0], "kind": "oracle"}]}
    with pytest.raises(ValueError, match="'oracle' is none of baseline"):
        published_of(bad)


def test_a_suite_without_a_paper_has_no_reference_rows() -> None:
    assert published_of({}) is None
