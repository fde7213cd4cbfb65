"""Rules for what answers look like: every example of the rules, and hostile answers."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from scrollwork.records.judgement import REFUSALS as KNOWN
from scrollwork.scoring.reading.judgement import FORMS, REFUSALS, answerable, in_form, judge_answer, refusal
from scrollwork.scoring.registry import known_metrics
from tests.some_slow import one_in

MILLION = 1_000_000


@pytest.mark.parametrize(("metric", "answer"), [(name, text) for name, form in FORMS.items() for text in form.good])
def test_answer_in_form_is_refused(metric: str, answer: str) -> None:
    assert in_form(metric, f" {answer}\n", FORMS[metric].options) is True


@pytest.mark.parametrize(("metric", "answer"), [(name, text) for name, form in FORMS.items() for text in form.bad])
def test_answer_out_of_form_passes(metric: str, answer: str) -> None:
    assert in_form(metric, answer, FORMS[metric].options) is False


@pytest.mark.parametrize(("kind", "answer"), [(one.name, text) for one in REFUSALS for text in one.said])
def test_refusal_is_missed(kind: str, answer: str) -> None:
    assert refusal(answer) == kind


@pytest.mark.parametrize(("kind", "answer"), [(one.name, text) for one in REFUSALS for text in one.not_said])
def test_answer_is_taken_for_a_refusal(kind: str, answer: str) -> None:
    assert refusal(answer) is None, kind


def test_rule_is_of_a_metric_or_kind_that_nobody_knows() -> None:
    assert set(FORMS) <= set(known_metrics())
    assert tuple(one.name for one in REFUSALS) == KNOWN


def test_metric_without_a_rule_is_out_of_form() -> None:
    assert in_form("no such metric", "text") is None


def test_answers_of_people_are_taken_for_refusals(shared: Path) -> None:
    """SQuALITY: 1,040 answers by people who had the whole story."""
    file = shared / "raw" / "squality" / "v1-2" / "txt" / "test.jsonl"
    if not file.is_file():
        pytest.skip(f"no SQuALITY at {file}")
    stories = [json.loads(line) for line in file.read_text(encoding="utf-8").split("\n") if line]
    answers = [
        answer["response_text"] for story in stories for asked in story["questions"] for answer in asked["responses"]
    ]
    assert len(answers) == 1040
    assert [answer[:60] for answer in answers if refusal(answer)] == []
    assert sum(in_form("rouge_geo", answer) is True for answer in answers) >= 1035


def test_refusal_far_into_an_answer_counts() -> None:
    assert refusal("word " * 50 + "I cannot answer this question.") is None


def test_input_of_which_one_annotator_found_no_answer_counts_as_wrongly_unanswerable() -> None:
    assert not answerable(["Unanswerable", "Paris"])
    assert answerable(["Paris", "yes"])


def test_form_is_told_of_the_scored_text_and_refusal_of_the_whole() -> None:
    found = judge_answer("accuracy", "B", "I'm sorry, but I guess.<answer>B", ())
    assert found == {"words": 1, "in_format": True, "refusal": "declined"}


HOSTILE = [
    *(character * MILLION for character in " \n\t.,1A%\"'#-*|[(a\u2019\u00a0"),
    *(pair * (MILLION // 2) for pair in (". ", "1,", "1 ", ", ", "A\n", "- ", '."', "a.", "\n ", "i ", "1\n")),
    "the text " * (MILLION // 9),
    "cannot tell " * (MILLION // 12),
    "1" + " " * MILLION + "x",
    "[" + "1, " * (MILLION // 3) + "x",
    "." + '"' * MILLION + " x",
    "here is " + "x" * MILLION,
    "I can" + "\u202e" * MILLION,
]


@pytest.mark.parametrize("number", one_in(12, range(len(HOSTILE))))
def test_hostile_answer_costs_more_than_linear_time(number: int) -> None:
    text = HOSTILE[number]
    began = time.process_time()
    for metric in FORMS:
        judge_answer(metric, text, text, ("A", "B"))
    assert time.process_time() - began < 6.0  # of eight rules over a megabyte; quadratic time would be hours
