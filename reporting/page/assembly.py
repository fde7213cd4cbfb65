"""A page from its parts: one file while its data fit into it, else a page and a folder of data files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from scrollwork.reporting.boards.board import Board
from scrollwork.reporting.page.chunks import Spool, data_file
from scrollwork.reporting.page.content import Content
from scrollwork.reporting.page.page import page

PAGE = "page.html"
WHOLE = 20_000_000  # bytes up to which everything stands in the page itself
BLOCK = '<script type="text/plain" id="chunk-{}">{}</script>\n'
Write = Callable[[str, bytes], None]


@dataclass(frozen=True)
class Made:
    """A page that was written. folder: of its data files, relative to it, "" without any; files: their names."""

    folder: str
    files: list[str]


def assemble(
    board: Board,
    params: Mapping[str, Any],
    content: Content,
    spool: Spool,
    read: Callable[[str], str],
    beside: str,
    write: Write,
    whole: int = WHOLE,
) -> Made:
    """Write page.html, and its data files where they do not fit into it.

    spool: what was kept of the chunks; read: gives one back. beside: name of a folder beside the page, where its data
    files go in a folder of this version. write:
    takes a file's name and bytes. whole: the most bytes of a page that has its data within it.
    """
    before, after = page(board, params, content=content)
    frame = len(before.encode("utf-8")) + len(after.encode("utf-8"))
    if frame + spool.size + len(spool.names) * (len(BLOCK) + 20) <= whole:
        blocks = "".join(BLOCK.format(chunk, read(chunk)) for chunk in spool.names)
        write(PAGE, f"{before}{blocks}{after}".encode())
        return Made("", [])
    folder = f"{beside}/{spool.digest()[:16]}"
    before, after = page(board, params, content=replace(content, folder=folder))
    for chunk in spool.names:
        write(f"{chunk}.js", data_file(chunk, read(chunk)))
    write(PAGE, f"{before}{after}".encode())
    return Made(folder, [f"{chunk}.js" for chunk in spool.names])
