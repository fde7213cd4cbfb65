"""Write a folder of files for other tools completely or not at all: fill it under another name, then rename it."""

from __future__ import annotations

import filecmp
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from scrollwork.storage.errors import StorageError, naming_full_disks
from scrollwork.storage.location import file_lock


@contextmanager
def whole_folder(target: Path, ours: Callable[[Path, str], bool]) -> Iterator[Path]:
    """Yield an empty folder to fill. If the block ends without error, the folder replaces `target` if the two differ.

    ours(target, path below target) says whether a file that is there already may be removed. A process killed at any
    moment leaves the old folder, the new one, or nothing at `target`; in the last case, the next call puts the old one
    back. Raises StorageError if `target` holds files that may not be removed, is a file or has no name (as "/" has
    none), and StorageFull if there is no space left.
    """
    target = target.resolve()
    if not target.name:
        raise StorageError(f"{target} is no folder that can be replaced; name another")
    new, old, lock = (target.with_name(f".{target.name}.{ending}") for ending in ("new", "old", "lock"))
    with file_lock(lock):
        try:
            _tidy(target, new, old)
            _refuse_others(target, ours)
            new.mkdir()
            with naming_full_disks(target.name, str(target.parent)):
                yield new
                _sync(new)
            if not are_same_folders(new, target):
                if target.exists():
                    os.rename(target, old)
                os.rename(new, target)
        finally:
            _tidy(target, new, old)
            lock.unlink(missing_ok=True)


def files_below(folder: Path) -> list[str]:
    """List the paths of all files below a folder, relative to it, with forward slashes, sorted; links are files too."""
    return sorted(
        path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_symlink() or not path.is_dir()
    )


def are_same_folders(one: Path, other: Path) -> bool:
    """Return whether both folders hold the same files with the same bytes."""
    names = files_below(one)
    if not other.is_dir() or names != files_below(other):
        return False
    return filecmp.cmpfiles(one, other, names, shallow=False)[0] == names


def _tidy(target: Path, new: Path, old: Path) -> None:
    """Remove what a killed call left behind. If there is nothing at the target, put the old folder back."""
    shutil.rmtree(new, ignore_errors=True)
    if old.is_dir() and not target.exists():
        os.rename(old, target)
    shutil.rmtree(old, ignore_errors=True)


def _refuse_others(target: Path, ours: Callable[[Path, str], bool]) -> None:
    if target.exists() and not target.is_dir():
        raise StorageError(f"{target}: is a file; name a folder")
    foreign = [path for path in files_below(target) if not ours(target, path)] if target.is_dir() else []
    if foreign:
        raise StorageError(f"{target}: holds files that are no export ({foreign[0]}); name an empty or a new folder")


def _sync(folder: Path) -> None:
    for path in [*(folder / name for name in files_below(folder)), folder]:
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
