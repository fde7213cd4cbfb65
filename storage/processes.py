"""Processes as others may ask for them: this one, and whether another is still alive."""

from __future__ import annotations

import os
import platform
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

PROC = Path("/proc")


@dataclass(frozen=True)
class Process:
    """host: machine, boot and process namespace, so that equal numbers elsewhere are others; born: pids come again."""

    host: str
    pid: int
    born: str


def this() -> Process:
    """The process that asks."""
    return Process(_host(), os.getpid(), _born(os.getpid()) or "")


def dead(process: Process) -> bool:
    """Whether the process is known to have ended; False for one of another host, of which nothing is known."""
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
    return PROC.joinpath("self", "stat").exists()  # ours, and only waits for its parent


def _born(pid: int) -> str | None:
    """When the process started, in ticks since boot; None for one that is gone or waits only for its parent."""
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
