"""scrollwork nights: the commands of nights; without one, the nights of the home."""

from __future__ import annotations

import argparse
import importlib

from scrollwork.cli.groups import GROUPS


def run(arguments: argparse.Namespace) -> int:
    """Run the command that was named, or list the nights."""
    named = arguments.subcommand
    module = GROUPS[arguments.command][named][2] if named else "scrollwork.cli.nights.listing"
    status: int = importlib.import_module(module).run(arguments)
    return status
