"""CPU, memory and time of a command with all its processes: those of a run with workers."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from benchmarks.kit.measure import ROOT

EVERY_S = 0.1  # between two looks at the processes


@dataclass(frozen=True)
class TreeCost:
    """cpu_s: user and system, of all processes. largest_mb: the peak of the largest process. together_mb: the highest
    sum over all processes that was seen, in which pages that they share count once for each."""

    cpu_s: float
    wall_s: float
    largest_mb: float
    together_mb: float


def tree_cost(command: Sequence[str], env: dict[str, str] | None = None) -> TreeCost:
    """What one run of a command costs. Raises RuntimeError when it fails."""
    began, largest, together = time.perf_counter(), 0, 0
    with open(os.devnull, "wb") as nowhere:
        process = subprocess.Popen(
            command, cwd=ROOT, env={**os.environ, **(env or {})}, stdout=nowhere, stderr=subprocess.STDOUT
        )
    while not (ended := os.wait4(process.pid, os.WNOHANG))[0]:
        found = [memory_kb(pid) for pid in (process.pid, *descendants(process.pid))]
        largest = max(largest, *(peak for peak, _ in found))
        together = max(together, sum(now for _, now in found))
        time.sleep(EVERY_S)
    _, status, usage = ended
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)} failed with {process.returncode}")
    spent = usage.ru_utime + usage.ru_stime
    return TreeCost(spent, time.perf_counter() - began, largest / 1024, together / 1024)


def descendants(pid: int) -> Iterator[int]:
    """The processes below one, of all its threads."""
    for listed in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):
            for child in map(int, listed.read_text().split()):
                yield child
                yield from descendants(child)


def memory_kb(pid: int) -> tuple[int, int]:
    """(peak, present) resident memory of a process, (0, 0) if it has ended."""
    with suppress(OSError):
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
        told = dict(line.split(":", 1) for line in lines if line.startswith(("VmHWM", "VmRSS")))
        if len(told) == 2:
            return int(told["VmHWM"].split()[0]), int(told["VmRSS"].split()[0])
    return 0, 0
