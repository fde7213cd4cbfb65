"""Vectors of SCROLLS (fact sheet section 8) that are not metrics: filters, input assembly, merging, heuristic."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scrollwork.models.baselines.fitted_rules import length_ratio
from scrollwork.models.baselines.naive import lead
from scrollwork.preprocessing.datasets.gov_report import why_left_out
from scrollwork.preprocessing.prompts.template import Template, assemble
from scrollwork.records.example import Example
from scrollwork.records.prompt import render
from scrollwork.scoring.files.merging import merge_references
from scrollwork.suites.suite_files import load_suite
from tests.preprocessing.raw_kit import Kit


def scrolls_input(task: str, query: str | None, text: str) -> str:
    template = Template(**load_suite("scrolls").tasks[task].template)
    example = Example(task, "test", "e", ("d",), ("r",), query=query)
    return render(assemble(example, template, lambda _: len(text)), lambda _: text)


@pytest.mark.parametrize(
    ("task", "query", "text", "whole"),
    [
        ("qasper", "Which data?", "Introduction\nWe use X.", "Which data?\n\nIntroduction\nWe use X."),
        (
            "quality",
            "Why?\n\n (A) a1\n (B) b1\n (C) c1\n (D) d1",
            "Story…",
            "Why?\n\n (A) a1\n (B) b1\n (C) c1\n (D) d1\n\nStory…",
        ),
        ("contract_nli", "Hypothesis.", "CONTRACT…", "Hypothesis.\n\nCONTRACT…"),
        ("gov_report", None, "Report.", "Report."),
    ],
)
def test_input_has_an_instruction_or_another_order(task: str, query: str | None, text: str, whole: str) -> None:
    assert scrolls_input(task, query, text) == whole


@pytest.mark.parametrize(
    ("report", "summary", "kept"), [(199, 100, False), (200, 100, True), (100_000, 100, True), (100_001, 100, False)]
)
def test_report_of_another_length_is_kept(report: int, summary: int, kept: bool) -> None:
    assert (why_left_out("word " * report, report, "other " * summary) == "") is kept


def test_report_that_holds_its_summary_is_kept() -> None:
    assert why_left_out("a b c d e f g h", 8, "c d e") != ""
    assert why_left_out("a b c d e f g h", 8, "d c e") == ""


@pytest.mark.parametrize(("length", "kept"), [(8191, 0), (8192, 1)])
def test_paper_of_another_length_is_kept(tmp_path: Path, length: int, kept: int) -> None:
    answer = {"unanswerable": True, "extractive_spans": [], "yes_no": None, "free_form_answer": ""}
    paper = {
        "title": "T",
        "full_text": [{"section_name": None, "paragraphs": ["x" * length]}],
        "qas": [{"question": "Q?", "question_id": "q", "answers": [{"answer": answer}]}],
    }
    _, examples, drops = Kit(tmp_path, "qasper").file("t.json", json.dumps({"p": paper})).sorted(fewest_chars=8192)
    assert len(examples) == kept
    assert [(drop.reason, drop.error) for drop in drops] == [("short paper", False)] * (1 - kept)


def test_references_of_an_id_are_lost_or_moved() -> None:
    rows = [("q1", "x"), ("q2", "y"), ("q1", "z"), ("q1", "x")]
    found = merge_references(rows)
    assert found == {"q1": ["x", "z", "x"], "q2": ["y"]}
    assert list(found) == ["q1", "q2"]


def test_heuristic_takes_another_share() -> None:
    rho = length_ratio([(100, 10), (100, 30)])
    assert rho == pytest.approx(0.20)
    text = "".join(chr(65 + number % 26) for number in range(57))
    assert lead(text, rho) == text[:11]
