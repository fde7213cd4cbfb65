"""What every way of calling is asked in benchmarks.calls, and how it tells how it went.

The standard library only: benchmarks.calling.peer runs under a Python that knows nothing of the house.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import dataclass, field

LATENCY_S = 0.5
KEY = "sk-loopback-benchmark"
MODEL = "gpt-benchmark"
MOST_OUTPUT = 300  # tokens
PROMPT = "A line of forty characters, with newline.\n"[:40] * 1000  # 40 KB


@dataclass(frozen=True)
class Wanted:
    """What one run is to do. place: an empty folder for what it keeps."""

    way: str
    port: int
    concurrency: int
    count: int
    place: str

    @property
    def base_url(self) -> str:
        """The server's address as the vendor's SDK takes it."""
        return f"http://127.0.0.1:{self.port}/v1"


def wanted() -> Wanted:
    """From the command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("way")
    for name in ("port", "concurrency", "count"):
        parser.add_argument(name, type=int)
    parser.add_argument("place")
    return Wanted(**vars(parser.parse_args()))


def text_of(number: int) -> str:
    """A prompt, unlike every other."""
    return f"{number} {PROMPT}"


@dataclass
class Told:
    """ends: when each answer counted (in hand, committed, scored). CPU: of the work, without imports."""

    ends: list[float] = field(default_factory=list)
    cpu_s: float = field(default_factory=time.process_time)
    began: float = field(default_factory=time.perf_counter)

    def ended(self, count: int = 1) -> None:
        """So many answers count from now on."""
        self.ends += [time.perf_counter()] * count

    def tell(self) -> None:
        """Print it all; the work is done."""
        with open("/proc/self/status") as status:
            lines = [line for line in status if line.startswith("VmHWM")]
        found = {
            "ends": [end - self.began for end in self.ends],
            "cpu_s": time.process_time() - self.cpu_s,
            "peak_mb": int(lines[0].split()[1]) / 1024,
        }
        print(json.dumps(found), flush=True)
