"""scrollwork seam manifest: what one run of a data set draws."""

from __future__ import annotations

import argparse

from scrollwork.cli.terminal.common import chain_of
from scrollwork.pipeline.errors import UsageError
from scrollwork.readings.runs.manifests import manifest_of


def run(arguments: argparse.Namespace) -> int:
    """Print the manifest, one JSON object: drawn again where it does not stand."""
    arguments.suite = "seam"
    if not arguments.draws:  # no draw depends on another data set
        if arguments.tasks:
            raise UsageError("--task names the data sets of the one stream of --draws official, which is not asked for")
        arguments.tasks = [arguments.dataset]
    print(manifest_of(chain_of(arguments), arguments.dataset, arguments.number).decode("utf-8"), end="")
    return 0
