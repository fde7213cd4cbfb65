"""scrollwork fetch: raw files from where upstream publishes them; --list says what is here and what is not."""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

from scrollwork.cli.terminal.common import console, options_of, print_json, say
from scrollwork.cli.terminal.progress import progress_display
from scrollwork.fetching.fetch import Fetcher
from scrollwork.fetching.raw_states import Row
from scrollwork.fetching.sources import DRIVE_HOST, load_catalogue
from scrollwork.storage.home import Home
from scrollwork.suites.request import Request
from scrollwork.suites.suite_files import fresh_suite

NAMED = 10  # files of one source whose trouble is told each; the others are counted


def run(arguments: argparse.Namespace) -> int:
    """Download what is missing, and print how each file stands; 1 if something needed is not here."""
    home = Home.at(arguments.home, arguments.store)
    suite = fresh_suite(arguments.suite)
    request = Request(
        suite=suite.name,
        suite_file=suite.file,
        home=home.url,
        raw=str(home.folder / "raw"),
        store=arguments.store,
        tasks=arguments.tasks,
        splits=arguments.splits,
        options=options_of(arguments.options or []),
    )
    fetcher = Fetcher(
        request,
        load_catalogue(arguments.sources),
        official=arguments.official,
        alternatives=tuple(dict.fromkeys(arguments.alternative)),
        private=arguments.allow_private_addresses,
    )
    if arguments.list:
        rows = fetcher.rows()
    else:
        pending = fetcher.pending()
        for terms in dict.fromkeys(f"{source.title}: {source.terms}" for source in pending if source.terms):
            say(terms)
        with progress_display(arguments.quiet, len(pending)):
            rows = fetcher.fetch()
    if arguments.json:
        print_json([row.to_json() for row in rows])
    else:
        print_table(rows, Path(request.raw), listing=arguments.list)
    lacking = [row for row in rows if row.file.state != "present"]
    if lacking and not arguments.list:
        say(f"{len(lacking)} of {len(rows)} files are not here; what has come stands")
    return int(bool(lacking) and not arguments.list)


def print_table(rows: list[Row], raw: Path, *, listing: bool) -> None:
    """Print a line for each source, and below it what is wrong and what to do."""
    from rich.markup import escape
    from rich.table import Table

    table = Table()
    for name in ("data set", "file or source", "files", "state", "licence"):
        table.add_column(name, overflow="fold", justify="right" if name == "files" else "left")
    sources: dict[str, list[Row]] = {}
    for row in rows:
        sources.setdefault(row.source.path, []).append(row)
    for path, group in sources.items():
        source = group[0].source
        states = Counter(row.file.state for row in group)
        told = ", ".join(f"{state} {count:,}" if len(states) > 1 else state for state, count in states.items())
        table.add_row(source.title, escape(path), f"{len(group):,}", told, escape(source.licence))
    screen = console()
    screen.print(f"raw files: {raw}", soft_wrap=True, highlight=False, markup=False)
    screen.print(table)
    for group in sources.values():
        print_trouble(group, listing=listing)


def print_trouble(group: list[Row], *, listing: bool) -> None:
    """Print which files of one source are missing, why, and where they can be found."""
    from rich.markup import escape

    screen = console()
    lacking = [row for row in group if row.file.state != "present"]
    for row in lacking[:NAMED]:
        where = f" from {row.url}" if row.url and (listing or not row.why) else ""
        if listing and row.source.page.startswith(DRIVE_HOST) and row.file.state == "missing":
            where += f" (in a browser: {row.source.page})"
        why = f": {row.why}" if row.why else ""
        screen.print(escape(f"{row.file.state}: {row.file.path}{where}{why}"), soft_wrap=True, highlight=False)
    if len(lacking) > NAMED:
        screen.print(f"... and {len(lacking) - NAMED:,} more (all with --json)", highlight=False)
