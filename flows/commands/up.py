"""scrollwork up: local Prefect server, work pool, deployments and worker as one thing."""

from __future__ import annotations

import argparse

from flows.commands.common import print_json, say
from flows.service import up
from storage.home import Home


def run(arguments: argparse.Namespace) -> int:
    """Start, and print where the UI is."""
    found = up(Home.at(arguments.home).folder, arguments.port, (lambda text: None) if arguments.quiet else say)
    if arguments.json:
        print_json(found)
    else:
        print(f"UI: {found['ui']}\nAPI: {found['url']}")
        print("In the project folder: prefect deployment run build-datasets")
    return 0
