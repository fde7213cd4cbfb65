"""`scrollwork build` of one data set by one worker and by two, with `shards = 4` and without: seconds and CPU.

The data set is 200 MB of notes (corpus.py), a tenth of that with --small. The floor is half of what one worker takes.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.scale.build import built
from benchmarks.scale.corpus import write
from benchmarks.scale.process_tree import TreeCost

MEGABYTES = 200
SHARDS = 4


def main(small: bool = False) -> Iterator[str]:
    """The lines of the report. small: a tenth of the data."""
    with tempfile.TemporaryDirectory(prefix="scrollwork-scale-") as place:
        folder = Path(place)
        write(folder, 2 * MEGABYTES * 10**6 // (10 if small else 1))  # half of it are reports
        suite = folder / "suite.toml"
        plain = suite.read_text(encoding="utf-8")
        yield f"one data set of {sum(one.stat().st_size for one in (folder / 'raw' / 'notes').iterdir()) / 1e6:.0f} MB"
        for shards in (1, SHARDS):
            suite.write_text(plain + f"shards = {shards}\n", encoding="utf-8")  # of the last task, the notes
            alone, both = (one(folder, shards, workers) for workers in (1, 2))
            yield (
                f"  {shards} shard{'s' * (shards > 1)}: {alone.wall_s:.1f} s by one worker, {both.wall_s:.1f} by two "
                f"({alone.wall_s / both.wall_s:.2f} times as fast); {alone.cpu_s:.1f} and {both.cpu_s:.1f} s of CPU"
            )


def one(folder: Path, shards: int, workers: int) -> TreeCost:
    """What one build costs, in a home of its own."""
    return built(folder, workers, f"home-{shards}-{workers}", "--task", "notes")


if __name__ == "__main__":
    for line in main("--small" in sys.argv):
        print(line, flush=True)
