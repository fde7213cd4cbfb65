"""Run several `prefect` commands in one process, which loads Prefect while the server of `up` still starts.

Each line of standard input holds the arguments of one command as JSON. The first command that fails ends the process
with its status.
"""

from __future__ import annotations

import json
import sys
from importlib import import_module

from scrollwork.flows.server.guard import unfit_prefect

USED = ("deploy", "work_pool")


def main() -> None:
    """Load what the commands need, then run them as they come."""
    try:
        for name in USED:
            import_module(f"prefect.cli.{name}")
        from prefect.cli import app
    except ImportError as error:
        raise SystemExit(unfit_prefect(error)) from None

    for line in sys.stdin:
        sys.argv = ["prefect", *json.loads(line)]
        try:
            app()
        except SystemExit as ended:
            if ended.code:
                print(f"prefect {' '.join(sys.argv[1:])} failed", file=sys.stderr)
                raise


if __name__ == "__main__":
    main()
