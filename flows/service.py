"""`up` and `down`: Prefect server, work pool, deployments and one worker, started, checked and stopped as one thing."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from flows.prefect_server import ALLOWED_HOSTS, OWN_HOSTS, host_of
from flows.server import (
    PROJECT,
    QUIET,
    access_line,
    alive,
    make_private,
    new_secret,
    note_path,
    noted,
    post,
    secret_path,
    server_command,
    server_settings,
    stands,
    write_private,
)
from flows.variables import SERVER, WORKER, calm, chosen, key_names
from storage.location import held
from tasks.errors import UsageError

DEFAULT_PORT = 4200
POOL = "local"
START_S = 180.0
STOP_S = 20.0


class ServiceError(RuntimeError):
    """Server or worker could not be started or stopped; the message names the log to read."""


def up(
    home: Path,
    port: int | None,
    say: Callable[[str], None],
    *,
    hosts: Sequence[str] = (),
    passed: Sequence[str] = (),
    models_file: str = "",
) -> dict[str, Any]:
    """Start what does not run yet; what `up` prints of it, without the secret. Raises ServiceError.

    hosts: names beside 127.0.0.1 and localhost that the server answers to. passed: variables that the worker gets
    beside those of flows/variables.py (NAME or NAME*). models_file: the user's own file of models, for its key_env.
    """
    if not (PROJECT / "prefect.yaml").is_file():
        raise UsageError(
            "up serves the deployments of scrollwork's prefect.yaml, which a checkout has and an installed package "
            "does not: run it in a checkout; `scrollwork run` needs no server"
        )
    wrong = [name for name in hosts if not host_of(name) or host_of(name) != name.lower() or "*" in name]
    if wrong:
        raise ServiceError(f"--allow-host {wrong[0]}: write a host name or an address, without a port")
    keys = key_names(models_file)
    folder = home / "prefect"
    make_private(folder)
    lock = folder / ".up.lock"
    lock.touch(mode=0o600)
    lock.chmod(0o600)
    with held(lock):
        standing = noted(home)
        if standing is not None and stands(standing) and alive(standing["worker"]):
            say(f"already up: {standing['ui']}")
            new = {*hosts} - {*standing["hosts"]} | {*chosen(os.environ, [*keys, *passed])} - {*standing["variables"]}
            if new:
                say(f"what runs does not know {', '.join(sorted(new))}: scrollwork down, then up")
            return shown(standing)
        if standing is not None:
            say("clearing what a killed server or worker left")
            stop_all(standing)
        variables = chosen(os.environ, [*WORKER, *keys, *passed])
        return shown(start(home, free_port(port), variables, [name.lower() for name in hosts], say))


def shown(running: dict[str, Any]) -> dict[str, Any]:
    """What `up` prints of a noted server."""
    names = ("url", "ui", "secret_file", "variables")
    return {**{name: running[name] for name in names}, "access": access_line(running)}


def start(
    home: Path, port: int, variables: dict[str, str], hosts: list[str], say: Callable[[str], None]
) -> dict[str, Any]:
    """Server, pool, deployments, worker, in this order; all stopped again if one fails. What is noted of them."""
    folder = home / "prefect"
    ui, secret = f"http://127.0.0.1:{port}", new_secret()
    running: dict[str, Any] = {"url": f"{ui}/api", "ui": ui, "port": port, "server": 0, "worker": 0, "home": str(home)}
    running |= {"secret_file": str(secret_path(home)), "hosts": hosts, "variables": list(variables)}
    of_server, env = environments(running, secret, variables)
    gone, lives = os.pipe()  # `lives` is open as long as the server runs, and nothing is written there
    try:
        say(f"starting the Prefect server at {ui}")
        write_private(secret_path(home), secret + "\n")
        running["server"] = spawn(server_command(port), folder / "server.log", of_server, folder, 0o077, lives)
        os.close(lives)
        note(home, running)
        with preparing(env) as commands:
            wait_for(lambda: stands(running), running["server"], folder / "server.log", "the Prefect server")
            end_orphans(running)
            say("creating work pool and deployments")
            prepare(commands)
        say("starting a worker")
        name = f"scrollwork-{port}"
        worker = [sys.executable, "-m", "flows.prefect_worker", str(gone), str(port)]
        worker += ["worker", "start", "--pool", POOL, "--name", name]
        since = datetime.now(UTC)
        running["worker"] = spawn(worker, folder / "worker.log", env, PROJECT, -1, gone)
        note(home, running)
        wait_for(lambda: online(running, name, since), running["worker"], folder / "worker.log", "the worker")
    except BaseException:
        stop_all(running)
        forget(home)
        raise
    finally:
        os.close(gone)
    return running


def environments(
    running: dict[str, Any], secret: str, variables: dict[str, str]
) -> tuple[dict[str, str], dict[str, str]]:
    """The environments of server and worker. variables: what the worker gets of ours."""
    both = {"PREFECT_HOME": str(Path(running["home"]) / "prefect"), "PREFECT_API_URL": running["url"]}
    server = {**chosen(os.environ, SERVER), **server_settings(Path(both["PREFECT_HOME"]), running["port"], secret)}
    server |= both
    proxies = [*variables.get("NO_PROXY", "").split(","), *variables.get("no_proxy", "").split(","), *OWN_HOSTS]
    unproxied = ",".join(dict.fromkeys(filter(None, proxies)))
    worker = {
        **variables,
        **QUIET,
        **calm(os.environ),
        **both,
        "PREFECT_API_AUTH_STRING": secret,
        "SCROLLWORK_HOME": running["home"],
    }
    worker |= {"PREFECT_WORKER_QUERY_SECONDS": "2", "NO_PROXY": unproxied, "no_proxy": unproxied}
    return server | {ALLOWED_HOSTS: ",".join(running["hosts"])}, worker


def down(home: Path, say: Callable[[str], None]) -> bool:
    """Stop worker and server of a home; whether there was something to stop."""
    standing = noted(home)
    if standing is None:
        secret_path(home).unlink(missing_ok=True)
        say("nothing is running")
        return False
    stop_all(standing)
    forget(home)
    say("stopped")
    return True


def spawn(command: list[str], log: Path, env: dict[str, str], cwd: Path, umask: int, kept: int) -> int:
    """Start a command in the background, in a process group of its own; its process id. umask: -1 for the user's. kept:
    an open file that it inherits."""
    descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    with os.fdopen(descriptor, "ab") as stream:
        process = subprocess.Popen(
            command,
            cwd=cwd,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            umask=umask,
            pass_fds=[kept],
        )
    return process.pid


def preparing(env: dict[str, str]) -> subprocess.Popen[str]:
    """A process that loads Prefect, and makes pool and deployments when `prepare` tells it to."""
    return subprocess.Popen(
        [sys.executable, "-m", "flows.prefect_commands"],
        cwd=PROJECT,
        env=env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )


def prepare(commands: subprocess.Popen[str]) -> None:
    """Make pool and deployments. Raises ServiceError with what Prefect printed."""
    lines = [["work-pool", "create", POOL, "--type", "process", "--overwrite"], ["--no-prompt", "deploy", "--all"]]
    said, _ = commands.communicate("".join(json.dumps(line) + "\n" for line in lines))
    if commands.returncode:
        raise ServiceError(f"work pool and deployments were not made:\n{said.strip()[-2000:]}")


def wait_for(ready: Callable[[], bool], pid: int, log: Path, what: str) -> None:
    """Wait until it is ready. Raises ServiceError when its process ends or time is up."""
    deadline = time.monotonic() + START_S
    while not ready():
        if not alive(pid) or time.monotonic() > deadline:
            tail = log.read_text(encoding="utf-8", errors="replace")[-1500:] if log.is_file() else ""
            raise ServiceError(f"{what} did not start; see {log}:\n{tail}")
        time.sleep(0.3)


def online(running: dict[str, Any], name: str, since: datetime) -> bool:
    """Whether a worker of that name has reported to the server since then: one of that name may have lived before."""
    with suppress(OSError, ValueError):
        workers = post(running, f"work_pools/{POOL}/workers/filter", {})
        seen = [str(worker["last_heartbeat_time"]) for worker in workers if worker["name"] == name]
        return any(datetime.fromisoformat(time.replace("Z", "+00:00")) >= since for time in seen)
    return False


def end_orphans(running: dict[str, Any]) -> None:
    """Tell a server just started that the flow runs of its worker's last life are over. A run that a command in a
    shell began on a server of its own in this database, without the pool, may go on at this moment: it is let be.

    Killed with flow and worker it would show them as running for ever, refuse to retry them, and never give back the
    one slot of nightly-eval: every later night would be cancelled.
    """
    unfinished = {
        "flow_runs": {"state": {"type": {"any_": ["PENDING", "RUNNING", "CANCELLING"]}}},
        "work_pools": {"name": {"any_": [POOL]}},
    }
    crashed = {"type": "CRASHED", "name": "Crashed", "message": "its process was killed; what finished stands"}
    for run in post(running, "flow_runs/filter", unfinished):
        post(running, f"flow_runs/{run['id']}/set_state", {"state": crashed})


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
        make_private(note_path(place).parent)
        write_private(note_path(place), json.dumps(running))


def forget(home: Path) -> None:
    """Take the secret away, and the notes that name this home's server."""
    standing = noted(home)
    secret_path(home).unlink(missing_ok=True)
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


def ours(pid: int) -> bool:
    """Whether the process is still the Prefect one that we started: a number may have been given to another since."""
    try:
        command = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return alive(pid) and not Path("/proc").is_dir()
    return b"prefect" in command
