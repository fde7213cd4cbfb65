"""Read a part only if its bytes have the digest in the manifest. They are hashed and parsed through one open stream.

The bytes that are parsed are those that were hashed: a new file in the part's place is not the open one, and a write
into the open one changes its times. These are checked after each row group is read, before its rows are used. Of a part
in a remote folder, a local copy is read (copies.py).
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import IO, TYPE_CHECKING, TypeVar

from scrollwork.storage.artifacts.copies import check_remote, drop_copy, open_copy
from scrollwork.storage.artifacts.manifest import Part
from scrollwork.storage.digest import CHUNK
from scrollwork.storage.errors import DamagedArtifact
from scrollwork.storage.location import Location

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

T = TypeVar("T")
Stamp = tuple[int, ...]  # of an open file: device, inode, size, modification and change time

_HASHED: set[tuple[str, Stamp]] = set()  # (sha256, stamp) of the files that this process has hashed, not to do it twice


def check(folder: Location, part: Part) -> None:
    """Check the digest of a part, of a remote one as it is there. Raises DamagedArtifact if the part is missing or has
    another digest."""
    if folder.local is not None:
        with open_part(folder, part):
            return
    check_remote(folder, part)


@contextmanager
def open_part(folder: Location, part: Part) -> Iterator[CheckedPart]:
    """Open a part and check its digest. Raises DamagedArtifact if it is missing or has another digest."""
    if folder.local is None:
        stream = open_copy(folder, part)
    else:
        try:
            stream = folder.open(part.name)
        except (FileNotFoundError, IsADirectoryError):
            raise DamagedArtifact(str(folder), part.name, "is missing") from None
    with ExitStack() as stack:
        stack.enter_context(stream)
        try:
            checked = CheckedPart(folder, part, stream)
        except DamagedArtifact:
            if folder.local is not None:
                raise
            drop_copy(part)  # the copy is damaged: the part may be whole
            checked = CheckedPart(folder, part, stack.enter_context(open_copy(folder, part)))
        yield checked


class CheckedPart:
    """An open part, whose bytes have the digest in the manifest.

    Its methods raise DamagedArtifact if other bytes were written into the file after the digest was checked.
    """

    def __init__(self, folder: Location, part: Part, stream: IO[bytes]) -> None:
        self._folder, self._part, self._stream = folder, part, stream
        self._stamp = self._now()
        if (part.sha256, self._stamp) not in _HASHED:
            self._hash()

    def groups(self, columns: list[str] | None = None) -> Iterator[pa.RecordBatch]:
        """Yield each row group as one record batch, in order. columns: only these; None for all.

        TextReader relies on one batch for each row group. `combine_chunks` gives one, unless a row group has no rows
        (then none) or more than 2 GiB of text, which parts.py does not write. Raises DamagedArtifact.
        """
        with self._read(self._parquet) as file:
            for index in range(file.metadata.num_row_groups):
                read = partial(file.read_row_group, index, columns=columns, use_threads=False)
                yield from self._read(read).combine_chunks().to_batches()

    def group(self, index: int, columns: list[str]) -> pa.Table:
        """Return the named columns of one row group. index: its number, from 0. Raises DamagedArtifact."""
        with self._read(self._parquet) as file:
            return self._read(partial(file.read_row_group, index, columns=columns, use_threads=False))

    def whole(self) -> bytes:
        """Return all bytes. Raises DamagedArtifact."""
        return self._read(partial(self._at, 0, -1))

    def pieces(self) -> Iterator[bytes]:
        """Yield all bytes, in pieces of a megabyte. Raises DamagedArtifact."""
        place = 0
        while data := self._read(partial(self._at, place, CHUNK)):
            yield data
            place += len(data)

    def _parquet(self) -> pq.ParquetFile:
        import pyarrow.parquet as pq

        # pre_buffer reads in threads of Arrow; a thread that still runs when Python ends would abort the process.
        return pq.ParquetFile(self._stream, pre_buffer=False)

    def _at(self, place: int, size: int) -> bytes:
        self._stream.seek(place)
        return self._stream.read(size)

    def _read(self, read: Callable[[], T]) -> T:
        """Call `read`, and return its result if the file did not change meanwhile.

        If its times changed, hash it again. If its bytes are the same (the file was removed, or another builder
        replaced it), read again; otherwise raise DamagedArtifact.
        """
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
        _HASHED.add((self._part.sha256, self._stamp))

    def _now(self) -> Stamp:
        """Return the present stamp of the file."""
        stat = os.fstat(self._stream.fileno())
        return stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns
