"""A suite that adds a task to ZeroSCROLLS: the ten stay what they are, and the average is theirs."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from scrollwork.pipeline.errors import UsageError
from scrollwork.suites.suite_files import load_suite
from tests.conftest import PROJECT, Call
from tests.suites.test_own_suite import block

HEAD = 'extends = "zeroscrolls"\nname = "zeroplus"\ntitle = "More"\n'
INLINE = ("--engine", "inline", "--quiet")
MODELS = ("--model", "naive:seed=0", "--model", "lexicon")


def task(name: str = "keepers") -> str:
    return f"[task.{name}]\n" + block("`harbour.toml`").partition("[task.keepers]\n")[2].partition("\n[task")[0]


@pytest.fixture
def folder(call: Call, tmp_path: Path) -> Path:
    shutil.copytree(PROJECT / "sample" / "raw", tmp_path / "raw")
    (tmp_path / "raw" / "harbour").mkdir()
    (tmp_path / "raw" / "harbour" / "keepers.test.jsonl").write_text(block("`raw/harbour/keepers.test.jsonl`"))
    (tmp_path / "plus.toml").write_text(f"{HEAD}\n{task()}")
    return tmp_path


def document(call: Call, *arguments: str, status: int = 0) -> Any:
    ended, out, err = call(*arguments, *INLINE, "--json")
    assert ended == status, err
    return json.loads(out)


@pytest.mark.slow
def test_added_task_moves_the_official_average(call: Call, folder: Path) -> None:
    ten = document(call, "run", "zeroscrolls", "--raw", "raw", *MODELS)
    found = document(call, "run", "--suite", "plus.toml", "--raw", "raw", *MODELS)
    values = {(row["task"], row["model"]): row["value"] for row in found["tasks"]}
    assert {key for key in values if key[0] == "keepers"} == {("keepers", "naive:seed=0"), ("keepers", "lexicon")}
    assert {key: value for key, value in values.items() if key[0] != "keepers"} == {
        (row["task"], row["model"]): row["value"] for row in ten["tasks"]
    }
    assert found["averages"] == ten["averages"]
    assert None not in ten["averages"].values()
    kept = ("value", "low", "high", "tasks", "reason")
    for name in ("average_intervals", "comparisons"):
        own, theirs = ([row for row in one[name] if not row.get("task")] for one in (found, ten))
        assert own
        assert [{key: row.get(key) for key in (*kept, "difference", "p")} for row in own] == [
            {key: row.get(key) for key in (*kept, "difference", "p")} for row in theirs
        ]
    page = (call.home / "reports" / "zeroplus.html").read_text(encoding="utf-8")
    assert "average of the 10 tasks of ZeroSCROLLS" in page
    assert "scores of the 10 tasks of ZeroSCROLLS; the others stand beside it and are not in it" in page
    assert 'data-key="keepers"' in page
    assert "of all 10 tasks. It is withheld" in (call.home / "reports" / "zeroscrolls.html").read_text(encoding="utf-8")
    status, out, err = call("report", "zeroplus", "--out", "all.html")
    assert status == 0, err
    assert "average of the 10 tasks of ZeroSCROLLS; not in it: keepers" in out
    assert "average of the 10 tasks of ZeroSCROLLS" in (folder / "all.html").read_text(encoding="utf-8")
    status, out, err = call("export", "submission", "--suite", "plus.toml", "--raw", "raw", *MODELS[2:], "--out", "sub")
    (file,) = (folder / "sub").glob("*.csv")
    assert file.name == "zero_scrolls_predictions.csv"
    with file.open(encoding="utf-8", newline="") as stream:
        assert {row["Task"] for row in csv.DictReader(stream)} == set(load_suite("zeroscrolls").tasks)


@pytest.mark.slow
def test_average_stands_without_one_of_the_ten_or_falls_with_an_added_task(call: Call, folder: Path) -> None:
    nine = [part for name in load_suite("zeroscrolls").tasks if name != "qmsum" for part in ("--task", name)]
    ask = ("run", "--suite", "plus.toml", "--raw", "raw", "--model", "lexicon")
    assert document(call, *ask, *nine, "--task", "keepers")["averages"] == {"lexicon": None}
    ten = [*nine, "--task", "qmsum"]
    assert document(call, *ask, *ten)["averages"]["lexicon"] is not None
    (folder / "raw" / "harbour" / "keepers.test.jsonl").write_text("broken\n")
    found = document(call, *ask, status=1)
    assert found["averages"]["lexicon"] is not None
    assert "keepers" not in {row["task"] for row in found["tasks"]}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            f"{HEAD}temperature = 0.7\n{task()}",
            "unknown key 'temperature'; there are: citation, extends, name, task, title",
        ),
        (f"{HEAD}{task('qasper')}", r"\[task.qasper\]: zeroscrolls has it"),
        (f"{HEAD}{task()}".replace("zeroscrolls", "zeroscroll"), "there is no suite 'zeroscroll'"),
        (f"{HEAD}{task()}".replace('"zeroscrolls"', '"./x.toml"'), "extends names a suite"),
        (f"{HEAD}{task()}".replace('name = "zeroplus"', 'name = "zeroscrolls"'), "is that of a suite of scrollwork"),
        (HEAD, "lacks task"),
    ],
)
def test_file_that_extends_changes_what_is_official(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "plus.toml").write_text(text)
    with pytest.raises(UsageError, match=said):
        load_suite(str(tmp_path / "plus.toml"))


def test_suite_that_extends_loses_the_design(tmp_path: Path) -> None:
    (tmp_path / "more.toml").write_text(f"{HEAD}{task()}".replace("zeroscrolls", "seam"))
    suite = load_suite(str(tmp_path / "more.toml"))
    assert (suite.design, suite.runs["count"], suite.temperature) == ("runs", 10, 0.8)
    assert suite.official == tuple(load_suite("seam").tasks)
