"""scrollwork up: local Prefect server, work pool, deployments and worker as one thing."""

from __future__ import annotations

import argparse
from pathlib import Path

from flows.commands.common import print_json, say
from flows.service import up


def run(arguments: argparse.Namespace) -> int:
    """Start, and print where the UI is."""
    found = up(Path(arguments.home).resolve(), arguments.port, (lambda text: None) if arguments.quiet else say)
    if arguments.json:
        print_json(found)
    else:
        print(f"UI: {found['ui']}\nAPI: {found['url']}")
        print("In the project folder: prefect deployment run build-datasets")
    return 0
