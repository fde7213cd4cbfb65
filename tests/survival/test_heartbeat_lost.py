"""A server that no `up` started: a run whose flow and worker were killed becomes Crashed in two minutes, one that computes
for as long does not, and the next night runs."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import answer_of, edit, environment, kill
from tests.storage.postgres import serve

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]
BUSY_S = 105.0  # longer than a run may be silent
CRASHED_S = 120.0

# Scoring keeps the interpreter from its other threads for a while, 20 ms at a time, as code in C that computes does: a loop
# in Python lets go of it every 5 ms, and would take a core for as long. Then it waits as long as a file is there.
BUSY = """

_run = run


def run(node, inputs, session, writer):
    import ctypes
    import time
    from pathlib import Path

    held = ctypes.PyDLL(None)  # whose functions are called without letting go
    _run(node, inputs, session, writer)
    folder, until = Path("{folder}"), time.monotonic() + float(Path("{folder}/busy").read_text())
    (folder / "begun").touch()
    while time.monotonic() < until:
        held.usleep(20_000)
    while (folder / "wait").exists():
        time.sleep(0.05)
"""
APPLY = """
from dataclasses import asdict
import json
from scrollwork.flows.server.automations import api_of_settings, apply
from scrollwork.flows.server.receivers import receivers_of
api = api_of_settings()
print(json.dumps([asdict(apply(api, receivers_of(api))) for _ in range(2)]))
"""


class Own:
    """A Prefect server as a team starts it, on PostgreSQL, and a worker, both without `up`. database: its URL. On SQLite
    such a server stands still for minutes now and then (scrollwork.flows.server.busy)."""

    def __init__(self, tree: Path, folder: Path, database: str) -> None:
        self.tree, self.folder, self.worker = tree, folder, 0
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}/api"
        own = {"PREFECT_HOME": str(folder / "prefect"), "PREFECT_SERVER_ANALYTICS_ENABLED": "false"}
        more = {
            "PREFECT_API_URL": self.url,
            "SCROLLWORK_HOME": str(folder / "home"),
            "PREFECT_WORKER_QUERY_SECONDS": "2",
            "PREFECT_SERVER_DATABASE_CONNECTION_URL": database,
        }
        self.env = environment(**own, **more, PYTHONPATH=str(tree))
        self.server = self.background("server", "server", "start", "--port", str(port))
        deadline = time.monotonic() + 120
        while not self.healthy():
            assert time.monotonic() < deadline, (folder / "server.log").read_text()
            time.sleep(0.5)

    def background(self, name: str, *arguments: str) -> int:
        """Start `prefect` with its output in a file; its pid, which is that of a session of its own."""
        with (self.folder / f"{name}.log").open("ab") as log:
            command = [str(Path(sys.executable).parent / "prefect"), *arguments]
            return subprocess.Popen(
                command,
                cwd=self.tree,
                env=self.env,
                stdout=log,
                stderr=log,
                stdin=subprocess.DEVNULL,
                start_new_session=True,
            ).pid

    def healthy(self) -> bool:
        with suppress(OSError):
            return self.ask("GET", "health") is True
        return False

    def ask(self, method: str, path: str, **body: Any) -> Any:
        data = json.dumps(body).encode() if method != "GET" else None
        request = urllib.request.Request(
            f"{self.url}/{path}", data, {"Content-Type": "application/json"}, method=method
        )
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        return json.loads(answer_of(opener, request) or b"null")

    def run(self, *arguments: str) -> str:
        """A program or `prefect` in the folder of the project, to its end."""
        command = list(arguments)
        done = subprocess.run(command, cwd=self.tree, env=self.env, capture_output=True, text=True, timeout=240)
        assert done.returncode == 0, f"{arguments}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def prefect(self, *arguments: str) -> str:
        return self.run(str(Path(sys.executable).parent / "prefect"), *arguments)

    def start_worker(self) -> None:
        self.worker = self.background("worker", "worker", "start", "--pool", "local")

    def trigger(self) -> str:
        """A run of the deployment nightly; its id."""
        deployment = self.ask("GET", "deployments/name/nightly/nightly")["id"]
        parameters = {"tasks": ["space_digest"], "models": ["naive:seed=0"]}
        made = self.ask("POST", f"deployments/{deployment}/create_flow_run", parameters=parameters)
        return str(made["id"])

    def state(self, run: str) -> dict[str, Any]:
        found: dict[str, Any] = self.ask("GET", f"flow_runs/{run}")["state"]
        return found

    def until(self, run: str, *types: str, timeout_s: float) -> dict[str, Any]:
        """The state of a run once it has one of these types."""
        deadline = time.monotonic() + timeout_s
        while (state := self.state(run))["type"] not in types:
            assert time.monotonic() < deadline, f"{state['name']} after {timeout_s} s: {state['message']}"
            time.sleep(0.5)
        return state

    def processes(self) -> list[int]:
        """Those of the worker and its flow runs, and not the server."""
        mark, found = f"PREFECT_HOME={self.folder / 'prefect'}".encode(), []
        for entry in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                if mark in (entry / "environ").read_bytes().split(b"\0") and os.getsid(int(entry.name)) != self.server:
                    found.append(int(entry.name))
        return found


@pytest.fixture
def database() -> Iterator[str]:
    for server in serve():
        yield server.url(server.database()).replace("postgresql:", "postgresql+asyncpg:")


@pytest.fixture
def own(house: Path, tmp_path: Path, database: str) -> Iterator[Own]:
    tree = shutil.copytree(house, tmp_path / "tree", symlinks=True)
    edit(tree / "tasks" / "score" / "run.py", lambda text: text + BUSY.replace("{folder}", str(tmp_path)))
    running = Own(tree, tmp_path, database)
    try:
        running.prefect("work-pool", "create", "local", "--type", "process")
        running.prefect("--no-prompt", "deploy", "--all")
        yield running
    finally:
        kill(running.processes())
        with suppress(ProcessLookupError):
            os.killpg(running.server, signal.SIGKILL)


def test_killed_run_keeps_the_next_night_out_or_a_busy_one_is_crashed(own: Own, tmp_path: Path) -> None:
    first, second = json.loads(own.run(sys.executable, "-c", APPLY))
    assert "scrollwork: heartbeat lost" in first["made"]
    assert set(second) - {name for name in second if second[name]} == {"made", "updated", "by_hand", "doubled"}
    assert second["standing"] == first["made"]

    (tmp_path / "busy").write_text(str(BUSY_S))
    own.start_worker()
    busy = own.trigger()
    seen = own.until(busy, "COMPLETED", "FAILED", "CRASHED", timeout_s=BUSY_S + 240)
    assert seen["type"] == "COMPLETED", seen["message"]
    names = [one["name"] for one in own.ask("GET", f"flow_run_states/?flow_run_id={busy}")]
    assert "Crashed" not in names, "it was crashed while it computed"

    (tmp_path / "begun").unlink()
    (tmp_path / "busy").write_text("0")
    (tmp_path / "wait").touch()
    shutil.rmtree(tmp_path / "home" / "artifacts")  # else nothing is scored again
    killed = own.trigger()
    deadline = time.monotonic() + 120
    while not (tmp_path / "begun").exists():
        assert time.monotonic() < deadline, own.state(killed)
        time.sleep(0.2)
    died, own.worker = time.monotonic(), 0
    kill(own.processes())
    assert own.state(killed)["type"] == "RUNNING"
    crashed = own.until(killed, "CRASHED", timeout_s=CRASHED_S)
    assert crashed["message"].startswith("It gave no sign of life for 90 seconds")
    print(f"crashed {time.monotonic() - died:.0f} s after its death")

    (tmp_path / "wait").unlink()
    own.start_worker()
    after = own.until(own.trigger(), "COMPLETED", "FAILED", "CRASHED", "CANCELLED", timeout_s=240)
    assert after["type"] == "COMPLETED", f"the killed run keeps its slot: {after['name']}, {after['message']}"


@pytest.mark.soak
def test_a_run_that_lost_its_slot_goes_on_or_keeps_the_next_night_out(own: Own, tmp_path: Path) -> None:
    """Of a fortnight, night 9: the lease of the deployment's slot is gone, as after a machine that slept. Prefect renews
    it after 225 s, and ends the run when the stage that is at work is done."""
    (tmp_path / "busy").write_text("0")
    (tmp_path / "wait").touch()
    own.start_worker()
    lost = own.trigger()
    deadline = time.monotonic() + 180
    while not (tmp_path / "begun").exists():
        assert time.monotonic() < deadline, own.state(lost)
        time.sleep(0.2)
    details = next(
        one["state_details"]
        for one in own.ask("GET", f"flow_run_states/?flow_run_id={lost}")
        if one["state_details"].get("deployment_concurrency_lease_id")
    )
    lease = details["deployment_concurrency_lease_id"]
    own.ask("POST", "v2/concurrency_limits/decrement-with-lease", lease_id=lease)
    deadline = time.monotonic() + 300
    while "Terminating execution" not in (tmp_path / "worker.log").read_text():
        assert time.monotonic() < deadline, "the lost lease is not seen"
        time.sleep(0.5)
    (tmp_path / "wait").unlink()
    ended = own.until(lost, "FAILED", "CRASHED", "CANCELLED", "COMPLETED", timeout_s=120)
    assert ended["type"] in ("FAILED", "CRASHED"), f"{ended['name']}: {ended['message']}"
    print(f"the run without its slot ended as {ended['name']}: {ended['message']}")
    after = own.until(own.trigger(), "COMPLETED", "FAILED", "CRASHED", "CANCELLED", timeout_s=240)
    assert after["type"] == "COMPLETED", f"{after['name']}, {after['message']}"
