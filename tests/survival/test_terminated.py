"""SIGTERM while a night asks a hosted model on a real Prefect server: `scrollwork down`, and a cancellation as in the UI. What
is paid is stored, nothing more is sent, and the next run asks the rest."""

from __future__ import annotations

import json
import os
import signal
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from subprocess import DEVNULL

import pytest

from tests.conftest import Scrollwork, Server, environment, kill, serve, start
from tests.survival.hosted import KEYS, Vendors, answered, rows, table, twice, vendors

pytestmark = pytest.mark.slow
NIGHT = ("--params", json.dumps({"tasks": ["qasper", "qmsum"], "models": ["gpt"], "models_file": "own.toml"}))
AT_ONCE = 4
SOON_S = 1.0  # after the signal, within which nothing more is sent


@pytest.fixture
def vendor(tmp_path: Path) -> Iterator[Vendors]:
    with vendors(tmp_path) as running:
        yield running


@pytest.fixture(scope="module")
def served(house: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    root = tmp_path_factory.mktemp("terminated") / "project"
    for server in serve(house, root):
        server.work("build", "zeroscrolls", "--sample", "--engine", "inline", "--task", "qasper", "--task", "qmsum")
        yield server


NOTEBOOK = """
import sys, time
import scrollwork as sw
try:
    sw.run("zeroscrolls", models=["third"], models_file=sys.argv[1], sample=True, tasks=["qmsum"], home=sys.argv[2],
           engine="prefect")
except KeyboardInterrupt:
    print("interrupted", flush=True)
    time.sleep(300)
"""


def kernel(work: Scrollwork) -> dict[str, str]:
    return environment(PYTHONPATH=str(work.root), **KEYS, **work.env)


def asking(served: Server, vendor: Vendors, latency_s: float) -> str:
    """Begin a night, and wait until it has asked some and others are in flight; the id of its flow run."""
    model = table("gpt", vendor.url, provider="compatible", concurrency=AT_ONCE)
    (served.work.root / "own.toml").write_text(model)
    vendor.set(latency_s=0.2)
    run = served.trigger("nightly", *NIGHT)
    until = time.monotonic() + 60
    while len(vendor.requests()) < 2:
        assert time.monotonic() < until, "the night asks nothing"
        time.sleep(0.05)
    vendor.set(latency_s=latency_s)
    since = time.time()
    while not [row for row in vendor.requests() if row["time"] > since]:
        assert time.monotonic() < until, vendor.requests()
        time.sleep(0.05)
    return run


def unfinished(served: Server) -> list[list[str]]:
    return [one["why"] for one in served.work("nights", "--json").document["unfinished"]]


def test_down_drops_what_is_paid_or_sends_more(served: Server, vendor: Vendors) -> None:
    run = asking(served, vendor, latency_s=4.0)
    at = time.time()
    said = served.work("down").err
    assert "waiting for nightly zeroscrolls to store the answers in flight, 300 s at most; Ctrl-C stops now" in said
    assert "stopped, with nightly zeroscrolls: what is stored stands\n" in said
    asked = vendor.requests()
    assert max(row["time"] for row in asked) < at + SOON_S
    assert {row["status"] for row in asked} == {200}, "none was given up"
    assert len(answered(served.work.home)) == len(asked)
    assert rows(served.work.home, "SELECT count(*) FROM claims") == [(0,)]
    assert served.processes() == []
    served.work("up", "--quiet")
    ended = served.get(f"flow_runs/{run}")
    assert ended["state_name"] == "Crashed"
    assert ended["state"]["message"] == "Execution was aborted by a termination signal."
    assert unfinished(served) == [["stopped by SIGTERM"]]
    vendor.set(latency_s=0.0)
    again = served.wait(served.trigger("nightly", *NIGHT))
    assert again["state_name"] == "Completed", again["state"]
    assert len(answered(served.work.home)) == len(vendor.requests()) > len(asked)
    assert twice(vendor.requests()) == {}
    assert unfinished(served) == []


def test_down_waits_for_ever_or_leaves_a_run(served: Server, vendor: Vendors) -> None:
    asking(served, vendor, latency_s=100.0)
    began = time.monotonic()
    before, down = served.processes(), served.work.start("down", "--wait", "4")
    assert down.stderr is not None
    assert "waiting for nightly zeroscrolls" in down.stderr.readline()
    up = served.work.start("up")  # would start a worker, which `down` does not know
    assert up.stderr is not None
    assert up.stderr.readline() == "waiting for `scrollwork down`, which is at work here\n"
    port = int(up.stderr.readline().rpartition(":")[2])
    assert time.monotonic() - began < 60
    with socket.create_server(("127.0.0.1", port)):  # as by an `up` in another project at the same time
        _, said = up.communicate(timeout=300)
    assert up.returncode == 0, said
    assert f"port {port} is taken by another process: serving at" in said
    assert served.noted["port"] != port
    _, err = down.communicate()
    assert "stopped, with nightly zeroscrolls: what is stored stands; answers in flight are lost\n" in err
    assert not set(before) & set(served.processes())
    assert {served.noted["server"], served.noted["worker"]} <= set(served.processes())
    vendor.set(latency_s=0.0)


def test_a_signal_to_the_worker_or_the_run_drops_what_is_paid(served: Server, vendor: Vendors) -> None:
    before = len(answered(served.work.home))
    run = asking(served, vendor, latency_s=4.0)
    (flow,) = (pid for pid in served.processes() if run.encode() in Path(f"/proc/{pid}/environ").read_bytes())
    os.kill(flow, signal.SIGHUP)
    time.sleep(0.2)
    os.kill(served.noted["worker"], signal.SIGTERM)
    ended = served.wait(run)
    assert (ended["state_name"], ended["state"]["message"][:23]) == ("Crashed", "Execution was aborted b")
    asked = vendor.requests()
    assert {row.get("status") for row in asked} == {200}, "none was given up"
    assert len(answered(served.work.home)) == before + len(asked)
    until = time.monotonic() + 30
    while served.noted["worker"] in served.processes() and time.monotonic() < until:
        time.sleep(0.1)
    served.work("up", "--quiet")  # has a worker again
    vendor.set(latency_s=0.0)
    assert served.wait(served.trigger("nightly", *NIGHT))["state_name"] == "Completed"


def test_a_machine_that_shuts_down_drops_what_is_paid(served: Server, vendor: Vendors) -> None:
    """All processes get SIGTERM at once: nobody is left whom a run could tell how it ended."""
    before = len(answered(served.work.home))
    run = asking(served, vendor, latency_s=4.0)
    for pid in served.processes():
        os.kill(pid, signal.SIGTERM)
    until = time.monotonic() + 60
    while served.processes() and time.monotonic() < until:
        time.sleep(0.1)
    assert served.processes() == []
    asked = vendor.requests()
    assert {row.get("status") for row in asked} == {200}, "none was given up"
    assert len(answered(served.work.home)) == before + len(asked)
    served.work("up", "--quiet")
    assert served.get(f"flow_runs/{run}")["state_name"] == "Crashed"
    vendor.set(latency_s=0.0)
    assert served.wait(served.trigger("nightly", *NIGHT))["state_name"] == "Completed"


def test_down_leaves_a_command_in_a_shell_without_its_server(served: Server, vendor: Vendors) -> None:
    work = served.work
    tables = [table(name, vendor.url, provider=of) for name, of in (("other", "compatible"), ("third", "anthropic"))]
    (work.root / "own.toml").write_text("".join(tables))
    vendor.set(latency_s=2.0)
    model = ("--models", str(work.root / "own.toml"), "--model", "other")
    command = work.start("run", "zeroscrolls", "--sample", "--engine", "prefect", "--task", "qasper", *model)
    assert vendor.wait_for(2)
    notebook = start(
        ["-c", NOTEBOOK, str(work.root / "own.toml"), str(work.home)], cwd=work.root, env=kernel(work), stdin=DEVNULL
    )
    until = time.monotonic() + 60
    while not [row for row in vendor.requests() if row["path"] == "/v1/messages"] and time.monotonic() < until:
        time.sleep(0.1)
    began = time.monotonic()
    said = work("down").err
    assert time.monotonic() - began < 40, "it waits for the end of a notebook, or for a process that has ended"
    assert "waiting for evaluate zeroscrolls, evaluate zeroscrolls to store the answers in flight" in said
    assert "answers in flight are lost" not in said
    assert "still running" not in said
    assert notebook.stdout is not None
    assert notebook.stdout.readline() == "interrupted\n", notebook.communicate()
    assert notebook.poll() is None
    notebook.kill()
    notebook.communicate()
    _, err = command.communicate(timeout=60)
    assert command.returncode == 130, err
    assert "Traceback" not in err
    asked = vendor.requests()
    assert {row.get("status") for row in asked} == {200}, "none was given up"
    stored = rows(work.home, "SELECT count(*) FROM responses WHERE model IN ('other', 'third')")
    assert stored == [(len(asked),)]
    assert len(asked) < 36
    work("up", "--quiet")
    running = served.post("flow_runs/filter", flow_runs={"state": {"type": {"any_": ["RUNNING", "PENDING"]}}})
    assert running == []


def test_a_cancelled_night_drops_what_is_paid_or_is_told_as_crashed(served: Server, vendor: Vendors) -> None:
    before = len(answered(served.work.home))
    run = asking(served, vendor, latency_s=4.0)
    served.prefect("flow-run", "cancel", run)
    assert served.wait(run)["state_name"] == "Cancelled"
    assert "Crashed" not in [one["name"] for one in served.get(f"flow_run_states/?flow_run_id={run}")]
    asked = vendor.requests()
    assert {row.get("status") for row in asked} == {200}, "none was given up"
    assert len(answered(served.work.home)) == before + len(asked)
    assert unfinished(served) == [["stopped by SIGTERM"]]


def test_a_run_that_outlived_server_and_worker_keeps_its_slot_for_ever(served: Server, vendor: Vendors) -> None:
    """It knows the old server's secret alone, so it cannot tell the new one how it ended."""
    run = asking(served, vendor, latency_s=100.0)
    (flow,) = (pid for pid in served.processes() if run.encode() in Path(f"/proc/{pid}/environ").read_bytes())
    kill([served.noted["server"], served.noted["worker"]])
    served.work("up", "--quiet")
    assert served.get(f"flow_runs/{run}")["state_name"] == "Running", "its process lives"
    kill([flow])
    ended = served.wait(run, timeout_s=180)
    assert (ended["state_name"], ended["state"]["message"][:23]) == ("Crashed", "It gave no sign of life")
