"""scrollwork cuts: what was taken out of texts because it reveals the answer, for a person to check."""

from __future__ import annotations

import argparse
from pathlib import Path

from scrollwork.cli.terminal.common import options_of, print_json, say
from scrollwork.pipeline.errors import UsageError
from scrollwork.readings.cuts import cuts_of
from scrollwork.reporting.page.cuts import counts, page, tab_separated
from scrollwork.storage.errors import naming_full_disks
from scrollwork.suites.request import Request

WRITERS = {".html": lambda cuts: page(cuts, "What was taken out of summaries"), ".tsv": tab_separated}


def run(arguments: argparse.Namespace) -> int:
    """Write the list, print how often each rule fired."""
    out = Path(arguments.out) if arguments.out else None
    if out and out.suffix not in WRITERS:
        raise UsageError(f"--out {out}: the name must end in {' or '.join(WRITERS)}")
    request = Request.of(
        arguments.suite,
        home=arguments.home,
        raw=arguments.raw,
        sample=bool(arguments.sample),
        options=options_of(arguments.options or []),
    )
    cuts = cuts_of(request, every=arguments.every_source)
    if out:
        with naming_full_disks(out.name, str(out.parent)):
            out.write_text(WRITERS[out.suffix](cuts), encoding="utf-8")
    rules = counts(cuts)
    if arguments.json:
        print_json({"out": str(out) if out else None, "rules": rules})
        return 0
    print(f"{'rule':<16}{'edits':>8}{'files':>8}{'characters':>12}")
    for rule, one in rules.items():
        print(f"{rule:<16}{one['edits']:>8}{one['files']:>8}{one['characters']:>12}")
    if out:
        say(f"list: {out}")
    return 0
