"""The planner over the number of nodes: CPU and memory a node, of a plan of SEAM with models that grow.

Ten runs, six data sets and 15, 60 and 240 models are 2,000, 8,000 and 32,000 nodes; with --small the first alone and a
fifth of it. `planning` compares the same plan with the least that any plan needs.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.kit.measure import cost, python

MODELS = (15, 60, 240)
CODE = """
import json, sys, time
from scrollwork.flows.chains import Chain
from scrollwork.flows.execute import plan
from scrollwork.suites.request import Request
home, models, out = sys.argv[1:]
models = tuple(f"compatible:m{number}" for number in range(int(models)))
asked = Request.of("seam", home=home, sample=True, models=models, base_url="http://127.0.0.1:9/v1")
began = time.process_time()
planned = plan(Chain(asked))
json.dump([len(planned.statuses), time.process_time() - began], open(out, "w"))
"""


def main(small: bool = False) -> Iterator[str]:
    """The lines of the report. small: a fifth of the least, and the least."""
    found: list[tuple[int, float]] = []
    for models in (3, 15) if small else MODELS:
        with tempfile.TemporaryDirectory(prefix="scrollwork-scale-") as folder:
            out = f"{folder}/figures.json"
            spent = cost(python(CODE, f"{folder}/home", str(models), out))
            nodes, seconds = json.loads(Path(out).read_text(encoding="utf-8"))
        found.append((nodes, spent.peak_mb))
        each = f"{1e6 * seconds / nodes:.0f} us a node"
        yield f"plan of {nodes:,} nodes: {seconds:.2f} s of CPU ({each}), peak {spent.peak_mb:.0f} MB"
    (least, first), (most, last) = found[0], found[-1]
    yield f"  memory: {1e3 * (last - first) / (most - least):.1f} kB a node"


if __name__ == "__main__":
    for told in main("--small" in sys.argv):
        print(told, flush=True)
