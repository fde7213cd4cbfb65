"""scrollwork report: leaderboard and page of everything that is scored in this home."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path

from scrollwork.cli.terminal.common import console, print_json, say
from scrollwork.readings.home_ledger import HomeLedger, ledger_in
from scrollwork.reporting.boards.board import Board
from scrollwork.reporting.boards.leaderboard import markdown
from scrollwork.reporting.boards.terminal import terminal
from scrollwork.storage.home import Home
from scrollwork.tasks.report.pages import chart_files, put_page
from scrollwork.tasks.report.published import write_file, write_or_elsewhere

TABLES = {"markdown": "md", "latex": "tex", "csv": "csv"}
FIGURES = ("svg", "png")
FORMATS = ("html", *TABLES, *FIGURES)


def run(arguments: argparse.Namespace) -> int:
    """Collect, write what is asked for, print the leaderboard."""
    home = Home.to_read(arguments.home, arguments.store)
    found = ledger_in(home, arguments.suite, whole=arguments.format not in TABLES)
    for sentence in found.remarks:
        say(sentence)
    content = found.ledger.board
    ending = TABLES.get(arguments.format, "html")
    name = f"{found.suite}-figures" if arguments.format in FIGURES else f"{found.suite}-all.{ending}"
    files: list[str] = []

    def write(place: Path) -> None:
        files[:] = write_format(arguments.format, place, found)

    if arguments.out:
        out = Path(arguments.out)
        write(out.resolve())
    else:
        out = write_or_elsewhere(home.reports / name, write)
    if arguments.json:
        epochs = {"epochs": dict(found.epochs)} if found.epochs else {}
        print_json({"out": str(out), **({"files": files} if files else {}), **epochs})
    else:
        console().print(terminal(content))
        for label, text in found.epochs.items():
            say(f"{label}: {text}")
        say(f"report: {out}")
    return 0


def tables(kind: str, out: Path, content: Board) -> list[str]:
    """Write the leaderboard, and what a suite that ranks models prints: below it, or as a table of its own where a file
    holds one table only; the names of the files where there are several."""
    from scrollwork.reporting.boards.table_formats import csv_table, latex
    from scrollwork.reporting.runs.table_formats import csv_ranks, latex_ranks, markdown_ranks

    text = {"markdown": markdown, "latex": latex, "csv": csv_table}[kind](content)
    if not content.ranks:
        write_file(out, text.encode("utf-8"))
        return []
    ranked = {"markdown": markdown_ranks, "latex": latex_ranks, "csv": csv_ranks}[kind](content)
    if kind != "csv":
        write_file(out, f"{text}\n{ranked}".encode())
        return []
    own = out.with_name(f"{out.stem}-ranks{out.suffix}")
    write_file(out, text.encode("utf-8"))
    write_file(own, ranked.encode("utf-8"))
    return [out.name, own.name]


def write_format(kind: str, out: Path, found: HomeLedger) -> list[str]:
    """Write one format; the names of its files where they are several."""
    if kind in TABLES:
        return tables(kind, out, found.ledger.board)
    if kind in FIGURES:
        pictures: Mapping[str, bytes] = chart_files(found.ledger, found.tasks, kind)
        for name, data in pictures.items():
            write_file(out / name, data)
        return list(pictures)
    put_page(out, found.ledger, found.tasks)
    return []
