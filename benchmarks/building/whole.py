"""A whole ZeroSCROLLS at the published sizes, built and rendered by the real command; memory, and time over documents;
one worker process beside one a core.

Documents are taken once (4,378 inputs), twice and four times. The suite's sampling caps a task at 500 inputs, so the
time a document falls a little; it must not rise. On all cores (worker processes start after twenty seconds of a run)
the artifacts are asserted to be the same, byte for byte.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import tempfile
from pathlib import Path

from benchmarks.kit.corpus import write
from benchmarks.kit.measure import Cost, cost, python

BUILD = """
import sys
from scrollwork.cli.main import main
raw, home, workers = sys.argv[1:]
more = ["--raw", raw, "--engine", "inline", "--workers", workers]
sys.exit(main(["--home", home, "--quiet", "build", "zeroscrolls", *more]))
"""


def main(small: bool = False) -> list[str]:
    """The lines of the report. small: a twentieth of the documents."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for times in (1, 2, 4):
            raw, home = Path(folder) / f"raw-{times}", Path(folder) / f"home-{times}"
            documents = write(raw, times / 20 if small else times)
            spent = cost(python(BUILD, str(raw), str(home), "1"))
            inputs, words = prompts(home)
            found.append(
                f"whole ZeroSCROLLS {times}x ({documents:,} documents, {inputs:,} inputs of {words / inputs:,.0f} "
                f"words): {spent.cpu_s:.1f} s of CPU, {1e3 * spent.cpu_s / documents:.2f} ms a document, "
                f"{spent.wall_s:.1f} s, peak {spent.peak_mb:.0f} MB (at most 1,500)"
            )
        found.append(on_all_cores(raw, home, spent))
    return found


def on_all_cores(raw: Path, home: Path, one: Cost) -> str:
    """The same build as that of a home with one worker, with one a core. Raises RuntimeError where bytes differ."""
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    other = home.with_name(f"{home.name}-all")
    spent = cost(python(BUILD, str(raw), str(other), str(count)))
    if parts_of(home) != parts_of(other):
        raise RuntimeError(f"whole: artifacts of {count} workers are not those of one")
    return (
        f"the last with {count} workers: {spent.wall_s:.1f} s ({one.wall_s / spent.wall_s:.2f} times as fast; 20 s "
        f"pass before they start), {spent.cpu_s:.1f} s of CPU; same bytes"
    )


def parts_of(home: Path) -> dict[str, str]:
    """Digests of the parts of all artifacts, by place."""
    found = sorted(home.glob("artifacts/*/*/*/*.parquet"))
    return {str(path.relative_to(home)): hashlib.sha256(path.read_bytes()).hexdigest() for path in found}


def prompts(home: Path) -> tuple[int, int]:
    """(prompts, words in them) of a home."""
    manifests = home.glob("artifacts/prompt/*/*/manifest.json")
    facts = [json.loads(path.read_text(encoding="utf-8"))["facts"] for path in manifests]
    return sum(one["prompts"] for one in facts), sum(one["words"] for one in facts)


if __name__ == "__main__":
    print("\n".join(main("--small" in sys.argv)))
