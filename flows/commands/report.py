"""scrollwork report: leaderboard and page of everything that is scored in this home."""

from __future__ import annotations

import argparse
from pathlib import Path

from flows.commands.common import console, print_json, say
from reporting.leaderboard import board, terminal
from reporting.page import page
from storage.home import Home
from tasks.pages import write_file
from tasks.errors import StageFailed
from tasks.everything import scored


def run(arguments: argparse.Namespace) -> int:
    """Collect, write the page, print the leaderboard."""
    home = Home.at(arguments.home, arguments.store)
    rows, params = scored(home, arguments.suite)
    if not rows:
        raise StageFailed(f"nothing is scored for {arguments.suite} in {home.url}; run `scrollwork run` first")
    content = board(rows, params)
    out = Path(arguments.out) if arguments.out else home.reports / f"{arguments.suite}-all.html"
    write_page(out.resolve(), page(content, params).encode("utf-8"))
    if arguments.json:
        print_json({"out": str(out)})
    else:
        console().print(terminal(content))
        say(f"report: {out}")
    return 0
