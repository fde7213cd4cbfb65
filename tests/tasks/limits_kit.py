"""Real processes that share limits through a store, and what they did together."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from bisect import bisect_left
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parents[2]

SENDER = """
import asyncio, sys, threading, time
from itertools import count
from scrollwork.models.base import Ask, Call, Reply, Segment
from scrollwork.models.engine.limits import Caps
from scrollwork.models.engine.answers import answer
from scrollwork.models.engine.settings import Settings
from scrollwork.models.engine.stopping import Stop
from scrollwork.storage.answers.store import ResponseStore
from scrollwork.pipeline.calling import ledger_of

place, rpm, seconds = sys.argv[1], float(sys.argv[2]), float(sys.argv[3])
store = ResponseStore(place)
caps = Caps(concurrency=64, start=64, rpm=rpm)
times = []

class AtOnce:
    async def send(self, call):
        times.append(time.monotonic())
        print(times[-1], flush=True)
        return Reply("", "complete", "")

    async def close(self):
        pass

def calls():
    for number in count():
        yield Call(f"{number:064d}", "m", {}, Ask("t", "e", (Segment("document", "x"),), "0" * 64, 1, 10, tokens=10))

stop = Stop()
print("ready", flush=True)
sys.stdin.readline()
threading.Timer(seconds, stop.set).start()
run = answer(AtOnce, calls(), Settings("openai", "", "m", "KEY", caps), ledger=ledger_of(store), stop=stop)
for _ in run:
    pass
print("stopped", run.stopped, flush=True)
"""

# asks a hosted model at a loopback vendor; says how many attempts ended how
ASKER = """
import collections, sys, threading
from scrollwork.models.base import Ask, Attempt, Call, Segment
from scrollwork.models.registry import make, settings
from scrollwork.models.engine.stopping import Stop
from scrollwork.storage.answers.store import ResponseStore
from scrollwork.pipeline.calling import ledger_of

place, url, rpm, seconds, own = *sys.argv[1:3], int(sys.argv[3]), float(sys.argv[4]), sys.argv[5]
store = ResponseStore(place)
given = {"base_url": f"{url}/v1", "endpoint": "chat", "rpm": rpm, "concurrency": 64, "concurrency_start": 64}
model = make("openai:gpt-test", settings("openai:gpt-test", {}, given=given), "")

def calls():
    for number in range(100_000):
        ask = Ask("t", str(number), (Segment("document", f"{own} {number}"),), "0" * 64, 1, 10, tokens=10)
        yield Call(f"{number:064d}", "m", model.payload(ask, "m"), ask)

stop = Stop()
print("ready", flush=True)
sys.stdin.readline()
run = model.run(calls(), stop=stop, ledger=ledger_of(store) if own != "alone" else None)
ended = collections.Counter()
for one in run:
    if not ended:
        threading.Timer(seconds, stop.set).start()
    if isinstance(one, Attempt):
        ended[one.outcome, one.status] += 1
print(dict(ended), flush=True)
"""


def start(code: str, *arguments: Any) -> subprocess.Popen[str]:
    """A process that runs code of this house and waits for a line."""
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code), *map(str, arguments)],
        cwd=PROJECT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(PROJECT)},
    )


def go(process: subprocess.Popen[str]) -> None:
    """Let it begin."""
    assert process.stdin is not None
    process.stdin.write("go\n")
    process.stdin.flush()


def times_of(process: subprocess.Popen[str]) -> list[float]:
    """When it sent, by the clock that all processes of a machine share."""
    said, _ = process.communicate(timeout=60)
    return [float(line) for line in said.splitlines() if line[:1].isdigit()]


def most_in_a_second(times: list[float]) -> int:
    return max(place + 1 - bisect_left(times, moment - 1.0) for place, moment in enumerate(times))
