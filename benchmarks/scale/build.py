"""`scrollwork build` of corpora that grow, by two workers: seconds, memory, bytes, and how memory grows with the data.

Sizes are 50, 200 and 800 MB of raw files, a tenth of that with --small; SCROLLWORK_SCALE_MB=20000 builds so many
megabytes in place of the largest, for which one and a half times as much must be free in TMPDIR.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.kit.measure import python
from benchmarks.scale.corpus import write
from benchmarks.scale.process_tree import TreeCost, tree_cost

MEGABYTES = (50, 200, 800)
# Workers start at once, where runs of users start them after 20 seconds.
CODE = """
import sys
from scrollwork.cli.main import main
from scrollwork.pipeline.engines import processes
processes.WAIT_S = 0.0
suite, raw, home, *more = sys.argv[1:]
sys.exit(main(["--home", home, "--quiet", "build", "--suite", suite, "--raw", raw, "--engine", "inline", *more]))
"""


def main(small: bool = False) -> Iterator[str]:
    """The lines of the report. small: a tenth of the data."""
    sizes = [one * 10**6 // (10 if small else 1) for one in MEGABYTES]
    if given := os.environ.get("SCROLLWORK_SCALE_MB"):
        sizes[-1] = int(given) * 10**6
    found: list[tuple[int, TreeCost]] = []
    for size in sizes:
        with tempfile.TemporaryDirectory(prefix="scrollwork-scale-") as place:
            folder = Path(place)
            raw = write(folder, size)
            spent = built(folder)
            found.append((raw, spent))
            yield told(folder, raw, spent)
    (least, first), (most, last) = found[-2:]  # the buffers of a few megabytes are full at the first size
    for what, of in (("the largest process", "largest_mb"), ("all processes", "together_mb")):
        grown = 1e6 * (getattr(last, of) - getattr(first, of)) / (most - least)
        yield f"  memory of {what} over {most / least:.0f} times the data: {1000 * grown:+.1f} MB a GB of raw"


def built(folder: Path, workers: int = 2, home: str = "home", *options: str) -> TreeCost:
    """What building the corpus of a folder costs. home: a folder there. options: of `build`."""
    places = (str(folder / name) for name in ("suite.toml", "raw", home))
    command = python(CODE, *places, "--workers", str(workers), *options)
    return tree_cost(command, {"SCROLLWORK_BENCHMARK_PEAK": os.devnull})


def told(folder: Path, raw: int, spent: TreeCost) -> str:
    """The line of one build."""
    stages = {
        stage: sum(one.stat().st_size for one in (folder / "home" / "artifacts" / stage).rglob("*.parquet"))
        for stage in ("curate", "sample", "prompt", "statistics")
    }
    out = ", ".join(f"{stage} {size / raw:.3f}" for stage, size in stages.items())
    return (
        f"build of {raw / 1e6:,.0f} MB: {spent.wall_s:.1f} s by two workers ({raw / 1e6 / spent.wall_s:.1f} MB/s), "
        f"{spent.cpu_s:.1f} s of CPU ({1e9 * spent.cpu_s / raw:.1f} a GB); peak {spent.largest_mb:.0f} MB the largest "
        f"process, {spent.together_mb:.0f} all; bytes written for one of raw: {out}"
    )


if __name__ == "__main__":
    for line in main("--small" in sys.argv):
        print(line, flush=True)
