"""Local copies of parts of remote artifacts, which all runs of a machine share.

A copy stands under the digest of its part, whatever home that is of, and is never believed: who reads it hashes it
(checked.py). It is made when a part is written or first read, and removed when it was not used for long, or sooner
where the disk has little room. Where the folder of the copies cannot be written, this process has one of its own.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
import time
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import IO

from scrollwork.storage.artifacts.manifest import Part
from scrollwork.storage.cache import by_age, cache_folder, remove_unused
from scrollwork.storage.digest import sha256_file
from scrollwork.storage.errors import DamagedArtifact
from scrollwork.storage.location import TEMPORARY, Location, is_writable

DAY_S = 24 * 3600.0  # a use is noted once in so long: a noted one is hashed again
FREE = 0.1  # share of the disk that copies leave free


def open_copy(folder: Location, part: Part) -> IO[bytes]:
    """Open the copy of a part of a remote folder; the part is fetched if there is none.

    Raises FileNotFoundError if the folder lacks the part, DamagedArtifact if it has other bytes there, StorageError if
    it cannot be reached, StorageFull.
    """
    path = copies() / part.sha256
    while True:
        try:
            stream = path.open("rb")
        except FileNotFoundError:
            _fetch(folder, part, path)
        else:
            with suppress(OSError):
                if time.time() - os.fstat(stream.fileno()).st_mtime > DAY_S:
                    os.utime(path)
            return stream


def drop_copy(part: Part) -> None:
    """Remove the copy of a part, which has other bytes than the part."""
    (copies() / part.sha256).unlink(missing_ok=True)


def check_remote(folder: Location, part: Part) -> None:
    """Fetch a part, and raise as `open_copy` does if it is not there or has other bytes. Copies are neither read nor
    made."""
    with folder.temporary(part.name) as (_, made):
        folder.download(part.name, made)
        _compare(folder, part, made)


def keep(made: Path, sha256: str) -> None:
    """Keep a file that was just written to a remote folder as the copy of the part. A failure is passed over."""
    path = copies() / sha256
    with suppress(OSError):
        try:
            os.link(made, path)
        except FileExistsError:
            pass
        except OSError:  # on another disk
            _make_room(made.stat().st_size)
            beside = path.with_name(f"{TEMPORARY}{sha256[:12]}-{os.getpid()}")
            try:
                shutil.copyfile(made, beside)
                beside.replace(path)
            finally:
                beside.unlink(missing_ok=True)


def _fetch(folder: Location, part: Part, path: Path) -> None:
    _prune(copies())
    _make_room(part.bytes)
    with Location(str(path.parent)).temporary(part.name) as (_, made):
        folder.download(part.name, made)
        _compare(folder, part, made)
        made.replace(path)


def _compare(folder: Location, part: Part, made: Path) -> None:
    if (size := made.stat().st_size) != part.bytes:
        raise DamagedArtifact(str(folder), part.name, f"has {size:,} bytes, the manifest says {part.bytes:,}")
    if sha256_file(made) != part.sha256:
        raise DamagedArtifact(str(folder), part.name, "has other bytes than the manifest says (sha256)")


def copies() -> Path:
    """Return the folder of the copies, which exists: in the user's cache, else a temporary one of this process."""
    folder = _chosen(cache_folder("parts"))
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)  # again, if somebody has emptied the cache
    return folder


@cache
def _chosen(shared: Path) -> Path:
    with suppress(OSError):
        shared.mkdir(mode=0o700, parents=True, exist_ok=True)
        if is_writable(shared):
            return shared
    own = Path(tempfile.mkdtemp(prefix="scrollwork-parts-"))
    atexit.register(shutil.rmtree, own, ignore_errors=True)
    return own


@cache  # once in a process
def _prune(folder: Path) -> None:
    """Remove copies that were not used for long, and what killed processes were fetching."""
    Location(str(folder)).sweep()
    remove_unused(folder)


def _make_room(size: int) -> None:
    """Remove copies, the longest unused first, until so many bytes and FREE of the disk are free, or none is left."""
    usage = shutil.disk_usage(copies())
    lacking = size + FREE * usage.total - usage.free
    for _, path in by_age(copies()) if lacking > 0 else ():
        with suppress(OSError):
            freed = path.stat().st_size
            path.unlink()
            lacking -= freed
        if lacking <= 0:
            return
