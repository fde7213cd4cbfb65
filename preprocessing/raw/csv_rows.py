"""CSV files as records: a broken row costs only that row, a quote that never closes costs the file."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from typing import Any

from scrollwork.preprocessing.raw.errors import MalformedFile, MalformedRecord, MalformedRow

# Characters of one cell. csv has such a limit too, one for the whole process, which readers of submissions raise; but
# whether a row is valid must not depend on what else was read. So it is raised here as well, and ours checked per row.
LONGEST, LONGEST_READ = 131_072, 64 << 20


def csv_rows(text: str, name: str, columns: Sequence[str]) -> Iterator[tuple[str, dict[str, str]] | MalformedRecord]:
    """Yield (where, cells by column) for the rows below a header that has at least `columns`. Raises MalformedFile."""
    csv.field_size_limit(max(csv.field_size_limit(), LONGEST_READ))
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    header = _header(reader, name, columns)
    while True:
        before = reader.line_num
        try:
            row = next(reader, None)
            if any(len(cell) > LONGEST for cell in row or ()):
                raise csv.Error(f"field larger than field limit ({LONGEST})")
        except csv.Error as error:
            if reader.line_num > before + 1 or "unexpected end" in str(error):  # a quote that swallowed other rows
                raise _broken(name, f"line {before + 1}", error) from error
            yield _broken(name, f"line {reader.line_num}", error).of_record()
            continue
        if row is None:
            return
        first, last = before + 1, reader.line_num
        where = f"line {last}" if first == last else f"lines {first} to {last}"
        if not row:
            continue
        if len(row) != len(header):  # a lost or an added comma
            problem = f"has {len(row)} fields, the header {len(header)}"
            yield MalformedRow(name, where, "", problem, "broken CSV").with_cells(dict(zip(header, row, strict=False)))
        elif hollow := next((column for column, cell in zip(header, row, strict=True) if "\0" in cell), ""):
            cells = dict(zip(header, row, strict=True))
            yield MalformedRow(name, where, hollow, "holds a NUL byte", "NUL byte").with_cells(cells)
        else:
            yield f"line {last}", dict(zip(header, row, strict=True))


def _header(reader: Any, name: str, columns: Sequence[str]) -> list[str]:
    try:
        header: list[str] = next(reader, [])
    except csv.Error as error:
        raise _broken(name, "line 1", error) from error
    for column in columns:
        if column not in header:
            there = ", ".join(header[:12])
            raise MalformedFile(name, "line 1", column, f"is missing (there are: {there})", "missing field")
        if header.count(column) > 1:
            raise MalformedFile(name, "line 1", column, "stands twice in the header", "broken CSV")
    return header


def _broken(name: str, where: str, error: csv.Error) -> MalformedFile:
    return MalformedFile(name, where, "", f"is not CSV: {error}", "broken CSV")
