"""What was made of modules' bytes in former processes, beside Python's own bytecode: to parse them all anew is half of
what a command costs that has nothing to do.

Known by the bytes, so no change is missed; whatever cannot be read or written there, or is not as it was written, is
made again. Delete it at will.
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

MOST = 4096  # modules remembered; over it those are forgotten that the last process did not need
Parsed = tuple[str, tuple[str, ...]]  # digest of a module's code, names that it imports


class Memory:
    """One file. version: of what makes the digests; another one remembers nothing of it."""

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
        """What `make` makes of a module with these bytes."""
        key = hashlib.sha256(module.encode() + b"\0" + data).hexdigest()
        self._needed.add(key)
        if key not in self._known:
            self._known[key] = make(module, data)
            self._news = True
        return self._known[key]

    def save(self) -> None:
        """Keep it for the next process, if there is news."""
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
    """Of the whole content, as the first line: a row with another letter in a name would still look sound."""
    return hashlib.sha256(content).hexdigest().encode("ascii")
