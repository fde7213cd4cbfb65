"""scrollwork nights page: one page over all nights of a home."""

from __future__ import annotations

import argparse
from pathlib import Path

from scrollwork.cli.terminal.common import print_json, say
from scrollwork.flows.nights_page import write_nights_page
from scrollwork.storage.home import Home


def run(arguments: argparse.Namespace) -> int:
    """Write the page, and say where it is."""
    out = Path(arguments.out).expanduser().absolute() if arguments.out else None
    path, notes = write_nights_page(Home.at(arguments.home, arguments.store), out)
    for note in notes:
        say(f"note: {note}")
    if arguments.json:
        print_json({"out": str(path), "notes": notes})
    else:
        print(path)
    return 0
