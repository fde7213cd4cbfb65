"""scrollwork status: runs, stages, answers, failures."""

from __future__ import annotations

import argparse

from flows.commands.common import print_json
from flows.server import running
from storage.home import Home
from tasks.everything import status


def run(arguments: argparse.Namespace) -> int:
    """Print what the home holds."""
    home = Home.at(arguments.home, arguments.store)
    found = status(home)
    server = running(home.folder)
    found["server"] = server["ui"] if server else None
    if arguments.json:
        print_json(found)
        return 0
    print(f"home: {found['home']}")
    print(f"server: {found['server'] or 'not running (scrollwork up)'}")
    print(
        "artifacts: " + (", ".join(f"{count} {stage}" for stage, count in sorted(found["artifacts"].items())) or "none")
    )
    for what in ("answers", "failures"):
        counts = found[what]
        print(f"{what}: {sum(counts.values()):,} of {len(counts)} models")
    for one in found["runs"][-10:]:
        stages = ", ".join(f"{count} {how}" for how, count in sorted(one["stages"].items()))
        print(f"run {one['id']}: {one['suite']} {' '.join(one['models'])}: {stages}")
        for name, error in one["errors"].items():
            print(f"  {name}: {error}")
    return 0
