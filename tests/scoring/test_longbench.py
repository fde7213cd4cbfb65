"""LongBench's classification, retrieval, count, code and F1."""

import json

import pytest

from scrollwork.scoring.metrics.f1_scrolls import score as f1_scrolls
from scrollwork.scoring.metrics.longbench.classification import score as classification
from scrollwork.scoring.metrics.longbench.code import first_code_line
from scrollwork.scoring.metrics.longbench.code import score as code
from scrollwork.scoring.metrics.longbench.count import score as count
from scrollwork.scoring.metrics.longbench.qa_f1 import score as qa_f1
from scrollwork.scoring.metrics.longbench.retrieval import score as retrieval
from scrollwork.scoring.reading.parsing import first_line
from scrollwork.scoring.registry import metric

CLASSES = ["location", "Other location", "City", "State", "Other"]


@pytest.mark.parametrize(
    ("prediction", "reference", "value"),
    [
        ("City", "City", 100),
        ("It is a City.", "City", 100),
        ("City or State", "City", 50),
        ("City, State, location", "City", 100 / 3),
        ("Other location", "Other location", 100),  # "location" and "Other" are parts of the gold
        ("Other location, City", "Other location", 50),
        ("Other location", "location", 100 / 3),  # but "Other location" is no part of "location"
        ("city", "City", 0),
        ("State", "City", 0),
        ("", "City", 0),
    ],
)
def test_named_classes_are_counted_otherwise(prediction, reference, value):
    assert classification(prediction, [reference], CLASSES).value == pytest.approx(value)
    assert classification(prediction, ["Other", reference], CLASSES).value >= value - 1e-9


def test_gold_that_is_no_option_scores():
    assert classification("Planet", ["Planet"], CLASSES).value == 0


@pytest.mark.parametrize(
    ("prediction", "value"),
    [
        ("Paragraph 19", 100),
        ("19", 100),
        ("19 or 20", 50),
        ("Paragraph 19, 19, 19 and 1", 75),
        ("Paragraph 20", 0),
        ("nineteen", 0),
        ("019", 0),  # numbers are compared as text
        ("119", 0),
        ("1.9", 0),
    ],
)
def test_numbers_are_counted_otherwise(prediction, value):
    assert retrieval(prediction, ["Paragraph 19"]).value == pytest.approx(value)
    assert count(prediction, ["19"]).value == pytest.approx(value)
    assert count(prediction, ["7", "19"]).value == pytest.approx(value)


@pytest.mark.parametrize(
    ("prediction", "line"),
    [
        ("return a", "return a"),
        ("\n\nreturn a\nreturn b", "return a"),
        ("```python\n# a comment\nreturn a // b\nreturn a", "return a"),
        ("return a  # why", None),
        ("x\n", "x"),
        (" \nreturn a", " "),  # a line of spaces is a line
        ("# a\n", ""),
        ("", ""),
        ("return a\r\nb", "return a\r"),
    ],
)
def test_another_line_is_taken_for_the_first_line_of_code(prediction, line):
    assert first_code_line(prediction) == line


@pytest.mark.parametrize(
    ("prediction", "reference", "value"),
    [
        ("return a", "return a", 100),
        ("return a", "return b", 88),  # 2 x 7 / 16 = 87.5, and round() goes to the even number
        ("return a\nand more", "return a", 100),
        ("# nothing", "return a", 0),
        ("", "", 100),
        ("abcd", "bcde", 75),
    ],
)
def test_similarity_is_not_in_whole_percent(prediction, reference, value):
    assert code(prediction, [reference]).value == value


def test_f1_is_another_than_that_of_scrolls():
    for prediction, references in (("the Paris", ["Paris"]), ("Beyoncé", ["Beyonce", "x"]), ("", [""])):
        assert qa_f1(prediction, references).value == f1_scrolls(prediction, references).value


# Means over the outputs in shared data, by LongBench's own code as published (to 1e-9 for each single output).
THEIRS = {
    "narrativeqa": ("longbench_qa_f1", 6, 3.3257),
    "qasper": ("longbench_qa_f1", 9, 11.3566),
    "multifieldqa_en": ("longbench_qa_f1", 7, 23.3320),
    "hotpotqa": ("longbench_qa_f1", 13, 7.4444),
    "2wikimqa": ("longbench_qa_f1", 13, 7.9863),
    "musique": ("longbench_qa_f1", 7, 14.6695),
    "trec": ("longbench_classification", 8, 37.5),
    "triviaqa": ("longbench_qa_f1", 12, 83.9286),
    "gov_report": ("longbench_rouge_l", 12, 20.6043),
    "qmsum": ("longbench_rouge_l", 6, 18.0003),
    "multi_news": ("longbench_rouge_l", 11, 32.5903),
    "samsum": ("longbench_rouge_l", 15, 27.1458),
    "passage_retrieval_en": ("longbench_retrieval", 15, 6.6667),
    "passage_count": ("longbench_count", 4, 0.0),
}


@pytest.mark.parametrize("task", THEIRS)
def test_value_of_real_outputs_departs_from_the_published_code(shared, task):
    name, n, mean = THEIRS[task]
    rows = json.loads((shared / "raw" / "longbench_mini" / f"MiniLongBench_{task}.json").read_text(encoding="utf-8"))
    cut = first_line if task in ("trec", "triviaqa", "samsum") else str
    values = []
    for row in rows.values():
        gold = row["gold"] if isinstance(row["gold"], list) else row["gold"]["answers"]
        classes = () if gold is row["gold"] else (row["gold"]["all_classes"],)
        values.append(metric(name).score(cut(row["prediction"]), gold, *classes).value)
    assert len(values) == n
    assert sum(values) / n == pytest.approx(mean, abs=5e-5)
