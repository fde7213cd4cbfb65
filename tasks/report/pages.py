"""Pages of scores: one file while its data fit into it, else a page and a folder of data files; and where they go."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from scrollwork.reporting.boards.board import Board
from scrollwork.reporting.charts.drawing import written
from scrollwork.reporting.charts.figures import drawings, figures
from scrollwork.reporting.page.assembly import PAGE, Made, Write, assemble
from scrollwork.reporting.page.chunks import Spool
from scrollwork.reporting.page.content import Beside, Content
from scrollwork.reporting.runs.figures import run_drawings, run_figures
from scrollwork.reporting.windows.figures import complexity_drawings, complexity_figures
from scrollwork.storage.errors import naming_full_disks
from scrollwork.tasks.report.behind_scores import Lot
from scrollwork.tasks.report.examples import drill
from scrollwork.tasks.report.passages import texts_of
from scrollwork.tasks.report.published import FOLDER, put


def make(
    board: Board,
    params: Mapping[str, Any],
    lots: Sequence[Lot],
    name: str,
    write: Write,
    beside: Beside | None = None,
) -> Made:
    """Write page.html, and its data files where they do not fit into it.

    name: of the published page without its ending. write: takes a file's name and bytes. Memory holds one chunk at a
    time: chunks wait on disk until it is known whether they fit.
    """
    with tempfile.TemporaryDirectory(prefix="scrollwork-page-") as place:
        spool = Spool(lambda chunk, data: _written(Path(place, chunk), data))
        drilled = drill(board, lots, spool)
        own = beside or Beside()
        drawn = [*run_figures(board), *complexity_figures(own), *figures(board, own, drilled.usage, drilled.lengths)]
        content = Content(drilled.groups, drilled.usage, own, drawn, texts=texts_of(own, lots))
        return assemble(
            board, params, content, spool, lambda chunk: Path(place, chunk).read_text("ascii"), f"{name}{FOLDER}", write
        )


def _written(path: Path, data: bytes) -> None:
    with naming_full_disks("the data of a report", str(path.parent)):
        path.write_bytes(data)


def drawn(board: Board, lots: Sequence[Lot], beside: Beside, kind: str) -> dict[str, bytes]:
    """The charts as files, "svg" or "png", by name."""
    drilled = drill(board, lots, lambda name, chunk: None)
    found = [
        *run_drawings(board),
        *complexity_drawings(beside),
        *drawings(board, beside, drilled.usage, drilled.lengths),
    ]
    return {f"{one.name}.{kind}": written(one, kind) for one in found}


def put_page(path: Path, board: Board, params: Mapping[str, Any], lots: Sequence[Lot], beside: Beside) -> None:
    """A page that no artifact holds, with its data files."""
    with tempfile.TemporaryDirectory(prefix="scrollwork-page-") as place:

        def write(name: str, data: bytes) -> None:
            _written(Path(place, name), data)

        made = make(board, params, lots, path.stem, write, beside)
        put(path, PAGE, made.folder, made.files, lambda name: Path(place, name).read_bytes())
