"""`down`: stop what `up` started."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path
from typing import Any

from scrollwork.flows.server.local_server import forget_server, is_alive, is_keeper, is_ours, noted_server, secret_path
from scrollwork.flows.server.processes import LIVES, stop_all, wait_while
from scrollwork.flows.server.recovery import commands, under_way
from scrollwork.flows.server.worker import child_processes, send

KEEPER_S = 5.0  # within which a worker has become a keeper


def down(home: Path, say: Callable[[str], None], wait_s: float) -> bool:
    """Stop the worker and server of a home. Returns whether there was something to stop.

    wait_s: seconds that flow runs have for storing the answers in flight; Ctrl-C ends the wait. Then they are killed.
    """
    standing = noted_server(home)
    if standing is None:
        secret_path(home).unlink(missing_ok=True)
        say("nothing is running")
        return False
    told = under_way(standing)
    names, runs = ", ".join(told.values()), end_flow_runs(standing, told)
    try:
        if runs and wait_s > 0:
            most = f"{wait_s:g} s at most; Ctrl-C stops now"
            say(f"waiting for {names or 'flow runs'} to store the answers in flight, {most}")
            wait_while(lambda: any(map(is_alive, runs)), wait_s)
    except KeyboardInterrupt:
        pass
    left = [pid for pid in runs if is_alive(pid)]
    send(left, signal.SIGKILL)
    stop_all(standing)
    forget_server(home)
    lost = "; answers in flight are lost" if left else ""
    say(f"stopped, with {names}: what is stored stands{lost}" if names else "stopped")
    return True


def end_flow_runs(running: dict[str, Any], ids: Collection[str]) -> list[int]:
    """Send SIGTERM to the flow runs of a server's worker and keepers, and to those of commands in shells; returns their
    pids. Those that ask models store the answers in flight before they end. ids: of the server's flow runs.

    The worker becomes a keeper, so that it begins no other run meanwhile; the server stays, for their last states.
    """
    shells = commands(Path(running["home"]), ids)
    send(shells, signal.SIGTERM)
    parents = [pid for pid in (running.get("worker"), *running.get("keepers", ())) if pid and is_ours(pid)]
    if not any(map(child_processes, parents)):
        return shells
    with suppress(OSError):
        pipe = os.open(Path(running["home"]) / "prefect" / LIVES, os.O_WRONLY | os.O_NONBLOCK)
        with os.fdopen(pipe, "wb") as told:
            told.write(b".")
    wait_while(lambda: not all(map(is_keeper, parents)), KEEPER_S)
    runs = [child for pid in parents for child in child_processes(pid)]
    send(runs, signal.SIGTERM)
    return [*runs, *shells]
