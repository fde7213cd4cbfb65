"""Small parts of remote artifacts that were read already, for one run or one look at a home.

The name of a part holds the beginning of its digest. Bytes that do not fit it are not kept: a part that was damaged and
is whole again is read anew. Kept bytes are hashed as a whole before they are parsed, as those that were just read.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from threading import Lock

from scrollwork.storage.location import Location

KEPT_BYTES = 64 << 20  # in all
LARGEST = 4 << 20  # bytes of a part that is kept
IN_NAME = 12  # hex digits of its digest in a part's name
OTHERS = (".json",)  # endings of an artifact's files that are no parts: they are read anew


class KeptParts:
    """Bytes of small parts, by URL; the last used ones, up to `room` bytes in all."""

    def __init__(self, room: int = KEPT_BYTES) -> None:
        self._room, self._size = room, 0
        self._kept: OrderedDict[str, bytes] = OrderedDict()
        self._lock = Lock()

    def of(self, folder: Location) -> Location:
        """Return the folder of an artifact, which reads small parts once; a local one as it is."""
        return folder if folder.local is not None or not self._room else _Folder(folder.url, self)

    def get(self, url: str) -> bytes | None:
        """Return what was read of a part, None if it is not kept."""
        with self._lock:
            if url in self._kept:
                self._kept.move_to_end(url)
            return self._kept.get(url)

    def keep(self, url: str, data: bytes) -> None:
        """Keep the bytes of a part if they are few and have the digest in its name."""
        name = url.rpartition("/")[2]
        if len(data) > LARGEST or hashlib.sha256(data).hexdigest()[:IN_NAME] not in name:
            return
        with self._lock:
            self._size += len(data) - len(self._kept.pop(url, b""))
            self._kept[url] = data
            while self._size > self._room:
                self._size -= len(self._kept.popitem(last=False)[1])


class _Folder(Location):
    """A remote folder whose small parts are read once."""

    def __init__(self, url: str, kept: KeptParts) -> None:
        super().__init__(url)
        self._parts = kept

    def read(self, name: str) -> bytes:
        """Read a whole file. Raises FileNotFoundError."""
        url = f"{self.url}/{name}"
        if name.endswith(OTHERS):
            return super().read(name)
        if (data := self._parts.get(url)) is None:
            data = super().read(name)
            self._parts.keep(url, data)
        return data
