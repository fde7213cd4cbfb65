"""scrollwork store: answers to a file and from one; is the store whole?"""

from __future__ import annotations

import argparse
from pathlib import Path

from flows.commands.common import print_json
from storage.home import Home
from tasks.errors import UsageError


def run(arguments: argparse.Namespace) -> int:
    """Do what was asked of the store. Only `import` makes one where there is none."""
    home = Home.at(arguments.home, arguments.store)
    if arguments.action == "import":
        return bring(home, arguments)
    if not home.has_store:
        raise UsageError(f"no answers are stored in {home.url}")
    return export(home, arguments) if arguments.action == "export" else check(home, arguments)


def export(home: Home, arguments: argparse.Namespace) -> int:
    """All answers to a file."""
    if not arguments.out or arguments.file:
        raise UsageError("store export: name the file with --out FILE")
    from storage.responses import ResponseStore
    from storage.store_files import export_answers

    done = export_answers(ResponseStore(home.store_place), Path(arguments.out))
    if arguments.json:
        print_json({"out": arguments.out, **vars(done)})
    else:
        print(f"{arguments.out}: {done.answers:,} answers with {done.attempts:,} attempts")
    return 0


def bring(home: Home, arguments: argparse.Namespace) -> int:
    """The answers of a file into the store."""
    if not arguments.file or arguments.out:
        raise UsageError("store import: name the file, scrollwork store import FILE")
    from storage.responses import ResponseStore
    from storage.store_files import check_file, import_answers

    path = Path(arguments.file)
    check_file(path)  # before a store is made for it
    done = import_answers(ResponseStore(home.store_place), path)
    if arguments.json:
        print_json({"file": arguments.file, **vars(done)})
    else:
        print(f"{arguments.file}: {done.new:,} new answers, {done.equal:,} were here already, equal")
        if done.different:
            print(f"{done.different:,} requests are answered differently here; what stood here was kept")
    return 0


def check(home: Home, arguments: argparse.Namespace) -> int:
    """Whether the store is whole."""
    if arguments.file or arguments.out:
        raise UsageError("store check: takes no file; name the store with --home or --store")
    from storage.responses import ResponseStore
    from storage.store_check import check_store

    found = check_store(ResponseStore(home.store_place))
    if arguments.json:
        print_json({"ok": not found.problems, **vars(found)})
    else:
        for problem in found.problems:
            print(f"broken: {problem}")
        print(f"{found.answers:,} answers, {found.failures:,} failures, {found.attempts:,} attempts")
    return 1 if found.problems else 0
