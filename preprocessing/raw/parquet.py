"""Parquet files as records, and compressed files as streams: the formats of data sets on the Hugging Face Hub.

A file's format is known by its first bytes; its name may say anything. Only a few rows are in memory at a time.
"""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

import pyarrow as pa
import pyarrow.parquet as pq

from scrollwork.preprocessing.raw.bounds import BUFFER, Bounded, most_bytes
from scrollwork.preprocessing.raw.errors import MalformedFile, MalformedRecord
from scrollwork.preprocessing.raw.shares import WHOLE, Span

PARQUET, GZIP, ZSTD = b"PAR1", b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
ROWS = 32  # decoded at once: each may hold a whole book


def is_parquet(path: Path) -> bool:
    """Return whether the file begins like a Parquet file."""
    with path.open("rb") as stream:
        return stream.read(len(PARQUET)) == PARQUET


def is_compressed(path: Path) -> bool:
    """Return whether the file begins like gzip or Zstandard."""
    with path.open("rb") as stream:
        return stream.read(4).startswith((GZIP, ZSTD))


def parquet_rows(name: str, place: Path, span: Span = WHOLE) -> Iterator[tuple[str, dict[str, Any]] | MalformedRecord]:
    """Yield ("row 17", its columns as Python values) in order, counted from 1; nested columns as lists and dicts.

    span: of which bytes; a row group is where it begins. A row that is not valid UTF-8 is yielded as a MalformedRecord.
    Raises MalformedFile if the file is truncated, damaged, without rows, or has a column twice.
    """
    number = 0
    try:
        with pq.ParquetFile(place) as file:
            twice = {column for column in file.schema_arrow.names if file.schema_arrow.names.count(column) > 1}
            if twice:
                raise MalformedFile(name, "", min(twice), "is a column twice", "broken Parquet")
            groups, number = groups_in(file.metadata, span)
            for batch in file.iter_batches(batch_size=ROWS, row_groups=groups):
                for index in range(batch.num_rows):
                    number += 1
                    yield _row(name, number, batch.slice(index, 1))
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:  # UnicodeDecodeError: in a column's name
        where = f"row {number + 1} or later" if number else ""
        raise MalformedFile(name, where, "", f"is not whole Parquet: {error}", "broken Parquet") from error
    if not number and span.begins:
        raise MalformedFile(name, "", "", "has no rows", "empty file")


def groups_in(told: pq.FileMetaData, span: Span) -> tuple[list[int], int]:
    """Return the row groups that begin in a span, and how many rows there are before them.

    The first group is taken to begin where the file does, and none before the one ahead of it, whatever the file says:
    so each is in one span, and in their order.
    """
    found: list[int] = []
    before = place = 0
    for number in range(told.num_row_groups):
        group = told.row_group(number)
        columns = map(group.column, range(group.num_columns))
        begins = min((one.dictionary_page_offset or one.data_page_offset for one in columns), default=0)
        place = max(place, begins) if number else 0
        if span.start <= place and (span.end is None or place < span.end):
            found.append(number)
        elif not found:
            before += group.num_rows
    return found, before


def _row(name: str, number: int, batch: pa.RecordBatch) -> tuple[str, dict[str, Any]] | MalformedRecord:
    where = f"row {number}"
    try:
        return where, batch.to_pylist()[0]
    except UnicodeDecodeError as error:
        return MalformedRecord(name, where, "", f"is not UTF-8 at byte {error.start} of a text", "invalid UTF-8")
    except (ValueError, OverflowError) as error:  # a date out of Python's range
        return MalformedRecord(name, where, "", f"cannot be read: {error}", "invalid value")


@contextmanager
def opened(name: str, place: Path) -> Iterator[IO[bytes]]:
    """Open a file as a stream of bytes, decompressed if it is gzip or Zstandard.

    Raises MalformedFile, also while it is read, if it is truncated or unpacks too large.
    """
    with place.open("rb", 1 << 20) as stream:  # long lines: larger reads are cheaper
        head = stream.read(4)
        stream.seek(0)
        if head.startswith(GZIP):
            with _naming_cuts(name, "gzip"), gzip.GzipFile(fileobj=stream) as content:
                yield _bounded(name, place, cast(IO[bytes], content))
        elif head == ZSTD:
            with _naming_cuts(name, "zstd"), pa.input_stream(place, compression="zstd") as content:
                yield _bounded(name, place, content)
        else:
            yield stream


def _bounded(name: str, place: Path, content: IO[bytes]) -> IO[bytes]:
    return io.BufferedReader(Bounded(content, name, most_bytes(place.stat().st_size)), BUFFER)


@contextmanager
def _naming_cuts(name: str, kind: str) -> Iterator[None]:
    try:
        yield
    except (EOFError, OSError, pa.ArrowException, zlib.error) as error:
        raise MalformedFile(name, "", "", f"is not whole {kind}: {error}", "broken compression") from error
