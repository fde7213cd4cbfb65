"""Find flow runs whose process has ended without telling the server, and end them with their task runs.

A run started by a worker of `up` has that worker's name and the pid of its process. A run started by a command in a
shell has a file in `prefect/runs` of its home, locked as long as the command lives. All other runs (of another project,
worker or machine) are left alone.
"""

from __future__ import annotations

import fcntl
import os
import threading
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

from scrollwork.flows.server.local_server import ask, is_alive, make_private, post
from scrollwork.flows.server.project import BY_MODULE, BY_PATH, project_of
from scrollwork.preprocessing.raw.errors import printable

WORKER_NAME = "scrollwork-"  # and the port
UNFINISHED = {"flow_runs": {"state": {"type": {"any_": ["PENDING", "RUNNING", "CANCELLING"]}}}}
CRASHED = {"type": "CRASHED", "name": "Crashed", "message": "its process was killed; what finished stands"}
CANCELLED = {"type": "CANCELLED", "name": "Cancelled", "message": "its process is gone"}
PAGE = 200  # rows in one reply of the server
ALIVE = "scrollwork-run.alive"  # the event by which a flow run tells a sign of life (flows/alive.py)

_marks: list[int] = []  # open files of this process, locked until it ends


# ---- in the process of a flow run


def mark_run(home: Path, run_id: str) -> None:
    """Lock a file for this process's flow run until the process ends, however that ends; it has the pid, negative in
    another thread than the main one, where the run hears no signal. Does nothing if the home has no folder of Prefect:
    then the run is on another server.

    The file stays, for the server may not have been told how the run ended: `up` removes it."""
    if not (home / "prefect").is_dir():
        return
    try:
        make_private(mark_of(home, run_id).parent)
        descriptor = os.open(mark_of(home, run_id), os.O_CREAT | os.O_RDWR, 0o600)
    except OSError:
        return  # a home that cannot be written; its server cannot run either
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:  # a retry in this process, which has the lock
        os.close(descriptor)
        return
    heeds = threading.current_thread() is threading.main_thread()
    os.ftruncate(descriptor, 0)
    os.write(descriptor, b"%d" % (os.getpid() if heeds else -os.getpid()))
    _marks.append(descriptor)


def mark_of(home: Path, run_id: str) -> Path:
    """The file that marks a flow run."""
    return home / "prefect" / "runs" / run_id


def marks(home: Path) -> list[Path]:
    """The files that mark flow runs, of those that have ended too."""
    with suppress(OSError):
        return sorted(mark_of(home, "").iterdir())
    return []


def in_shells(home: Path, runs: Collection[str]) -> dict[str, int]:
    """The flow runs whose process a shell or a notebook began, and which lives; its pid by the run's id, negative for a
    run that hears no signal. runs: ids."""
    found = {}
    for mark in (one for one in marks(home) if one.name in runs and is_locked(one)):
        with suppress(OSError, ValueError):
            found[mark.name] = int(mark.read_bytes())
    return found


# ---- in `up`


def end_lost_runs(running: dict[str, Any], new_worker: bool) -> int:
    """End this project's flow runs whose process has ended, and the task runs of all killed ones. Returns the number of
    flow runs. new_worker: no worker of `up` runs at this moment. Raises OSError.

    Without this they would be shown as running for ever, could not be retried, and would keep the one slot of
    nightly-eval, so that every later night would be cancelled.
    """
    home, ours = Path(running["home"]), own_deployments(running)
    lost = [run for run in all_rows(running, "flow_runs", UNFINISHED) if is_lost(run, home, ours, new_worker)]
    for run in lost:
        state = CANCELLED if run["state_type"] == "CANCELLING" else CRASHED
        post(running, f"flow_runs/{run['id']}/set_state", {"state": state})
    killed: list[dict[str, Any]] = [{"id": {"any_": [run["id"] for run in lost]}}] if lost else []
    if ours:
        killed.append({"deployment_id": {"any_": ours}, "state": {"type": {"any_": ["CRASHED", "CANCELLED"]}}})
    open_tasks = {"state": {"type": {"any_": ["PENDING", "RUNNING"]}}}
    for runs in killed:
        for task in all_rows(running, "task_runs", {"task_runs": open_tasks, "flow_runs": runs}):
            post(running, f"task_runs/{task['id']}/set_state", {"state": CRASHED, "force": True})
    for mark in marks(home):
        if not is_locked(mark):
            mark.unlink(missing_ok=True)
    return len(lost)


def expect_signs(running: dict[str, Any]) -> None:
    """Give a sign of life for each of this project's unfinished flow runs, all of which have a process, so that the
    server crashes a run that gives none from now on. Raises OSError.

    The server has forgotten which runs were to give one (`automations.forget_heartbeats`), and a run that knows the
    secret of the last server alone can tell this one nothing, not even that it ended.
    """
    now, ours = datetime.now(UTC).isoformat(), own_deployments(running)
    signs = [
        {
            "event": ALIVE,
            "id": str(uuid4()),
            "occurred": now,
            "resource": {"prefect.resource.id": f"prefect.flow-run.{run['id']}", "prefect.resource.name": run["name"]},
        }
        for run in all_rows(running, "flow_runs", UNFINISHED)
        if run["deployment_id"] in ours
    ]
    if signs:
        ask(running, "POST", "events", signs)


def under_way(running: dict[str, Any], deployed: bool = True) -> dict[str, str]:
    """Names of the flow runs that a server holds for running, by their ids; of a server that does not answer, none.
    deployed: also those of deployments."""
    with suppress(OSError, ValueError):
        states = {"flow_runs": {"state": {"type": {"any_": ["PENDING", "RUNNING"]}}}}
        found = all_rows(running, "flow_runs", states)
        return {
            str(run["id"]): printable(str(run["name"]), 80) for run in found if deployed or not run["deployment_id"]
        }
    return {}


def is_lost(run: Mapping[str, Any], home: Path, ours: list[str], new_worker: bool) -> bool:
    """Whether a run is this project's and its process has ended; False if that is not certain."""
    mark = mark_of(home, run["id"])
    if mark.is_file():
        return not is_locked(mark)
    worker = str((run.get("labels") or {}).get("prefect.worker.name", ""))
    if run["deployment_id"] not in ours or not worker.startswith(WORKER_NAME):
        return False
    if run["state_type"] == "PENDING" and not new_worker:  # the worker is starting its process
        return False
    return not has_process(run["id"], str(run.get("infrastructure_pid") or ""))


def own_deployments(running: dict[str, Any]) -> list[str]:
    """Ids of the deployments of this package's flows in the server's project folder."""
    return [
        made["id"]
        for made in all_rows(running, "deployments", {})
        if made["entrypoint"] in (*BY_PATH, *BY_MODULE) and str(project_of(running)) in folders_of(made)
    ]


def folders_of(deployment: Mapping[str, Any]) -> list[str]:
    """The folders in which runs of a deployment start."""
    steps = [step for one in deployment.get("pull_steps") or [] for step in one.values() if isinstance(step, dict)]
    return [str(deployment.get("path")), *(str(step.get("directory")) for step in steps)]


def all_rows(running: dict[str, Any], what: str, wanted: Mapping[str, Any]) -> list[dict[str, Any]]:
    """All rows that a filter of the API finds, page by page. Raises OSError."""
    found: list[dict[str, Any]] = []
    while page := post(running, f"{what}/filter", {**wanted, "limit": PAGE, "offset": len(found)}):
        found += page
    return found


def is_locked(path: Path) -> bool:
    """Whether a process holds the lock on a file."""
    with suppress(FileNotFoundError), path.open("rb") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return True
    return False


def has_process(run_id: str, pid: str) -> bool:
    """Whether a process of this machine runs a flow run. pid: as the worker reported it, "" if it did not."""
    if not Path("/proc/self/environ").is_file():
        return pid.isdecimal() and is_alive(int(pid))
    for pause in (0.0, 0.1):  # a process that has just been started has no environment for a moment
        time.sleep(pause)
        if any(run_id.encode() in environ for environ in environments(pid)):
            return True
    return False


def environments(pid: str) -> Iterator[bytes]:
    """Yield the environment of a process, or of all processes if the pid is unknown. Unreadable ones are skipped: they
    belong to another user, and so not to this server."""
    for folder in [Path("/proc", pid)] if pid.isdecimal() else Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            yield (folder / "environ").read_bytes()
