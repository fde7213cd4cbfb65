"""`export prompts`: a row a prompt of every suite, with the bytes that are asked, and the manifests of drawn runs."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from scrollwork.suites.suite_files import SAMPLE
from tests.conftest import Call

FIELDS = ["suite", "task", "split", "run", "instance", "draw", "prompt", "sha256", "references", "max_new_tokens"]
ASKED = {  # suite: what is asked for, and how many files and runs
    "zeroscrolls": (("--task", "qmsum", "--task", "musique"), 2, 1),
    "scrolls": (("--task", "quality", "--split", "validation"), 1, 1),
    "seam": (("--task", "musique", "--task", "ecb_plus", "--runs", "2"), 2, 2),
    "dolce": (("--task", "leval_quality", "--strategy", "take:50", "--limit", "2"), 1, 1),
}


def export(call: Call, suite: str, out: Path, *more: str, status: int = 0) -> Any:
    done = call("--quiet", "export", "prompts", suite, "--sample", *more, "--out", str(out), "--json")
    assert done[0] == status, done
    return json.loads(done[1]) if not status else done[2]


def rows_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n")[:-1]]


@pytest.mark.parametrize("suite", ASKED)
def test_prompt_of_a_suite_is_not_written_or_is_another_than_its_digest(call: Call, tmp_path: Path, suite: str) -> None:
    arguments, count, runs = ASKED[suite]
    told = export(call, suite, tmp_path / "out", *arguments)
    files = [Path(name) for name in told["files"] if name.endswith(".jsonl")]
    assert len(files) == count
    total = 0
    for path in files:
        rows = rows_of(path)
        total += len(rows)
        assert {row["run"] for row in rows} == set(range(runs))
        assert len({(row["run"], row["instance"], row["draw"]) for row in rows}) == len(rows)
        for row in rows:
            assert list(row) == FIELDS
            assert row["suite"] == suite
            assert path.name == f"{row['task']}-{row['split']}.jsonl"
            assert row["sha256"] == hashlib.sha256(row["prompt"].encode()).hexdigest()
            assert row["references"]
            assert row["max_new_tokens"] > 0
    assert told["prompts"] == total > 0
    sums = (tmp_path / "out/SHA256SUMS").read_text().splitlines()[1:]
    assert {line[66:] for line in sums} == {
        str(Path(name).relative_to(tmp_path / "out")) for name in told["files"][:-1]
    }


def test_manifest_beside_the_prompts_is_anothers(call: Call, tmp_path: Path) -> None:
    export(call, "seam", tmp_path / "out", *ASKED["seam"][0])
    for task in ("musique", "ecb_plus"):
        rows = rows_of(tmp_path / f"out/{task}-test.jsonl")
        for run in range(2):
            told = json.loads((tmp_path / f"out/manifests/{task}-test-{run}.json").read_text())
            assert (told["dataset"], told["run"]) == (task, run)
            digests = {row["id"]: row["prompt_sha256"] for row in told["instances"]}
            assert {row["instance"]: row["sha256"] for row in rows if row["run"] == run} == digests
    assert not (tmp_path / "out/manifests/musique-test-2.json").exists()


def test_prompts_of_a_model_are_whole_or_those_of_none_are_cut(call: Call, tmp_path: Path) -> None:
    asked = ("--task", "qmsum", "--limit", "3")
    limited = ("--model", "naive", "--max-input-tokens", "300")
    export(call, "zeroscrolls", tmp_path / "whole", *asked)
    export(call, "zeroscrolls", tmp_path / "cut", *asked, *limited)
    whole, cut = (rows_of(tmp_path / f"{name}/qmsum-test.jsonl") for name in ("whole", "cut"))
    assert [row["instance"] for row in whole] == [row["instance"] for row in cut]
    assert all(len(row["prompt"].split()) <= 300 for row in cut)
    assert all(len(row["prompt"].split()) > 1000 for row in whole)
    said = export(call, "zeroscrolls", tmp_path / "none", *asked, *limited[2:], status=2)
    assert "--max-input-tokens: without --model prompts are whole" in said
    export(call, "zeroscrolls", tmp_path / "none", *asked, "--context", "300", status=2)
    said = export(call, "zeroscrolls", tmp_path / "none", *asked, "--model", "naive", "--model", "lead", status=2)
    assert "prompts are of one model, or of none" in said
    assert not (tmp_path / "none").exists()


def test_task_that_cannot_be_built_is_passed_over_in_silence(call: Call, tmp_path: Path) -> None:
    shutil.copytree(SAMPLE / "qmsum", tmp_path / "raw/qmsum")
    asked = ("export", "prompts", "zeroscrolls", "--raw", str(tmp_path / "raw"), "--out", str(tmp_path / "out"))
    status, told, said = call("--json", *asked, "--task", "qmsum", "--task", "squality")
    assert status == 1
    assert [Path(name).name for name in json.loads(told)["files"]] == ["qmsum-test.jsonl", "SHA256SUMS"]
    assert "lacking: curate squality" in said
    assert call(*asked[:-1], str(tmp_path / "none"), "--task", "squality")[0] == 1
    assert not (tmp_path / "none").exists()


def test_folder_of_somebody_else_is_replaced(call: Call, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out/mine.txt").write_text("x")
    said = export(call, "zeroscrolls", tmp_path / "out", "--task", "qmsum", "--limit", "1", status=1)
    assert "mine.txt" in said
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["mine.txt"]
