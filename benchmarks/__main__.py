"""Every benchmark, one after the other, or those named; about half an hour, with --small about ten minutes."""

import argparse
import importlib
from typing import Any

parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
SCALE = ["scale_build", "scale_shards", "scale_answers", "scale_calls", "scale_plan"]  # parts of `scale`
NAMES = [
    "idle",
    "planning",
    "engines",
    "bucket",
    "rouge",
    "coreference",
    "strip",
    "spread",
    "statistics",
    "baselines",
    "limiter",
    "calls",
    "prefixes",
    "call_memory",
    "store",
    "build",
    "whole",
    "rescore",
    "seam_prompts",
    "report",
    "dolce",
    "dolce_certainty",
    "read_logs",
    "nights",
    *SCALE,
]
PLACES = {  # modules of other names
    **{name: f"building.{name}" for name in ("build", "whole", "engines", "bucket")},
    "call_memory": "calling.memory",
    "store": "calling.store",
    "nights": "nights.table",
    **{name: f"scale.{name.removeprefix('scale_')}" for name in SCALE},
}
parser.add_argument("names", nargs="*", metavar="NAME", help=f"{', '.join(NAMES)}, scale for its parts (default: all)")
parser.add_argument("--small", action="store_true", help="a twentieth of the data, where there is much")
parser.add_argument("--peer", default="", metavar="PYTHON", help="a Python with inspect_ai and openai, for calls")
parser.add_argument("--base", default="", metavar="PYTHON", help="a Python with another scrollwork, for rescore")
arguments = parser.parse_args()
asked = [part for name in arguments.names for part in (SCALE if name == "scale" else [name])]
for name in asked or NAMES:
    module = importlib.import_module(f"benchmarks.{PLACES.get(name, name)}")
    small = arguments.small and name in (
        "build",
        "engines",
        "bucket",
        "whole",
        "rescore",
        "call_memory",
        "store",
        "statistics",
        "report",
        "seam_prompts",
        "dolce",
        "dolce_certainty",
        "read_logs",
        "nights",
        *SCALE,
    )
    known: dict[str, Any] = {"small": True} if small else {}
    if name == "calls":
        known = {"peer": arguments.peer}
    if name == "rescore":
        known["base"] = arguments.base
    for line in module.main(**known):
        print(line, flush=True)
