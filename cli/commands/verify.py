"""scrollwork verify: digests recomputed from any artifact back to the raw files."""

from __future__ import annotations

import argparse

from scrollwork.cli.terminal.common import print_json
from scrollwork.readings.verify import verify
from scrollwork.storage.home import Home


def run(arguments: argparse.Namespace) -> int:
    """Check, and name what does not agree."""
    result = verify(Home.at(arguments.home, arguments.store), arguments.key)
    if arguments.json:
        print_json(result)
    else:
        for problem in result["broken"]:
            print(f"broken: {problem}")
        for line in result["other_code"]:
            print(f"other code: {line}")
        other = f", {len(result['other_code'])} made by other code" if result["other_code"] else ""
        print(
            f"{result['artifacts']} artifacts, {result['checked']} files hashed, {len(result['broken'])} broken{other}"
        )
    return 0 if result["ok"] else 1
