"""Data of a page in chunks that a browser opens one by one: JSON, gzip, base64.

Browsers can decompress gzip (DecompressionStream) but not zstd; base64 can be put into an HTML file and into a script.
A chunk holds about a megabyte, so that opening it takes a few hundredths of a second.
"""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from collections.abc import Callable, Mapping
from typing import Any

LEVEL = 5  # 6 takes half as long again for one to four hundredths less
GZIP = 31  # zlib's wbits for gzip with an empty header, so that equal input gives equal bytes
CALL = "scrollworkData"  # the function that a data file calls in the page

Put = Callable[[str, str], None]  # called with a chunk's name and base64


def packed(value: Any) -> str:
    """A value as base64 of gzip of JSON."""
    text = json.dumps(value, check_circular=False, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    compressor = zlib.compressobj(LEVEL, zlib.DEFLATED, GZIP)
    return base64.b64encode(compressor.compress(text.encode("utf-8")) + compressor.flush()).decode("ascii")


def data_file(name: str, chunk: str) -> bytes:
    """A chunk as a script that passes it to the page; a page opened from a folder can load scripts. name: ASCII."""
    return f'{CALL}("{name}","{chunk}");\n'.encode("ascii")


class Series:
    """Puts values into numbered chunks, in the order in which they come.

    put: called with each chunk. prefix: of their names. size: characters of text after which a chunk is closed.
    """

    def __init__(self, put: Put, prefix: str, size: int) -> None:
        self._put, self._prefix, self._size = put, prefix, size
        self._values: dict[str, Any] = {}
        self._held = 0
        self.number = 0  # of the chunk for the next value

    def add(self, name: str, value: Any, weight: int) -> int:
        """Add a value under a unique name; returns the number of its chunk. weight: characters of text in it."""
        if self._held and self._held + weight > self._size:
            self.close()
        self._values[name] = value
        self._held += weight
        return self.number

    def close(self) -> None:
        """Close the current chunk."""
        if self._values:
            self._put(f"{self._prefix}{self.number}", packed(self._values))
            self.number += 1
        self._values, self._held = {}, 0


class Spool:
    """Keeps chunks in files until it is known whether they fit into the page.

    write: called with a file's name and bytes. size: characters of all chunks.
    """

    def __init__(self, write: Callable[[str, bytes], None]) -> None:
        self._write = write
        self.names: list[str] = []
        self.size = 0
        self._hash = hashlib.sha256()

    def __call__(self, name: str, chunk: str) -> None:
        self._write(name, chunk.encode("ascii"))
        self._hash.update(f"{name}\0{chunk}\0".encode("ascii"))
        self.names.append(name)
        self.size += len(chunk)

    def digest(self) -> str:
        """sha256 in hex over all chunks and their names."""
        return self._hash.hexdigest()


def facts(values: Mapping[str, Any]) -> str:
    """JSON that is safe inside a page's script element: every "<" is escaped."""
    text = json.dumps(values, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c")
