"""Exported tasks before the tools that run them: lm_eval and inspect_ai ask our prompts and find our scores.

Models look their answers up by the prompt's text. What is expected are scored runs of ours, as `export inspect` writes them:
of ZeroSCROLLS by answers of a made-up system, of SEAM by two models in two runs. Without the tools (`make validators`) this
is skipped.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from scrollwork.records.score import SUM
from scrollwork.suites.suite_files import SAMPLE
from tests.conftest import PROJECT, Call
from tests.exchange.test_export_validators import HOSTILE, python_with
from tests.exchange.test_task_exports import hostile_meetings

pytestmark = pytest.mark.slow
TOOLS = {"lm-eval-task": "lm_eval", "inspect-task": "inspect_ai"}
INLINE = ("--engine", "inline")
SEAM = ("--sample", "--runs", "2")
SYSTEMS = {"theirs": "zeroscrolls", "naive:seed=0": "seam", "same-head": "seam"}
LEAST = 200  # answers
NEAR = {"rel": 0, "abs": 1e-9}
Folders = dict[str, dict[str, Path]]  # exported tasks by kind and suite


def answer_to(number: int, references: list[str]) -> str:
    """Right, half right, empty, hostile or wrong."""
    right = references[number % len(references)]
    hostile = HOSTILE[number % len(HOSTILE)]
    return (right, right[: len(right) // 2], "", f"{hostile} {right}", "The committee met on 12 May.", hostile)[
        number % 6
    ]


@pytest.fixture
def folders(call: Call, tmp_path: Path) -> Folders:
    """Both suites as tasks of both tools, of raw files some of which are hostile."""
    shutil.copytree(SAMPLE, tmp_path / "raw")
    shutil.rmtree(tmp_path / "raw/qmsum")
    hostile_meetings(tmp_path / "raw")
    made: Folders = {}
    for kind in TOOLS:
        for suite, options in (("zeroscrolls", ("--raw", str(tmp_path / "raw"))), ("seam", SEAM)):
            out = tmp_path / kind / suite
            out.parent.mkdir(exist_ok=True)
            done = call("--quiet", "export", kind, suite, *options, "--out", str(out))
            assert done[0] == 0, done
            made.setdefault(kind, {})[suite] = out
    return made


@pytest.fixture
def expected(call: Call, tmp_path: Path, folders: Folders) -> dict[str, Any]:
    """{system: {answers: by prompt, tasks: {task: {items: {sha256 of a prompt: its values}, value}}}}; of the suite with an
    average, that."""
    theirs = {
        path.stem.removeprefix("scrollwork_zeroscrolls_").removesuffix("_test"): {
            row["id"]: answer_to(number, row["references"])
            for number, row in enumerate(pq.read_table(path).to_pylist())
        }
        for path in sorted((folders["lm-eval-task"]["zeroscrolls"] / "data").iterdir())
    }
    (tmp_path / "theirs.json").write_text(json.dumps(theirs))
    raw = ("--raw", str(tmp_path / "raw"))
    done = call(
        "score",
        "zeroscrolls",
        "--predictions",
        str(tmp_path / "theirs.json"),
        "--name",
        "theirs",
        *raw,
        *INLINE,
        "--json",
    )
    assert done[0] == 0, done
    (average,) = json.loads(done[1])["averages"].values()
    assert call("--quiet", "run", "seam", *SEAM, "--model", "naive:seed=0", "--model", "same-head", *INLINE)[0] == 0
    found: dict[str, Any] = {}
    for system, suite in SYSTEMS.items():
        asked = ("inspect", suite, *(raw if suite == "zeroscrolls" else SEAM), "--model", system)
        few = ("--task", "sci_co", "--task", "ecb_plus") if system == "same-head" else ()  # it answers no others
        done = call("--quiet", "export", *asked, *few, "--out", str(tmp_path / "logs" / str(len(found))))
        assert done[0] == 0, done
        found[system] = scored(tmp_path / "logs" / str(len(found)))
    found["theirs"]["average"] = average
    return found


def scored(folder: Path) -> dict[str, Any]:
    """What the logs of a system say."""
    answers: dict[str, str] = {}
    tasks: dict[str, Any] = {}
    for path in sorted(folder.rglob("*.eval")):
        with zipfile.ZipFile(path) as archive:
            header = json.loads(archive.read("header.json"))
            samples = [json.loads(archive.read(name)) for name in archive.namelist() if name.startswith("samples/")]
        (metric,) = header["results"]["scores"]
        held = header["eval"]["metadata"]
        name = f"scrollwork_{header['eval']['task'].replace('/', '_')}_test"
        value = held["over_runs"]["mean"] if "over_runs" in held else metric["metrics"]["value"]["value"]
        task = tasks.setdefault(name, {"items": {}, "value": value})
        for one in samples:
            assert answers.setdefault(one["input"], one["output"]["completion"]) == one["output"]["completion"]
            (score,) = one["scores"].values()
            digest = hashlib.sha256(one["input"].encode()).hexdigest()
            task["items"][digest] = {"score": score["value"], **score["metadata"]["components"]}
    return {"answers": answers, "tasks": tasks}


def by_tool(python: str, code: str, tmp_path: Path, *arguments: object) -> Any:
    """What a program of the tool's environment prints as JSON in its last line; it imports our package, and asks no hub."""
    (tmp_path / "package").mkdir(exist_ok=True)
    if not (tmp_path / "package/scrollwork").exists():
        (tmp_path / "package/scrollwork").symlink_to(PROJECT / "scrollwork")  # without the rooms' own names
    env = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "HF_HOME": str(tmp_path / "hub")}
    env |= {"PYTHONPATH": str(tmp_path / "package"), "INSPECT_LOG_DIR": str(tmp_path / "inspect")}
    done = subprocess.run(
        [python, "-c", code, *map(str, arguments)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=tmp_path,
        env=env,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    return json.loads(done.stdout.splitlines()[-1])


HARNESS = """
import hashlib, json, sys
import lm_eval
from lm_eval.api.model import LM
from lm_eval.tasks import TaskManager
systems = json.load(open(sys.argv[1], encoding="utf-8"))
folders = json.loads(sys.argv[2])
found = {}
class World(LM):
    def __init__(self, answers):
        super().__init__()
        self.answers = answers
    def loglikelihood(self, requests): raise NotImplementedError
    def loglikelihood_rolling(self, requests): raise NotImplementedError
    def generate_until(self, requests):
        assert all(r.args[1]["until"] == [] for r in requests), "an answer would be cut"
        return [self.answers[r.args[0]] for r in requests]
for system, (suite, tasks, answers) in systems.items():
    manager = TaskManager(include_path=folders[suite], include_defaults=False)
    got = lm_eval.simple_evaluate(model=World(answers), tasks=tasks, task_manager=manager, log_samples=True, bootstrap_iters=0)
    held = {}
    for task, rows in got["samples"].items():
        items = {}
        for row in rows:
            prompt = row["arguments"][0][0] if isinstance(row["arguments"], list) else row["arguments"]["gen_args_0"]["arg_0"]
            items[hashlib.sha256(prompt.encode()).hexdigest()] = {"score": row["score"]["score"], **{n: row[n] for n in row["metrics"] if n != "score"}}
        values = got["results"][task]
        held[task] = {"items": items, "value": values["score,none"], "rows": len(rows)}
    groups = {name: row.get("score,none") for name, row in (got.get("groups") or {}).items()}
    found[system] = {"tasks": held, "groups": groups}
print()
print(json.dumps(found))
"""

INSPECT = """
import hashlib, json, os, sys
from inspect_ai import eval
from inspect_ai.model import ModelOutput, ModelUsage, get_model
systems = json.load(open(sys.argv[1], encoding="utf-8"))
folders = json.loads(sys.argv[2])
found = {}
def model_of(answers):
    def said(input, tools, tool_choice, config):
        assert len(input) == 1
        out = ModelOutput.from_content("mockllm/model", answers[input[0].text])
        out.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)  # else a table of tokens is downloaded
        return out
    return get_model("mockllm/model", custom_outputs=said, memoize=False)
for system, (suite, tasks, answers) in systems.items():
    os.chdir(folders[suite])
    named = ["scrollwork_tasks.py" + (f"@{one}" if one in open("scrollwork_tasks.py").read() else "") for one in tasks]
    logs = eval(named, model=model_of(answers), log_dir=os.environ["INSPECT_LOG_DIR"], display="none", log_level="warning")
    held = {}
    for log in logs:
        assert log.status == "success", log.error
        items = {}
        for one in log.samples:
            assert one.input == one.messages[0].text
            items[hashlib.sha256(one.input.encode()).hexdigest()] = one.scores["scrollwork_score"].value
        (values,) = [score.metrics for score in log.results.scores if score.name == "scrollwork_score"]
        held[log.eval.task] = {"items": items, "value": values["score"].value, "rows": len(log.samples)}
    found[system] = {"tasks": held}
print()
print(json.dumps(found))
"""


def test_tool_asks_other_prompts_or_finds_other_scores(
    call: Call, tmp_path: Path, folders: Folders, expected: dict[str, Any]
) -> None:
    pythons = {kind: python_with(module) for kind, module in TOOLS.items()}
    systems = {
        name: (suite, sorted(expected[name]["tasks"]), expected[name]["answers"]) for name, suite in SYSTEMS.items()
    }
    for kind, code in (("lm-eval-task", HARNESS), ("inspect-task", INSPECT)):
        asked = dict(systems)
        if kind == "lm-eval-task":  # by the name of the group
            asked["theirs"] = ("zeroscrolls", ["scrollwork_zeroscrolls_test"], expected["theirs"]["answers"])
        (tmp_path / "systems.json").write_text(json.dumps(asked))
        named = json.dumps({suite: str(path) for suite, path in folders[kind].items()})
        found = by_tool(pythons[kind], code, tmp_path, tmp_path / "systems.json", named)
        compare(found, expected)
        if kind == "lm-eval-task":
            average = found["theirs"]["groups"]["scrollwork_zeroscrolls_test"]
            assert average == pytest.approx(expected["theirs"]["average"], **NEAR)

    (log,) = (path for path in (tmp_path / "inspect").iterdir() if "zeroscrolls-qasper" in path.name)
    asked_again = ("--raw", str(tmp_path / "raw"), "--task", "qasper", "--name", "again", *INLINE, "--json")
    done = call("import", "zeroscrolls", str(log), *asked_again)  # the log says which task it is of
    assert done[0] == 0, done
    (row,) = json.loads(done[1])["tasks"]
    assert row["value"] == expected["theirs"]["tasks"]["scrollwork_zeroscrolls_qasper_test"]["value"]


def compare(found: dict[str, Any], expected: dict[str, Any]) -> None:
    """What a tool found is what we did: the prompts, each answer's values, each task's value."""
    count = 0
    for system, want in expected.items():
        got = found[system]["tasks"]
        assert got.keys() == want["tasks"].keys()
        for task, ours in want["tasks"].items():
            assert got[task]["items"].keys() == ours["items"].keys(), "prompts are asked as they are, each once"
            assert got[task]["rows"] == len(ours["items"])
            for digest, values in ours["items"].items():
                theirs = got[task]["items"][digest]
                assert theirs.keys() >= {name for name in values if not name.startswith(SUM)}
                assert theirs == pytest.approx({name: values[name] for name in theirs}, **NEAR)
            assert got[task]["value"] == pytest.approx(ours["value"], **NEAR), (system, task)
            count += got[task]["rows"]
    assert count >= LEAST
    values = {
        value
        for one in expected["theirs"]["tasks"].values()
        for each in one["items"].values()
        for value in each.values()
    }
    assert len(values) > 30, "answers are right, wrong and in between"
