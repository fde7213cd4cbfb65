"""scrollwork report: leaderboard and page of everything that is scored in this home."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

from scrollwork.cli.terminal.common import console, print_json, say
from scrollwork.pipeline.errors import StageFailed
from scrollwork.readings.beside import beside_of, ranks_of, unreadable_fits
from scrollwork.readings.everything import Scored, everything_scored
from scrollwork.reporting.boards.board import Board
from scrollwork.reporting.boards.leaderboard import board, markdown
from scrollwork.reporting.boards.terminal import terminal
from scrollwork.storage.artifacts.artifact import Artifact
from scrollwork.storage.home import Home
from scrollwork.tasks.report.behind_scores import Lot, lots_in
from scrollwork.tasks.report.known_files import told_of
from scrollwork.tasks.report.pages import drawn, put_page
from scrollwork.tasks.report.published import placed, write_file

TABLES = {"markdown": "md", "latex": "tex", "csv": "csv"}
FIGURES = ("svg", "png")
FORMATS = ("html", *TABLES, *FIGURES)


def run(arguments: argparse.Namespace) -> int:
    """Collect, write what is asked for, print the leaderboard."""
    home = Home.at(arguments.home, arguments.store)
    found = everything_scored(home, arguments.suite)
    if not found.rows:
        raise StageFailed(f"nothing is scored for {arguments.suite} in {home.url}; run `scrollwork run` first")
    for sentence in found.left_out:
        say(f"not shown, {sentence}")
    everything = list(home.artifacts.everything())
    lots = lots_in(everything, found.artifacts)
    params = {**found.params, "raw": told_of(lots, found.params["upstream_files"])}
    suite = found.suite.name
    ranks = ranks_of(home, suite, found, [] if arguments.format in TABLES else lots)  # tables show no lengths
    content = board(found.rows, params, ranks, found.subsets)
    ending = TABLES.get(arguments.format, "html")
    name = f"{suite}-figures" if arguments.format in FIGURES else f"{suite}-all.{ending}"
    files: list[str] = []

    def write(place: Path) -> None:
        files[:] = written(arguments.format, place, found, content, everything, lots)

    if arguments.out:
        out = Path(arguments.out)
        write(out.resolve())
    else:
        out = placed(home.reports / name, write)
    if arguments.json:
        print_json({"out": str(out), **({"files": files} if files else {})})
    else:
        console().print(terminal(content))
        say(f"report: {out}")
    return 0


def tables(kind: str, out: Path, content: Board) -> list[str]:
    """Write the leaderboard, and what a suite that ranks models prints: below it, or as a table of its own where a file
    holds one table only; the names of the files where there are several."""
    from scrollwork.reporting.boards.exports import csv_table, latex
    from scrollwork.reporting.runs.exports import csv_ranks, latex_ranks, markdown_ranks

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


def written(
    kind: str, out: Path, found: Scored, content: Board, everything: Sequence[Artifact], lots: Sequence[Lot]
) -> list[str]:
    """Write one format; the names of its files where they are several."""
    if kind in TABLES:
        return tables(kind, out, content)
    beside = beside_of(found.params, everything, found.artifacts)
    if old := unreadable_fits(everything, found.artifacts):
        told = "fitted by an earlier version, so not shown; `scrollwork run` fits anew and asks nothing"
        say(f"{told}: {', '.join(old)}")
    if kind in FIGURES:
        pictures: Mapping[str, bytes] = drawn(content, found.params, lots, beside, kind)
        for name, data in pictures.items():
            write_file(out / name, data)
        return list(pictures)
    if len(lots) < len(found.artifacts):
        say(f"{len(found.artifacts) - len(lots)} of {len(found.artifacts)} scores are shown without their examples, "
            "which are not in this home any more")  # fmt: skip
    put_page(out, content, found.params, lots, beside)
    return []
