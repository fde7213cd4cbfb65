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
from scrollwork.storage.errors import DamagedArtifact, StorageError
from scrollwork.storage.location import TEMPORARY, Location, is_writable

DAY_S = 24 * 3600.0  # a use is noted once in so long: a noted one is hashed again
TRIES = 4  # to open a copy that others may remove
FREE = 0.1  # share of the disk that copies leave free


def open_copy(folder: Location, part: Part) -> IO[bytes]:
    """Open the copy of a part of a remote folder; the part is fetched if there is none.

    Raises DamagedArtifact if the folder lacks the part or has other bytes there, StorageError if it cannot be reached
    or no copy can be made, StorageFull.
    """
    usable = True  # the place where the copy of this part stands
    for _ in range(TRIES):
        place = copies() if usable else own_copies()
        path = place / part.sha256
        try:
            stream = path.open("rb")
        except FileNotFoundError:
            with suppress(FileNotFoundError):  # somebody empties the cache: once more
                _fetch(folder, part, path)
        except OSError:  # something else is there, or a file that we may not read
            usable = False
        else:
            with suppress(OSError):
                if time.time() - os.fstat(stream.fileno()).st_mtime > DAY_S:
                    os.utime(path)
            return stream
    raise StorageError(f"{place}: no copy of {folder}/{part.name} can be kept there; let XDG_CACHE_HOME name another")


def drop_copy(part: Part) -> None:
    """Remove the copies of a part, which have other bytes than the part."""
    for place in (copies(), own_copies()):
        with suppress(OSError):
            (place / part.sha256).unlink()


def check_remote(folder: Location, part: Part) -> None:
    """Fetch a part, and raise as `open_copy` does if it is not there or has other bytes. Copies are neither read nor
    made."""
    with folder.temporary(part.name) as (_, made):
        _download(folder, part, made)


def keep(made: Path, sha256: str) -> None:
    """Keep a file that was just written to a remote folder as the copy of the part. A failure is passed over."""
    with suppress(OSError):
        path = copies() / sha256
        try:
            os.link(made, path)
        except FileExistsError:
            pass
        except OSError:  # on another disk
            _make_room(path.parent, made.stat().st_size)
            beside = path.with_name(f"{TEMPORARY}{sha256[:12]}-{os.getpid()}")
            try:
                shutil.copyfile(made, beside)
                beside.replace(path)
            finally:
                beside.unlink(missing_ok=True)


def _fetch(folder: Location, part: Part, path: Path) -> None:
    """Raises FileNotFoundError if the file vanishes while it is fetched."""
    _prune(path.parent)
    _make_room(path.parent, part.bytes)
    with Location(str(path.parent)).temporary(part.name) as (_, made):
        _download(folder, part, made)
        made.replace(path)


def _download(folder: Location, part: Part, made: Path) -> None:
    """Raises DamagedArtifact, FileNotFoundError if the local file vanishes."""
    try:
        folder.download(part.name, made)
    except FileNotFoundError:
        if not made.exists():
            raise
        raise DamagedArtifact(str(folder), part.name, "is missing") from None
    if (size := made.stat().st_size) != part.bytes:
        raise DamagedArtifact(str(folder), part.name, f"has {size:,} bytes, the manifest says {part.bytes:,}")
    if sha256_file(made) != part.sha256:
        raise DamagedArtifact(str(folder), part.name, "has other bytes than the manifest says (sha256)")


def copies() -> Path:
    """Return the folder of the copies, which exists: in the user's cache, else a temporary one of this process."""
    shared = cache_folder("parts")
    with suppress(OSError):
        shared.mkdir(mode=0o700, parents=True, exist_ok=True)
        if is_writable(shared):
            return shared
    return own_copies()


@cache
def own_copies() -> Path:
    """Return a folder for copies of this process alone, which goes with it."""
    own = Path(tempfile.mkdtemp(prefix="scrollwork-parts-"))
    atexit.register(shutil.rmtree, own, ignore_errors=True)
    return own


@cache  # once in a process
def _prune(folder: Path) -> None:
    """Remove copies that were not used for long, and what killed processes were fetching."""
    Location(str(folder)).sweep()
    remove_unused(folder)


def _make_room(place: Path, size: int) -> None:
    """Remove copies, the longest unused first, until so many bytes and FREE of the disk are free, or none is left."""
    usage = shutil.disk_usage(place)
    lacking = size + FREE * usage.total - usage.free
    for _, path in by_age(place) if lacking > 0 else ():
        if path.name.startswith(TEMPORARY):
            continue
        with suppress(OSError):
            freed = path.stat().st_size
            path.unlink()
            lacking -= freed
        if lacking <= 0:
            return
