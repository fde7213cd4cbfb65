"""Epochs that stay open: for weeks, by refusals that never end, by batches; and what is found in a register."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from scrollwork.flows.epochs import OPEN_DAYS
from scrollwork.storage.epochs import time_text
from tests.conftest import Scrollwork, environment, lend_database, program
from tests.flows.test_fresh import INPUTS, Asked, register, run, served, texts, work
from tests.flows.test_fresh_nights import later
from tests.some_slow import one_in
from tests.survival.hosted import KEYS, Vendors, answered, hosted, rows, table

__all__ = ["served", "work"]  # fixtures

HOUR = 1 / 24  # of a day
IN_A_FLOW = """
import json, sys
from prefect.client.orchestration import get_client
from prefect.client.schemas.filters import LogFilter, LogFilterFlowRunId
from scrollwork.flows.evaluate import evaluate
from tests.some_slow import one_in
state = evaluate(**json.loads(sys.argv[1]), return_state=True)
with get_client(sync_client=True) as client:
    found = client.read_logs(LogFilter(flow_run_id=LogFilterFlowRunId(any_=[state.state_details.flow_run_id])))
print(json.dumps([[row.message, row.task_run_id is None] for row in found]))
"""


def cut(work: Scrollwork, served: Vendors, *arguments: str) -> int:
    """Open an epoch and leave it with some of its requests; return how many."""
    asked = Asked(served)
    run(work, "--fresh", "run", "--budget", "0.02", *arguments, status=None)
    part = len(asked.now())
    assert 0 < part < INPUTS
    assert register(work, "complete") == []
    return part


@pytest.fixture
def priced(scrollwork: Scrollwork, served: Vendors) -> Scrollwork:
    price = {"input": 1.0, "output": 10.0}
    return hosted(scrollwork, table("m", served.url, price=price, concurrency=1))


@pytest.mark.slow
def test_epoch_open_for_weeks_is_gone_on_with_silently(priced: Scrollwork, served: Vendors) -> None:
    part = cut(priced, served)
    asked, old = Asked(served), answered(priced.home)
    after = later(priced, OPEN_DAYS + 1)
    done = after("plan", "zeroscrolls", "--sample", "--model", "m", "--task", "space_digest", "--models",
                 str(priced.home.parent / "own.toml"), "--fresh", "run")  # fmt: skip
    assert f"was left open for {OPEN_DAYS + 1} days, longer than {OPEN_DAYS}" in done.out + done.err
    assert len(register(priced, "opened")) == 1, "planning opened an epoch"
    done = run(after, "--fresh", "run")
    assert "a new one takes its place" in done.err
    assert len(asked.now()) == INPUTS
    assert old < answered(priced.home), "what was paid is lost"
    assert len(answered(priced.home)) == part + INPUTS
    opened, complete = register(priced, "opened"), register(priced, "complete")
    assert len(opened) == 2
    assert complete[0]["epoch"] == opened[1]["epoch"]
    run(priced)
    assert asked.now() == []
    shown = priced("status").out
    assert f"epoch {opened[0]['epoch']} of m: left open; another epoch has its place, and no run goes on in it" in shown


@pytest.mark.slow
def test_epoch_of_this_week_is_left_and_paid_again(priced: Scrollwork, served: Vendors) -> None:
    part = cut(priced, served)
    asked = Asked(served)
    done = run(later(priced, OPEN_DAYS - 0.01), "--fresh", "run")
    assert "left open" not in done.err
    assert len(asked.now()) == INPUTS - part
    assert len(register(priced, "opened")) == len(register(priced, "complete")) == 1


@pytest.mark.slow
def test_batch_of_an_old_epoch_is_left_although_it_is_paid(work: Scrollwork, served: Vendors) -> None:
    run(work)
    asked = Asked(served)
    served.set(edition="second", batch={"looks": 10**6})
    run(work, "--fresh", "run", "--batch", "--batch-wait", "1", status=1)
    served.set(batch={})
    done = run(later(work, OPEN_DAYS + 1), "--fresh", "run", "--batch")
    assert "left open" not in done.err
    assert asked.now() == []
    assert texts(work) == {"second"}
    assert rows(work.home, "SELECT count(*) FROM batches") == [(1,)]
    assert len(register(work, "opened")) == len(register(work, "complete")) == 1


@pytest.mark.slow
def test_prompts_that_are_always_refused_keep_an_epoch_open(scrollwork: Scrollwork, served: Vendors) -> None:
    work = hosted(scrollwork, table("m", served.url, concurrency=1))
    asked, refused = Asked(served), ["400"] * 3
    served.set(edition="first", plan={"script": ["", "", "", *refused]})
    done = run(work, "--fresh", "run", status=1)
    assert len(asked.now()) == INPUTS
    assert "m: the epoch of" in done.err
    assert "stays open, as 3 requests have no answer; the same command goes on in it" in done.err
    served.set(plan={"script": refused})
    run(later(work, 0.9 * HOUR), "--fresh", "run", status=1)
    assert len(asked.now()) == 3
    assert register(work, "complete") == [], "the endpoint may have been at fault for so short a time"
    served.set(plan={"script": refused})
    run(later(work, 1.1 * HOUR), "--fresh", "run", status=1)
    assert len(asked.now()) == 3
    assert len(register(work, "opened")) == len(register(work, "complete")) == 1
    run(work)
    assert len(asked.now()) == 3, "a run without --fresh asks them in the epoch"
    assert texts(work) == {"first"}
    served.set(edition="second")
    run(later(work, 1), "--fresh", "run")
    assert len(asked.now()) == INPUTS
    assert texts(work) == {"second"}


@pytest.mark.slow
def test_endpoint_that_answers_nothing_completes_an_epoch(scrollwork: Scrollwork, served: Vendors) -> None:
    work = hosted(scrollwork, table("m", served.url, concurrency=1))
    for hours in (0, 2, 24):
        served.set(plan={"script": ["400"] * INPUTS})
        run(later(work, hours * HOUR), "--fresh", "run", status=1)
    assert register(work, "complete") == []


@pytest.mark.slow
def test_prompt_that_always_breaks_the_server_keeps_an_epoch_open(scrollwork: Scrollwork, served: Vendors) -> None:
    work = hosted(scrollwork, table("m", served.url, concurrency=1, retry={"attempts": 1}))
    asked = Asked(served)
    served.set(plan={"script": ["500"]})
    run(work, "--fresh", "run", status=1)
    served.set(plan={"script": ["500"]})
    run(work, "--fresh", "run", status=1)
    assert len(asked.now()) == INPUTS + 1
    assert register(work, "complete") == []
    served.set(plan={"script": ["500"]})
    run(later(work, 1.1 * HOUR), "--fresh", "run", status=1)
    assert len(asked.now()) == 1
    assert len(register(work, "complete")) == 1


@pytest.mark.slow
def test_notes_of_a_flow_run_are_lost(scrollwork: Scrollwork, served: Vendors) -> None:
    work = hosted(scrollwork, table("m", served.url, concurrency=1))
    run(work)
    run(work, "--fresh", "run", "--limit", "3")
    served.set(plan={"script": ["", "", "", *["400"] * 3]})
    server = work.home.parent / "server"
    lend_database(server)
    env = environment(
        **KEYS,
        PYTHONPATH=str(work.root),
        PREFECT_HOME=str(server / "prefect"),
        PREFECT_SERVER_ALLOW_EPHEMERAL_MODE="true",
        PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS="180",
        PREFECT_SERVER_ANALYTICS_ENABLED="false",
        PREFECT_LOGGING_TO_API_BATCH_INTERVAL="0.1",
    )
    own = str(work.home.parent / "own.toml")
    parameters = {"home": str(work.home), "models": ["m"], "models_file": own, "tasks": ["space_digest"]}
    logged: list[str] = []
    for fresh in ("never", "run"):
        done = program(work.root, ["-c", IN_A_FLOW, json.dumps({**parameters, "fresh": fresh})], env)
        assert done.returncode == 0, done.stderr[-4000:]
        logged += [text for text, of_the_flow in json.loads(done.stdout.splitlines()[-1]) if of_the_flow]
    assert sum("m: answers of no epoch are read; the newer epoch of" in text for text in logged) == 1, logged
    assert sum("stays open, as 3 requests have no answer" in text for text in logged) == 1, logged


@pytest.mark.slow
def test_page_of_a_home_hides_when_a_model_was_asked(work: Scrollwork, served: Vendors) -> None:
    page = work.home / "reports" / "zeroscrolls-all.html"
    run(work)
    assert "asked anew" not in work("report", "zeroscrolls").err + page.read_text() + work("status").out
    assert "epochs" not in work("report", "zeroscrolls", "--json").document
    run(work, "--fresh", "run")
    (complete,) = register(work, "complete")
    told = f"asked anew {time_text(complete['opened'])} (epoch {complete['epoch']})"
    ((label, text),) = work("report", "zeroscrolls", "--json").document["epochs"].items()
    assert label.startswith("answers of m")
    assert text == told
    done = work("report", "zeroscrolls")
    assert f"{label}: {told}" in done.err
    assert told in page.read_text()
    assert told in (work.home / "reports" / "zeroscrolls.html").read_text()
    shown = work("status").out
    assert f"  answers of m: {told}" in shown
    assert f"epoch {complete['epoch']} of m: complete, opened {time_text(complete['opened'])}" in shown
    work.run("--task", "qmsum", "--models", str(work.home.parent / "own.toml"), model="m")
    (mixed,) = work("report", "zeroscrolls", "--json").document["epochs"].values()
    assert mixed == f"space_digest: {told}; qmsum: of no epoch"


# ---- what is found in a register


@pytest.mark.parametrize(
    "text", one_in(5, ["garbage \x00\xff", "", "[" * 5_000_000, '{"epoch": "' + "x" * 10_000_000, "1" * 10**7])
)
def test_register_of_garbage_is_paid_over(priced: Scrollwork, served: Vendors, text: str) -> None:
    cut(priced, served)
    asked = Asked(served)
    (path,) = (priced.home / "epochs").iterdir()
    path.write_text(text, "latin-1")
    done = run(priced, "--fresh", "run", status=1)
    assert f"{path}: is no epoch (" in done.err or f"{path}: field 'epoch' is missing or wrong" in done.err
    assert "Put it back from a backup, or move it out of the folder" in done.err
    assert len(done.err) < 2000
    assert asked.now() == []
    run(priced, "--limit", "1")
    assert len(asked.now()) == 1, "a run without --fresh needs no open epoch"


def test_register_of_the_end_of_time_gives_an_epoch_without_a_time(work: Scrollwork, served: Vendors) -> None:
    run(work, "--fresh", "run")
    (path,) = (work.home / "epochs").glob("*.complete.json")
    head, stamp = path.name.removesuffix(".complete.json").rsplit("-", 1)
    last = path.with_name(f"{head}-99991231T235959Z.complete.json")
    path.rename(last)
    assert stamp != "99991231T235959Z"
    done = run(work, "--fresh", "run", status=1)
    assert f"{last}: its time is at the end of all dates" in done.err
    assert len(register(work, "opened")) == 1


@pytest.mark.slow
def test_clock_once_far_ahead_stops_days_for_ever(work: Scrollwork, served: Vendors) -> None:
    run(work)
    run(later(work, 3000), "--fresh", "7")
    asked = Asked(served)
    assert len(register(work, "complete")) == 1
    for _ in range(2):
        run(later(work, 30), "--fresh", "7")
    assert len(asked.now()) == INPUTS, "the epoch of the future counts as of these days, or all is paid each time"


@pytest.mark.slow
def test_epochs_of_other_suites_are_noted_as_lacking(work: Scrollwork, served: Vendors) -> None:
    run(work, "--fresh", "run")
    asked = Asked(served)
    done = work.run("--task", "qmsum", "--models", str(work.home.parent / "own.toml"), "--limit", "1", model="m")
    assert len(asked.now()) == 1
    assert "newer epoch" not in done.err


@pytest.mark.slow
def test_machines_with_clocks_an_hour_apart_open_two_epochs(priced: Scrollwork, served: Vendors) -> None:
    ahead = later(priced, HOUR)
    part = cut(ahead, served)
    asked = Asked(served)
    run(priced, "--fresh", "run")
    assert len(asked.now()) == INPUTS - part
    assert len(register(priced, "opened")) == len(register(priced, "complete")) == 1
    for machine in (ahead, priced):
        run(machine)
        run(machine, "--fresh", "2")
    assert asked.now() == []
    run(priced, "--fresh", "run")
    run(ahead, "--fresh", "run")
    assert len(asked.now()) == 2 * INPUTS
    names = [one["epoch"] for one in register(priced, "complete")]
    assert names == sorted(names), "the last asked is not the newest"
    run(ahead)
    assert asked.now() == []


@pytest.mark.slow
@pytest.mark.parametrize("days", [-1, 1])
def test_clock_set_between_commands_opens_another_epoch(priced: Scrollwork, served: Vendors, days: int) -> None:
    part = cut(priced, served)
    asked = Asked(served)
    run(later(priced, days), "--fresh", "run")
    assert len(asked.now()) == INPUTS - part
    run(later(priced, days), "--fresh", "7")
    run(priced, "--fresh", "7")
    run(priced)
    assert asked.now() == []
    assert len(register(priced, "opened")) == len(register(priced, "complete")) == 1


@pytest.mark.slow
def test_home_copied_while_an_epoch_is_open_mixes_or_loses(priced: Scrollwork, served: Vendors, tmp_path: Path) -> None:
    part = cut(priced, served)
    copied = priced.with_(home=tmp_path / "copied" / "home")
    shutil.copytree(priced.home, copied.home)
    shutil.copy(priced.home.parent / "own.toml", copied.home.parent)
    asked = Asked(served)
    for one in (priced, copied):
        run(one, "--fresh", "run")
        assert len(asked.now()) == INPUTS - part, "each home pays what it lacks itself"
        run(one)
        one("verify")
    assert asked.now() == []
    assert register(priced, "opened") == register(copied, "opened")
    exported = tmp_path / "answers.parquet"
    copied("store", "export", "--out", str(exported))
    priced("store", "import", str(exported))
    run(priced)
    run(priced, "--fresh", "7")
    assert asked.now() == []
    assert len(answered(priced.home)) == INPUTS


@pytest.mark.slow
def test_store_imported_elsewhere_is_read_without_its_register(
    work: Scrollwork, served: Vendors, tmp_path: Path
) -> None:
    run(work)
    served.set(edition="second")
    run(work, "--fresh", "run")
    exported = tmp_path / "answers.parquet"
    work("store", "export", "--out", str(exported))
    other = work.with_(home=tmp_path / "elsewhere" / "home")
    other.home.parent.mkdir()
    shutil.copy(work.home.parent / "own.toml", other.home.parent)
    other("store", "import", str(exported))
    asked = Asked(served)
    run(other)
    assert asked.now() == []
    assert "second" not in texts(other), "without the register no epoch is known"
    shutil.copytree(work.home / "epochs", other.home / "epochs")
    run(other)
    run(other, "--fresh", "7")
    assert asked.now() == []
    assert texts(other) == {"second"}
    other("verify")
