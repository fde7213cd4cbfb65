"""`down`: stop what `up` started."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from scrollwork.flows.server.local_server import forget_server, is_alive, is_keeper, is_ours, noted_server, secret_path
from scrollwork.flows.server.processes import LIVES, going_down, stop_all, wait_while
from scrollwork.flows.server.recovery import in_shells, marks, under_way
from scrollwork.flows.server.worker import child_processes, send

KEEPER_S = 5.0  # within which a worker has become a keeper
BEGUN_S = 5.0  # within which a run in a shell has named its process, unless it is on another machine


def down(home: Path, say: Callable[[str], None], wait_s: float) -> bool:
    """Stop the worker and server of a home. Returns whether there was something to stop.

    wait_s: seconds that flow runs have for storing the answers in flight; Ctrl-C ends the wait. Then they are killed.
    """
    standing = noted_server(home)
    if standing is None:
        secret_path(home).unlink(missing_ok=True)
        say("nothing is running")
        return False
    with going_down(home / "prefect"):
        stop_everything(standing, home, say, wait_s)
    return True


def stop_everything(standing: dict[str, Any], home: Path, say: Callable[[str], None], wait_s: float) -> None:
    """Stop the flow runs, worker and server of `up`."""
    told = under_way(standing)
    names, shells = ", ".join(told.values()), begun_in_shells(standing)
    shells = {run: pid for run, pid in shells.items() if pid > 0}
    runs = end_flow_runs(standing, list(shells.values()))
    try:
        if (runs or shells) and wait_s > 0:
            most = f"{wait_s:g} s at most; Ctrl-C stops now"
            say(f"waiting for {names or 'flow runs'} to store the answers in flight, {most}")
            wait_while(lambda: any(map(is_alive, runs)) or bool(still_in(shells, standing)), wait_s)
    except KeyboardInterrupt:
        pass
    left = [pid for pid in runs if is_alive(pid)]
    send(left, signal.SIGKILL)
    others = in_shells(home_of(standing), under_way(standing))
    stop_all(standing)
    forget_server(home)
    lost = "; answers in flight are lost" if left else ""
    say(f"stopped, with {names}: what is stored stands{lost}" if names else "stopped")
    if others:
        say(f"still running, without a server: {', '.join(f'process {abs(pid)}' for pid in others.values())}")


def begun_in_shells(running: dict[str, Any]) -> dict[str, int]:
    """The runs under way in shells, with the pids of their processes; one that has just begun is waited for."""
    home = home_of(running)

    def unmarked() -> bool:
        return bool(under_way(running, deployed=False).keys() - {mark.name for mark in marks(home)})

    wait_while(unmarked, BEGUN_S)
    return in_shells(home, under_way(running, deployed=False))


def still_in(shells: dict[str, int], running: dict[str, Any]) -> dict[str, int]:
    """Those of the runs in shells that have not ended, though their process may go on: it may be a notebook's."""
    return in_shells(home_of(running), set(under_way(running)) & shells.keys()) if shells else {}


def home_of(running: dict[str, Any]) -> Path:
    """The home of a server."""
    return Path(running["home"])


def end_flow_runs(running: dict[str, Any], shells: list[int]) -> list[int]:
    """Send SIGTERM to the flow runs of a server's worker and keepers, whose pids are returned, and to the processes in
    shells. Those that ask models store the answers in flight before they end.

    The worker becomes a keeper, so that it begins no other run meanwhile; the server stays, for their last states.
    """
    parents = [pid for pid in (running.get("worker"), *running.get("keepers", ())) if pid and is_ours(pid)]
    if not shells and not any(map(child_processes, parents)):
        return []
    send(shells, signal.SIGTERM)
    with suppress(OSError):
        pipe = os.open(Path(running["home"]) / "prefect" / LIVES, os.O_WRONLY | os.O_NONBLOCK)
        with os.fdopen(pipe, "wb") as told:
            told.write(b".")
    wait_while(lambda: not all(is_keeper(pid) or not is_alive(pid) for pid in parents), KEEPER_S)
    runs = [child for pid in parents for child in child_processes(pid)]
    send(runs, signal.SIGTERM)
    return runs
