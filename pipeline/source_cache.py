"""Cache of module digests between processes, next to Python's own bytecode. Without it, parsing all modules takes half
the time of a command that has nothing to do.

Entries are found by the module's bytes, so no change is missed. An unreadable or damaged cache is rebuilt; the file can
be deleted at any time.
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

MOST = 4096  # cached modules; above this, only those are kept that this process needed
Parsed = tuple[str, tuple[str, ...]]  # digest of a module's code, names that it imports


class Memory:
    """One cache file. version: of the code that computes the digests; each version has its own file."""

    def __init__(self, folder: Path, version: str) -> None:
        self._path = folder / f"sources-{version[:16]}.memory"
        self._known: dict[str, Parsed] = {}
        self._needed: set[str] = set()
        self._news = False
        with suppress(OSError):  # none
            digest, _, content = self._path.read_bytes().partition(b"\n")
            if digest == _digest(content):
                self._known = {key: (made, tuple(names)) for key, (made, names) in json.loads(content).items()}
        if not sys.dont_write_bytecode:
            atexit.register(self.save)

    def of(self, module: str, data: bytes, make: Callable[[str, bytes], Parsed]) -> Parsed:
        """The cached result of `make(module, data)`."""
        key = hashlib.sha256(module.encode() + b"\0" + data).hexdigest()
        self._needed.add(key)
        if key not in self._known:
            self._known[key] = make(module, data)
            self._news = True
        return self._known[key]

    def save(self) -> None:
        """Write the cache for the next process, if it changed."""
        if not self._news:
            return
        kept = self._known if len(self._known) <= MOST else {key: self._known[key] for key in self._needed}
        unfinished = self._path.with_suffix(f".{os.getpid()}")
        with suppress(OSError):  # a folder that is not ours
            self._path.parent.mkdir(exist_ok=True)
            content = json.dumps(kept).encode("utf-8")
            unfinished.write_bytes(_digest(content) + b"\n" + content)
            unfinished.replace(self._path)
        self._news = False


def _digest(content: bytes) -> bytes:
    """sha256 of the whole content, the file's first line: valid JSON alone does not show a changed letter."""
    return hashlib.sha256(content).hexdigest().encode("ascii")
