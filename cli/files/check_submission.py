"""scrollwork check-submission: the official checks of a submission, offline."""

from __future__ import annotations

import argparse
from pathlib import Path

from scrollwork.cli.terminal.common import chain_of, print_json, say
from scrollwork.exchange.check_submission import check_submission
from scrollwork.preprocessing.raw.errors import printable

SHOWN = 10  # ids that a line names; --json has all
SUCCESS = {"scrolls": "The verification was succesful."}  # (sic), as their code says it


def run(arguments: argparse.Namespace) -> int:
    """Check, and print what is wrong; exit status 1 where something is."""
    verdict = check_submission(chain_of(arguments), Path(arguments.file))
    if arguments.json:
        print_json(verdict.to_json())
    for finding in verdict.findings:
        named = ", ".join(printable(name, 80) for name in finding.ids[:SHOWN])
        more = f" and {len(finding.ids) - SHOWN:,} more (--json)" if len(finding.ids) > SHOWN else ""
        ids = f" {len(finding.ids):,}: {named}{more}" if finding.ids else ""
        where = ", ".join(printable(part, 80) for part in (finding.where, finding.task) if part)
        say(f"{where}: {finding.message}{ids}" if where else f"{finding.message}{ids}")
    if not verdict.findings and not arguments.json:
        print(SUCCESS.get(arguments.suite, "The verification was successful."))
    return int(bool(verdict.findings))
