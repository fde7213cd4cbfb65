"""Several processes on one home at once: all end well, one valid copy stays, nothing is asked twice."""

from __future__ import annotations

import json
import re
import sqlite3
from collections import Counter
from pathlib import Path

import pytest

from tests.conftest import Scrollwork, files_of, leftovers

TASKS = ("--task", "qmsum", "--task", "quality")
REQUEST = ("run", "zeroscrolls", "--sample", "--model", "naive", "--engine", "inline", "--json", *TASKS)
SEEDS = 20


def together(scrollwork: Scrollwork, *commands: tuple[str, ...]) -> list[tuple[str, str]]:
    """Standard output and error of commands that run at once and all succeed."""
    processes = [scrollwork.start(*command) for command in commands]
    said = [process.communicate(timeout=200) for process in processes]
    assert [process.returncode for process in processes] == [0] * len(commands), [err for _, err in said]
    return said


@pytest.mark.slow
def test_two_runs_at_once_disturb_each_other(scrollwork: Scrollwork, tmp_path: Path) -> None:
    alone = scrollwork.with_(home=tmp_path / "alone")
    alone(*REQUEST)
    said = together(scrollwork, REQUEST, REQUEST, REQUEST)
    assert len({out.replace(str(scrollwork.home), "") for out, _ in said}) == 1
    assert files_of(scrollwork.home) == files_of(alone.home)
    assert leftovers(scrollwork.home) == []
    assert scrollwork("verify", "--json").document["broken"] == []
    with sqlite3.connect(scrollwork.home / "responses.db") as store:
        (answers,) = store.execute("SELECT count(*) FROM responses").fetchone()
    assert answers == SEEDS * sum(row["coverage"]["expected"] for row in json.loads(said[0][0])["tasks"])


@pytest.mark.slow
def test_two_builds_at_once_do_the_same_work_twice(scrollwork: Scrollwork, tmp_path: Path) -> None:
    command = ("build", "zeroscrolls", "--sample", "--engine", "inline", "--json", *TASKS)
    alone = scrollwork.with_(home=tmp_path / "alone")
    alone(*command)
    said = together(scrollwork, command, command)
    built: Counter[str] = Counter()
    for line in (line for _, err in said for line in err.splitlines() if line.startswith("built: ")):
        for count, kind in re.findall(r"([\d,]+) (\w+)[, ]", line):
            built[kind] += int(count)
    there = Counter(path.parts[-4] for path in scrollwork.home.glob("artifacts/*/*/*/manifest.json"))
    assert built == there, "the second waits for the first and takes what it built"
    assert files_of(scrollwork.home) == files_of(alone.home)
    assert scrollwork("verify", "--json").document["ok"]


@pytest.mark.slow
def test_different_runs_in_one_home_disturb_each_other(scrollwork: Scrollwork) -> None:
    base = ("run", "zeroscrolls", "--sample", "--engine", "inline", "--quiet", "--task", "qmsum")
    wanted = ((1, "book_sum_sort"), (2, "musique"), (1, "musique"))
    together(scrollwork, *[(*base, "--model", f"naive:seed={seed}", "--task", task) for seed, task in wanted])
    assert scrollwork("verify", "--json").document["ok"]
    assert len(scrollwork("status", "--json").document["runs"]) == len(wanted)
