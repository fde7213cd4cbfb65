"""Write and read parts in Parquet, one row group of a few megabytes at a time."""

from __future__ import annotations

import hashlib
import io
import sys
from collections import OrderedDict
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Generic, TypeVar

from scrollwork.records.base import Row, as_written, from_batch, utf8
from scrollwork.records.key_table import KeyTable
from scrollwork.storage.artifacts.checked import open_part
from scrollwork.storage.artifacts.columns import Columns, fields_by_size, texts
from scrollwork.storage.artifacts.copies import keep
from scrollwork.storage.artifacts.manifest import Part
from scrollwork.storage.artifacts.plain import plain_rows, stored_values
from scrollwork.storage.errors import naming_full_disks
from scrollwork.storage.location import Location

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

R = TypeVar("R", bound=Row)

GROUP_BYTES = 8 << 20  # a row group ends when it has so much text, before compression
PART_BYTES = 512 << 20  # a part ends when it has so much text
GROUP_ROWS = 50_000  # most rows in a row group
KEEP_BYTES = 64 << 20  # of texts that a reader caches, as they are in memory


class _Hashing(io.RawIOBase):
    """A stream that writes bytes to a file, and computes their sha256 and number on the way."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self.digest = hashlib.sha256()
        self.count = 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._stream.write(data)
        self.digest.update(data)
        self.count += len(data)
        return len(data)

    def tell(self) -> int:
        return self.count

    def flush(self) -> None:
        if not self._stream.closed:
            self._stream.flush()


class TableWriter(Generic[R]):
    """Writes the rows of one table as parts of an artifact. Equal rows give equal bytes.

    Its methods raise StorageFull if there is no space left. parts: the finished parts. count: rows added.
    """

    def __init__(self, folder: Location, table: str, row: type[R]) -> None:
        self.table = table
        self.parts: list[Part] = []
        self.count = 0
        self._folder, self._row = folder, row
        self._columns: Columns[R] = Columns(row)
        self._rows = 0
        self._bytes = 0
        self._part_bytes = 0
        self._part_rows = 0
        self._open: tuple[ExitStack, IO[bytes], Path, _Hashing, pq.ParquetWriter] | None = None

    def add(self, row: R) -> None:
        """Add a row. A full row group is written to the part, and a full part is published."""
        self._columns.add(row)
        self._rows += 1
        self.count += 1
        self._bytes += _weight(row)
        if self._bytes >= GROUP_BYTES or self._rows >= GROUP_ROWS:
            self._flush()

    def adopt(self, folder: Location, part: Part) -> None:
        """Take over a part of the same table of another artifact, byte for byte. A part without rows is passed over.

        Raises DamagedArtifact if it has other bytes than its manifest says.
        """
        self._flush()
        self._finish_part()
        if not part.rows:
            return
        with self._folder.temporary(self._next) as (stream, path), open_part(folder, part) as checked:
            sink = _Hashing(stream)
            with naming_full_disks(self.table, str(self._folder)):
                for data in checked.pieces():
                    sink.write(data)
            self._publish(stream, path, sink, part.rows)
        self.count += part.rows

    def close(self) -> None:
        """Finish the last part. A table without rows has one part, too, so that it can be read.

        That part has no row group: `datasets` refuses an empty one.
        """
        self._flush()
        if not self.parts and self._open is None:
            self._start_part()
        self._finish_part()

    def abort(self) -> None:
        """Stop writing, and remove the temporary file. Finished parts stay. Does nothing after `close`."""
        if self._open is not None:
            stack = self._open[0]
            self._open = None
            stack.close()

    def _flush(self) -> None:
        if not self._rows:
            return
        if self._open is None:
            self._start_part()
        assert self._open is not None
        with naming_full_disks(self.table, str(self._folder)):
            self._open[4].write_batch(self._columns.batch(), row_group_size=self._rows)
        self._part_bytes += self._bytes
        self._part_rows += self._rows
        self._columns, self._rows, self._bytes = Columns(self._row), 0, 0
        if self._part_bytes >= PART_BYTES:
            self._finish_part()

    def _start_part(self) -> None:
        import pyarrow.parquet as pq

        stack = ExitStack()
        stream, path = stack.enter_context(self._folder.temporary(self._next))
        sink = _Hashing(stream)
        writer = pq.ParquetWriter(sink, self._row.schema(), compression="zstd", compression_level=3)
        self._open = (stack, stream, path, sink, writer)

    def _finish_part(self) -> None:
        if self._open is None:
            return
        stack, stream, path, sink, writer = self._open
        with stack:
            writer.close()
            self._publish(stream, path, sink, self._part_rows)
        self._open, self._part_bytes, self._part_rows = None, 0, 0

    @property
    def _next(self) -> str:
        """How the name of the next part begins."""
        return f"{self.table}-{len(self.parts):05d}"

    def _publish(self, stream: IO[bytes], path: Path, sink: _Hashing, rows: int) -> None:
        sha256 = sink.digest.hexdigest()
        name = f"{self._next}-{sha256[:12]}.parquet"
        self._folder.publish(stream, path, name)
        if self._folder.local is None:
            keep(path, sha256)
        self.parts.append(Part(name, self.table, rows, sink.count, sha256))


def _weight(row: Row) -> int:
    """Estimate the size of a row in bytes: one for each character of its texts, and 8 for each other value."""
    size, texts, others = fields_by_size(type(row))
    values = row.__dict__
    for name in texts:
        size += len(values[name])
    for name in others:
        size += _size(values[name])
    return size


def _size(value: Any) -> int:
    if isinstance(value, str):
        return len(value)
    if isinstance(value, tuple):
        return sum(_size(item) for item in value)
    if isinstance(value, Row):
        return _weight(value)
    return 8


def read_rows(
    folder: Location, parts: list[Part], row: type[R], only: tuple[str, Collection[str]] | None = None
) -> Iterator[R]:
    """Yield the rows of a table, in order, with one row group in memory.

    only: (text column, allowed values), to yield only the rows with one of these values. Rows of a part with another
    schema (of an older version) are checked; raises InvalidRow if one does not fit `row`. Raises DamagedArtifact.
    """
    allowed = None if only is None else (only[0], _listed(only[1]))
    for part in parts:
        with open_part(folder, part) as checked:
            for group in checked.groups():
                batch = group if allowed is None else _among(group, *allowed)
                if batch.schema.equals(row.schema()):
                    yield from as_written(row, map(stored_values, batch.columns))
                else:
                    yield from from_batch(row, batch)


def read_columns(folder: Location, parts: list[Part], names: list[str]) -> Iterator[dict[str, Any]]:
    """Yield the rows of a table as dicts of the named columns, in order, with plain values; mappings as pairs.

    A column that a part lacks is missing in the dict. Raises DamagedArtifact.
    """
    for part in parts:
        with open_part(folder, part) as checked:
            for batch in checked.groups(names):
                yield from plain_rows(batch, stored_values)


def read_tuples(
    folder: Location, parts: list[Part], names: Sequence[str], only: tuple[str, Collection[str]] | None = None
) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a table as tuples of the named columns, in order, with None for a column that a part lacks.
    Mappings are lists of pairs.

    only: (one of the named columns, allowed values). Raises DamagedArtifact.
    """
    allowed = None if only is None else (only[0], _listed(only[1]))
    for part in parts:
        with open_part(folder, part) as checked:
            for group in checked.groups(list(names)):
                batch = group if allowed is None else _among(group, *allowed)
                found = dict(zip(batch.schema.names, map(stored_values, batch.columns), strict=True))
                yield from zip(*(found.get(name) or [None] * len(batch) for name in names), strict=True)


def rows_among(batch: pa.RecordBatch, column: str, values: Collection[str]) -> pa.RecordBatch:
    """Return the rows of a batch in which this text column holds one of the values."""
    return _among(batch, column, _listed(values))


def _listed(values: Collection[str]) -> pa.Array:
    return texts([utf8(value) for value in sorted(values)])


def _among(batch: pa.RecordBatch, column: str, values: pa.Array) -> pa.RecordBatch:
    import pyarrow.compute as pc

    return batch.filter(pc.is_in(batch.column(column), values))


class TextReader:
    """Reads texts of documents by their id. It caches the last used row groups: one, or more if they have up to
    `keep_bytes` (None: KEEP_BYTES) in all.

    The constructor reads the ids of all documents, and keeps them in bounded memory. Raises DamagedArtifact.
    """

    def __init__(self, folder: Location, parts: list[Part], keep_bytes: int | None = None) -> None:
        self._folder, self._parts = folder, parts
        self._keep = KEEP_BYTES if keep_bytes is None else keep_bytes
        self._where = KeyTable()  # number of the part, then 32 bits: number of the row group
        self._groups: OrderedDict[tuple[int, int], dict[str, str]] = OrderedDict()
        self._sizes: dict[tuple[int, int], int] = {}
        for number, part in enumerate(parts):
            with open_part(folder, part) as checked:
                for group, batch in enumerate(checked.groups(["document_id"])):
                    for document_id in batch.column(0).to_pylist():
                        self._where.add(document_id, number << 32 | group)

    def __call__(self, document_id: str) -> str:
        """Return the text of a document. Raises KeyError for an unknown id, DamagedArtifact."""
        if (known := self._where.get(document_id)) is None:
            raise KeyError(document_id)
        place = known >> 32, known & 0xFFFF_FFFF
        if place in self._groups:
            self._groups.move_to_end(place)
        else:
            self._make_room()  # first, as the new group is the only one that is needed now
            self._groups[place] = self._load(place)
        return self._groups[place][document_id]

    def _make_room(self) -> None:
        while self._groups and sum(self._sizes.values()) + max(self._sizes.values()) > self._keep:
            oldest, _ = self._groups.popitem(last=False)
            del self._sizes[oldest]

    def _load(self, place: tuple[int, int]) -> dict[str, str]:
        with open_part(self._folder, self._parts[place[0]]) as checked:
            table = checked.group(place[1], ["document_id", "text"])
        found = table.column(1).to_pylist()
        self._sizes[place] = sum(map(sys.getsizeof, found))  # in Python a text may take twice or four times its bytes
        return dict(zip(table.column(0).to_pylist(), found, strict=True))
