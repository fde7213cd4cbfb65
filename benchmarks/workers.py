"""Building on all cores beside one: the same whole ZeroSCROLLS by the real command, with `--workers 1` and one a core.

Asserted: the same artifacts, byte for byte. Worker processes start after twenty seconds of a run, so the gain grows
with its length; the bound is what the longest chain of stages takes.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from pathlib import Path

from benchmarks.kit.corpus import write
from benchmarks.kit.measure import cost, python

BUILD = """
import sys
from scrollwork.cli.main import main
raw, home, workers = sys.argv[1:]
more = ["--raw", raw, "--engine", "inline", "--workers", workers]
sys.exit(main(["--home", home, "--quiet", "build", "zeroscrolls", *more]))
"""
TIMES = 8  # the published number of documents: about a minute and a half of CPU


def main(small: bool = False) -> list[str]:
    """The lines of the report. small: an eighth of the documents, which is over before workers start."""
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    with tempfile.TemporaryDirectory() as folder:
        raw = Path(folder) / "raw"
        documents = write(raw, 1 if small else TIMES)
        homes = {workers: Path(folder) / f"home-{workers}" for workers in (1, count)}
        costs = {workers: cost(python(BUILD, str(raw), str(home), str(workers))) for workers, home in homes.items()}
        if parts_of(homes[1]) != parts_of(homes[count]):
            raise RuntimeError("workers: the artifacts are not the same")
    one, all_ = costs[1], costs[count]
    return [
        f"workers ({documents:,} documents): {one.wall_s:.1f} s with one, {all_.wall_s:.1f} s with {count} "
        f"({one.wall_s / all_.wall_s:.2f} times as fast; 20 s pass before they start), CPU {one.cpu_s:.1f} and "
        f"{all_.cpu_s:.1f} s; same bytes"
    ]


def parts_of(home: Path) -> dict[str, str]:
    """Digests of the parts of all artifacts, by place."""
    found = sorted(home.glob("artifacts/*/*/*/*.parquet"))
    return {str(path.relative_to(home)): hashlib.sha256(path.read_bytes()).hexdigest() for path in found}


if __name__ == "__main__":
    print("\n".join(main("--small" in sys.argv)))
