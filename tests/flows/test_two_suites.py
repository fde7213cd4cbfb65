"""Tasks that stand in two suites (L-Eval's Qasper and LongBench's): both take the smaller thresholds, of either task
alone too; a twin that is not here or is broken costs nothing but its thresholds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from scrollwork.designs.windows import twins_of
from scrollwork.suites.suite_files import load_suite
from tests.conftest import Call

LEVAL, LONG = "leval_qasper", "longbench_qasper"
FILES = {LEVAL: "leval/LEval-data/Open-ended-tasks/scientific_qa.jsonl", LONG: "longbench/data/qasper.jsonl"}
OWN = {LEVAL: {"low": 5, "high": 20}, LONG: {"low": 2, "high": 10}}  # of 60 and of 20 units
QUIET = ("--engine", "inline", "--quiet", "--json", "--model", "bm25", "--strategy", "take:30")


def write(raw: Path, task: str, units: int) -> None:
    """A problem of that task whose context has so many lines."""
    context = "\n".join(f"Line {number} tells of mill {number}." for number in range(units))
    asked, gold = "Which line tells of mill 3?", "Line 3"
    record: dict[str, Any] = {"instructions": [asked], "outputs": [gold], "input": context, "evaluation": "f1"}
    if task == LONG:
        record = {"input": asked, "context": context, "answers": [gold], "all_classes": None, "_id": "p"}
    path = raw / FILES[task]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(record) + "\n", encoding="utf-8")


@pytest.fixture
def ran(call: Call, tmp_path: Path) -> Any:
    """Thresholds by task of a run, and what it said; it must end with that status."""

    def ran(*tasks: str, status: int = 0, more: tuple[str, ...] = ()) -> tuple[dict[str, Any], str]:
        named = [word for task in tasks for word in ("--task", task)]
        ended, out, err = call("run", "dolce", "--raw", str(tmp_path / "raw"), *named, *QUIET, *more)
        assert ended == status, err
        return {one["task"]: one["thresholds"] for one in json.loads(out)["dolce"]["tasks"]}, err

    return ran


@pytest.mark.slow
def test_run_gives_each_of_two_suites_its_own_thresholds(ran: Any, tmp_path: Path) -> None:
    write(tmp_path / "raw", LEVAL, 60)
    write(tmp_path / "raw", LONG, 20)
    both, err = ran(LEVAL, LONG)
    assert both == {LEVAL: {**OWN[LONG], "twins": [LONG]}, LONG: {**OWN[LONG], "twins": [LEVAL]}}
    assert "thresholds" not in err
    assert ran(LEVAL)[0] == {LEVAL: both[LEVAL]}, "whichever tasks are asked for"


def test_missing_or_broken_twin_takes_the_task_with_it(ran: Any, tmp_path: Path) -> None:
    write(tmp_path / "raw", LEVAL, 60)
    found, err = ran(LEVAL)
    assert found == {LEVAL: {**OWN[LEVAL], "twins": []}}
    assert f"{LONG}, of which there are no problems here" in err
    broken = tmp_path / "raw" / FILES[LONG]
    broken.parent.mkdir(parents=True)
    broken.write_text('{"input": 3}\n' * 5, encoding="utf-8")
    found, err = ran(LEVAL, more=("--strict",))
    assert found == {LEVAL: {**OWN[LEVAL], "twins": []}}
    assert f"{LEVAL}: thresholds of its own contexts alone" in err
    broken.write_bytes(b"\x00\xff\xfe not text")
    assert ran(LEVAL)[0] == {LEVAL: {**OWN[LEVAL], "twins": []}}
    found, _ = ran(LEVAL, LONG, status=1)
    assert found[LEVAL] == {**OWN[LEVAL], "twins": []}


def test_other_tasks_than_the_five_of_two_suites_are_twins() -> None:
    suite = load_suite("dolce")
    found = {name: [one.name for one in twins_of(suite, task)] for name, task in suite.tasks.items()}
    names = ("qasper", "narrativeqa", "multinews", "govreport", "qmsum")
    pairs = {
        f"{one}_{name}": [f"{other}_{name}"]
        for name in names
        for one, other in (("leval", "longbench"), ("longbench", "leval"))
    }
    assert {name: own for name, own in found.items() if own} == pairs
    assert not any(twins_of(load_suite("scrolls"), task) for task in load_suite("scrolls").tasks.values())
