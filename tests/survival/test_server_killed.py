"""kill -9 of server, worker and flow: `up` brings back what died and ends what is gone; nothing finished is built again."""

from __future__ import annotations

import json
import shutil
import signal
import time
from contextlib import suppress
from pathlib import Path

import pytest

from tests.conftest import Scrollwork, edit, files_of, kill, leftovers, serve, short

pytestmark = pytest.mark.slow
TASKS = ["qmsum", "qasper", "space_digest"]

# In the copied tree scoring qasper waits as long as a file is there: time to kill the flow in the middle of a stage.
# It is code of a stage, so it stands in the keys: what is compared was made by the same tree.
WAIT = """

_run = run


def run(node, inputs, session, writer):
    import time
    from pathlib import Path

    _run(node, inputs, session, writer)
    while node.label("task") == "qasper" and Path("{folder}/wait").exists():
        Path("{folder}/waiting").touch()
        time.sleep(0.05)
"""


@pytest.fixture
def slowed(house, tmp_path):
    """A server whose flows wait in the middle of scoring qasper as long as the file `wait` is there."""
    tree = shutil.copytree(house, tmp_path / "tree", symlinks=True)
    edit(tree / "tasks" / "score" / "run.py", lambda text: text + WAIT.replace("{folder}", str(tmp_path)))
    (tmp_path / "wait").touch()
    yield from serve(tree, tmp_path / "project", lent=False)  # one first start as it is


def until(true, what, timeout_s=120):
    deadline = time.monotonic() + timeout_s
    while not true():
        assert time.monotonic() < deadline, f"not after {timeout_s} s: {what}"
        time.sleep(0.2)


def finished_stages(home):
    """Stages whose artifact stands, as "stage task"."""
    return {
        short(name.rpartition("/")[0].rpartition("/")[0]) for name in files_of(home) if name.endswith("manifest.json")
    }


def command_of(pid):
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    return ""


def interrupted(served):
    """What an `up` says that is interrupted while its server starts."""
    process = served.work.start("up")
    said = ""
    while "starting the Prefect server" not in said:
        said += process.stderr.readline()
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    said += process.communicate(timeout=60)[1]
    assert process.returncode == 130, said
    return said


def recovered(served, run):
    """kill -9 of the server alone while a flow run waits: it comes back at its port, and the run can go on."""
    before, secret = served.noted, served.secret
    kill([before["server"]])
    until(lambda: b"keep" in command_of(before["worker"]).encode().split(), "the worker minds its flow run")
    state = served.work("status", "--json").document
    assert (state["server"], state["server_state"], state["worker_state"]) == (None, "ended", "ended")
    assert "it comes back at its port, with its secret" in interrupted(served)
    assert (served.noted["url"], served.secret) == (before["url"], secret)
    again = served.work("up").err
    assert "creating work pool and deployments" in again
    assert "starting a worker" in again
    after = served.noted
    assert (after["url"], served.secret) == (before["url"], secret)
    assert before["server"] != after["server"]
    assert before["worker"] != after["worker"]
    assert after["keepers"] == [before["worker"]], "it reads what the run prints"
    assert served.get(f"flow_runs/{run}")["state_name"] == "Running", "its process lives"


def test_killing_flow_worker_and_server_loses_finished_stages(slowed, tmp_path):
    home = slowed.work.home
    parameters = ("--params", json.dumps({"tasks": TASKS, "models": ["naive:seed=0"]}))
    killed = slowed.trigger("nightly-eval", *parameters)
    until((tmp_path / "waiting").exists, "scoring qasper has begun")
    until(lambda: "aggregate qmsum" in finished_stages(home), "the task before it is finished")
    processes = slowed.processes()
    commands = [command_of(pid) for pid in processes]
    assert any("worker start" in command for command in commands)
    assert any("guard:create_app" in command for command in commands)
    assert any("worker start" not in command and "guard:create_app" not in command for command in commands), (
        "the flow's own process"
    )
    recovered(slowed, killed)
    processes = slowed.processes()
    kill(processes)
    until(lambda: not slowed.processes(), "all are dead", 20)
    stood = files_of(home)
    before = finished_stages(home)
    assert {"aggregate qmsum", "generate qasper"} <= before
    assert not {"score qasper", "aggregate qasper", "report"} & before

    (tmp_path / "wait").unlink()
    last = slowed.noted
    interrupted(slowed)
    assert slowed.noted == last, "the next one knows what there was"
    assert slowed.processes() == []
    up = slowed.work("up")
    assert slowed.noted["url"] == last["url"]
    assert "clearing what a killed server or worker left" in up.err
    assert "ended 1 flow run whose process is gone" in up.err
    assert slowed.get(f"flow_runs/{killed}")["state_name"] == "Crashed", "nothing runs for ever"
    states_of_killed = {run["state_type"] for run in slowed.task_runs(killed).values()}
    assert "CRASHED" in states_of_killed
    assert not {"PENDING", "RUNNING"} & states_of_killed
    again = slowed.trigger("nightly-eval", *parameters)
    ended = slowed.wait(again)
    assert again != killed
    assert ended["state_name"] == "Completed", ended["state"]["message"]
    states = {name: run["state_name"] for name, run in slowed.task_runs(again, "report").items()}
    assert len(states) == 3 * 8 + 2, "eight stages a task, compare and report"
    assert {name.partition(",")[0] for name, state in states.items() if state == "Reused"} == before
    assert set(states.values()) == {"Reused", "Completed"}

    alone = Scrollwork(tmp_path / "tree", tmp_path / "alone")  # the same code: it is in the keys
    alone.run(*[argument for task in TASKS for argument in ("--task", task)], "--quiet")
    assert files_of(home) == files_of(alone.home)
    assert {name: files_of(home)[name] for name in stood} == stood
    assert leftovers(home) == []

    slowed.prefect("flow-run", "retry", killed)
    time.sleep(1)
    assert slowed.wait(killed)["state_name"] == "Completed"
    assert slowed.task_runs(killed, "report")["report"]["state_name"] == "Reused"


def test_down_waits_for_a_stage_that_asks_nobody(slowed, tmp_path):
    parameters = ("--params", json.dumps({"tasks": ["qasper"], "models": ["naive:seed=0"]}))
    run = slowed.trigger("evaluate", *parameters)
    until((tmp_path / "waiting").exists, "scoring qasper has begun")
    began = time.monotonic()
    assert "what is stored stands\n" in slowed.work("down").err
    assert time.monotonic() - began < 60
    assert slowed.processes() == []
    slowed.work("up", "--quiet")
    assert slowed.get(f"flow_runs/{run}")["state_name"] == "Crashed"


@pytest.mark.soak
def test_a_run_that_outlived_its_server_and_its_worker_cannot_report(slowed, tmp_path):
    """The server killed, then the next worker, while a flow run waits: it ends as if nothing had been."""
    parameters = ("--params", json.dumps({"tasks": ["qasper"], "models": ["naive:seed=0"]}))
    run = slowed.trigger("evaluate", *parameters)
    until((tmp_path / "waiting").exists, "scoring qasper has begun")
    recovered(slowed, run)
    server, worker = slowed.noted["server"], slowed.noted["worker"]
    kill([worker])
    slowed.work("up")
    assert slowed.noted["server"] == server
    assert slowed.noted["worker"] != worker
    assert slowed.get(f"flow_runs/{run}")["state_name"] == "Running", "its process lives"
    (tmp_path / "wait").unlink()
    assert slowed.wait(run)["state_name"] == "Completed"
    assert {task["state_type"] for task in slowed.task_runs(run).values()} == {"COMPLETED"}
    assert "process is gone" not in slowed.work("up").err
