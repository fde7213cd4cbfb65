"""Identify a process across machines and restarts, and find out whether it has ended."""

from __future__ import annotations

import os
import platform
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

PROC = Path("/proc")


@dataclass(frozen=True)
class Process:
    """A process, identified so that no other process is ever mistaken for it.

    host: the machine, its boot and the process namespace, because a pid is unique only there. born: the start time in
    ticks since boot, because the system uses pids again; "" where it cannot be read.
    """

    host: str
    pid: int
    born: str


def this_process() -> Process:
    """Return the current process."""
    return Process(_host(), os.getpid(), _born(os.getpid()) or "")


def is_dead(process: Process) -> bool:
    """Return whether the process has certainly ended. False if we cannot know, as for a process of another host."""
    if process.host != _host():
        return False
    born = _born(process.pid)
    if born is not None:
        return born != process.born
    try:
        os.kill(process.pid, 0)
    except ProcessLookupError:
        return True
    except OSError:  # it belongs to another user, and /proc may hide it (hidepid)
        return False
    return PROC.joinpath("self", "stat").exists()  # if there is a /proc, it is a zombie of ours, which has ended


def _born(pid: int) -> str | None:
    """Return when the process started, in ticks since boot; None if it has ended, is a zombie, or /proc lacks it."""
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
