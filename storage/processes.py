"""Identify processes across machines and restarts, and tell whether one is still alive."""

from __future__ import annotations

import os
import platform
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

PROC = Path("/proc")


@dataclass(frozen=True)
class Process:
    """A process. host: machine, boot and process namespace, because pids are unique only there. born: its start time in
    ticks since boot, because pids are reused."""

    host: str
    pid: int
    born: str


def this_process() -> Process:
    """The current process."""
    return Process(_host(), os.getpid(), _born(os.getpid()) or "")


def is_dead(process: Process) -> bool:
    """Whether the process is known to have ended; False for a process of another host, where that is unknown."""
    if process.host != _host():
        return False
    born = _born(process.pid)
    if born is not None:
        return born != process.born
    try:
        os.kill(process.pid, 0)
    except ProcessLookupError:
        return True
    except OSError:  # somebody else's; /proc may hide it (hidepid)
        return False
    return PROC.joinpath("self", "stat").exists()  # with /proc: a zombie of ours, which has ended


def _born(pid: int) -> str | None:
    """When the process started, in ticks since boot; None for one that has ended (also a zombie)."""
    try:
        fields = (PROC / str(pid) / "stat").read_text(errors="replace").rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] in "ZX" else fields[19]


def _host() -> str:
    parts = [platform.node()]
    with suppress(OSError):
        parts.append((PROC / "sys/kernel/random/boot_id").read_text().strip())
    with suppress(OSError):
        parts.append(os.readlink(PROC / "self/ns/pid"))
    return "/".join(parts)
