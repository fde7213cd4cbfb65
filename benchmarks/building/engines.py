"""What each engine adds to a stage, and how much faster two workers are than one.

The first part runs the bundled sample (many stages of milliseconds): what an engine takes beyond the inline one is what
it adds, with its start. The second builds a corpus of stages of seconds with one and with two workers of a Dask cluster
of this machine, and with worker processes from the first stage on. All leave the same bytes, which is asserted.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from benchmarks.building.whole import parts_of
from benchmarks.kit.corpus import write
from benchmarks.kit.measure import Cost, cost, python

# Worker processes start at once, where runs of users start them after 20 seconds.
CODE = """
import sys
from scrollwork.cli.main import main
from scrollwork.pipeline.engines import processes
processes.WAIT_S = 0.0
sys.exit(main(sys.argv[1:]))
"""
SAMPLE = ("run", "zeroscrolls", "--sample", "--model", "lead", "--model", "bm25")
ENGINES = {
    "inline": ("--engine", "inline", "--workers", "1"),
    "two processes": ("--engine", "inline", "--workers", "2"),
    "Dask, two workers": ("--engine", "dask", "--workers", "2"),
    "Prefect": ("--engine", "prefect", "--workers", "1"),
    "Prefect and Dask": ("--dask", "local", "--workers", "2"),
}
BUILDS = {
    "Dask, one worker": ("--engine", "dask", "--workers", "1"),
    "Dask, two workers": ("--engine", "dask", "--workers", "2"),
    "one process": ("--engine", "inline", "--workers", "1"),
    "two processes": ("--engine", "inline", "--workers", "2"),
}


def main(small: bool = False) -> list[str]:
    """The lines of the report. small: half of the documents."""
    with tempfile.TemporaryDirectory() as folder:
        return [*overheads(Path(folder) / "sample"), *speed(Path(folder) / "corpus", small)]


def overheads(folder: Path) -> list[str]:
    """Of each engine: the time of the sample, and what it adds to a stage."""
    costs = built(folder, SAMPLE, ENGINES)
    plain = costs["inline"].wall_s
    stages = len(json.loads(next((folder / "inline" / "runs").glob("*.json")).read_text(encoding="utf-8"))["stages"])
    return [f"the sample in {stages} stages, inline: {plain:.1f} s"] + [
        f"  {name}: {one.wall_s:.1f} s, {1e3 * (one.wall_s - plain) / stages:+.0f} ms a stage with its start, "
        f"{one.wall_s / plain:.2f}x"
        for name, one in costs.items()
        if name != "inline"
    ]


def speed(folder: Path, small: bool) -> list[str]:
    """How much faster two workers build stages of seconds than one."""
    documents = write(folder / "raw", 1 if small else 2)
    costs = built(folder, ("build", "zeroscrolls", "--raw", str(folder / "raw")), BUILDS)
    one, two, alone, both = (costs[name].wall_s for name in BUILDS)
    return [
        f"{documents:,} documents: Dask with one worker {one:.1f} s, with two {two:.1f} s ({one / two:.2f} times as "
        f"fast, goal 1.6); processes {alone:.1f} and {both:.1f} s ({alone / both:.2f}); same bytes"
    ]


def built(folder: Path, command: tuple[str, ...], engines: dict[str, tuple[str, ...]]) -> dict[str, Cost]:
    """What a command costs with each engine. Raises RuntimeError where artifacts differ."""
    costs, parts = {}, {}
    for name, more in engines.items():
        home = folder / name.replace(" ", "-").replace(",", "")
        costs[name] = cost(python(CODE, "--home", str(home), "--quiet", *command, *more))
        parts[name] = parts_of(home)
    if len({json.dumps(one) for one in parts.values()}) > 1:
        raise RuntimeError("engines: they leave other bytes")
    return costs


if __name__ == "__main__":
    print("\n".join(main("--small" in sys.argv)))
