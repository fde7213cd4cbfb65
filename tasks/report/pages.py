"""Make pages of scores: one file if the data fit into it, else a page and a folder of data files."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from scrollwork.reporting.charts.drawing import Drawing, can_draw, chart_file
from scrollwork.reporting.charts.figures import drawings, figures
from scrollwork.reporting.page.assembly import PAGE, Made, Write, assemble
from scrollwork.reporting.page.chunks import Spool
from scrollwork.reporting.page.content import Content
from scrollwork.storage.errors import naming_full_disks
from scrollwork.tasks.report.behind_scores import ScoredTask
from scrollwork.tasks.report.examples import WrittenExamples, write_examples
from scrollwork.tasks.report.ledger import Ledger
from scrollwork.tasks.report.published import FOLDER, put_files

WITHOUT_CHARTS = (
    "This page has no charts, because matplotlib was not installed where it was made: pip install 'scrollwork[plots]', "
    "and the same command makes it with them."
)


def make(ledger: Ledger, tasks: Sequence[ScoredTask], name: str, write: Write) -> Made:
    """Write page.html, with data files beside it if the data do not fit into the page.

    tasks: the artifacts behind the scores, for examples. name: of the published page without its ending. write: takes a
    file's name and bytes. Memory holds one chunk at a time: chunks wait on disk until it is known whether they fit.
    """
    with tempfile.TemporaryDirectory(prefix="scrollwork-page-") as place:
        spool = Spool(lambda chunk, data: _written(Path(place, chunk), data))
        drilled = write_examples(ledger.board, tasks, spool, ledger.section)
        wanted = all_drawings(ledger, drilled)
        drawn = figures(wanted) if can_draw() else []
        lacking = WITHOUT_CHARTS if wanted and not can_draw() else ""
        texts = ledger.section.texts(ledger.findings, tasks)
        content = Content(drilled.groups, drilled.usage, ledger.findings, drawn, lacking, texts=texts)

        def read(chunk: str) -> str:
            return Path(place, chunk).read_text("ascii")

        return assemble(ledger.board, ledger.params, content, spool, read, f"{name}{FOLDER}", write)


def _written(path: Path, data: bytes) -> None:
    with naming_full_disks("the data of a report", str(path.parent)):
        path.write_bytes(data)


def all_drawings(ledger: Ledger, drilled: WrittenExamples) -> list[Drawing]:
    """List the charts of a page: those of its sections, then those that all pages have."""
    own = [one for section in ledger.sections for one in section.drawings(ledger.board, ledger.findings)]
    return [*own, *drawings(ledger.board, ledger.findings, drilled.usage, drilled.lengths)]


def chart_files(ledger: Ledger, tasks: Sequence[ScoredTask], kind: str) -> dict[str, bytes]:
    """Return the charts as files, by name. kind: "svg" or "png"."""
    drilled = write_examples(ledger.board, tasks, lambda name, chunk: None, ledger.section)
    return {f"{one.name}.{kind}": chart_file(one, kind) for one in all_drawings(ledger, drilled)}


def put_page(path: Path, ledger: Ledger, tasks: Sequence[ScoredTask]) -> None:
    """Write a page and its data files directly, not as an artifact."""
    with tempfile.TemporaryDirectory(prefix="scrollwork-page-") as place:

        def write(name: str, data: bytes) -> None:
            _written(Path(place, name), data)

        made = make(ledger, tasks, path.stem, write)
        put_files(path, PAGE, made.folder, made.files, lambda name: Path(place, name).read_bytes())
