"""scrollwork init: a project of one's own, in which `scrollwork up` and `prefect` work without a checkout."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

from scrollwork.cli.terminal.common import print_json, say
from scrollwork.flows.server.project import has_gitignore, make_project


def run(arguments: argparse.Namespace) -> int:
    """Write the files, print them, and say how it goes on. Raises UsageError, StorageError."""
    ignores = bool(arguments.folder) and has_gitignore(Path(arguments.folder).expanduser())
    made = make_project(arguments.folder)
    if ignores and not arguments.quiet:
        say(".gitignore was there and is kept; .scrollwork/ (the home) and .env (keys) belong in it")
    if arguments.json:
        print_json({"out": str(Path(arguments.folder)), "files": [str(file) for file in made]})
        return 0
    for file in made:
        print(file)
    if not arguments.quiet:
        folder = str(made[0].parent)
        there = "" if folder == "." else f"cd {shlex.quote(folder)}; "
        say(f"next: {there}scrollwork up; prefect deployment run build-datasets")
    return 0
