"""scrollwork seam config: the official code's configuration of what the options say."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from scrollwork.cli.terminal.common import print_json, request_of, say
from scrollwork.designs.runs import drawing_of
from scrollwork.preprocessing.runs.official_config import config_of
from scrollwork.storage.errors import naming_full_disks
from scrollwork.suites.parts import seed_of


def run(arguments: argparse.Namespace) -> int:
    """Write or print it."""
    arguments.suite, arguments.sample = "seam", True  # it is of no raw files
    request = request_of(arguments)
    drawing, tasks = drawing_of(request), [task.name for task in request.chosen_tasks()]
    sizes = {"runs": drawing.runs, "shots": drawing.shots, "instances": drawing.most}
    values = config_of(tasks, seed=seed_of(request), **sizes)
    if arguments.out:
        with naming_full_disks(arguments.out, str(Path(arguments.out).parent)):
            Path(arguments.out).write_text(json.dumps(values, indent=2) + "\n", encoding="utf-8")
        if arguments.json:
            print_json({"out": arguments.out})
        else:
            say(f"configuration: {arguments.out}")
    else:
        print(json.dumps(values, indent=2))
    return 0
