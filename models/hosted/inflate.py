"""Unpack bodies that their sender compressed, in pieces of bounded size: a few bytes of gzip can become gigabytes.

We ask for uncompressed bodies, but some proxies compress them anyway.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator

PIECE = 2**16  # most bytes of a piece
PLAIN = ("", "identity")
GZIP = ("gzip", "x-gzip")
PACKED = (*GZIP, "deflate")
MAGIC = b"\x1f\x8b"  # begins a gzip member


class TooLarge(Exception):
    """A body that is larger than any reply to the request can be."""

    def __init__(self, most: int) -> None:
        super().__init__(f"a body of over {most:,} bytes, more than what was asked for can be")


class CorruptBody(Exception):
    """A body that cannot be unpacked."""


class Inflater:
    """Unpacks one body, of several gzip members too. Raises CorruptBody for an unknown encoding.

    What follows the last member and begins no other one is ignored, as browsers and the vendors' SDKs do.
    """

    def __init__(self, encoding: str) -> None:
        kind = encoding.strip().lower()
        if kind not in (*PLAIN, *PACKED):
            raise CorruptBody(f"a body in an encoding that was not asked for: {kind[:40]!r}")
        self._unpacking = _unpacker() if kind in PACKED else None
        self._members = kind in GZIP
        self._begun = self._over = False
        self._waiting = b""  # after a member: the first byte of what may be another one's magic number

    def pieces(self, chunk: bytes) -> Iterator[bytes]:
        """Yield what `chunk`, the next bytes of the body, contains. Each piece is unpacked only when it is taken.

        Raises CorruptBody if the body is damaged. `end` tells whether it ended too early.
        """
        if self._unpacking is None:
            yield chunk
            return
        while True:
            if self._unpacking.eof:
                chunk = (self._waiting + chunk).lstrip(b"\0")  # members may be padded
                self._over = self._over or not self._members or not MAGIC.startswith(chunk[: len(MAGIC)])
                self._waiting = b"" if self._over or len(chunk) >= len(MAGIC) else chunk
                if self._over or self._waiting or not chunk:
                    return
                self._unpacking = _unpacker()
            self._begun = self._begun or bool(chunk)
            try:
                piece = self._unpacking.decompress(chunk, PIECE)
            except zlib.error as error:
                raise CorruptBody(f"a body that cannot be unpacked: {error}") from None
            chunk = self._unpacking.unused_data if self._unpacking.eof else self._unpacking.unconsumed_tail
            if piece:
                yield piece
            if not chunk and len(piece) < PIECE:
                return

    def end(self) -> None:
        """Raise CorruptBody if the body ended too early."""
        if self._unpacking is not None and self._begun and not self._unpacking.eof:
            raise CorruptBody("a compressed body that ends too early")


def _unpacker() -> zlib._Decompress:
    return zlib.decompressobj(zlib.MAX_WBITS | 32)
