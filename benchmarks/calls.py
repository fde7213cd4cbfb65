"""Calls of remote models at 500 ms, 40 KB prompts and 1 KB answers: ways of asking beside each other, in one run.

Every way is a process of its own (benchmarks/calling/) against one server process that shares the cores; the
ways take turns. Efficiency: achieved / (concurrency / latency), between the moments at which answers count, without the
first two and the last rounds of requests, in which places fill and empty. CPU: user and system time a call, of the work
and, behind it, of the whole process with its imports. With `--peer PYTHON`, a Python that has inspect_ai, that does the
same. Beside a latency of 500 ms, at which answers come in waves, one between 250 and 750 ms: most come alone and
are committed alone. Memory: peak of the whole path at 500 and at 2,000 calls.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from benchmarks.calling.load import LATENCY_S
from benchmarks.calling.slow_server import server
from benchmarks.kit.measure import ROOT

NAMES = {
    "floor": "asyncio sockets, bare loop",
    "sdk": "openai SDK (aiohttp), bare loop",
    "waiting": "engine, client that only waits",
    "raw": "engine over asyncio sockets",
    "documents": "same, five questions a document",
    "hosted": "engine with models/hosted/openai.py",
    "store": "whole path with store on disk",
    "inspect_ai": "inspect_ai, log on disk",
}
SPREAD = 0.5  # of the latency, where answers are to come one by one
SPREAD_WAYS = ("floor", "hosted", "store")
MEMORY = (500, 2_000)
ROUNDS, TURNS = 14, 2  # of requests in a run; runs of each way


@dataclass(frozen=True)
class Run:
    """How one process did: a call's CPU in ms, of the work and of the whole process; peak memory in MB."""

    efficiency: float
    cpu_ms: float
    whole_ms: float
    peak_mb: float


def run(way: str, port: int, concurrency: int, count: int, python: str = sys.executable) -> Run:
    """One run of a way. Raises RuntimeError when it fails."""
    module = "benchmarks.calling.ways" if way != "inspect_ai" else "benchmarks.calling.peer"
    with tempfile.TemporaryDirectory() as place, tempfile.TemporaryFile("w+") as said:
        command = [python, "-m", module, way, str(port), str(concurrency), str(count), place]
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT), "NO_PROXY": "127.0.0.1"},
            stdout=subprocess.PIPE,
            stderr=said,
            text=True,
        )
        assert process.stdout is not None
        told = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            said.seek(0)
            raise RuntimeError(f"{way} failed:\n{said.read()[-2000:]}")
    found = json.loads(told.splitlines()[-1])
    if len(found["ends"]) != count:
        raise RuntimeError(f"{way}: {len(found['ends'])} of {count} calls were answered")
    return Run(
        efficiency=efficiency(found["ends"], concurrency),
        cpu_ms=1000 * found["cpu_s"] / count,
        whole_ms=1000 * (usage.ru_utime + usage.ru_stime) / count,
        peak_mb=found["peak_mb"],
    )


def efficiency(ends: Sequence[float], concurrency: int) -> float:
    """Achieved rate over concurrency / latency, from the moments at which answers counted."""
    ends = sorted(ends)
    first, last = 2 * concurrency, len(ends) - concurrency  # both the first of a round
    return (last - first) / (ends[last] - ends[first]) / (concurrency / LATENCY_S)


def line(way: str, runs: Sequence[Run]) -> str:
    """Best and median of a way's runs."""
    efficiencies = [one.efficiency for one in runs]
    cpu, whole = [one.cpu_ms for one in runs], [one.whole_ms for one in runs]
    return (
        f"{NAMES[way]}: efficiency {max(efficiencies):.3f} (median {median(efficiencies):.3f}), "
        f"CPU {min(cpu):.2f} ms a call (median {median(cpu):.2f}), whole process {min(whole):.2f} ({median(whole):.2f})"
    )


def compared(
    port: int, concurrency: int, ways: Sequence[str], rounds: int, turns: int, peer: str, latency: str
) -> Iterator[str]:
    """The lines of one concurrency. turns: runs of each way; rounds: of requests in a run."""
    at = f"calls, {concurrency} x {latency}"
    runs: dict[str, list[Run]] = {way: [] for way in ways}
    for _ in range(turns):
        for way in ways:
            python = peer if way == "inspect_ai" else sys.executable
            runs[way].append(run(way, port, concurrency, concurrency * rounds, python))
    for way in ways:
        yield f"{at}, {line(way, runs[way])}"
    if {"inspect_ai", "store"} <= set(ways):
        for what, of in (("CPU a call", "cpu_ms"), ("whole process", "whole_ms")):
            least, most = (min(getattr(one, of) for one in runs[way]) for way in ("store", "inspect_ai"))
            yield f"{at}, inspect_ai / whole path, {what}: {most / least:.1f}"


def lines(ways: Sequence[str] = (), rounds: int = ROUNDS, turns: int = TURNS, peer: str = "") -> Iterator[str]:
    """The lines of the report as they come."""
    ways = ways or [way for way in NAMES if peer or way != "inspect_ai"]
    shortest, longest = (1000 * LATENCY_S * share for share in (1 - SPREAD, 1 + SPREAD))
    with server(SPREAD) as port:
        some = [way for way in ways if way in SPREAD_WAYS]
        yield from compared(port, 200, some, rounds, turns, peer, f"{shortest:g} to {longest:g} ms")
    with server() as port:
        for concurrency in (100, 200):
            yield from compared(port, concurrency, ways, rounds, turns, peer, f"{1000 * LATENCY_S:g} ms")
        peaks = [run("store", port, 100, count).peak_mb for count in MEMORY]
        yield "calls, whole path, peak memory: " + ", ".join(
            f"{peak:.0f} MB at {count:,} calls" for count, peak in zip(MEMORY, peaks, strict=True)
        )
    if not peer:
        yield "calls, inspect_ai: left out; python -m benchmarks.calls --peer PYTHON (pip install inspect_ai openai)"


def main(peer: str = "") -> Iterator[str]:
    """The lines of the report as they come."""
    return lines(peer=peer)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.calls", description=__doc__)
    parser.add_argument("ways", nargs="*", metavar="WAY", help=f"{', '.join(NAMES)} (default: all)")
    parser.add_argument("--peer", default="", metavar="PYTHON", help="a Python with inspect_ai and openai")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help=f"of requests a run, at least 4 (default {ROUNDS})")
    parser.add_argument("--turns", type=int, default=TURNS, help=f"runs of each way (default {TURNS})")
    given = parser.parse_args()
    for text in lines(given.ways, given.rounds, given.turns, given.peer):
        print(text, flush=True)
