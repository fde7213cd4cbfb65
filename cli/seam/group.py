"""scrollwork seam: the commands of SEAM, one module each (cli/groups.py)."""

from __future__ import annotations

import argparse
import importlib

from scrollwork.cli.groups import GROUPS
from scrollwork.pipeline.errors import UsageError


def run(arguments: argparse.Namespace) -> int:
    """Run the command that was named. Raises UsageError."""
    commands = GROUPS[arguments.command]
    if not arguments.subcommand:
        raise UsageError(f"seam: name one of its commands: {', '.join(commands)}; e.g. {commands['rank'][1]}")
    status: int = importlib.import_module(commands[arguments.subcommand][2]).run(arguments)
    return status
