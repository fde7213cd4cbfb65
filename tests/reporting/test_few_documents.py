"""Intervals from few documents are marked wherever they are shown, by one threshold, and no number changes."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from scrollwork.analysis.comparison.summary import Inputs, Labels, Member, summarize
from scrollwork.records.comparison import NO_WIDTH, TOO_NARROW, few_clusters
from scrollwork.reporting.boards.board import Board
from scrollwork.reporting.boards.board import board as leaderboard
from scrollwork.reporting.boards.leaderboard import as_json, few_documents, markdown
from scrollwork.reporting.boards.table_formats import csv_table, latex
from scrollwork.reporting.page.content import Content, Findings
from scrollwork.reporting.page.page import page
from tests.reporting.boards import TASKS, params, row

TASK = "squality"
PARAMS = params(["m", "n"])
LABELS = Labels("zeroscrolls", TASK, "test", "m", "full", "f1")


def board(clusters: int | None) -> Board:
    return leaderboard([row(TASK, "m", clusters=clusters), row("qmsum", "m", clusters=60)], PARAMS)


def task_row(found: Board) -> dict[str, Any]:
    return next(one for one in as_json(found)["tasks"] if one["task"] == TASK)


@pytest.mark.parametrize(("clusters", "marked"), [(2, True), (9, True), (10, False), (None, False)])
def test_an_interval_from_few_documents_is_not_marked(clusters: int | None, marked: bool) -> None:
    found = board(clusters)
    told = task_row(found)
    assert told["ci"] == task_row(board(60))["ci"] == [9.0, 11.0]  # the values stay
    assert (told["clusters"], told["interval_note"]) == (clusters, few_clusters(clusters) if marked else None)
    (section,) = found.sections
    said = list(few_documents(section))
    assert said == ([f"few clusters (documents) in {TASK} ({clusters}): {TOO_NARROW}"] if marked else [])
    assert (TOO_NARROW in markdown(found)) is marked
    assert (TOO_NARROW in latex(found)) is marked
    assert (TOO_NARROW in csv_table(found)) is marked
    before, _ = page(found, PARAMS)
    assert ("9.0–11.0 ⚠</small>" in before) is marked
    assert before.count("9.0–11.0</small>") == (1 if marked else 2)
    assert (f"⚠ {said[0]}</p>" in before) if marked else TOO_NARROW not in before


@pytest.mark.parametrize(("clusters", "high", "marked"), [(None, 9.0, True), (60, 9.0, True), (None, 9.1, False)])
def test_an_interval_without_width_is_not_marked(clusters: int | None, high: float, marked: bool) -> None:
    found = leaderboard([replace(row(TASK, "m", clusters=clusters), low=9.0, high=high)], PARAMS)
    assert task_row(found)["interval_note"] == (NO_WIDTH if marked else None)
    assert (NO_WIDTH in csv_table(found)) is marked
    before, _ = page(found, PARAMS)
    assert (f"9.0–{high} ⚠</small>" in before) is marked
    assert not list(few_documents(found.sections[0])), "its documents are not few"


@pytest.mark.parametrize(("clusters", "marked"), [(9, True), (10, False)])
def test_an_average_over_such_tasks_is_not_marked(clusters: int, marked: bool) -> None:
    rows = [row(task, "m", clusters=clusters if task == TASK else 60) for task in TASKS]
    average = {"split": "test", "model": "m", "arm": "full", "low": 7.0, "high": 13.0}
    told, _ = page(leaderboard(rows, PARAMS), PARAMS, content=Content(findings=Findings(averages=[average])))
    said = '<small title="the intervals of 1 of its tasks cannot be trusted">7.0–13.0 ⚠</small>'
    assert (said in told) is marked
    assert ("<small>7.0–13.0</small>" in told) is not marked


def test_a_task_of_one_document_is_marked_without_an_interval_or_named_with_the_others() -> None:
    found = leaderboard([replace(row(TASK, "m", clusters=1), low=None, high=None)], PARAMS)
    assert task_row(found)["interval_note"] == few_clusters(1)
    assert not list(few_documents(found.sections[0]))


def test_the_page_compares_by_another_threshold_than_the_command() -> None:
    """The page's script has both numbers, and the sentence, from here."""
    compared = {
        **dict.fromkeys(("value", "other_value", "low", "high", "p", "p_holm", "detectable"), 1.0),
        "suite": "zeroscrolls",
        "task": TASK,
        "split": "test",
        "metric": "rouge_geo",
        "difference": 0.0,
        "model": "m",
        "arm": "full",
        "other": "n",
        "other_arm": "full",
        "inputs": 20,
        "left_out": 0,
        "clusters": 7,
    }
    found = leaderboard([row(TASK, "m"), row(TASK, "n")], PARAMS)
    before, _ = page(found, PARAMS, content=Content(findings=Findings(comparisons=[compared])))
    assert json.dumps(few_clusters(7)) in before
    assert '"fewest":6' in before


@pytest.mark.parametrize(("answered", "clusters"), [(6, 3), (3, 2), (0, 0)])
def test_documents_without_an_answer_are_counted(answered: int, clusters: int) -> None:
    """Two inputs on each document; the interval is over the answered ones."""
    inputs = Inputs({f"q{number}": f"d{number // 2}" for number in range(6)})
    member = Member({f"q{number}": {"f1": 10.0 * number} for number in range(answered)})
    (found,) = summarize(LABELS, inputs, {"m": member}, lambda means: means["f1"])
    assert found.clusters == clusters
    assert (found.low is None) == (clusters < 2)
