"""A board and the path of a page as a terminal and a notebook show them; to code they are a DataFrame and a Path."""

from __future__ import annotations

import os
import shutil
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from scrollwork.frames import polars
from scrollwork.reporting.page.text import visible

MOST_ROWS = 100  # rows of a board that are shown
WIDEST = 10_000  # characters of a line: no column is broken to fit
LONGEST_NAME = 32  # characters of a text in a terminal
LONGEST_CELL = 500  # characters of a text in HTML

if TYPE_CHECKING:
    SystemPath = Path
else:
    SystemPath = type(Path())  # before Python 3.12 only the class of a system can have subclasses


class Board(polars.DataFrame):
    """A frame whose text shows the first columns that fit beside each other in the terminal, and names the others.

    polars itself leaves out columns in the middle. In HTML all columns are shown.
    """

    def __repr__(self) -> str:
        shown = self.made_visible()
        width = shutil.get_terminal_size().columns
        for number in range(len(shown.columns), 0, -1):
            text = whole_text(shown.select(shown.columns[:number]))
            if number == 1 or max(map(len, text.split("\n"))) <= width:
                break
        else:
            return whole_text(shown)
        hidden = [visible(name) for name in self.columns[number:]]
        others = f"\nand the columns {', '.join(hidden)}" if hidden else ""
        return f"shape: {self.shape}\n{text}{others}"

    __str__ = __repr__

    def _repr_html_(self, *, _from_series: bool = False) -> str:
        """Return all columns as HTML; polars escapes the texts."""
        with polars.Config(tbl_cols=-1, tbl_rows=MOST_ROWS):
            return polars.DataFrame._repr_html_(self.made_visible(), _from_series=_from_series)

    def made_visible(self) -> polars.DataFrame:
        """Return a plain frame in which no text acts on a terminal: control characters are signs."""
        shown = {
            name: [value and visible(value) for value in self[name]]
            for name, kind in self.schema.items()
            if kind == polars.String
        }
        return polars.DataFrame(self.to_dict()).with_columns(
            **{name: polars.Series(values, dtype=polars.String) for name, values in shown.items()}
        )


def whole_text(frame: polars.DataFrame) -> str:
    """Return a frame as text with all its columns, a row a line, however wide."""
    with polars.Config(
        tbl_cols=-1,
        tbl_rows=MOST_ROWS,
        tbl_width_chars=WIDEST,
        fmt_str_lengths=LONGEST_NAME,
        float_precision=2,
        tbl_hide_column_data_types=True,
        tbl_hide_dataframe_shape=True,
    ):
        return str(frame)


class PagePath(SystemPath):
    """The path of a page, which a notebook shows as a link to it."""

    def __repr__(self) -> str:
        return repr(Path(self))

    def _repr_html_(self) -> str:
        return link_to(self)


def page_path(page: Path | None) -> Path | None:
    """Return the path of a page so that a notebook shows a link."""
    return None if page is None else PagePath(page)


def link_to(page: Path) -> str:
    """Return a link to a page as HTML. Below the working folder it is a relative one, which a notebook's server can
    follow; a browser opens others only where the notebook itself is a file."""
    folder = Path.cwd()
    place = quote(page.relative_to(folder).as_posix()) if page.is_relative_to(folder) else page.absolute().as_uri()
    return f'<a href="{shown(place)}" target="_blank">{shown(os.fspath(page))}</a>'


def shown(text: str) -> str:
    """Return a text for HTML: escaped, every character visible, not too long."""
    cut = text if len(text) <= LONGEST_CELL else f"{text[: LONGEST_CELL - 1]}…"
    return escape(visible(cut))
