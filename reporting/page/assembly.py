"""Write a page: one file if its data fit into it, else a page and a folder of data files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from scrollwork.reporting.boards.board import Board
from scrollwork.reporting.page.chunks import Spool, data_file
from scrollwork.reporting.page.content import Content
from scrollwork.reporting.page.page import page

PAGE = "page.html"
WHOLE = 20_000_000  # largest page, in bytes, that contains all its data
BLOCK = '<script type="text/plain" id="chunk-{}">{}</script>\n'
Write = Callable[[str, bytes], None]


@dataclass(frozen=True)
class Made:
    """A written page. folder: of its data files, relative to the page, "" if there are none. files: their names."""

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
    """Write page.html, and data files if the data do not fit into it.

    spool: the written chunks; read: returns the text of one by name. beside: name of a folder next to the page, in
    which each version of the data has its own folder. write: called with a file's name and bytes. whole: largest page,
    in bytes, that contains its data.
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
