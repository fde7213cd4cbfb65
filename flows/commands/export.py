"""scrollwork export: a built suite in another tool's format."""

from __future__ import annotations

import argparse
from pathlib import Path

from flows.commands.common import print_json, request_of
from tasks.export import export_hf


def run(arguments: argparse.Namespace) -> int:
    """Write the files, and name them."""
    out = Path(arguments.out)
    files = [str(path) for path in export_hf(request_of(arguments), out)]
    if arguments.json:
        print_json({"out": str(out), "files": files})
    else:
        for file in files:
            print(file)
    return 0
