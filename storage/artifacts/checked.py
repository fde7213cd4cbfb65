"""Read a part only if its bytes have the digest in the manifest. They are hashed and parsed through one open stream.

The bytes cannot change in between: a file put in the part's place is not the open one, and a write into the open one
changes its times, which are checked after each row group, before its rows are used. A part on a remote store is read
into memory once, then hashed and parsed there.
"""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import IO, TYPE_CHECKING, TypeVar

from scrollwork.storage.artifacts.manifest import Part
from scrollwork.storage.digest import CHUNK
from scrollwork.storage.errors import DamagedArtifact
from scrollwork.storage.location import Location

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

T = TypeVar("T")
Stamp = tuple[int, ...]  # of an open file: device, inode, size, times

_HASHED: set[tuple[str, Stamp]] = set()  # (sha256, stamp): files whose bytes this process has hashed


def check(folder: Location, part: Part) -> None:
    """Hash a part. Raises DamagedArtifact if it is missing or has another digest."""
    with open_part(folder, part):
        pass


@contextmanager
def open_part(folder: Location, part: Part) -> Iterator[CheckedPart]:
    """Open a part and check its digest. Raises DamagedArtifact."""
    try:
        stream: IO[bytes] = io.BytesIO(folder.read(part.name)) if folder.local is None else folder.open(part.name)
    except (FileNotFoundError, IsADirectoryError):
        raise DamagedArtifact(str(folder), part.name, "is missing") from None
    with stream:
        yield CheckedPart(folder, part, stream)


class CheckedPart:
    """An open part whose bytes have the manifest's digest."""

    def __init__(self, folder: Location, part: Part, stream: IO[bytes]) -> None:
        self._folder, self._part, self._stream = folder, part, stream
        self._stamp = self._now()
        if self._stamp is None or (part.sha256, self._stamp) not in _HASHED:
            self._hash()

    def groups(self, columns: list[str] | None = None) -> Iterator[pa.RecordBatch]:
        """Yield the row groups, one at a time. Raises DamagedArtifact if other bytes were written since the hash.

        pre_buffer is off: it reads in Arrow's threads, and one that still runs when Python ends aborts the process.
        """
        with self._read(self._parquet) as file:
            for index in range(file.metadata.num_row_groups):
                read = partial(file.read_row_group, index, columns=columns, use_threads=False)
                yield from self._read(read).combine_chunks().to_batches()

    def group(self, index: int, columns: list[str]) -> pa.Table:
        """Read one row group. Raises DamagedArtifact, see `groups`."""
        with self._read(self._parquet) as file:
            return self._read(partial(file.read_row_group, index, columns=columns, use_threads=False))

    def whole(self) -> bytes:
        """Read all bytes. Raises DamagedArtifact, see `groups`."""
        return self._read(self._from_start)

    def _parquet(self) -> pq.ParquetFile:
        import pyarrow.parquet as pq

        return pq.ParquetFile(self._stream, pre_buffer=False)

    def _from_start(self) -> bytes:
        self._stream.seek(0)
        return self._stream.read()

    def _read(self, read: Callable[[], T]) -> T:
        """Call `read`, and return its result if the file did not change meanwhile. If its times changed, hash it again
        and, if the bytes are the same (it was removed, or replaced by another builder), read again."""
        while True:
            try:
                found = read()
            except Exception:
                if self._now() == self._stamp:
                    raise
            else:
                if self._now() == self._stamp:
                    return found
            self._hash()

    def _hash(self) -> None:
        self._stamp = self._now()
        digest = hashlib.sha256()
        self._stream.seek(0)
        while chunk := self._stream.read(CHUNK):
            digest.update(chunk)
        self._stream.seek(0)
        if digest.hexdigest() != self._part.sha256:
            problem = "has other bytes than the manifest says (sha256)"
            raise DamagedArtifact(str(self._folder), self._part.name, problem)
        if self._stamp is not None:
            _HASHED.add((self._part.sha256, self._stamp))

    def _now(self) -> Stamp | None:
        """The file's stamp; None for bytes in memory, which nobody else can change."""
        if self._folder.local is None:
            return None
        stat = os.fstat(self._stream.fileno())
        return stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns
