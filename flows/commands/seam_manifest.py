"""scrollwork seam manifest: what one run of a data set draws."""

from __future__ import annotations

import argparse

from flows.commands.common import request_of
from tasks.manifests import manifest_of


def run(arguments: argparse.Namespace) -> int:
    """Print the manifest, one JSON object: drawn again where it does not stand."""
    arguments.suite, arguments.task = "seam", [arguments.dataset]
    print(manifest_of(request_of(arguments), arguments.number).decode("utf-8"), end="")
    return 0
