"""scrollwork seam config: the official code's configuration of what the options say."""

from __future__ import annotations

import argparse
import json

from scrollwork.cli.terminal.common import print_json, request_of, say
from scrollwork.suites.seam_config import config_of, write_config


def run(arguments: argparse.Namespace) -> int:
    """Write or print it."""
    arguments.suite, arguments.sample = "seam", True  # it is of no raw files
    values = config_of(request_of(arguments))
    if arguments.out:
        write_config(arguments.out, values)
        if arguments.json:
            print_json({"out": arguments.out})
        else:
            say(f"configuration: {arguments.out}")
    else:
        print(json.dumps(values, indent=2))
    return 0
