"""Start and stop the processes of `up`, find their ports, and make the pipe that tells a worker that its server
ended."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from scrollwork.flows.server.guard import probe_port
from scrollwork.flows.server.local_server import is_alive, is_ours

USUAL_PORT = 4200
TRIES = 3  # starts of a server, if another process takes its free port first
DOWN = ".down.lock"
LIVES = "server.lives"  # a named pipe (FIFO) in the folder of Prefect
START_S = 180.0
STOP_S = 20.0


class ServiceError(RuntimeError):
    """Server or worker could not be started or stopped; the message names the log to read."""


def spawn(command: list[str], log: Path, env: dict[str, str], cwd: Path, umask: int, kept: int) -> int:
    """Start a command in the background, in a new session; returns its pid. umask: -1 for the user's. kept: an open
    file descriptor that it inherits."""
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


def wait_for(ready: Callable[[], bool], pid: int, log: Path, what: str) -> None:
    """Wait until `ready()`. Raises ServiceError if the process ends or START_S is over. what: its name in messages."""
    deadline = time.monotonic() + START_S
    while not ready():
        if not is_alive(pid) or time.monotonic() > deadline:
            tail = log.read_text(encoding="utf-8", errors="replace")[-1500:] if log.is_file() else ""
            raise ServiceError(f"{what} did not start; see {log}:\n{tail}")
        time.sleep(0.3)


def stop_all(running: dict[str, Any]) -> None:
    """Stop the worker, then the server and keepers: SIGTERM twice (an idle worker survives the first), then SIGKILL."""
    if running.get("worker"):
        stop(int(running["worker"]), first_s=1.0)
    for pid in (running.get("server"), *running.get("keepers", ())):
        if pid:
            stop(int(pid))


def stop(pid: int, first_s: float = 3.0) -> None:
    """Stop a process group that we started. first_s: seconds between the first and second SIGTERM."""
    for sign, patience in ((signal.SIGTERM, first_s), (signal.SIGTERM, STOP_S), (signal.SIGKILL, STOP_S)):
        if not is_ours(pid):
            return
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, sign)
        deadline = time.monotonic() + patience
        while is_alive(pid) and time.monotonic() < deadline:
            time.sleep(0.1)
        if not is_alive(pid):
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(pid, signal.SIGKILL)  # the rest of its group
            return


@contextmanager
def going_down(folder: Path) -> Iterator[None]:
    """Let each `up` wait while the block stops what runs. folder: of Prefect."""
    descriptor = os.open(folder / DOWN, os.O_CREAT | os.O_RDWR, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH)  # two at once do not wait for each other
        yield
    finally:
        os.close(descriptor)


def wait_for_down(folder: Path, say: Callable[[str], None]) -> None:
    """Wait until no `down` is at work."""
    descriptor = os.open(folder / DOWN, os.O_CREAT | os.O_RDWR, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        say("waiting for `scrollwork down`, which is at work here")
        fcntl.flock(descriptor, fcntl.LOCK_EX)
    finally:
        os.close(descriptor)


def wait_while(true: Callable[[], bool], patience_s: float) -> None:
    """Wait until `true()` is false, or patience_s is over."""
    deadline = time.monotonic() + patience_s
    while true() and time.monotonic() < deadline:
        time.sleep(0.1)


def lifeline(folder: Path) -> int:
    """The writing end of a new named pipe that the server holds open, so that a watcher notices when it ends."""
    path = folder / LIVES
    path.unlink(missing_ok=True)
    os.mkfifo(path, 0o600)
    reading = watch(folder)  # opening for writing waits for a reader
    try:
        return os.open(path, os.O_WRONLY)
    finally:
        os.close(reading)


def watch(folder: Path) -> int:
    """The reading end of the pipe that the server of this folder holds open."""
    reading = os.open(folder / LIVES, os.O_RDONLY | os.O_NONBLOCK)
    os.set_blocking(reading, True)
    return reading


def free_port(wanted: int | None, *, others: bool = False) -> int:
    """The wanted port; without one, 4200 if it is free, else any free port. others: use another port if the wanted one
    is taken. Raises ServiceError if the wanted port is taken."""
    for port in [wanted, *([USUAL_PORT, 0] if others else [])] if wanted else [USUAL_PORT, 0]:
        if found := probe_port(port):
            return found
    raise ServiceError(f"port {wanted} is taken; name another with --port, or none")


def on_free_port(
    begin: Callable[[int], dict[str, Any]], wanted: int | None, say: Callable[[str], None], *, named: bool
) -> dict[str, Any]:
    """What `begin` returns for a free port: the wanted one, or another unless it was named. A server takes its port
    only seconds after it was found free: if another process does so first, it is begun again, at another port. Raises
    what `begin` raises, and ServiceError if the named port is taken."""
    tries = TRIES
    while True:
        port, tries = free_port(wanted, others=not named), tries - 1
        if port != wanted and wanted:
            say(f"port {wanted} is taken by another process: serving at {port}")
        try:
            return begin(port)
        except ServiceError:
            if named or not tries or probe_port(port):
                raise
            wanted = port
