"""ROUGE-L as the PyPI package `rouge` 1.0.1 counts it."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrollwork.scoring.metrics.longbench import rouge_l
from scrollwork.scoring.reading.parsing import first_line
from tests.some_slow import one_in

PIECES = ["a", "b", "B", "c", "a ", " b", ".", "..", ". ", " ", "\n", "d\te", "e,", "½"]


@pytest.fixture(scope="module")
def package():
    """The F that LongBench takes: 0 where the package finds nothing but full stops."""
    rouge = pytest.importorskip("rouge", reason="the package rouge 1.0.1 is not installed (extra dev)").Rouge()

    def f(prediction, reference):
        if not prediction.replace(".", "") or not reference.replace(".", ""):
            return 0.0
        return 100 * rouge.get_scores([prediction], [reference], avg=True)["rouge-l"]["f"]

    return f


@given(st.lists(st.sampled_from(PIECES)).map("".join), st.lists(st.sampled_from(PIECES)).map("".join))
def test_value_departs_from_the_package(package, prediction, reference):
    assert rouge_l.score(prediction, [reference]).value == pytest.approx(package(prediction, reference), abs=1e-12)


@pytest.mark.parametrize("task", one_in(4, ["samsum", "qmsum", "multi_news", "gov_report"]))
def test_value_of_real_output_departs_from_the_package(shared, package, task):
    path = shared / "raw" / "longbench_mini" / f"MiniLongBench_{task}.json"
    for row in json.loads(path.read_text(encoding="utf-8")).values():
        prediction = first_line(row["prediction"]) if task == "samsum" else row["prediction"]
        for reference in row["gold"]:
            assert rouge_l.score(prediction, [reference]).value == pytest.approx(
                package(prediction, reference), abs=1e-12
            )


# by hand: |union| / distinct words of either side, F with 1e-8 in the denominator
@pytest.mark.parametrize(
    ("prediction", "reference", "shared", "ours", "theirs"),
    [
        ("the cat sat", "the cat sat", 3, 3, 3),
        ("The cat sat.", "the cat sat.", 2, 3, 3),  # case counts
        ("the cat sat!", "the cat sat", 2, 3, 3),  # and so do marks
        ("cat the", "the cat", 1, 2, 2),
        ("cat. the", "the cat", 2, 2, 2),  # each sentence is looked for by itself
        ("the the the", "the", 1, 1, 1),  # a word counts once
        ("a. ", "b. ", 1, 2, 2),  # white space behind the full stop is a sentence of an empty word
    ],
)
def test_value_departs_from_what_the_algorithm_says(prediction, reference, shared, ours, theirs):
    precision, recall = shared / ours, shared / theirs
    expected = 200 * precision * recall / (precision + recall + 1e-8)
    assert rouge_l.score(prediction, [reference]).value == pytest.approx(expected, abs=1e-12)


def test_text_of_full_stops_has_a_value():
    for prediction, reference in (("", "a"), ("a", ""), ("...", "..."), ("", "")):
        assert rouge_l.score(prediction, [reference]).value == 0.0


def test_sentence_too_long_for_recursion_scores_zero():
    sentence = " ".join(f"w{k}" for k in range(3000))
    assert math.isclose(rouge_l.score(sentence, [sentence]).value, 100, rel_tol=1e-7)


def test_second_reference_is_ignored():
    assert rouge_l.score("a b", ["c", "a b"]).value == rouge_l.score("a b", ["a b"]).value > 99
