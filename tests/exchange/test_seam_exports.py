"""SEAM's runs in other tools' formats: each run stands for itself in hf and inspect; formats that name an input by its id
alone have no place for runs, and nothing of one run passes for all of them."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Call

REFUSED = ("submission", "lm-eval", "eee")
ANSWERS = "Task,ID,Prediction\nmusique,2hop__1,x\n"
ASKED = ("--sample", "--task", "open_asp", "--task", "sci_co", "--runs", "2")


MODEL = ("--model", "lead")


@pytest.fixture
def ran(call: Call) -> Call:
    """A home with two runs of two tasks."""
    done = call("--quiet", "run", "seam", *ASKED, *MODEL, "--engine", "inline")
    assert done[0] == 0, done
    return call


def export(call: Call, kind: str, out: Path, *more: str) -> list[Path]:
    status, text, said = call("--quiet", "--json", "export", kind, "seam", *ASKED, *more, "--out", str(out))
    assert status == 0, said
    return [Path(name) for name in json.loads(text)["files"]]


def test_run_is_lost_or_another_in_logs_of_inspect(ran: Call, tmp_path: Path) -> None:
    logs = [path for path in export(ran, "inspect", tmp_path / "logs", *MODEL) if path.suffix == ".eval"]
    rows = {(row["run"], row["instance"]): row for row in prompts(ran, tmp_path / "prompts")}
    told = json.loads(ran("--json", "run", "seam", *ASKED, *MODEL, "--engine", "inline")[1])
    means = {row["task"]: row["value"] for row in told["tasks"]}
    found: dict[tuple[str, int], float] = {}
    for path in logs:
        with zipfile.ZipFile(path) as archive:
            header = json.loads(archive.read("header.json"))
            samples = [json.loads(archive.read(name)) for name in archive.namelist() if name.startswith("samples/")]
        run, task = header["eval"]["task_args"]["run"], header["eval"]["metadata"]["task"]
        assert header["eval"]["task"] == f"seam/{task}"
        assert header["status"] == "success"
        assert {one["id"] for one in samples} == {
            name for r, name in rows if r == run and rows[r, name]["task"] == task
        }
        assert header["eval"]["dataset"]["sample_ids"] == [one["id"] for one in samples]
        for one in samples:
            row = rows[run, one["id"]]
            assert (one["input"], one["target"], one["epoch"]) == (row["prompt"], row["references"], 1)
        value = header["results"]["scores"][0]["metrics"]["value"]["value"]
        found[task, run] = value
        if task == "open_asp":  # a mean over inputs
            scores = [one["scores"]["rouge_gm"]["value"] for one in samples]
            assert value == pytest.approx(sum(scores) / len(scores))
        over = header["eval"]["metadata"]["over_runs"]
        assert over["runs"] == 2
        assert over["interval"]["low"] <= over["mean"] <= over["interval"]["high"]
    assert len(logs) == len(found) == 4, "two tasks, two runs"
    for task, mean in means.items():
        assert (found[task, 0] + found[task, 1]) / 2 == pytest.approx(mean)


def prompts(call: Call, out: Path) -> list[dict[str, Any]]:
    files = [path for path in export(call, "prompts", out) if path.suffix == ".jsonl"]
    return [json.loads(line) for path in files for line in path.read_text(encoding="utf-8").split("\n")[:-1]]


def test_prompt_of_a_run_is_lost_or_anothers_in_the_hub_s_form(call: Call, tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets", reason="the extra hf is not installed")
    export(call, "hf", tmp_path / "hf")
    assert datasets.get_dataset_config_names(str(tmp_path / "hf")) == ["open_asp", "sci_co"]
    wanted: dict[str, list[dict[str, Any]]] = {"open_asp": [], "sci_co": []}
    for row in prompts(call, tmp_path / "prompts"):
        wanted[row["task"]].append(
            {
                "id": row["instance"],
                "pid": f"{row['instance']}_{row['run']}",
                "input": row["prompt"],
                "output": row["references"][0],
                "run": row["run"],
                "sha256": row["sha256"],
            }
        )
    for task, rows in wanted.items():
        loaded = datasets.load_dataset(str(tmp_path / "hf"), task, split="test", cache_dir=str(tmp_path / "cache"))
        assert loaded.to_list() == rows
        assert {row["run"] for row in rows} == {0, 1}
        assert len({row["pid"] for row in rows}) == len(rows)
    card = (tmp_path / "hf/README.md").read_text(encoding="utf-8")
    assert "--task open_asp --task sci_co --runs 2 --out FOLDER" in card
    assert "A row is an instance in one of 2 runs." in card


@pytest.mark.parametrize(("metric", "task"), [("rouge_gm", "open_asp"), ("conll", "sci_co")])
def test_exported_reference_is_none_that_its_metric_takes(call: Call, tmp_path: Path, metric: str, task: str) -> None:
    rows = [row for row in prompts(call, tmp_path / "prompts") if row["task"] == task and row["run"] == 1]
    pairs = [
        {"id": row["instance"], "prediction": row["references"][0], "references": row["references"]} for row in rows
    ]
    (tmp_path / "pairs.jsonl").write_text("".join(json.dumps(pair) + "\n" for pair in pairs))
    status, text, said = call("--json", "score", "--metric", metric, "--pairs", str(tmp_path / "pairs.jsonl"))
    assert status == 0, said
    told = json.loads(text)
    assert told["n"] == len(rows)
    assert told["components"].get("conll_keep", told["value"]) == pytest.approx(100)


def test_export_of_runs_is_a_traceback_or_has_one_of_them(call: Call, tmp_path: Path) -> None:
    for kind in REFUSED:
        asked = ("export", kind, "seam", *ASKED, *MODEL, "--out", str(tmp_path / kind))
        status, _, said = call(*asked)
        assert status == 2
        assert said.startswith(f"scrollwork: export {kind}: inputs of seam are asked anew in each run")
        assert not (tmp_path / kind).exists()


@pytest.mark.parametrize(
    "command", [("check-submission",), ("import", "--name", "theirs"), ("score", "--name", "theirs")]
)
def test_one_answer_is_scored_in_every_run(call: Call, tmp_path: Path, command: tuple[str, ...]) -> None:
    """Mentions have other ids in each run: an answer to one is none to another."""
    (tmp_path / "answers.csv").write_text(ANSWERS)
    file = ("--predictions",) if command[0] == "score" else ()
    done = call(command[0], "seam", *file, str(tmp_path / "answers.csv"), "--sample", *command[1:])
    assert done[0] == 2
    assert "asked anew in each run" in done[2]
