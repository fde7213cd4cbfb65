"""Prompts of a whole SEAM: all 60 (data set, run) pairs drawn, rendered, digested and written, at the published sizes.

The figure to hold is 60 seconds on two cores, with memory that does not grow with the data sets. Curation comes before
and is told apart: it is done once, whatever is drawn. Instances are taken once and twice.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.kit.measure import cost, python
from benchmarks.kit.seam_corpus import write

BUILD = """
import json, sys, time
from scrollwork.pipeline.build import ensure
from scrollwork.pipeline.plan import topological
from scrollwork.suites.parts import parts
from scrollwork.suites.request import Request
from scrollwork.flows.chains import Chain
from scrollwork.pipeline.session import Locations, Session
raw, home, out, *stages = sys.argv[1:]
session = Session(Locations(home, raw))
spent = {}
chain = Chain(Request("seam", home, raw))
rows = [node for part in parts(chain.request) for node in part.each_shard(chain.prompt)]
for node in topological(rows):
    if node.stage not in stages:
        continue
    began = time.perf_counter(), time.process_time()
    ensure(node, session)
    of = spent.setdefault(node.stage, {}).setdefault(node.label("task"), [0.0, 0.0])
    of[0] += time.perf_counter() - began[0]
    of[1] += time.process_time() - began[1]
json.dump(spent, open(out, "w"))
"""
SECONDS = 60.0  # at most, for what comes behind curation


def main(small: bool = False) -> list[str]:
    """The lines of the report. small: a twentieth of the instances."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for times in (1, 2):
            raw, home, out = (Path(folder) / f"{what}-{times}" for what in ("raw", "home", "seconds"))
            instances = write(raw, times / 20 if small else times)
            spent: dict[str, Any] = {}
            peaks = []
            for stages in (("curate",), ("sample", "prompt")):  # each in a process of its own
                peaks.append(cost(python(BUILD, str(raw), str(home), str(out), *stages)).peak_mb)
                spent |= json.loads(out.read_text(encoding="utf-8"))
            found.append(told(times, instances, peaks, spent, *prompts(home)))
            found += [f"  {line}" for line in by_task(spent)]
    return found


def told(times: int, instances: int, peaks: list[float], spent: dict[str, Any], count: int, words: int) -> str:
    """One line of sums."""
    wall, cpu = (sum(of[place] for stage in ("sample", "prompt") for of in spent[stage].values()) for place in (0, 1))
    curation = sum(of[1] for of in spent["curate"].values())
    return (
        f"SEAM {times}x, {instances:,} instances: {count:,} prompts of {words / count:,.0f} words in 60 pairs, "
        f"{wall:.1f} s, {cpu:.1f} s of CPU on one core (at most {SECONDS:.0f} s on two), peak {peaks[1]:.0f} MB; "
        f"curation before {curation:.1f} s of CPU, peak {peaks[0]:.0f} MB"
    )


def by_task(spent: dict[str, Any]) -> list[str]:
    """CPU by data set: of draws and manifests, of prompts."""
    return [
        f"{task}: draws and manifests {spent['sample'][task][1]:.1f} s, prompts {spent['prompt'][task][1]:.1f} s"
        for task in spent["sample"]
    ]


def prompts(home: Path) -> tuple[int, int]:
    """(prompts, words in them) of a home."""
    manifests = home.glob("artifacts/prompt/*/*/manifest.json")
    facts = [json.loads(path.read_text(encoding="utf-8"))["facts"] for path in manifests]
    return sum(one["prompts"] for one in facts), sum(one["words"] for one in facts)


if __name__ == "__main__":
    print("\n".join(main("--small" in sys.argv)))
