"""Runs of Dolce from raw files: what is asked once, what a provider's cache can share, what a kill costs."""

from __future__ import annotations

import json
import signal
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from scrollwork.flows.chains import Chain
from scrollwork.readings.model_warnings import unbounded_cost_warning
from scrollwork.sample.windows import TASKS, dolce
from scrollwork.suites.request import Request
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


@pytest.mark.slow
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
    scrollwork.with_(prefix=(DRIVER, stage, point, "SIGKILL"), warm=True)(*asked, status=-signal.SIGKILL)
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
    (tmp_path / "own.toml").write_text(
        '[m]\nprovider = "openai"\nid = "g"\nbase_url = "http://127.0.0.1:9/v1"\ncache_minimum = 1024\n'
    )
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
def test_thousands_of_windows_are_asked_without_a_word(
    suite: str, changes: dict[str, Any], told: bool, tmp_path: Path
) -> None:
    request = Request.of(suite, home=str(tmp_path), sample=True, **{"models": ("gpt-4o-mini",), **changes})
    assert bool(unbounded_cost_warning(request, Chain(request).resolved.calling)) is told


def test_windows_are_hidden_and_still_count_as_seen(call: Call) -> None:
    status, _, err = call("run", "dolce", "--sample", "--model", "planted", "--arm", "closed-book")
    assert (status, "windows of length 0" in err) == (2, True)


@pytest.fixture
def passages(tmp_path: Path) -> Path:
    """A problem of HotpotQA whose context has 9 passages of two paragraphs each."""
    names = ("Ada", "Bela", "Cleo", "Dora", "Edda", "Fay", "Gitta", "Hanna", "Ilse")
    texts = [f"Passage {n}:\n{name}\n\nThe {name} mill stood by river {n}." for n, name in enumerate(names, 1)]
    record = {"input": "Where stood the Edda mill?", "context": "\n\n".join(texts), "answers": ["by river 5"]}
    folder = tmp_path / "raw/longbench/data"
    folder.mkdir(parents=True)
    (folder / "hotpotqa.jsonl").write_text(json.dumps({**record, "_id": "p", "all_classes": None}) + "\n")
    return tmp_path / "raw"


def test_exported_windows_are_others_than_those_of_the_run(call: Call, passages: Path, tmp_path: Path) -> None:
    out = tmp_path / "rows.jsonl"
    for units, count in (("", 18), ("o", 9)):
        own = ("--raw", str(passages), "--model", "bm25", *(("--units", units) if units else ()), *ASK)
        status, told, err = call("run", "dolce", *own)
        assert status == 0, err
        (task,) = json.loads(told)["dolce"]["tasks"]
        status, said, err = call("export", "observations", "dolce", *own, "--out", str(out))
        assert status == 0, err
        assert json.loads(said) == {
            "out": str(out),
            "files": [str(out)],
            "rows": {TASK: task["answered"]},
            "lacking": [],
        }
        rows = [json.loads(line) for line in out.read_text().splitlines()]
        assert {row["units"] for row in rows} == {count}
        assert {(row["length"], row["first"]) for row in rows if row["length"] in (0, 1, count)} == {
            *((1, first) for first in range(count)),
            *([(0, 0), (count, 0)]),
        }
        whole = [row for row in rows if row["length"] == count]
        assert [row["score"] for row in whole] == [task["problems"][0]["full_context"] / 100]
        status, fitted, err = call("dolce", "fit", "--observations", str(out), "--json")
        assert (status, err) == (0, "")
        (again,) = json.loads(fitted)["tasks"]
        assert (again["scenario"], again["noise"]) == (task["scenario"], task["noise"])
        for ours, theirs in zip(again["problems"], task["problems"], strict=True):
            assert {name: ours[name] for name in ("problem", "lambda", "k", "category", "units")} == {
                name: theirs[name] for name in ("problem", "lambda", "k", "category", "units")
            }


def test_observations_of_two_models_are_mixed(call: Call, passages: Path, tmp_path: Path) -> None:
    out = ("--out", str(tmp_path / "rows.jsonl"))
    raw = ("dolce", "--raw", str(passages), "--task", TASK)
    for arguments, expected, said in (
        ((*raw, "--model", "bm25", "--model", "lead"), 2, "observations are of one model"),
        ((*raw, "--model", "bm25"), 1, "nothing of it is scored"),
        (("zeroscrolls", "--sample", "--model", "lead"), 2, "zeroscrolls does not observe windows"),
        ((*raw, "--model", "bm25", "--units", "zz"), 2, "longbench_hotpotqa has no units 'zz'; it has: b, o"),
    ):
        status, _, err = call("export", "observations", *arguments, *out)
        assert (status, said in err) == (expected, True), err
    assert not (tmp_path / "rows.jsonl").exists()
    for kind in ("submission", "inspect", "hf"):
        named = () if kind == "hf" else ("--model", "bm25")
        status, _, err = call("export", kind, *raw, *named, "--out", str(tmp_path / "out"))
        assert (status, "export observations writes a row a window" in err) == (2, True), err
