"""Notes on where raw files came from, in the file `.sources.json` of the raw folder.

They are {files: {path: {url, sha256, bytes, etag}}, archives: {path: {unpacked, members, ...}}, listings: files of
commits of hub data sets}. A file that could not be downloaded has {state, why, url} instead. If no digest is published
for a file, the digest of its first download is noted, so that a later change is noticed. Several processes may write
the notes; each adds its own.
"""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path
from typing import Any

from scrollwork.storage.location import Location, file_lock

NAME = ".sources.json"
EVERY_S = 5.0  # least seconds between two writes of notes on files
KINDS = ("files", "archives", "listings")


class Origins:
    """The notes of one raw folder. It is thread-safe. The dicts that it returns are copies."""

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
            loaded = {}  # they are only a memory: digests are noted again from the files that are there
        tables = loaded if isinstance(loaded, dict) else {}
        return {kind: _table(tables.get(kind)) for kind in KINDS}

    def file(self, path: str) -> dict[str, Any]:
        """Return what is noted about a file, {} for nothing. path: relative to the raw folder."""
        with self._lock:
            return dict(self._known["files"].get(path, {}))

    def archive(self, path: str) -> dict[str, Any]:
        """Return what is noted about an archive, {} for nothing.

        It is {unpacked, members, ...}; unpacked: false while the archive is being unpacked. members: list of paths.
        """
        with self._lock:
            return dict(self._known["archives"].get(path, {}))

    def note_file(self, path: str, **what: Any) -> None:
        """Note a file; this replaces an older note. It is written to disk if the last write is over EVERY_S ago.

        Otherwise a later call writes it, or `save`, which the caller must call at the end.
        """
        with self._lock:
            self._known["files"][path] = self._new["files"][path] = what
            due = time.monotonic() - self._written > EVERY_S
        if due:
            self.save()

    def note_archive(self, path: str, **what: Any) -> None:
        """Note an archive, and write the notes to disk at once."""
        with self._lock:
            self._known["archives"][path] = self._new["archives"][path] = what
        self.save()

    def listing(self, name: str) -> dict[str, Any] | None:
        """Return the noted files of a commit, {path: {bytes, sha256 or git_blob}}; None if there is no such note."""
        with self._lock:
            files = self._known["listings"].get(name)
            return None if files is None else dict(files)

    def note_listing(self, name: str, files: dict[str, dict[str, Any]]) -> None:
        """Note the files of a commit, which never change, and write the notes to disk at once."""
        with self._lock:
            self._known["listings"][name] = self._new["listings"][name] = files
        self.save()

    def save(self) -> None:
        """Add the new notes to the file on disk, where notes of other processes are kept, and read those."""
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
        """Save the new notes, and read what other processes wrote."""
        self.save()
        with self._lock:
            self._known = self._read()


def _table(value: Any) -> dict[str, Any]:
    return {path: what for path, what in value.items() if isinstance(what, dict)} if isinstance(value, dict) else {}
