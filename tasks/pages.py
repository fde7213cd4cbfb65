"""Pages of scores: one file while its data fit into it, else a page and a folder of data files; and where they go."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reporting.board import Board
from reporting.chunks import Spool, data_file
from reporting.content import Beside, Content
from reporting.examples import Paid
from reporting.figures import drawings, figures, written
from reporting.page import page
from storage.artifacts import Artifact
from storage.errors import naming_full_disks
from storage.home import Home
from storage.store_rows import StoredAnswer
from tasks.drill import Ledger, drill
from tasks.lots import Lot
from tasks.workshop import Workshop

PAGE = "page.html"
WHOLE = 20_000_000  # bytes up to which everything stands in the page itself
FOLDER = ".files"  # behind the page's name: where its data lie
Write = Callable[[str, bytes], None]


@dataclass(frozen=True)
class Made:
    """A page that was written. folder: of its data files, relative to it, "" without any; files: their names."""

    folder: str
    files: list[str]


def make(
    board: Board,
    params: Mapping[str, Any],
    lots: Sequence[Lot],
    ledger: Ledger,
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
        drilled = drill(board, lots, spool, ledger)
        own = beside or Beside()
        drawn = figures(board, own, drilled.usage, drilled.lengths)
        content = Content(drilled.groups, drilled.usage, own, drawn)
        before, after = page(board, params, content=content)
        sizes = len(before.encode("utf-8")) + len(after.encode("utf-8")) + spool.size + 60 * len(spool.names)
        if sizes <= WHOLE:
            blocks = "".join(_block(chunk, Path(place, chunk).read_text("ascii")) for chunk in spool.names)
            write(PAGE, f"{before}{blocks}{after}".encode())
            return Made("", [])
        folder = f"{name}{FOLDER}/{spool.digest()[:16]}"
        before, after = page(board, params, content=Content(drilled.groups, drilled.usage, own, drawn, folder))
        for chunk in spool.names:
            write(f"{chunk}.js", data_file(chunk, Path(place, chunk).read_text("ascii")))
        write(PAGE, f"{before}{after}".encode())
        return Made(folder, [f"{chunk}.js" for chunk in spool.names])


def _written(path: Path, data: bytes) -> None:
    with naming_full_disks("the data of a report", str(path.parent)):
        path.write_bytes(data)


def _block(name: str, chunk: str) -> str:
    return f'<script type="text/plain" id="chunk-{name}">{chunk}</script>\n'


def store_ledger(shop: Workshop) -> Ledger:
    """What a response store knows of requests."""
    return _ledger(lambda keys: shop.store.answers(keys))


def home_ledger(home: Home) -> Ledger:
    """What a home's response store knows of requests; nothing where there is none."""
    if not home.has_store:
        return lambda keys: {}
    from storage.responses import ResponseStore

    store = ResponseStore(home.store_place)
    return _ledger(store.answers)


def _ledger(answers: Callable[[Sequence[str]], Mapping[str, StoredAnswer]]) -> Ledger:
    return lambda keys: {key: Paid(one.attempts, one.cost_nano_usd) for key, one in answers(keys).items()}


def drawn(board: Board, lots: Sequence[Lot], beside: Beside, ledger: Ledger, kind: str) -> dict[str, bytes]:
    """The charts as files, "svg" or "png", by name."""
    drilled = drill(board, lots, lambda name, chunk: None, ledger)
    found = drawings(board, beside, drilled.usage, drilled.lengths)
    return {f"{one.name}.{kind}": written(one, kind) for one in found}


def put_page(
    path: Path, board: Board, params: Mapping[str, Any], lots: Sequence[Lot], ledger: Ledger, beside: Beside
) -> None:
    """A page that no artifact holds, with its data files."""
    with tempfile.TemporaryDirectory(prefix="scrollwork-page-") as place:

        def write(name: str, data: bytes) -> None:
            _written(Path(place, name), data)

        made = make(board, params, lots, ledger, path.stem, write, beside)
        _put(path, made.folder, made.files, lambda name: Path(place, name).read_bytes())


def publish(artifact: Artifact, path: Path) -> Path:
    """Put the page of a report artifact, and its data files, where people find them. Raises DamagedArtifact."""
    _put(path, artifact.facts["folder"], artifact.facts["files"], artifact.bytes_of)
    return path


def _put(path: Path, folder: str, files: Sequence[str], bytes_of: Callable[[str], bytes]) -> None:
    """Data first, then the page that needs them, then away with what an earlier page needed."""
    for name in files:
        write_file(path.parent / folder / name, bytes_of(name))
    write_file(path, bytes_of(PAGE))
    forget(path, folder)


def forget(path: Path, folder: str) -> None:
    """Remove the data files of earlier versions of a page."""
    own = path.parent / f"{path.stem}{FOLDER}"
    for old in own.iterdir() if own.is_dir() else ():
        if f"{own.name}/{old.name}" != folder and old.is_dir():
            shutil.rmtree(old, ignore_errors=True)
    with suppress(OSError):
        own.rmdir()  # where nothing is left in it


def write_file(path: Path, data: bytes) -> Path:
    """Write a file whole or not at all; nothing happens where the same bytes stand."""
    if path.is_file() and path.stat().st_size == len(data) and path.read_bytes() == data:
        return path
    with naming_full_disks("the report", str(path.parent)):
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            temporary.write_bytes(data)
            os.replace(temporary, path)
        finally:
            temporary.unlink(missing_ok=True)
    return path
