"""Files with other bytes anywhere, and cells of a CSV with anything in them: named errors and Drops, never another error."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scrollwork.preprocessing.raw.errors import MalformedFile
from scrollwork.records.base import Row
from scrollwork.records.document import Document
from scrollwork.records.drop import Drop
from scrollwork.records.example import Example
from tests.preprocessing.bad_layouts import LAYOUTS, Files, clean, curated
from tests.some_slow import one_in

SHOWN = settings(derandomize=True, database=None)
PIECES = st.one_of(
    st.binary(max_size=6),
    st.sampled_from([b'"', b"\n", b",", b"{", b"}", b"[", b"]", b"\\", b"\\u", b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\r", b"NaN"]),
    st.sampled_from([b"\\ud800", b'""', b"null", b"-", b"1e999", b"\x1f\x8b", b"<html>", b"\xe2\x80\xa8", b'"\n"', b"::", b"9" * 5000]),
)  # fmt: skip


@pytest.mark.parametrize("name", one_in(2, LAYOUTS))
@SHOWN
@given(data=st.data())
def test_other_bytes_raise_something_that_is_not_named(name: str, data: st.DataObject) -> None:
    layout = LAYOUTS[name]
    files: Files = layout.files(layout.records())
    key = data.draw(st.sampled_from(sorted(files)), label="file")
    for _ in range(data.draw(st.integers(1, 3), label="changes")):
        before = files[key]
        start = data.draw(st.integers(0, len(before)), label="start")
        length = data.draw(st.integers(0, 20) | st.just(len(before)), label="length")
        files[key] = before[:start] + data.draw(PIECES, label="bytes") + before[start + length :]
    rows: list[Row] = []
    drops: list[Drop] = []
    with TemporaryDirectory() as folder:
        try:
            rows, drops = curated(layout, Path(folder), files)
        except MalformedFile as error:
            said = str(error)
            assert any(path in said for _, path in files), said
    assert all(any(Path(path).parent.as_posix() in drop.record for _, path in files) for drop in drops)
    documents = {row.document_id for row in rows if isinstance(row, Document)}
    assert all(set(row.document_ids) <= documents for row in rows if isinstance(row, Example))


CELLS = st.one_of(
    st.text(max_size=8),
    st.sampled_from(["", " ", "\x1b[2J", "\u202e", "=1+1", "test", "train", "valid", "nobody", "../../etc/passwd", "x" * 140_000, '"', "\ufeff"]),
)  # fmt: skip


def with_cells(data: bytes, first: bytes, changes: dict[int, str]) -> bytes:
    """The CSV with other cells in the first row that begins so, quoted as they must be."""
    lines = data.decode().split("\n")
    number = next(number for number, line in enumerate(lines) if line.startswith(first.decode()))
    (row,) = csv.reader([lines[number]])
    for column, cell in changes.items():
        row[column] = cell
    out = io.StringIO(newline="")
    csv.writer(out, lineterminator="", quoting=csv.QUOTE_ALL).writerow(row)
    lines[number] = out.getvalue()
    return "\n".join(lines).encode("utf-8")


@pytest.mark.parametrize(
    ("role", "first", "columns"), [("documents", b"victim,test", 7), ("questions", b"victim,test", 6)]
)
@SHOWN
@given(data=st.data())
def test_anything_in_a_cell_costs_another_story(role: str, first: bytes, columns: int, data: st.DataObject) -> None:
    layout = LAYOUTS["narrative_qa"]
    # a newline in a cell moves the lines that later stories of the list name as their source
    cells = CELLS.filter(lambda cell: not set(cell) & set("\r\n")) if role == "documents" else CELLS
    changes = data.draw(st.dictionaries(st.integers(0, columns - 1), cells, min_size=1, max_size=3), label="cells")
    files = layout.files(layout.records())
    ((key, before),) = [(key, content) for key, content in files.items() if key[0] == role]
    with TemporaryDirectory() as folder:
        undamaged = clean(layout, Path(folder) / "clean")
        rows, drops = curated(layout, Path(folder) / "bad", {**files, key: with_cells(before, first, changes)})
    rest = undamaged.rest(rows)
    assert all(drop.error and drop.record.startswith("narrativeqa/") for drop in drops)
    lost = len(undamaged.examples) - sum(isinstance(row, Example) for row in rest)
    other_split = changes.get(1) in ("train", "valid")
    assert lost <= 0 or drops or other_split, "questions are lost in silence"
