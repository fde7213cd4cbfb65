"""Keep the digests of modules between processes, in a file next to Python's own bytecode.

Without this cache, parsing all modules takes half the time of a command that has nothing to do. Entries are found by
the bytes of a module, so no change is missed. A cache that cannot be read or is damaged is made again. Its file can be
deleted at any time.
"""

from __future__ import annotations

import atexit
import hashlib
import json
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

MOST = 4096  # most entries; if there are more, only those that this process used are written
Parsed = tuple[str, tuple[str, ...]]  # digest of a module's code, and the names that it imports


class Memory:
    """The entries of one cache file. The file is written when this process ends, unless Python writes no bytecode.

    folder: the file's folder. version: a digest of what computes the entries; each version has a file of its own.
    """

    def __init__(self, folder: Path, version: str) -> None:
        self._path = folder / f"sources-{version[:16]}.memory"
        self._known: dict[str, Parsed] = {}
        self._needed: set[str] = set()
        self._news = False
        with suppress(OSError):  # there is no file yet
            digest, _, content = self._path.read_bytes().partition(b"\n")
            if digest == _digest(content):
                self._known = {key: (made, tuple(names)) for key, (made, names) in json.loads(content).items()}
        if not sys.dont_write_bytecode:
            atexit.register(self.save)

    def of(self, module: str, data: bytes, make: Callable[[str, bytes], Parsed]) -> Parsed:
        """Return the result of `make(module, data)`, from the cache if it is there.

        module: its name. data: the bytes of its file.
        """
        key = hashlib.sha256(module.encode() + b"\0" + data).hexdigest()
        self._needed.add(key)
        if key not in self._known:
            self._known[key] = make(module, data)
            self._news = True
        return self._known[key]

    def save(self) -> None:
        """Write the cache for the next process, if it changed. If the file cannot be written, nothing happens."""
        if not self._news:
            return
        kept = self._known if len(self._known) <= MOST else {key: self._known[key] for key in self._needed}
        unfinished = self._path.with_suffix(f".{os.getpid()}")
        with suppress(OSError):  # we may not write into the folder
            self._path.parent.mkdir(exist_ok=True)
            content = json.dumps(kept).encode("utf-8")
            unfinished.write_bytes(_digest(content) + b"\n" + content)
            unfinished.replace(self._path)
        self._news = False


def _digest(content: bytes) -> bytes:
    """Return the sha256 of the file's content. It is the first line of the file.

    It is needed because a file in which one letter changed may still be valid JSON.
    """
    return hashlib.sha256(content).hexdigest().encode("ascii")
