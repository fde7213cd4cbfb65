"""scrollwork up: local Prefect server, work pool, deployments and worker as one thing."""

from __future__ import annotations

import argparse

from scrollwork.cli.terminal.common import print_json, say
from scrollwork.flows.server.up import up
from scrollwork.storage.home import Home


def run(arguments: argparse.Namespace) -> int:
    """Start, and print where the UI is and how the API is reached; never the secret itself."""
    found = up(
        Home.at(arguments.home).folder,
        arguments.port,
        (lambda text: None) if arguments.quiet else say,
        hosts=arguments.allow_host,
        passed=arguments.pass_env,
        models_file=arguments.models_file,
    )
    if arguments.json:
        print_json(found)
        return 0
    print(f"UI: {found['ui']} (its password is the line in {found['secret_file']})\nAPI: {found['url']}")
    print(f"In the project folder, {found['project']}: prefect deployment run build-datasets")
    print(f"In another folder, first: {found['access']}")
    print(f"The worker has, of your variables: {', '.join(found['variables'])}")
    return 0
