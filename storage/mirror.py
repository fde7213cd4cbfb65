"""Files of a remote folder as local copies, which all runs of a machine share.

A copy stands under what is known of the file: its URL, size and the object store's own stamp of its content or time. So
a file that changes there is another copy here, and one that did not is fetched once by each machine.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any
from uuid import uuid4

from scrollwork.storage.cache import cache_folder, remove_unused
from scrollwork.storage.digest import sha256_of
from scrollwork.storage.errors import StorageError
from scrollwork.storage.location import Location, file_lock
from scrollwork.storage.remote import naming_remote

CHUNK = 8 << 20
DENIED = (errno.EACCES, errno.EPERM, errno.EROFS)
# What object stores say of a file's content or time, by the names that fsspec's file systems give to it.
STAMPS = (
    *("ETag", "etag", "md5Hash", "content_md5", "checksum", "generation", "VersionId", "version_id"),
    *("LastModified", "last_modified", "mtime", "updated", "created"),
)


class Mirror:
    """The files below the remote folder `url`, one list of them in each process until `forget`."""

    def __init__(self, url: str) -> None:
        self.url = url.rstrip("/")
        self._there = Location(self.url)
        self._listed: dict[str, dict[str, tuple[int, str]]] = {}

    def files(self, top: str = "") -> dict[str, tuple[int, str]]:
        """Return (size, stamp) of each file below a folder directly in this one, by its path from here; "" for all.

        Raises StorageError if the store denies access or cannot be reached.
        """
        if top not in self._listed:
            found = self._there.files_below(top)
            self._listed[top] = {path: (int(one["size"] or 0), stamp_of(one)) for path, one in found.items()}
        return self._listed[top]

    def forget(self) -> None:
        """List the files anew when they are asked for next."""
        self._listed.clear()

    def place(self, path: str) -> Path:
        """Return the local copy of a file, fetched if it is not there yet. path: one of `files`.

        Raises FileNotFoundError if there is no such file (any more), StorageError if it cannot be fetched whole.
        """
        top, inside, _ = path.partition("/")
        listed = self.files(top if inside else "")
        if path not in listed:
            raise FileNotFoundError(f"{self.url}/{path}")
        size, stamp = listed[path]
        folder = copies() / sha256_of([self.url, path, size, stamp])[:40]
        copy = folder / path.rpartition("/")[2]
        try:
            if not copy.exists():
                prune()
                with file_lock(folder.with_name(f"{folder.name}.lock")):
                    if not copy.exists():
                        self._fetch(path, size, copy)
            with suppress(OSError):
                os.utime(folder)
        except OSError as error:
            if error.errno not in DENIED:
                raise
            where = error.filename or folder
            raise StorageError(
                f"{where}: {error.strerror}; copies of raw files are kept there: set XDG_CACHE_HOME"
            ) from error
        return copy

    def _fetch(self, path: str, size: int, copy: Path) -> None:
        folder = Location(str(copy.parent))
        with folder.temporary(copy.name) as (stream, made), naming_remote(f"{self.url}/{path}"):
            with self._there.open(path) as source:
                shutil.copyfileobj(source, stream, CHUNK)
            if stream.tell() != size:
                raise StorageError(f"{self.url}/{path}: {stream.tell():,} bytes came of {size:,}; run the same again")
            folder.publish(stream, made, copy.name)


def stamp_of(info: Mapping[str, Any]) -> str:
    """Return what a store says of a file's content or time; something new each time where it says nothing."""
    told = {name: str(info[name]) for name in STAMPS if info.get(name)}
    return sha256_of(told) if told else uuid4().hex


def copies() -> Path:
    """Return the folder of the copies, in the user's cache."""
    return cache_folder("raw")


@cache  # once in a process
def prune() -> None:
    """Remove copies that were not used for long."""
    remove_unused(copies())


@cache
def mirror_of(url: str) -> Mirror:
    """Return the mirror of a remote folder, one in each process."""
    return Mirror(url)
