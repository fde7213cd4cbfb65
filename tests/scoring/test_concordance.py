"""Concordance index against the vectors of zeroscrolls.md 11."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrollwork.scoring.metrics import concordance
from scrollwork.scoring.outcome import GoldError
from scrollwork.scoring.reading.parsing import ids

# id, prediction, gold, parsed ids, index
VECTORS = [
    ("C1", "1, 2, 3, 4", "1, 2, 3, 4", [1, 2, 3, 4], 1.000000),
    ("C2", "4, 3, 2, 1", "1, 2, 3, 4", [4, 3, 2, 1], 0.000000),
    ("C3", "2, 1, 3, 4", "1, 2, 3, 4", [2, 1, 3, 4], 0.833333),
    ("C4", "3, 1, 2", "2, 3, 1", [3, 1, 2], 0.333333),
    ("C5", "5, 1, 3, 4, 2", "1, 2, 3, 4, 5", [5, 1, 3, 4, 2], 0.400000),
    ("C6", "1, 2, 3, 4, 5", "5, 1, 3, 2, 4", [1, 2, 3, 4, 5], 0.500000),
    ("C7", "Order: 5, 1, 3, 4, 2", "5, 1, 3, 4, 2", [5, 1, 3, 4, 2], 1.000000),
    ("C8", "1, 2, 3", "1, 2, 3, 4", [1, 2, 3], 0.000000),
    ("C9", "1, 2, 3, 3", "1, 2, 3, 4", [1, 2, 3, 3], 0.000000),
    ("C10", "1, 2, 3, 4, 5", "1, 2, 3, 4", [1, 2, 3, 4, 5], 0.000000),
    ("C11", "", "1, 2, 3", [], 0.000000),
    ("C12", "no idea", "1, 2, 3", [], 0.000000),
    ("C13", "1 2 3 4", "1, 2, 3, 4", [1, 2, 3, 4], 1.000000),
    ("C14", "1,2,3,4", "1, 2, 3, 4", [1, 2, 3, 4], 1.000000),
    ("C15", "[1, 2, 3, 4]", "1, 2, 3, 4", [1, 2, 3, 4], 1.000000),
    ("C16", "1\n2\n3", "1, 2, 3", [1, 2, 3], 1.000000),
    ("C17", "1, 2, 3.", "1, 2, 3", [1, 2, 3], 1.000000),
    ("C18", "1.2.3.4", "1, 2, 3, 4", [1234], 0.000000),
    ("C19", "1-2-3", "1, 2, 3", [123], 0.000000),
    ("C20", "1 - 3 - 2", "1, 2, 3", [1, 3, 2], 0.666667),
    ("C21", "1 > 3 > 2", "1, 2, 3", [1, 3, 2], 0.666667),
    ("C22", "Summary 2, Summary 1, Summary 3", "1, 2, 3", [2, 1, 3], 0.666667),
    ("C23", "The 3 summaries: 1, 2, 3", "1, 2, 3", [3, 1, 2, 3], 0.000000),
    ("C24", "1. 2\n2. 1\n3. 3", "2, 1, 3", [1, 2, 2, 1, 3, 3], 0.000000),
    ("C25", "1st, 2nd, 3rd", "1, 2, 3", [1, 2, 3], 1.000000),
    ("C26", "01, 02, 03", "1, 2, 3", [1, 2, 3], 1.000000),
    ("C27", "0, 1, 2", "1, 2, 3", [0, 1, 2], 0.000000),
]

PERMUTATIONS = st.integers(2, 90).flatmap(lambda n: st.tuples(*[st.permutations(range(1, n + 1))] * 2))


def text(order):
    return ", ".join(map(str, order))


@pytest.mark.parametrize(("name", "prediction", "gold", "parsed", "index"), VECTORS)
def test_concordance_departs_from_the_fact_sheet(name, prediction, gold, parsed, index):
    assert ids(prediction) == [str(number) for number in parsed]
    outcome = concordance.score(prediction, [gold])
    assert outcome.value / 100 == pytest.approx(index, abs=5e-7)
    assert outcome.parsed == (text(parsed) or None)
    assert outcome.flags == {"format_ok": sorted(parsed) == sorted(map(int, ids(gold)))}


@given(PERMUTATIONS)
def test_concordance_departs_from_the_share_of_agreeing_pairs(orders):
    answer, gold = orders
    agreeing = [gold.index(a) < gold.index(b) for a, b in combinations(answer, 2)]
    assert concordance.score(text(answer), [text(gold)]).value == pytest.approx(100 * sum(agreeing) / len(agreeing))


@given(PERMUTATIONS)
def test_reversed_order_is_not_the_complement(orders):
    answer, gold = orders
    there = concordance.score(text(answer), [text(gold)]).value
    back = concordance.score(text(answer[::-1]), [text(gold)]).value
    assert there + back == pytest.approx(100.0)


@pytest.mark.parametrize("gold", ["", "no ids", "1", "2", "1, 1", "0, 1", "1, 3", "1, 2, 2"])
def test_gold_that_is_no_order_scores_instead_of_failing(gold):
    with pytest.raises(GoldError, match=r"holds . ids|is not a permutation"):
        concordance.score("1, 2", [gold])


def test_number_of_a_million_digits_raises_or_counts_as_an_id():
    huge = "1" * 1_000_000
    assert concordance.score(huge, ["1, 2"]).value == 0.0
    assert concordance.score(f"{huge}, 1, 2", ["1, 2"]).value == 0.0
    assert concordance.score("0" * 10_000 + "1, 2", ["1, 2"]).value == 100.0
    assert len(concordance.score(huge, ["1, 2"]).parsed) <= 1001


def test_digits_of_other_scripts_count_as_ids():
    assert ids("１, 2, ٣") == ["2"]


def test_unicode_white_space_glues_ids():
    assert ids("1\u00a02\u20283") == ["1", "2", "3"]
    assert ids("1\u200b2") == ["12"]  # a zero-width space is no white space and is deleted


def test_best_of_several_references_is_not_taken():
    assert concordance.score("2, 1, 3", ["1, 2, 3", "2, 1, 3"]).value == 100.0
