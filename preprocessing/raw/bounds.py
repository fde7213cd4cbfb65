"""How much a compressed raw file may unpack to: a few bytes must not fill the machine, whatever size they declare."""

from __future__ import annotations

import io
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import IO, TYPE_CHECKING

from scrollwork.preprocessing.raw.errors import MalformedFile

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

EXPANSION = 100  # content may be this many times its compressed size; for text it is 3 to 10
LEAST_BYTES = 64 << 20  # always allowed
BUFFER = 1 << 20


def most_bytes(compressed: int) -> int:
    """Return how large the content of so many compressed bytes may be."""
    return max(compressed * EXPANSION, LEAST_BYTES)


def too_large(name: str, size: int, most: int) -> MalformedFile:
    """Return the error for content over the limit."""
    return MalformedFile(
        name, "", "", f"would unpack to {size:,} bytes, over the {most:,} allowed", "unpacks too large"
    )


class Bounded(io.RawIOBase):
    """Content that is unpacked while it is read, and bounded by what really comes. naming: names damage in errors."""

    def __init__(
        self,
        content: IO[bytes],
        name: str,
        most: int,
        naming: Callable[[str], AbstractContextManager[None]] = lambda name: nullcontext(),
    ) -> None:
        self._content, self._name, self._most, self._naming, self._size = content, name, most, naming, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        view = memoryview(buffer).cast("B")
        with self._naming(self._name):
            data = self._content.read(len(view))
        self._size += len(data)
        if self._size > self._most:
            raise too_large(self._name, self._size, self._most)
        view[: len(data)] = data
        return len(data)
