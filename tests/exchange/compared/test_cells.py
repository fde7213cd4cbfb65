"""Words and numbers of a comparison: verdicts, scales, what stands in the file and on the page."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pytest

from scrollwork.analysis.logs.compare import Compared, TaskComparison, compare_systems
from scrollwork.analysis.logs.systems import CompareOptions, systems_of
from scrollwork.analysis.statistics.paired import Permuted
from scrollwork.exchange.compared.as_json import compared_json
from scrollwork.exchange.compared.cells import cells, probability, summary, value, verdict
from scrollwork.exchange.compared.markdown import markdown
from scrollwork.exchange.compared.page import compare_page, drawing
from tests.analysis.logs.logs_kit import a_log, texts

ROW = TaskComparison(
    "facts", "exact", items=100, clusters=100, mean_a=0.6, mean_b=0.5, difference=0.1, interval=(0.05, 0.15),
    test=Permuted(0.001, 9999, False), p_holm=0.001, margin=0.01, equivalence_p=0.9,
)  # fmt: skip

LARGE = Permuted(0.1, 9999, False)


def compared(count: int = 30, scale: float = 1.0) -> Compared:
    random = np.random.default_rng(2)
    one, other = (random.integers(0, 2, count) * scale for _ in "ab")
    logs = [a_log(one, ids=texts(count)), a_log(other, model="beta", ids=texts(count))]
    systems, _ = systems_of({"x": logs})
    return compare_systems(systems, CompareOptions())


def test_the_summary_counts_no_pairs_or_hides_those_without_a_row() -> None:
    three = replace(compared(), pairs=compared().pairs * 3)
    assert summary(compared()) == "1 comparison: 0 with a difference, 0 equal within the margin, 1 undecided"
    assert summary(three).startswith("3 comparisons in 3 pairs: ")
    pairs = [*three.pairs[:1], *(replace(pair, tasks=[]) for pair in three.pairs[1:])]
    said = summary(replace(three, pairs=pairs))
    assert said.startswith("1 comparison in 1 of 3 pairs: ")
    assert said.endswith("; 2 pairs have no task and metric in common")


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({}, "A is better"),
        ({"difference": -0.1}, "B is better"),
        ({"lower_is_better": True}, "B is better"),
        ({"equivalence_p": 0.01, "margin": 0.2}, "A is better, by less than 0.2000"),
        ({"p_holm": 0.2, "equivalence_p": 0.01}, "equal within 0.0100"),
        (
            {"p_holm": 0.2, "test": LARGE, "items_to_decide": 1234, "clusters_to_decide": 1234},
            "undecided: about 1,234 items would decide",
        ),
        (
            {"p_holm": 0.2, "test": LARGE, "items_to_decide": 200, "clusters_to_decide": 40, "clusters": 20},
            "undecided: about 40 documents (200 items) would decide",
        ),
        (
            {"p_holm": 0.2, "items_to_decide": 80, "clusters_to_decide": 80},
            "undecided: p is .0010 before Holm's correction",
        ),
        ({"p_holm": 0.2}, "undecided"),
        ({"p_holm": None, "test": None, "equivalence_p": None, "clusters": 1}, "one cluster: nothing can be tested"),
    ],
)
def test_the_verdict_is_another(changes: dict[str, object], says: str) -> None:
    assert verdict(replace(ROW, **changes)) == says  # type: ignore[arg-type]


def test_a_number_is_shown_in_the_places_of_another_scale() -> None:
    assert value(0.12345, ROW, sign=True) == "+0.1234" or value(0.12345, ROW, sign=True) == "+0.1235"
    assert value(-12.3456, replace(ROW, mean_a=60.0)) == "−12.35"
    assert value(-0.00001, ROW, sign=True) == "0.0000"  # no signed zero
    assert value(None, ROW) == "–"


def test_a_small_p_is_shown_as_none_or_a_large_one_without_its_one() -> None:
    assert [probability(p) for p in (None, 0.0, 0.00009, 0.0001, 0.05, 1.0)] == [
        "–",
        "< .0001",
        "< .0001",
        ".0001",
        ".0500",
        "1",
    ]


def test_json_holds_what_is_no_json() -> None:
    found = compared_json(compared())
    (row,) = found["pairs"][0]["tasks"]
    json.dumps(found, allow_nan=False)
    assert {"n", "paired_by", "ci", "p_holm", "items_to_decide", "equivalent", "power"} <= row.keys()
    assert (
        row["won"] + row["lost"] + row["tied"]
        == row["n"]
        == row["both_right"] + row["both_wrong"] + row["won"] + row["lost"]
    )


def test_markdown_has_a_row_of_other_width() -> None:
    lines = markdown(compared()).splitlines()
    widths = {line.count("|") for line in lines if line.startswith("|")}
    assert widths == {len(cells(ROW)) + 1}


def test_the_page_asks_the_network_or_runs_a_script() -> None:
    page = compare_page(compared())
    assert "<script" not in page
    assert "http" not in page.replace("http-equiv", "")
    assert "style-src 'sha256-" in page
    assert re.search(r"default-src 'none'", page)


def test_intervals_of_metrics_whose_low_values_are_good_point_the_wrong_way() -> None:
    found = compared(60)
    (pair,) = found.pairs
    plain = drawing(pair)
    turned = drawing(replace(pair, tasks=[replace(pair.tasks[0], lower_is_better=True)]))
    assert plain is not None
    assert turned is not None
    middle = plain.zero
    assert plain.marks[0].middle - middle == pytest.approx(middle - turned.marks[0].middle, abs=0.02)
    assert turned.marks[0].low < turned.marks[0].high


def test_scores_of_a_hundred_have_the_margin_of_one() -> None:
    (row,) = compared(scale=100.0).pairs[0].tasks
    assert row.margin == 1.0
    assert row.both_right is not None
    assert row.both_right + (row.both_wrong or 0) + row.won + row.lost == row.items
