"""sha256 digests of values and of files. Digests of files can be cached by size and modification time."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

from scrollwork.records.base import canonical_json

CHUNK = 1 << 20


def sha256_of(value: Any) -> str:
    """Return the sha256 (in hex) of a value's canonical JSON."""
    return hashlib.sha256(canonical_json(value).encode("utf-8")).hexdigest()


def sha256_file(path: Path) -> str:
    """Return the sha256 (in hex) of a file. Only a chunk of the file is in memory at any time."""
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while chunk := stream.read(CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


class FileDigests:
    """Digests of local files. A digest is computed again only if the file's size or modification time changed.

    path: the JSON file that keeps the digests between runs, None to keep them in memory only. This is only a cache:
    `verify` never uses it.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._known: dict[str, list[Any]] = {}
        self._changed = False
        if path is not None:
            try:
                loaded = json.loads(path.read_text(encoding="utf-8"))
                self._known = loaded if isinstance(loaded, dict) else {}
            except (OSError, ValueError):
                pass  # this is only a cache, which is rebuilt

    def of(self, path: Path) -> tuple[str, int]:
        """Return the sha256 (in hex) and the size (in bytes) of a file. Raises OSError if it cannot be read."""
        stat = path.stat()
        stamp = [stat.st_size, stat.st_mtime_ns]
        known = self._known.get(str(path))
        if isinstance(known, list) and len(known) == 3 and known[:2] == stamp:
            return str(known[2]), stat.st_size
        digest = sha256_file(path)
        self._known[str(path)] = [*stamp, digest]
        self._changed = True
        return digest, stat.st_size

    def save(self) -> None:
        """Save the digests for the next run. If the file cannot be written, do nothing and raise no error."""
        if self._path is None or not self._changed:
            return
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            temporary = self._path.with_name(f".{self._path.name}.{os.getpid()}")
            temporary.write_text(json.dumps(self._known), encoding="utf-8")
            os.replace(temporary, self._path)
        except OSError:
            pass
