"""scrollwork down: stop what `up` started."""

from __future__ import annotations

import argparse

from scrollwork.cli.terminal.common import print_json, say
from scrollwork.flows.server.down import down
from scrollwork.storage.home import Home


def run(arguments: argparse.Namespace) -> int:
    """Stop worker and server."""
    tell = (lambda text: None) if arguments.quiet or arguments.json else say
    stopped = down(Home.at(arguments.home).folder, tell, arguments.wait)
    if arguments.json:
        print_json({"stopped": stopped})
    return 0
