"""A plan is a value: it goes through JSON and comes out as it was, and nothing that reads it looks anything up again."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scrollwork.cli.main import main
from scrollwork.flows.chains import Chain
from scrollwork.pipeline import plan_files
from scrollwork.pipeline.plan import Plan
from scrollwork.pipeline.planner import Planner
from scrollwork.pipeline.session import Session
from scrollwork.suites import model_tables
from scrollwork.suites.request import Request
from tests.conftest import PROJECT, environment

PASSWORD = "postgresql://me:secret@127.0.0.1/store"
ASKED: dict[str, dict[str, Any]] = {
    "zeroscrolls": {"models": ("naive", "lead", "gpt-4o-mini"), "arms": ("full", "closed-book"), "batch": True},
    "scrolls": {"models": ("naive", "lead:fit_split=validation"), "limit": 3},
    "seam": {"models": ("same-head", "naive"), "runs": 2, "draws": "official"},
    "dolce": {"models": ("bm25",), "strategy": "take:25"},
}


def chain_of(suite: str, home: Path, **more: Any) -> Chain:
    return Chain(Request.of(suite, home=str(home), sample=True, **{**ASKED[suite], **more}))


@pytest.mark.parametrize("suite", ASKED)
def test_plan_is_another_behind_json(suite: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_tables, "adopt_tokenizer", lambda tokenizer, home: "estimate")  # a vocabulary is not here
    chain = chain_of(suite, tmp_path)
    made = chain.plan([*chain.built, *chain.evaluated])
    text = json.dumps(made.to_json())
    again = Plan.from_json(json.loads(text), replace(made.locations, calling=None))
    assert again == made
    now, then = (Planner(Session(one.locations)) for one in (made, again))
    assert [now.status(node).key for node in made.nodes] == [then.status(node).key for node in again.nodes]
    assert len(text) < 4000 * len(made.nodes)


def test_file_of_a_plan_tells_the_password_of_the_store(tmp_path: Path) -> None:
    chain = chain_of("zeroscrolls", tmp_path, models=("naive",), arms=(), batch=False, store=PASSWORD)
    made = chain.plan(chain.scored)
    assert "secret" in made.locations.store
    assert "secret" not in json.dumps(made.to_json())


def test_task_is_sent_more_than_a_name_and_a_place(tmp_path: Path) -> None:
    chain = chain_of("zeroscrolls", tmp_path, models=("naive",), arms=(), batch=False)
    made = chain.plan(chain.evaluated)
    where = replace(made.locations, calling=None)
    folder = tmp_path / plan_files.FOLDER
    with plan_files.plan_file(made) as file:
        assert [path.name for path in folder.iterdir()] == [file]
        assert plan_files.plan_of(file, where) == made
        assert max(len(pickle.dumps((node.name, file, where))) for node in made.nodes) < 600
    assert list(folder.iterdir()) == [], "a plan lies there as long as it runs"


def test_plans_of_killed_runs_pile_up(tmp_path: Path) -> None:
    folder = tmp_path / plan_files.FOLDER
    folder.mkdir()
    for name, days in (("old.json", 31), ("running.json", 29)):
        (folder / name).write_text("{}")
        os.utime(folder / name, (time.time() - days * 24 * 3600,) * 2)
    plan_files.sweep(str(tmp_path))
    assert [path.name for path in folder.iterdir()] == ["running.json"]


@pytest.mark.parametrize("command", ["run", "plan", "estimate"])
def test_command_reads_the_tables_of_models_twice(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """20 times at da944ef."""
    read = []
    real = model_tables.load_models
    monkeypatch.setattr(model_tables, "load_models", lambda own: read.append(own) or real(own))
    asked = ["zeroscrolls", "--sample", "--task", "qmsum", "--model", "naive", "--model", "bm25"]
    engine = ["--engine", "inline"] if command == "run" else []
    assert main(["--home", str(tmp_path), "--quiet", command, *asked, *engine]) == 0
    capsys.readouterr()
    assert len(read) == 1


def test_second_reader_of_a_chain_reads_a_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chain = chain_of("zeroscrolls", tmp_path, models=("naive",), arms=(), batch=False)
    first = chain.plan(chain.evaluated)
    monkeypatch.setattr("scrollwork.suites.resolved.tables_of", None)
    monkeypatch.setattr("scrollwork.flows.chains.curation_of", None)
    assert chain.plan(chain.evaluated) == first


LARGE = """
import sys
from scrollwork.flows.chains import Chain
from scrollwork.flows.execute import plan
from scrollwork.suites.request import Request
models = tuple(f"compatible:m{number}" for number in range(50))
asked = Request.of("seam", home=sys.argv[1], sample=True, models=models, base_url="http://127.0.0.1:9/v1")
planned = plan(Chain(asked))
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))  # ru_maxrss counts who started it
print(len(planned.statuses), int(peak.split()[1]) // 1024)
"""


@pytest.mark.slow
def test_seam_with_fifty_models_takes_much_memory(tmp_path: Path) -> None:
    """Its time is in benchmarks/planning.py; memory is the same on every machine."""
    code = [sys.executable, "-c", LARGE, str(tmp_path)]
    done = subprocess.run(code, cwd=PROJECT, env=environment(), capture_output=True, text=True, check=True)
    nodes, peak_mb = map(int, done.stdout.split())
    assert nodes > 6500
    assert peak_mb < 300


def test_plan_file_that_another_run_removes_meanwhile_is_a_traceback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / plan_files.FOLDER
    folder.mkdir()
    (folder / "old.json").write_text("{}")
    monkeypatch.setattr(plan_files.Location, "names", lambda _: ["gone.json", "old.json"])
    monkeypatch.setattr(plan_files, "LEFT_S", -1.0)
    plan_files.sweep(str(tmp_path))
    assert list(folder.iterdir()) == []
