"""Pages of scores: one file while its data fit into it, else a page and a folder of data files; and where they go."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from scrollwork.reporting.boards.board import Board
from scrollwork.reporting.charts.drawing import Drawing, written
from scrollwork.reporting.charts.figures import drawings, figures
from scrollwork.reporting.page.assembly import PAGE, Made, Write, assemble
from scrollwork.reporting.page.chunks import Spool
from scrollwork.reporting.page.content import Beside, Content
from scrollwork.reporting.page.sections import Section, sections_of
from scrollwork.storage.errors import naming_full_disks
from scrollwork.tasks.report.behind_scores import Lot
from scrollwork.tasks.report.examples import Drilled, drill
from scrollwork.tasks.report.published import FOLDER, put
from scrollwork.tasks.report.sections import reading


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
        sections, own = sections_of(params.get("sections", ())), beside or Beside()
        drilled = drill(board, lots, spool, reading(sections))
        drawn = figures(all_drawings(sections, board, own, drilled))
        content = Content(drilled.groups, drilled.usage, own, drawn, texts=reading(sections).texts(own, lots))
        return assemble(
            board, params, content, spool, lambda chunk: Path(place, chunk).read_text("ascii"), f"{name}{FOLDER}", write
        )


def _written(path: Path, data: bytes) -> None:
    with naming_full_disks("the data of a report", str(path.parent)):
        path.write_bytes(data)


def all_drawings(sections: Sequence[Section], board: Board, beside: Beside, drilled: Drilled) -> list[Drawing]:
    """The charts of a page: those of its sections, then those that all pages have."""
    own = [one for section in sections for one in section.drawings(board, beside)]
    return [*own, *drawings(board, beside, drilled.usage, drilled.lengths)]


def drawn(board: Board, params: Mapping[str, Any], lots: Sequence[Lot], beside: Beside, kind: str) -> dict[str, bytes]:
    """The charts as files, "svg" or "png", by name."""
    sections = sections_of(params.get("sections", ()))
    drilled = drill(board, lots, lambda name, chunk: None, reading(sections))
    return {f"{one.name}.{kind}": written(one, kind) for one in all_drawings(sections, board, beside, drilled)}


def put_page(path: Path, board: Board, params: Mapping[str, Any], lots: Sequence[Lot], beside: Beside) -> None:
    """A page that no artifact holds, with its data files."""
    with tempfile.TemporaryDirectory(prefix="scrollwork-page-") as place:

        def write(name: str, data: bytes) -> None:
            _written(Path(place, name), data)

        made = make(board, params, lots, path.stem, write, beside)
        put(path, PAGE, made.folder, made.files, lambda name: Path(place, name).read_bytes())
