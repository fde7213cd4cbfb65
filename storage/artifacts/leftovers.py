"""Remove what killed runs left in a local folder of artifacts: temporary files, and parts without a manifest."""

from __future__ import annotations

import fcntl
from collections.abc import Callable, Collection, Iterable
from pathlib import Path

from scrollwork.storage.artifacts.manifest import NAME as MANIFEST
from scrollwork.storage.errors import StorageError
from scrollwork.storage.location import TEMPORARY, Location, is_file_at

LOCK = ".lock"


def swept(root: Path, keeper: Callable[[Location], Location | None] | None) -> int:
    """Remove the leftovers below `root`, the folder of all artifacts. Returns the number of files.

    Files of running builds stay, and files that the keeper refuses to give (`Artifacts.keeper`).
    """
    removed = 0
    for folder in (Path(p) for p in root.glob("*/*/*/")):
        removed += len(Location(str(folder)).sweep())
        if not (folder / MANIFEST).exists():
            removed += _sweep_unfinished(folder, keeper)
    return removed


def empty(folder: Location) -> None:
    """Remove all files of an artifact's folder, local or remote, but the lock."""
    for name in folder.names():
        if name != LOCK:
            folder.remove(name)


def tidy(folder: Location, there: Iterable[str], named: Collection[str]) -> None:
    """Remove the parts of killed or slower builders from a folder. there: what is in it. named: what stays."""
    for name in there:
        if name not in named and not name.startswith("."):
            folder.remove(name)


def _sweep_unfinished(folder: Path, keeper: Callable[[Location], Location | None] | None) -> int:
    """Remove a folder without a manifest, unless it is in use or the keeper refuses. Returns the number of files."""
    lock = folder / LOCK
    try:
        with lock.open("a+b") as stream:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if (folder / MANIFEST).exists() or not is_file_at(stream.fileno(), lock):
                return 0
            names = [path for path in folder.iterdir() if path.name != LOCK]
            if any(path.name.startswith(TEMPORARY) for path in names):
                return 0  # a process is writing here without the lock
            if names and keeper is not None:
                keeper(Location(str(folder)))
            for path in names:
                path.unlink(missing_ok=True)
            lock.unlink(missing_ok=True)
            folder.rmdir()
            return len(names)
    except (OSError, StorageError):
        return 0
