"""Exports before the tools themselves, and logs that these tools wrote: inspect_ai, lm_eval, every_eval_ever.

They need other versions of libraries than we do, so they live in an environment of their own: `make validators`, or
SCROLLWORK_VALIDATORS, a list of Python interpreters that have them. Without them these tests are skipped.
"""

from __future__ import annotations

import csv
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from scrollwork.scoring.files.submissions import predictions
from tests.conftest import PROJECT, Call

pytestmark = pytest.mark.slow
TASKS = ("quality", "squality")
ONLY = [word for task in TASKS for word in ("--task", task)]
HOSTILE = ("", "NA", "=1+1", 'say "x", y', "a\rb", "a\r\nb\nc", "\x00", "\u2028\x85", "\ufeff", "</script>", "null")


def python_with(module: str) -> str:
    """An interpreter that has a package; the test is skipped where there is none."""
    named = os.environ.get("SCROLLWORK_VALIDATORS", "").split(os.pathsep)
    for python in [*filter(None, named), str(PROJECT / ".venv-validators/bin/python")]:
        if Path(python).is_file() and subprocess.run([python, "-c", f"import {module}"], capture_output=True).returncode == 0:  # fmt: skip
            return python
    pytest.skip(f"no interpreter has {module}: `make validators` makes one (every_eval_ever wants Python 3.12)")


def by(python: str, code: str, *arguments: object, cwd: Path | None = None) -> str:
    """What a program prints; it must end well and asks nothing of the network."""
    env = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "PYTHONPATH": ""}
    done = subprocess.run(
        [python, "-c", code, *map(str, arguments)], capture_output=True, text=True, encoding="utf-8", cwd=cwd, env=env
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


@pytest.fixture
def ran(call: Call, tmp_path: Path) -> Call:
    """A home in which a model and a hostile system that lacks answers are scored."""
    arguments = ("--sample", "--engine", "inline", "--quiet")
    status, _, err = call("run", "zeroscrolls", "--model", "naive:seed=0", *ONLY, *arguments)
    assert status == 0, err
    out = tmp_path / "first.csv"
    assert export(call, "submission", out)[0] == 1
    with out.open(newline="", encoding="utf-8") as stream:
        _, *rows = csv.reader(stream)
    theirs: dict[str, dict[str, str]] = {}
    for number, (task, name, _) in enumerate(rows[1:]):
        theirs.setdefault(task, {})[name] = HOSTILE[number % len(HOSTILE)] + " (A)" * (number % 2)
    path = tmp_path / "theirs.json"
    path.write_text(json.dumps(theirs))
    status, _, err = call("score", "zeroscrolls", "--predictions", str(path), "--name", "Über/the irs:1", *arguments)
    assert status == 1, err
    return call


def export(call: Call, kind: str, out: Path, model: str = "naive:seed=0") -> tuple[int, str]:
    """An export of both tasks."""
    more = ("--sample", "--model", model, *ONLY, "--out", str(out), "--json")
    status, text, err = call("--quiet", "export", kind, "zeroscrolls", *more)
    return status, text + err


def exported(call: Call, kind: str, out: Path) -> None:
    """Both systems' exports below a folder."""
    assert export(call, kind, out / "ours")[0] == 0
    assert export(call, kind, out / "theirs", "Über/the irs:1")[0] == 1


READ = """
import json, sys
from inspect_ai.log import *
found = []
for info in list_eval_logs(sys.argv[1]):
    log = read_eval_log(info.name, resolve_attachments=True)
    assert read_eval_log(info.name, header_only=True).results == log.results
    summaries = read_eval_log_sample_summaries(info.name)
    assert [s.id for s in summaries] and {s.id for s in summaries} == {s.id for s in log.samples}
    for s in log.samples:
        one = read_eval_log_sample(info.name, s.id)
        assert one.output.completion == s.output.completion
        assert s.messages[0].content == s.input and not s.input.startswith("attachment://")
        assert s.messages[1].content == s.output.completion
    write_eval_log(log, sys.argv[2] + "/" + log.eval.task_id + ".eval")
    write_eval_log(log, sys.argv[2] + "/" + log.eval.task_id + ".json")
    score = log.results.scores[0]
    found.append([log.eval.task, log.status, len(log.samples), log.results.total_samples, score.metrics["value"].value,
                  log.eval.task_id, {s.id: s.output.completion for s in log.samples}])
print(json.dumps(found))
"""


def test_inspect_reads_other_logs_than_we_wrote(ran: Call, tmp_path: Path) -> None:
    python = python_with("inspect_ai")
    exported(ran, "inspect", tmp_path / "logs")
    (tmp_path / "again").mkdir()
    found = json.loads(by(python, READ, tmp_path / "logs", tmp_path / "again"))
    assert sorted((task, status, n, of) for task, status, n, of, *_ in found) == [
        ("zeroscrolls/quality", "success", 11, 11),
        ("zeroscrolls/quality", "success", 11, 11),
        ("zeroscrolls/squality", "error", 9, 10),
        ("zeroscrolls/squality", "success", 10, 10),
    ]
    for *_, task_id, texts in found:  # what inspect wrote itself, of the same
        for ending in (".eval", ".json"):
            with (tmp_path / "again" / (task_id + ending)).open("rb") as stream:
                assert {row.id: row.text for row in predictions(stream)} == texts


def test_inspect_reads_another_run_than_was_drawn(call: Call, tmp_path: Path) -> None:
    python = python_with("inspect_ai")
    asked = ("--sample", "--task", "open_asp", "--task", "ecb_plus", "--runs", "2", "--model", "naive")
    assert call("--quiet", "run", "seam", *asked, "--engine", "inline")[0] == 0
    assert call("--quiet", "export", "inspect", "seam", *asked, "--out", str(tmp_path / "logs"))[0] == 0
    (tmp_path / "again").mkdir()
    found = json.loads(by(python, READ, tmp_path / "logs", tmp_path / "again"))
    assert sorted((task, status, n, of) for task, status, n, of, *_ in found) == [
        *[("seam/ecb_plus", "success", 3, 3)] * 2,
        *[("seam/open_asp", "success", 6, 6)] * 2,
    ]
    assert len({task_id for *_, task_id, _ in found}) == 4


RUN = """
import json, sys
from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import match
answers = json.loads(sys.argv[1])
def said(input, tools, tool_choice, config):
    out = ModelOutput.from_content("mockllm/model", answers[input[-1].text.split()[-1]])
    out.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return out
samples = [Sample(id=name, input="long " * 500 + name, target="B") for name in answers]
model = get_model("mockllm/model", custom_outputs=said)
(log,) = eval(Task(dataset=MemoryDataset(samples), scorer=match(), name="zeroscrolls_quality"), model=model,
              log_dir=sys.argv[2], log_format=sys.argv[3], display="none")
assert log.status == "success", log.error
assert all(s.error is None for s in log.samples), log.samples[0].error
"""
ANSWERS = {"90001_AB12CD34_1": "B " + "answer \u2028" * 60, "x/y": "", "naïve": "A\r\nB"}


@pytest.mark.parametrize("kind", ["eval", "json"])
def test_log_of_a_run_of_inspect_is_read_otherwise(tmp_path: Path, kind: str) -> None:
    by(python_with("inspect_ai"), RUN, json.dumps(ANSWERS), tmp_path, kind)
    (path,) = tmp_path.glob(f"*.{kind}")
    with path.open("rb") as stream:
        found = [(row.task, row.id, row.text, row.error) for row in predictions(stream)]
    assert sorted(found) == sorted(("zeroscrolls_quality", name, text, "") for name, text in ANSWERS.items())


TABLE = """
import glob, json, sys
from datasets import load_dataset
from lm_eval import utils
from lm_eval.result_schema import SampleResult, EvalResults
files = glob.glob(sys.argv[1] + "/*/*")
(results,), samples = utils.get_results_filenames(files), utils.get_sample_results_filenames(files)
utils.get_file_datetime(results)
held = json.load(open(results))
known = set(EvalResults.__annotations__)
assert set(held) - known == {"scrollwork_version"}, set(held) - known
hashes = {}
for name in samples:
    rows = [json.loads(line) for line in open(name, newline="\\n")]
    for row in rows:
        lacking = set(SampleResult.__annotations__) - set(row)
        assert not lacking and all(isinstance(row[metric], float) for metric in row["metrics"]), lacking
        assert row["prompt_hash"] == utils.hash_string(row["arguments"]["gen_args_0"]["arg_0"])
        assert row["target_hash"] == utils.hash_string(row["target"])
        assert row["doc_hash"] == utils.hash_string(json.dumps(row["doc"], indent=2, ensure_ascii=False))
    loaded = load_dataset("json", data_files=name, split="train", cache_dir=sys.argv[2])
    assert [row["filtered_resps"] for row in loaded] == [row["filtered_resps"] for row in rows]
    task = name.rpartition("/samples_")[2].rpartition("_2")[0]
    hashes[task] = utils.hash_string("".join(r["doc_hash"] + r["prompt_hash"] + r["target_hash"] for r in rows))
assert hashes == held["task_hashes"], (hashes, held["task_hashes"])
assert held["model_name_sanitized"] == utils.sanitize_model_name(held["model_name"])
print(utils.make_table(held))
"""


def test_lm_eval_reads_other_results_than_we_wrote(ran: Call, tmp_path: Path) -> None:
    python = python_with("lm_eval")
    exported(ran, "lm-eval", tmp_path)
    table = by(python, TABLE, tmp_path / "ours", tmp_path / "cache")
    assert "|zeroscrolls_quality " in table
    assert "|rouge_geo " in table
    by(python, TABLE, tmp_path / "theirs", tmp_path / "cache")


HARNESS = """
import json, pathlib, sys
from lm_eval import simple_evaluate
from lm_eval.api.model import LM
from lm_eval.loggers import EvaluationTracker
from lm_eval.tasks import TaskManager
answers, folder = json.loads(sys.argv[1]), pathlib.Path(sys.argv[2])
(folder / "docs.jsonl").write_text("".join(json.dumps({"id": i, "input": i, "output": "B"}) + "\\n" for i in answers))
task = dict(task="zero_scrolls_quality", dataset_path="json", test_split="test", output_type="generate_until",
            dataset_kwargs={"data_files": {"test": str(folder / "docs.jsonl")}, "cache_dir": str(folder / "cache")},
            doc_to_text="{{input}}", doc_to_target="{{output}}", metric_list=[{"metric": "exact_match"}],
            generation_kwargs={"until": ["STOP"]})
class Model(LM):
    def loglikelihood(self, requests): raise NotImplementedError
    def loglikelihood_rolling(self, requests): raise NotImplementedError
    def generate_until(self, requests): return [answers[request.args[0]] for request in requests]
tracker = EvaluationTracker(output_path=str(folder / "out"))
tracker.general_config_tracker.log_experiment_args("model", "model=echo", "", "", False)
results = simple_evaluate(model=Model(), tasks=[task], log_samples=True, bootstrap_iters=0,
                          task_manager=TaskManager(include_defaults=False))
samples = results.pop("samples")
tracker.save_results_aggregated(results=results, samples=samples)
for name, rows in samples.items():
    tracker.save_results_samples(task_name=name, samples=rows)
"""


def test_samples_of_a_run_of_lm_eval_are_read_otherwise(tmp_path: Path) -> None:
    by(python_with("lm_eval"), HARNESS, json.dumps(ANSWERS), tmp_path)
    (path,) = tmp_path.glob("out/*/samples_*.jsonl")
    with path.open("rb") as stream:
        found = {row.id: row.text for row in predictions(stream, "quality")}
    assert found == ANSWERS


VALIDATE = """
import sys
from every_eval_ever.validate import main
sys.exit(main(["data/**/*.json", "data/**/*.jsonl", "--format", "json"]))
"""


def test_validator_of_every_eval_ever_has_a_complaint(ran: Call, tmp_path: Path) -> None:
    python = python_with("every_eval_ever")
    exported(ran, "eee", tmp_path)
    for name in ("ours", "theirs"):
        reports = json.loads(by(python, VALIDATE, cwd=tmp_path / name))
        text = json.dumps(reports)
        assert '"errors": []' in text
        assert '"valid": false' not in text
    (path,) = (tmp_path / "theirs").rglob("*[0-9a-f].json")
    record = json.loads(path.read_text())
    record["evaluation_results"][0]["score_details"]["score"] = "high"
    path.write_text(json.dumps(record))
    with pytest.raises(AssertionError):  # it does look
        by(python, VALIDATE, cwd=tmp_path / "theirs")


PANDAS = """
import json, sys
import pandas
read = pandas.read_csv(sys.argv[1], dtype=object, keep_default_na=False, na_values=["!@#$%^&*()"])
print(json.dumps([list(read.columns), read.values.tolist()]))
"""


def test_official_reader_gets_other_answers_than_we_wrote(ran: Call, tmp_path: Path) -> None:
    python = python_with("pandas")
    out = tmp_path / "out.csv"
    assert export(ran, "submission", out, "Über/the irs:1")[0] == 1
    columns, rows = json.loads(by(python, PANDAS, out))
    theirs: dict[str, Any] = json.loads((tmp_path / "theirs.json").read_text())
    assert columns == ["Task", "ID", "Prediction"]
    assert {(task, name): text for task, name, text in rows} == {
        (task, name): text for task, own in theirs.items() for name, text in own.items()
    }
