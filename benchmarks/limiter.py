"""Pacing: requests that went over those that a limit allows, and the busiest second, at four limits in one run.

The engine sends to a client that answers at once; all is real time. The first request goes at once, so a limit of r a
minute allows 1 + r/60 x seconds. One stage, and four that share the limiter, each in its own thread and event loop;
then processes that share limits through a SQLite store (here: of the rate between the first and the last request).
"""

from __future__ import annotations

import asyncio
import multiprocessing
import tempfile
import threading
import time
from bisect import bisect_left
from itertools import count
from typing import Any

from benchmarks.calling.clients import calls
from scrollwork.models.base import Call, Reply
from scrollwork.models.engine.answers import answer
from scrollwork.models.engine.limits import Caps, Limiter
from scrollwork.models.engine.settings import Settings
from scrollwork.models.engine.stopping import Stop
from scrollwork.storage.answers.shared_limits import Paces, Stretch
from scrollwork.storage.answers.store import ResponseStore

RATES = {50: 12.0, 500: 8.0, 5_000: 6.0, 60_000: 4.0}  # requests a minute: seconds


class AtOnce:
    """Answers at once and notes when it was asked."""

    def __init__(self, times: list[float]) -> None:
        self.times = times

    async def send(self, call: Call) -> Reply:
        self.times.append(time.perf_counter())
        await asyncio.sleep(0)
        return Reply("", "complete", "")

    async def close(self) -> None:
        pass


def sends(rpm: int, seconds: float, stages: int) -> tuple[float, float]:
    """(requests that went over those allowed, busiest second over the even rate, at least one request)."""
    caps = Caps(concurrency=256, start=256, rpm=rpm)
    limiter, stop, times = Limiter(caps), Stop(), list[float]()

    def stage() -> None:
        for _ in answer(lambda: AtOnce(times), calls(count()), Settings(caps=caps), limiter=limiter, stop=stop):
            pass

    threads = [threading.Thread(target=stage) for _ in range(stages)]
    for thread in threads:
        thread.start()
    while not times:
        time.sleep(0.0005)
    began = times[0]
    time.sleep(max(0.0, began + seconds - time.perf_counter()))
    stop.set()
    for thread in threads:
        thread.join()
    went = sorted(moment for moment in times if moment < began + seconds)
    busiest = max(place + 1 - bisect_left(went, moment - 1.0) for place, moment in enumerate(went))
    return len(went) / (1 + int(rpm * seconds / 60 - 1e-9)), busiest / max(1.0, rpm / 60)


class Counted(Paces):
    """Counts transactions and their seconds."""

    number, seconds = 0, 0.0

    def take(self, *arguments: Any, **more: Any) -> Stretch:
        began = time.perf_counter()
        taken = super().take(*arguments, **more)
        self.number, self.seconds = self.number + 1, self.seconds + time.perf_counter() - began
        return taken


def process(place: str, rpm: int, seconds: float, ready: Any, results: Any) -> None:
    """One of several processes: (when it sent, transactions, their seconds)."""
    caps, stop, times, ledger = Caps(concurrency=256, start=256, rpm=rpm), Stop(), list[float](), Counted(place)
    how = Settings("openai", "", "m", "KEY", caps)
    ready.wait()
    threading.Timer(seconds, stop.set).start()
    for _ in answer(lambda: AtOnce(times), calls(count()), how, ledger=ledger, stop=stop):
        pass
    results.put((times, ledger.number, ledger.seconds))


def shared(rpm: int, seconds: float, number: int) -> str:
    """A line of the report on so many processes; the last second, in which they end one by one, is left out."""
    start = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as folder:
        place = f"sqlite:///{folder}/responses.db"
        ResponseStore(place).close()
        ready, results = start.Barrier(number), start.Queue()
        running = [start.Process(target=process, args=(place, rpm, seconds + 1, ready, results)) for _ in range(number)]
        for one in running:
            one.start()
        found = [results.get() for _ in running]
        for one in running:
            one.join()
    times = sorted(moment for one in found for moment in one[0])
    went = [moment for moment in times if moment < times[0] + seconds]
    busiest = max(place + 1 - bisect_left(went, moment - 1.0) for place, moment in enumerate(went))
    got, takes = (len(went) - 1) / (went[-1] - went[0]) * 60 / rpm, sum(one[1] for one in found)
    return (
        f"limiter, {rpm:,} requests a minute, {number} processes, {seconds:g} s: got/allowed {got:.3f}, busiest second "
        f"{busiest / max(1.0, rpm / 60):.2f} x the even rate; {takes / (seconds + 1):.1f} transactions/s, "
        f"{1000 * sum(one[2] for one in found) / takes:.1f} ms each"
    )


def main() -> list[str]:
    """The lines of the report."""
    lines = []
    for rpm, seconds in RATES.items():
        for stages in (1, 4):
            got, busiest = sends(rpm, seconds, stages)
            who = "1 stage" if stages == 1 else f"{stages} stages"
            lines.append(
                f"limiter, {rpm:,} requests a minute, {who}, {seconds:g} s: got/allowed {got:.3f}, "
                f"busiest second {busiest:.2f} x the even rate"
            )
    return lines + [shared(rpm, 8.0, number) for rpm in (600, 6_000, 60_000) for number in (2, 4)]


if __name__ == "__main__":
    print("\n".join(main()))
