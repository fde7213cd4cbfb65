"""Exponential similarity against the vectors of zeroscrolls.md 11 and the reference table of 7.4."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrollwork.scoring.metrics import es
from scrollwork.scoring.outcome import GoldError
from scrollwork.scoring.reading.parsing import percentage

# id, prediction, gold, parsed, similarity
VECTORS = [
    ("S1", "60%", "60%", 60.0, 1.000000),
    ("S2", "60.5%", "60%", 60.5, 0.965936),
    ("S3", "100%", "60%", 100.0, 0.062500),
    ("S4", "50%", "84%", 50.0, 0.094732),
    ("S5", "70%", "60%", 70.0, 0.500000),
    ("S6", "40%", "60%", 40.0, 0.250000),
    ("S7", "0.6", "60%", None, 0.000000),
    ("S8", "0.6%", "60%", 0.6, 0.016289),
    ("S9", "60", "60%", None, 0.000000),
    ("S10", "60 %", "60%", None, 0.000000),
    ("S11", "60percent", "60%", None, 0.000000),
    ("S12", "60％", "60%", None, 0.000000),
    ("S13", "sixty percent", "60%", None, 0.000000),
    ("S14", "", "60%", None, 0.000000),
    (
        "S15",
        "Out of 50 reviews, 20 are positive and 30 are negative, so 40% of the reviews are positive 60% are negative.",
        "40%",
        40.0,
        1.000000,
    ),
    ("S16", "around 70-80%", "60%", 80.0, 0.250000),
    ("S17", "between 70% and 80%", "60%", 70.0, 0.500000),
    ("S18", "150%", "60%", 150.0, 0.001953),
    ("S19", "-20%", "60%", 20.0, 0.062500),
    ("S20", "1,000%", "60%", 0.0, 0.015625),
    ("S21", "66.67%", "66%", 66.67, 0.954621),
    ("S22", "60.%", "60%", 60.0, 1.000000),
    ("S23", ".5%", "5%", 5.0, 1.000000),
    ("S24", "60%", "0%", 60.0, 0.015625),
    ("S25", "Percentage of Positive Reviews: 84%", "84%", 84.0, 1.000000),
    ("S26", "30/50 = 60%", "60%", 60.0, 1.000000),
]

# difference in points, similarity
TABLE = [(0, 1), (1, 0.9330), (2, 0.8706), (5, 0.7071), (10, 0.5), (20, 0.25), (50, 0.03125)]


@pytest.mark.parametrize(("name", "prediction", "gold", "parsed", "similarity"), VECTORS)
def test_similarity_departs_from_the_fact_sheet(name, prediction, gold, parsed, similarity):
    assert percentage(prediction) == parsed
    outcome = es.score(prediction, [gold])
    assert outcome.value / 100 == pytest.approx(similarity, abs=5e-7)
    assert outcome.flags == {"format_ok": parsed is not None}
    assert outcome.parsed == (None if parsed is None else str(parsed))


@pytest.mark.parametrize(("points", "similarity"), TABLE)
def test_similarity_halves_elsewhere_than_at_ten_points(points, similarity):
    assert es.similarity(30.0 + points, 30.0) == pytest.approx(similarity, abs=5e-5)
    assert es.similarity(30.0, 30.0 + points) == pytest.approx(similarity, abs=5e-5)


OFFICIAL = re.compile(r"\d+\.?\d*%")  # as in a public copy of the official file
HOSTILE = [
    *("50 % or 60%", "%%60%%", "60%%", "a60%b", "60%70%", "6.0.5%", "6..5%", "..5%", "5.%", "1e3%", "-.5%", "0x60%", "60\n%"),
    *("60\u200b%", "\u0666\u0660%", "\uff16\uff10.5%", "6\u0660%", "\u00b2%", "5\u00b2%", "\u216b%", "60\uff05 70%", "60\u066a", "\U0001d7e7%"),
    *("1,234.5%", "00060%", "(60%)", "60.5.%", "60.%.5%", "\u0967.\u0968%", "%", ".%", "60. %", "", "\ud800 60%"),
]  # fmt: skip


def officially(text):
    """The percentage as the official code reads it."""
    match = OFFICIAL.search(text)
    return float(match.group().replace("%", "")) if match else None


@given(st.text(alphabet="0159.%, -e\n\u0660\uff16\u00b2\uff05", max_size=30))
def test_reading_backwards_departs_from_the_official_pattern(text):
    assert percentage(text) == officially(text)


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_answer_is_read_otherwise_than_by_the_official_pattern(text):
    assert percentage(text) == officially(text)


def test_version_number_before_the_sign_is_read_from_its_start():
    assert percentage("1.2.3%") == 2.3


def test_digits_of_other_scripts_are_read_otherwise_than_by_the_official_pattern():
    assert percentage("６０%") == 60.0
    assert percentage("٦٠%") == 60.0
    assert percentage("６０％") is None
    assert percentage("²%") is None


def test_percentage_of_thousands_of_digits_raises():
    for digits in ("9" * 400, "9" * 5000):
        assert es.score(digits + "%", ["60%"]).value == 0.0
    assert es.score("60." + "0" * 5000 + "%", ["60%"]).value == 100.0


@pytest.mark.parametrize("gold", ["sixty", "60", "60 %", "", "9" * 400 + "%"])
def test_gold_without_percentage_scores_instead_of_failing(gold):
    with pytest.raises(GoldError, match="holds no percentage"):
        es.score("60%", [gold])


def test_best_of_several_references_is_not_taken():
    assert es.score("60%", ["20%", "70%"]).value == 50.0
