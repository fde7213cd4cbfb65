"""`scrollwork dolce units`: what it counts and draws, and what it says where it cannot."""

from __future__ import annotations

import itertools
import json
import warnings
from pathlib import Path
from typing import Any

import pytest

from scrollwork.pipeline.raw_files import first_match
from scrollwork.reporting.windows.unit_figures import BINS, edges, units_figure
from scrollwork.suites.request import Request
from scrollwork.suites.suite_files import SAMPLE, load_suite

TEXTS = ("One two. Three four five.\nSix.", "Seven eight nine ten. Eleven.")


def raw(folder: Path) -> str:
    """A raw file of one task, two contexts with a question each."""
    path = folder / "raw" / "leval/LEval-data/Closed-ended-tasks/quality.jsonl"
    path.parent.mkdir(parents=True)
    rows = [
        {"input": text, "instructions": ["Which?\n\n (A) a\n (B) b\n (C) c\n (D) d"], "outputs": ["(A) a"]}
        for text in TEXTS
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(folder / "raw")


def test_counts_are_not_those_of_the_contexts(call: Any, tmp_path: Path) -> None:
    status, out, err = call("dolce", "units", "leval_quality", "--raw", raw(tmp_path), "--json")
    assert status == 0, err
    (row,) = json.loads(out)["tasks"]
    assert (row["task"], row["units"], row["problems"]) == ("leval_quality", "s", 2)
    assert (row["smallest"], row["median_units"], row["largest"]) == (2, 2.5, 3)
    assert row["words_a_unit"]["p50"] == 2  # of 1, 1, 2, 3, 4
    # closed book and whole context, 1 and 2 units: 1 + 3 + 2 + 1 and 1 + 2 + 1
    assert row["windows"] == 11


@pytest.mark.parametrize(("ending", "begin"), [("png", b"\x89PNG"), ("svg", b"<?xml")])
def test_histograms_are_not_written(call: Any, tmp_path: Path, ending: str, begin: bytes) -> None:
    out = tmp_path / f"units.{ending}"
    status, said, err = call("dolce", "units", "leval_quality", "--raw", raw(tmp_path), "--out", str(out))
    assert status == 0, err
    assert out.read_bytes().startswith(begin)
    assert "leval_quality" in said


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        (("units", "quality", "--sample"), "there is no task 'quality'"),
        (("units", "leval_quality", "--raw", "nowhere"), "--raw nowhere: there is no such folder"),
        (("units", "leval_quality"), "has no raw files: try `scrollwork fetch dolce`"),
        (("units", "leval_quality", "--sample", "--out", "units.pdf"), "histograms are written as .svg or .png"),
        (("units", "leval_quality", "--sample", "--raw", "."), "--raw and --sample exclude each other"),
        (("units", "leval_quality", "--sample", "--strategy", "take:0"), "--strategy: "),
        (("units", "leval_gsm", "--sample"), "leval_gsm: "),
        (("units", "leval_quality", "--sample", "--out", "nowhere/units.png"), "nowhere/units.png"),
    ],
)
def test_what_is_wrong_is_not_named(call: Any, arguments: tuple[str, ...], wanted: str) -> None:
    status, out, err = call("dolce", *arguments)
    assert status not in (0, None)
    assert wanted in err
    assert "Traceback" not in out + err


@pytest.mark.parametrize("rows", [0, 1, 6])
def test_histograms_fail_or_warn(rows: int) -> None:
    name = "$x$<script>\u202e" * 20
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        text = units_figure([(name, [3, 4], [1, 2, 3])] * rows, "svg").decode("utf-8")
    assert "<script>" not in text
    assert "\u202e" not in text


@pytest.mark.parametrize("values", [[], [5], [1, 2, 3], list(range(1, 71)), [114, 508], [7] * 9, list(range(1000))])
def test_bins_hold_unequally_many_numbers(values: list[int]) -> None:
    ends = edges(values)
    widths = {high - low for low, high in itertools.pairwise(ends)}
    assert len(widths) == 1
    assert widths.pop().is_integer()
    assert 1 <= len(ends) - 1 <= BINS
    assert all(ends[0] < one < ends[-1] for one in values)


def test_sample_is_said_to_have_other_tasks_than_it_has(call: Any) -> None:
    there = {
        name
        for name, task in load_suite("dolce").tasks.items()
        if all(first_match(str(SAMPLE), patterns)[1] for patterns in task.raw.values())
    }
    assert set(load_suite("dolce").in_sample) == there
    assert {task.name for task in Request.of("dolce", home=str(call.home), sample=True).chosen_tasks()} == there
    status, out, err = call("dolce", "units", "--sample", "--json")
    assert (status, err) == (0, "")
    assert {row["task"] for row in json.loads(out)["tasks"]} == there
    named = Request.of("dolce", home=str(call.home), sample=True, tasks=("leval_toefl",))
    assert [task.name for task in named.chosen_tasks()] == ["leval_toefl"], "who names a task gets it, or its error"
