"""CPU time and peak memory of a command.

CPU is the operating system's account of the finished process and its children. Peak memory of Python programs is
what they read in their own /proc/self/status (VmHWM): the account of a finished process counts what its parent held
when it was started.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[2]
PEAK = "SCROLLWORK_BENCHMARK_PEAK"  # names the file to which a program of `python` writes its peak
TELL_PEAK = f"""
def _tell_peak():
    import os
    lines = [line for line in open("/proc/self/status") if line.startswith("VmHWM")]
    open(os.environ["{PEAK}"], "w").write(lines[0].split()[1])
import atexit
atexit.register(_tell_peak)
"""


@dataclass(frozen=True)
class Cost:
    """Seconds of CPU (user and system), seconds on the clock, peak resident memory in MB."""

    cpu_s: float
    wall_s: float
    peak_mb: float


def cost(command: Sequence[str], env: dict[str, str] | None = None) -> Cost:
    """What one run of a command costs. Raises RuntimeError when it fails."""
    import time

    began = time.perf_counter()
    with tempfile.NamedTemporaryFile("r") as peak:
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env={**os.environ, **(env or {}), PEAK: peak.name},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        assert process.stderr is not None
        said = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise RuntimeError(f"{' '.join(command)} failed:\n{said.decode(errors='replace')[-2000:]}")
        peak_kb = int(peak.read() or usage.ru_maxrss)
    return Cost(usage.ru_utime + usage.ru_stime, time.perf_counter() - began, peak_kb / 1024)


def interleaved(commands: dict[str, Sequence[str]], rounds: int = 3) -> dict[str, Cost]:
    """Median cost of each command; they take turns, so that a drifting machine is fair to all."""
    runs: dict[str, list[Cost]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            runs[name].append(cost(command))
    return {
        name: Cost(*(median(getattr(one, field) for one in found) for field in ("cpu_s", "wall_s", "peak_mb")))
        for name, found in runs.items()
    }


def python(code: str, *arguments: str) -> list[str]:
    """A command that runs `code` with this interpreter."""
    return [sys.executable, "-c", TELL_PEAK + code, *arguments]
