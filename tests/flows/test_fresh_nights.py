"""A model asked anew night after night: flow runs that are retried, clocks set back, homes that move, damaged files."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from scrollwork.flows.epochs import chosen, scope_of
from scrollwork.storage.epochs import Register
from tests.conftest import Scrollwork, environment, lend_database, program
from tests.flows.test_fresh import INPUTS, Asked, register, run, served, texts, work
from tests.survival.hosted import KEYS, Vendors, answered, hosted, table

__all__ = ["served", "work"]  # fixtures

RETRIED = """
import json, sys
from scrollwork.flows.evaluate import evaluate
evaluate.with_options(retries=1, retry_delay_seconds=0)(**json.loads(sys.argv[1]))
"""
AT_OTHER_TIME = """
import os, runpy, sys, time
real, ahead = time.time, float(os.environ["AHEAD_DAYS"]) * 86_400
time.time = lambda: real() + ahead
runpy.run_module("scrollwork.cli.main", run_name="__main__", alter_sys=True)
"""


def later(work: Scrollwork, days: float) -> Scrollwork:
    """The command on a machine whose clock is ahead."""
    return work.with_(env={**work.env, "AHEAD_DAYS": str(days)}, prefix=("-c", AT_OTHER_TIME), warm=True)


def retried(work: Scrollwork, **parameters: str) -> subprocess.CompletedProcess[str]:
    """A flow run of `evaluate` that fails and is run once more by Prefect, in the same process."""
    lend_database(work.home.parent / "server")
    env = environment(
        **KEYS,
        PYTHONPATH=str(work.root),
        PREFECT_HOME=str(work.home.parent / "server" / "prefect"),
        PREFECT_SERVER_ALLOW_EPHEMERAL_MODE="true",
        PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS="180",
        PREFECT_SERVER_ANALYTICS_ENABLED="false",
    )
    own = str(work.home.parent / "own.toml")
    asked = {"home": str(work.home), "models": ["m"], "models_file": own, "tasks": ["space_digest"], **parameters}
    done = program(work.root, ["-c", RETRIED, json.dumps(asked)], env)
    assert "dead-locks" not in done.stderr, "Prefect warns of its threads, for each stage"
    assert "run was retried" in done.stderr or "AwaitingRetry" in done.stderr, done.stderr[-4000:]
    return done


@pytest.mark.slow
def test_retry_of_a_flow_run_opens_another_epoch(scrollwork: Scrollwork, served: Vendors) -> None:
    work = hosted(scrollwork, table("m", served.url, concurrency=1))
    run(work)
    asked = Asked(served)
    served.set(edition="second", plan={"script": ["", "", *["500-final"] * (INPUTS - 2)]})
    done = retried(work, fresh="run")
    assert done.returncode == 0, done.stderr[-4000:]
    assert len(asked.now()) == INPUTS + INPUTS - 2, "the retry asked what had an answer"
    (opened,), (complete,) = register(work, "opened"), register(work, "complete")
    assert opened["epoch"] == complete["epoch"]
    assert texts(work) == {"second"}
    run(work)
    assert asked.now() == []
    assert texts(work) == {"second"}


@pytest.mark.slow
def test_retry_of_a_flow_run_has_the_budget_anew(scrollwork: Scrollwork, served: Vendors) -> None:
    work = hosted(scrollwork, table("m", served.url, concurrency=1, price={"input": 1.0, "output": 10.0}))
    asked = Asked(served)
    run(work, "--budget", "0.02", status=1)
    part = len(asked.now())
    assert 0 < part < INPUTS
    done = retried(work.with_(home=work.home.parent / "other"), budget="0.02")
    assert done.returncode == 1
    assert len(asked.now()) == part


def test_retry_after_the_last_answer_pays_for_another_epoch(tmp_path: Path) -> None:
    asked, home = {"d": 0}, str(tmp_path)
    epoch = Register(home).open("m", scope_of("run", asked), {}, now=time.time())
    Register(home).close(epoch, asked, "this")
    read = chosen(Register(home), "m", asked, "run", "this", time.time(), [], lambda since: False)
    assert read is not None
    assert read.name == epoch.name
    assert chosen(Register(home), "m", asked, "run", "another", time.time(), [], lambda since: False) is None


@pytest.mark.slow
def test_clock_set_back_hides_what_was_asked_last(work: Scrollwork, served: Vendors) -> None:
    run(later(work, 1), "--fresh", "run")
    served.set(edition="second")
    asked = Asked(served)
    run(work, "--fresh", "run")
    assert len(asked.now()) == INPUTS
    run(work)
    run(work, "--fresh", "7")
    assert asked.now() == []
    assert texts(work) == {"second"}, "the epoch that was opened last is not the newest"


@pytest.mark.slow
def test_border_of_days_is_another_day(work: Scrollwork, served: Vendors) -> None:
    run(work, "--fresh", "run")
    asked = Asked(served)
    served.set(edition="second")
    run(later(work, 6.99), "--fresh", "7")
    assert asked.now() == []
    run(later(work, 7.01), "--fresh", "7")
    assert len(asked.now()) == INPUTS
    assert texts(work) == {"second"}


@pytest.mark.slow
def test_moved_home_is_asked_anew(work: Scrollwork, served: Vendors) -> None:
    run(work)
    served.set(edition="second")
    run(work, "--fresh", "run")
    asked = Asked(served)
    moved = work.with_(home=work.home.parent / "elsewhere" / "home")
    shutil.copytree(work.home, moved.home)
    shutil.copy(work.home.parent / "own.toml", moved.home.parent)
    shutil.rmtree(work.home)
    run(moved)
    run(moved, "--fresh", "7")
    assert asked.now() == []
    assert texts(moved) == {"second"}
    moved("verify")


def test_vendor_that_fails_keeps_an_epoch_open_or_is_paid_twice(work: Scrollwork, served: Vendors) -> None:
    asked = Asked(served)
    served.set(edition="first", plan={"script": ["400", "400"]})
    run(work, "--fresh", "run", status=None)
    assert len(asked.now()) == INPUTS
    assert len(register(work, "complete")) == 1, "what failed for good ends"
    done = run(work, "--fresh", "run", "--retry-failed", status=2)
    assert "m: --retry-failed asks again in the epoch of" in done.err
    assert "write --fresh never" in done.err
    assert asked.now() == [], "the answers of the epoch were paid again"
    run(work, "--retry-failed")
    assert len(asked.now()) == 2
    run(work)
    assert asked.now() == []
    assert texts(work) == {"first"}
    assert len(register(work, "opened")) == 1


@pytest.mark.slow
def test_epoch_of_fewer_inputs_is_passed_over_silently(work: Scrollwork, served: Vendors) -> None:
    run(work, "--fresh", "run", "--limit", "3")
    asked = Asked(served)
    done = run(work)
    assert len(asked.now()) == INPUTS, "answers of no epoch and of an epoch are mixed"
    assert "What is missing is asked where this run reads, also what the newer epoch has" in done.err


def damage(whole: dict[str, object]) -> dict[str, str]:
    """Contents that no epoch has, by the words in the message about them."""
    wrong = {
        "epoch": "20261128T000000Z", "model": 3, "opened": 10**20, "since": -1, "earlier": "x", "covers": {"a": True},
        "complete": None, "run": 7,
    }  # fmt: skip
    fields = {f"field '{name}' is missing or wrong": {**whole, name: value} for name, value in wrong.items()}
    made = {told: json.dumps(changed) for told, changed in fields.items()}
    return {**made, "is no epoch (": json.dumps(whole)[:40], "field 'epoch'": "[]", "is no epoch": "[" * 100_000}


@pytest.mark.slow
def test_damaged_file_stops_status_or_is_paid_over(work: Scrollwork, served: Vendors) -> None:
    run(work, "--fresh", "run")
    run(work, "--fresh", "run", "--limit", "3")
    asked = Asked(served)
    files = sorted((work.home / "epochs").glob("*.complete.json"))
    path = next(path for path in files if 3 in json.loads(path.read_text())["covers"].values())
    before = len(answered(work.home))
    for told, text in damage(json.loads(path.read_text())).items():
        path.write_text(text)
        shown = work("status").out
        assert f"error: {path}: {told}"[:150] in shown
        assert "Put it back from a backup, or move it out of the folder" in shown
        assert shown.count(": complete") == 1, "the other epoch is not shown"
    for how in ((), ("--fresh", "7")):
        assert str(path) in run(work, *how, status=1).err
    path.unlink()
    path.mkdir()
    assert str(path) in work("status").out
    assert str(path) in run(work, status=1).err
    path.rmdir()
    run(work)
    assert asked.now() == []
    assert len(answered(work.home)) == before
