"""Runs of Dolce from raw files: what is asked once, what a provider's cache can share, what a kill costs."""

from __future__ import annotations

import json
import signal
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from sample.windows import TASKS, dolce
from tasks.calling import unbounded
from tasks.request import Request
from tests.conftest import Call, Scrollwork, files_of

DRIVER = str(Path(__file__).parents[1] / "survival" / "killed.py")
TASK = "longbench_hotpotqa"
ASK = ("--engine", "inline", "--quiet", "--json", "--task", TASK)


def keys(home: Path) -> dict[str, str]:
    """When each answer of the store was made, by its key."""
    with sqlite3.connect(home / "responses.db") as store:
        return dict(store.execute("SELECT request_key, created FROM responses"))


@pytest.fixture
def raw(tmp_path: Path) -> Path:
    dolce(tmp_path / "raw", [made for made in TASKS if made.task == TASK])
    return tmp_path / "raw"


def test_strategy_asks_again_what_another_one_asked(call: Call, raw: Path) -> None:
    def run(text: str) -> Any:
        status, out, err = call("run", "dolce", "--raw", str(raw), "--model", "bm25", "--strategy", text, *ASK)
        assert status == 0, err
        return json.loads(out)

    first = run("take:3")
    few = keys(call.home)
    all_of_them = run("all")
    many = keys(call.home)
    assert len(few) < len(many)
    assert {key: many[key] for key in few} == few
    assert run("take:3") == first
    assert all_of_them != first
    assert keys(call.home) == many


@pytest.mark.slow
@pytest.mark.parametrize(
    ("stage", "point"), [("generate", "answers"), ("score", "half"), ("complexity", "half"), ("complexity", "manifest")]
)
def test_killed_run_asks_again_or_ends_otherwise(scrollwork: Scrollwork, raw: Path, stage: str, point: str) -> None:
    asked = ("run", "dolce", "--raw", str(raw), "--model", "bm25", "--strategy", "take:5", *ASK)
    whole = scrollwork.with_(home=scrollwork.home.parent / "whole")
    told = whole(*asked).document
    scrollwork.with_(prefix=(DRIVER, stage, point, "SIGKILL"))(*asked, status=-signal.SIGKILL)
    before = keys(scrollwork.home)
    assert before
    again = scrollwork(*asked).document
    assert {**again, "report": ""} == {**told, "report": ""}
    after = keys(scrollwork.home)
    assert {key: after[key] for key in before} == before
    assert set(after) == set(keys(whole.home))
    assert files_of(scrollwork.home) == files_of(whole.home)


def test_equal_windows_are_asked_twice_and_shared_ones_share_no_prefix(call: Call, tmp_path: Path) -> None:
    names = ("mill", "boat", "lamp", "rope")
    lines = [f"On day {day} the {names[day % 4]} was seen by all who came. " * 60 for day in range(4)]
    context = "\n".join([*lines, lines[0]])  # the first unit stands twice
    record = {
        "input": context,
        "instructions": [f"Who saw the {name}?" for name in names],
        "outputs": ["all who came"] * 4,
    }
    (tmp_path / "raw/leval").mkdir(parents=True)
    (tmp_path / "raw/leval/meeting_summ.jsonl").write_text(json.dumps(record) + "\n")
    (tmp_path / "own.toml").write_text('[m]\nprovider = "openai"\nid = "g"\nbase_url = "http://127.0.0.1:9/v1"\n')
    status, out, err = call(
        "estimate", "dolce", "--raw", str(tmp_path / "raw"), "--task", "leval_qmsum", "--models",
        str(tmp_path / "own.toml"), "--model", "m", "--quiet", "--json",
    )  # fmt: skip
    assert status == 0, err
    (row,) = json.loads(out)
    windows = 1 + 5 + 4 + 1  # of lengths 0, 1, 2 and 5
    assert (row["prompts"], row["requests"]) == (4 * windows, 4 * (windows - 1))
    shown = row["input_tokens"] * 3 / 4  # three of four prompts find their window in the cache, but for the shortest
    assert 0.5 * shown < row["cached_tokens"] < shown
    status, out, _ = call(
        "estimate", "dolce", "--raw", str(tmp_path / "raw"), "--task", "leval_qmsum", "--models",
        str(tmp_path / "own.toml"), "--model", "m", "--quiet",
    )  # fmt: skip
    said = " ".join((out + _).split())
    assert "4 of 44 prompts (9.1%) are equal to others: asked once" in said
    assert "of tokens in, where prompts that begin alike follow each other" in said


@pytest.mark.parametrize(
    ("suite", "changes", "told"),
    [
        ("dolce", {}, True),
        ("dolce", {"strategy": "all"}, False),
        ("dolce", {"budget": "5"}, False),
        ("dolce", {"models": ("bm25",)}, False),
        ("zeroscrolls", {}, False),
    ],
)
def test_thousands_of_windows_are_asked_without_a_word(suite: str, changes: dict[str, Any], told: bool) -> None:
    request = Request(**{"suite": suite, "home": "h", "raw": "r", "models": ("gpt-4o-mini",), **changes})
    assert bool(unbounded(request)) is told


def test_windows_are_hidden_and_still_count_as_seen(call: Call) -> None:
    status, _, err = call("run", "dolce", "--sample", "--model", "notes", "--arm", "closed-book")
    assert (status, "windows of length 0" in err) == (2, True)
