"""Bodies as their sender compressed them, in pieces of bounded size: a few bytes of gzip can be gigabytes.

We ask for bodies as they are; some proxies compress them all the same.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator

PIECE = 2**16  # bytes of a piece at most
PLAIN = ("", "identity")
PACKED = ("gzip", "x-gzip", "deflate")


class TooLarge(Exception):
    """A body that is larger than what was asked for can be."""

    def __init__(self, most: int) -> None:
        super().__init__(f"a body of over {most:,} bytes, more than what was asked for can be")


class Strange(Exception):
    """A body that cannot be unpacked."""


class Inflater:
    """Unpacks one body. Raises Strange for an encoding that nobody asked for, and where it is torn."""

    def __init__(self, encoding: str) -> None:
        kind = encoding.strip().lower()
        if kind not in (*PLAIN, *PACKED):
            raise Strange(f"a body in an encoding that was not asked for: {kind[:40]!r}")
        self._unpacking = zlib.decompressobj(zlib.MAX_WBITS | 32) if kind in PACKED else None

    def pieces(self, chunk: bytes) -> Iterator[bytes]:
        """What so many bytes of the body hold, a piece at a time; nothing is unpacked ahead of who takes it."""
        if self._unpacking is None:
            yield chunk
            return
        while not self._unpacking.eof:
            try:
                piece = self._unpacking.decompress(chunk, PIECE)
            except zlib.error as error:
                raise Strange(f"a body that cannot be unpacked: {error}") from None
            chunk = self._unpacking.unconsumed_tail
            if piece:
                yield piece
            if not chunk and len(piece) < PIECE:
                return
