"""`up` and `down`: Prefect server, work pool, deployments and one worker, started, checked and stopped as one thing."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from flows.server import PROJECT, QUIET, healthy, note_path, noted
from storage.location import held

DEFAULT_PORT = 4200
POOL = "local"
START_S = 180.0
STOP_S = 20.0


class ServiceError(RuntimeError):
    """Server or worker could not be started or stopped; the message names the log to read."""


def up(home: Path, port: int | None, say: Callable[[str], None]) -> dict[str, str]:
    """Start what does not run yet; {url, ui}. Raises ServiceError."""
    folder = home / "prefect"
    folder.mkdir(parents=True, exist_ok=True)
    with held(folder / ".up.lock"):
        standing = noted(home)
        if standing is not None and healthy(standing["url"]) and alive(standing["worker"]):
            say(f"already up: {standing['ui']}")
            return {"url": standing["url"], "ui": standing["ui"]}
        if standing is not None:
            say("clearing what a killed server or worker left")
            stop_all(standing)
        return start(home, free_port(port), say)


def start(home: Path, port: int, say: Callable[[str], None]) -> dict[str, str]:
    """Server, pool, deployments, worker, in this order; all stopped again if one fails."""
    folder = home / "prefect"
    ui = f"http://127.0.0.1:{port}"
    env = {
        **os.environ,
        **QUIET,
        "PREFECT_HOME": str(folder),
        "PREFECT_API_URL": f"{ui}/api",
        "PREFECT_SERVER_UI_API_URL": f"{ui}/api",
        "PREFECT_WORKER_QUERY_SECONDS": "2",
        "SCROLLWORK_HOME": str(home),
        "NO_PROXY": ",".join(filter(None, [os.environ.get("NO_PROXY"), "127.0.0.1", "localhost"])),
    }
    running: dict[str, Any] = {"url": f"{ui}/api", "ui": ui, "port": port, "server": 0, "worker": 0}
    try:
        say(f"starting the Prefect server at {ui}")
        running["server"] = spawn(
            ["server", "start", "--host", "127.0.0.1", "--port", str(port)], folder / "server.log", env
        )
        note(home, running)
        wait_for(lambda: healthy(running["url"]), running["server"], folder / "server.log", "the Prefect server")
        end_orphans(running["url"])
        say("creating work pool and deployments")
        prefect(["work-pool", "create", POOL, "--type", "process", "--overwrite"], env)
        prefect(["--no-prompt", "deploy", "--all"], env)
        say("starting a worker")
        running["worker"] = spawn(
            ["worker", "start", "--pool", POOL, "--name", f"scrollwork-{port}"],
            folder / "worker.log",
            env,
        )
        note(home, running)
        wait_for(
            lambda: online(running["url"], f"scrollwork-{port}"), running["worker"], folder / "worker.log", "the worker"
        )
    except BaseException:
        stop_all(running)
        forget(home)
        raise
    return {"url": running["url"], "ui": ui}


def down(home: Path, say: Callable[[str], None]) -> bool:
    """Stop worker and server of a home; whether there was something to stop."""
    standing = noted(home)
    if standing is None:
        say("nothing is running")
        return False
    stop_all(standing)
    forget(home)
    say("stopped")
    return True


def spawn(arguments: list[str], log: Path, env: dict[str, str]) -> int:
    """Start a `prefect` command in the background, in a process group of its own; its process id."""
    with log.open("ab") as stream:
        process = subprocess.Popen(
            [sys.executable, "-m", "prefect", *arguments],
            cwd=PROJECT,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    return process.pid


def prefect(arguments: list[str], env: dict[str, str]) -> None:
    """Run a `prefect` command to its end. Raises ServiceError with what it printed."""
    done = subprocess.run(
        [sys.executable, "-m", "prefect", *arguments],
        cwd=PROJECT,
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise ServiceError(f"prefect {' '.join(arguments)} failed:\n{(done.stdout + done.stderr).strip()[-2000:]}")


def wait_for(ready: Callable[[], bool], pid: int, log: Path, what: str) -> None:
    """Wait until it is ready. Raises ServiceError when its process ends or time is up."""
    deadline = time.monotonic() + START_S
    while not ready():
        if not alive(pid) or time.monotonic() > deadline:
            tail = log.read_text(encoding="utf-8", errors="replace")[-1500:] if log.is_file() else ""
            raise ServiceError(f"{what} did not start; see {log}:\n{tail}")
        time.sleep(0.3)


def online(url: str, name: str) -> bool:
    """Whether a worker of that name has reported to the server."""
    with suppress(OSError, ValueError):
        workers = post(f"{url}/work_pools/{POOL}/workers/filter", {})
        return any(worker["name"] == name and worker.get("status") == "ONLINE" for worker in workers)
    return False


def end_orphans(url: str) -> None:
    """Tell a server just started that the flow runs of its last life are over.

    Killed with flow and worker it would show them as running for ever, refuse to retry them, and never give back the
    one slot of nightly-eval: every later night would be cancelled.
    """
    unfinished = {"flow_runs": {"state": {"type": {"any_": ["PENDING", "RUNNING", "CANCELLING"]}}}}
    crashed = {"type": "CRASHED", "name": "Crashed", "message": "its process was killed; what finished stands"}
    for run in post(f"{url}/flow_runs/filter", unfinished):
        post(f"{url}/flow_runs/{run['id']}/set_state", {"state": crashed})


def post(url: str, body: dict[str, Any]) -> Any:
    """A request to the server's API. Proxies are not asked: the server is on this machine."""
    import urllib.request

    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(url, json.dumps(body).encode("utf-8"), headers, method="POST")
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request, timeout=10) as reply:
        return json.load(reply)


def free_port(wanted: int | None) -> int:
    """The wanted port, else 4200 where it is free, else any free one. Raises ServiceError for a taken one."""
    for port in [wanted] if wanted else [DEFAULT_PORT, 0]:
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # a server stopped just now frees its port
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return int(probe.getsockname()[1])
    raise ServiceError(f"port {wanted} is taken; name another with --port, or none")


def note(home: Path, running: dict[str, Any]) -> None:
    """Note the server where `prefect` in the project folder, and later commands, find it."""
    for place in {home, PROJECT / ".scrollwork"}:
        path = note_path(place)
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name(f".{path.name}.{os.getpid()}")
        temporary.write_text(json.dumps(running), encoding="utf-8")
        os.replace(temporary, path)


def forget(home: Path) -> None:
    """Take the notes away that name this home's server."""
    standing = noted(home)
    for place in {home, PROJECT / ".scrollwork"}:
        if noted(place) == standing:
            note_path(place).unlink(missing_ok=True)


def stop_all(running: dict[str, Any]) -> None:
    """Stop worker, then server: asked twice (an idle worker survives the first time), then killed."""
    for name in ("worker", "server"):
        pid = int(running.get(name) or 0)
        if pid:
            stop(pid)


def stop(pid: int) -> None:
    """Stop a process group that we started."""
    for sign, patience in ((signal.SIGTERM, 3.0), (signal.SIGTERM, STOP_S), (signal.SIGKILL, STOP_S)):
        if not ours(pid):
            return
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, sign)
        deadline = time.monotonic() + patience
        while alive(pid) and time.monotonic() < deadline:
            time.sleep(0.1)
        if not alive(pid):
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(pid, signal.SIGKILL)  # what the leader left behind
            return


def alive(pid: int) -> bool:
    """Whether the process runs (a zombie of ours is reaped and does not)."""
    if pid <= 0:
        return False
    with suppress(ChildProcessError, OSError):
        os.waitpid(pid, os.WNOHANG)
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def ours(pid: int) -> bool:
    """Whether the process is still the Prefect one that we started: a number may have been given to another since."""
    try:
        command = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return alive(pid) and not Path("/proc").is_dir()
    return b"prefect" in command
