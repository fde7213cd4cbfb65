"""Every benchmark, one after the other, or those named; about fifteen minutes, with --small about five."""

import argparse
import importlib

parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
NAMES = [
    "idle",
    "rouge",
    "strip",
    "spread",
    "baselines",
    "limiter",
    "calls",
    "prefixes",
    "call_memory",
    "build",
    "whole",
]
parser.add_argument("names", nargs="*", metavar="NAME", help=f"{', '.join(NAMES)} (default: all)")
parser.add_argument("--small", action="store_true", help="a twentieth of the data, where there is much")
arguments = parser.parse_args()
for name in arguments.names or NAMES:
    module = importlib.import_module(f"benchmarks.{name}")
    known = {"small": True} if arguments.small and name in ("build", "whole", "call_memory") else {}
    for line in module.main(**known):
        print(line, flush=True)
