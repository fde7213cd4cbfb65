"""The problems that windows can show: those whose context has units."""

from __future__ import annotations

from collections.abc import Iterator

from scrollwork.preprocessing.raw.errors import printable
from scrollwork.preprocessing.windows.units import units
from scrollwork.records.base import Row
from scrollwork.records.document import Document
from scrollwork.records.drop import Drop
from scrollwork.records.example import Example


def observable_rows(rows: Iterator[Row], spec: str) -> Iterator[Row]:
    """Yield the rows, with a Drop in place of an example whose context has no unit by that spec."""
    where: dict[str, str] = {}  # documents without a unit
    for row in rows:
        if isinstance(row, Document) and not units(row.text, spec):
            where[row.document_id] = ", ".join(filter(None, [row.source_file, row.source_record]))
        if isinstance(row, Example) and (found := where.keys() & set(row.document_ids)):
            source = printable(f"{where[found.pop()]}, example {row.example_id}")
            detail = f"{source}: the context has no unit by {spec!r}, so that no window of it can be shown"
            row = Drop(row.task, row.split, source, "no unit", detail, error=True)
        yield row
