"""Code that is edited, pulled or checked out while a run is under way: no number stands under the key of other code."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys

import pytest

from scrollwork import scoring
from scrollwork.pipeline import loaded_code, source_digest
from scrollwork.pipeline.errors import CodeChanged
from tests.conftest import edit, environment
from tests.pipeline.test_plan import provider  # noqa: F401  a fixture

TASK = "space_digest"
ONE_PROCESS = """
import importlib, json, os, shutil, sys
import scrollwork.pipeline.loaded_code
from pathlib import Path
from scrollwork.flows import execute
from scrollwork.flows.chains import Chain
from scrollwork.suites.request import Request
home, case = sys.argv[1:]
request = Request.of("zeroscrolls", home=home, sample=True, models=("naive:seed=0",), tasks=("space_digest",))
path = Path("scoring/metrics/es.py")
if case == "digested, then loaded":
    execute.plan(Chain(request))
    shutil.copy2(path, "aside.py")
else:
    importlib.import_module("scrollwork.scoring.metrics.es")
text = path.read_text()
assert "HALVING_POINTS = 10.0" in text
path.write_text(text.replace("HALVING_POINTS = 10.0", "HALVING_POINTS = 20.0"))
ended = execute.run(Chain(request))
if case == "digested, then loaded":  # as a checkout of another branch and back; the time of the file is put back too
    with path.open("wb") as stream:
        stream.write(Path("aside.py").read_bytes())
    shutil.copystat("aside.py", path)
print(json.dumps({one.node.stage: [one.how, one.error] for one in ended.finished}))
"""


def value(work):
    """The task's score."""
    (row,) = work.run("--task", TASK, "--json", "--quiet").document["tasks"]
    return row["value"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "case", ["digested, then loaded", pytest.param("loaded, then digested", marks=pytest.mark.slow)]
)
def test_numbers_of_edited_code_stand_under_the_key_of_other_code(scrollwork, tree, tmp_path, case):
    work = scrollwork.with_(root=tree)
    before = value(work)
    for stage in ("score", "aggregate", "judge", "compare", "report"):
        shutil.rmtree(work.home / "artifacts" / stage)
    code = [sys.executable, "-c", ONE_PROCESS, str(work.home), case]
    done = subprocess.run(code, cwd=tree, env=environment(PYTHONPATH=str(tree)), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    stages = json.loads(done.stdout.splitlines()[-1])
    how, why = stages["score"]
    assert (how, stages["generate"][0]) == ("failed", "reused")
    assert why.startswith("code changed under this run: scoring/metrics/es.py was written to")
    assert "start the same command again" in why
    assert not list((work.home / "artifacts" / "score").rglob("manifest.json"))
    right = before if case == "digested, then loaded" else value(work.with_(home=tmp_path / "fresh"))
    assert value(work) == right, "the same command again gives right numbers"


def test_code_edited_while_a_model_is_asked_is_scored_with_or_answers_are_asked_again(provider):  # noqa: F811
    root = provider.work.root
    edit(
        root / "models" / "flaky.py",
        lambda text: text.replace(
            "        for call in calls:",
            f"        Path({str(root / 'scoring' / 'outcome.py')!r}).open('a').write('\\nEDITED = 1\\n')\n"
            "        for call in calls:",
        ),
    )
    done = provider.run()
    assert done.status == 1
    assert "scoring/outcome.py was written to" in done.err + done.out
    assert provider.asked() == provider.examples
    assert not list((provider.work.home / "artifacts" / "score").rglob("manifest.json"))
    assert provider.run().status == 0
    assert provider.asked() == []
    assert {row["state"] for row in provider.plan().values()} == {"reused"}


@pytest.fixture
def house_of_one(tmp_path, monkeypatch):
    """A house with the module scrollwork.scoring.probe alone."""
    (tmp_path / "scoring").mkdir()
    path = tmp_path / "scoring" / "probe.py"
    path.write_text("ONE = 1\n")
    monkeypatch.setattr(loaded_code, "_NOTED", loaded_code.stamped_modules(tmp_path))
    monkeypatch.setattr(loaded_code, "_SURE", set())
    monkeypatch.setattr(scoring, "__path__", [str(tmp_path / "scoring")])
    yield path
    sys.modules.pop("scrollwork.scoring.probe", None)


def test_run_of_hours_is_ended_by_an_edit_of_what_it_had_loaded(house_of_one):
    loaded_code.load_as_digested(["scrollwork.scoring.probe"])
    house_of_one.write_text("ONE = 2\n")
    loaded_code.load_as_digested(["scrollwork.scoring.probe"])
    assert sys.modules["scrollwork.scoring.probe"].ONE == 1


def test_module_that_is_new_under_a_run_or_stands_elsewhere_is_run(house_of_one, tmp_path):
    new = house_of_one.with_name("late.py")
    new.write_text("")
    with pytest.raises(CodeChanged, match="late"):
        loaded_code.load_as_digested(["scrollwork.scoring.late"])
    other = tmp_path / "probe.py"
    shutil.copy2(house_of_one, other)
    loaded_code.load_as_digested(["scrollwork.scoring.probe"])
    loaded_code._SURE.clear()
    sys.modules["scrollwork.scoring.probe"].__file__ = str(other)
    with pytest.raises(CodeChanged, match=r"scoring/probe\.py .*another was loaded"):
        loaded_code.load_as_digested(["scrollwork.scoring.probe"])


def test_library_installed_anew_under_a_run_is_run_under_its_old_version(monkeypatch):
    entries, installed = ["scrollwork.tasks.report.run"], {}
    monkeypatch.setattr(source_digest, "_SURE", set())
    monkeypatch.setattr(source_digest, "version", lambda name: installed.get(name, "1"))
    monkeypatch.setattr(source_digest, "_at_first", lambda: dict.fromkeys(source_digest.libraries(entries), "1"))
    monkeypatch.setattr(source_digest, "libraries", lambda _: {"Jinja2": "1", "numpy": "1"})
    source_digest.load_settled(entries)
    monkeypatch.setattr(source_digest, "_SURE", set())
    installed["numpy"] = "2"
    with pytest.raises(CodeChanged, match="numpy was installed anew"):
        source_digest.load_settled(entries)
    monkeypatch.setattr(
        source_digest, "libraries", lambda _: {"Jinja2": "1", "numpy": "2"}
    )  # loaded as 1, digested as 2
    with pytest.raises(CodeChanged, match="numpy was installed anew"):
        source_digest.load_settled(entries)
