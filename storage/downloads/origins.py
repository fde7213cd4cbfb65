"""Where raw files came from: `.sources.json` in the raw folder, {files: {path: {url, sha256, bytes, etag}}, archives,
listings: files of commits of hub data sets}.

If no digest is published, the first download's digest is kept, so that later changes are noticed. Several processes may
write; each adds what it knows.
"""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path
from typing import Any

from scrollwork.storage.location import Location, file_lock

NAME = ".sources.json"
EVERY_S = 5.0
KINDS = ("files", "archives", "listings")


class Origins:
    """The notes of one raw folder. Thread-safe."""

    def __init__(self, raw: Path) -> None:
        self._raw = raw
        self._lock = threading.Lock()
        self._new: dict[str, dict[str, Any]] = {kind: {} for kind in KINDS}
        self._written = time.monotonic()
        self._known = self._read()

    def _read(self) -> dict[str, dict[str, Any]]:
        try:
            loaded = json.loads((self._raw / NAME).read_text(encoding="utf-8"))
        except FileNotFoundError:
            loaded = {}
        except (OSError, ValueError):
            loaded = {}  # only a memory: digests are recorded again from the files
        tables = loaded if isinstance(loaded, dict) else {}
        return {kind: _table(tables.get(kind)) for kind in KINDS}

    def file(self, path: str) -> dict[str, Any]:
        """What is noted about a file; {} for nothing."""
        with self._lock:
            return dict(self._known["files"].get(path, {}))

    def archive(self, path: str) -> dict[str, Any]:
        """What is noted about an archive: {unpacked: false while it is being unpacked, members: [path], ...}."""
        with self._lock:
            return dict(self._known["archives"].get(path, {}))

    def note_file(self, path: str, **what: Any) -> None:
        """Note a file; written to disk every EVERY_S seconds, and by `save`."""
        with self._lock:
            self._known["files"][path] = self._new["files"][path] = what
            due = time.monotonic() - self._written > EVERY_S
        if due:
            self.save()

    def note_archive(self, path: str, **what: Any) -> None:
        """Note an archive, and write it to disk at once."""
        with self._lock:
            self._known["archives"][path] = self._new["archives"][path] = what
        self.save()

    def listing(self, name: str) -> dict[str, Any] | None:
        """The noted files of a commit, {path: {bytes, sha256 or git_blob}}; None if the hub was not asked yet."""
        with self._lock:
            files = self._known["listings"].get(name)
            return None if files is None else dict(files)

    def note_listing(self, name: str, files: dict[str, dict[str, Any]]) -> None:
        """Note a commit's files, and write them to disk at once; they never change."""
        with self._lock:
            self._known["listings"][name] = self._new["listings"][name] = files
        self.save()

    def save(self) -> None:
        """Add new notes to the file on disk; notes of other processes are kept."""
        with self._lock:
            if not any(self._new.values()):
                return
            with file_lock(self._raw / f"{NAME}.lock"):
                on_disk = self._read()
                for kind, table in self._new.items():
                    on_disk[kind] |= table
                data = json.dumps({"version": 1, **on_disk}, indent=1, sort_keys=True).encode("utf-8")
                Location(str(self._raw)).replace(NAME, data)
            self._known = on_disk
            self._new = {kind: {} for kind in KINDS}
            self._written = time.monotonic()

    def reread(self) -> None:
        """Read what other processes wrote."""
        self.save()
        with self._lock:
            self._known = self._read()


def _table(value: Any) -> dict[str, Any]:
    return {path: what for path, what in value.items() if isinstance(what, dict)} if isinstance(value, dict) else {}
