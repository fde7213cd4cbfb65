"""Answer letters against the vectors of zeroscrolls.md 11."""

import pytest

from scrollwork.scoring.metrics import accuracy
from scrollwork.scoring.outcome import GoldError
from scrollwork.scoring.reading.parsing import letter

# id, prediction, parsed letter
VECTORS = [
    ("A1", "B", "B"),
    ("A2", "(B)", "B"),
    ("A3", "Answer: (B)", "B"),
    ("A4", "The answer is B.", "B"),
    ("A5", "b", None),
    ("A6", "A dog bit C", "A"),
    ("A7", "I think C, not A", "C"),
    ("A8", "Both A and B", "A"),
    ("A9", "ABCD", None),
    ("A10", "B)", "B"),
    ("A11", "Answer: B) because A is wrong", "B"),
    ("A12", "", None),
    ("A13", "Option_B", None),
    ("A14", "C.", "C"),
    ("A15", "D\n", "D"),
    ("A16", "**C**", "C"),
    ("A17", "<answer>C</answer>", "C"),
    ("A18", "E", None),
    ("A19", "Bé", None),
    ("A20", "A-level", "A"),
    ("A21", "D'Artagnan", "D"),
    ("A22", "The best answer is: (D) A story", "D"),
    ("A23", "1B", None),
    ("A24", "None of the above", None),
]


@pytest.mark.parametrize(("name", "prediction", "expected"), VECTORS)
def test_letter_departs_from_the_fact_sheet(name, prediction, expected):
    assert letter(prediction) == expected
    for gold in "ABCD":
        outcome = accuracy.score(prediction, [gold])
        assert outcome.value == (100.0 if gold == expected else 0.0)
        assert outcome.parsed == expected
        assert outcome.flags == {"format_ok": expected is not None}


def test_gold_in_brackets_is_no_letter():
    assert accuracy.score("C", ["(C) the third option, not A"]).value == 100.0


def test_answer_without_letter_equals_a_gold_without_letter():
    with pytest.raises(GoldError, match="names no answer letter"):
        accuracy.score("none", ["none"])


def test_one_bad_gold_hides_behind_a_good_one():
    with pytest.raises(GoldError, match="names no answer letter"):
        accuracy.score("A", ["A", "unanswerable"])
