"""Pacing: requests that went over those that a limit allows, and the busiest second, at four limits in one run.

The engine sends to a client that answers at once; all is real time. The first request goes at once, so a limit of r a
minute allows 1 + r/60 x seconds. One stage, and four that share the limiter, each in its own thread and event loop.
"""

from __future__ import annotations

import asyncio
import threading
import time
from bisect import bisect_left
from itertools import count

from benchmarks.clients import calls
from models.base import Call, Reply
from models.limits import Caps, Limiter
from models.remote import Settings, answer
from models.stopping import Stop

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
    return lines


if __name__ == "__main__":
    print("\n".join(main()))
