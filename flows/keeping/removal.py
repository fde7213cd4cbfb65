"""Remove what `garbage_of` found. Killed at any moment, the home is whole: what is left goes with the next `gc`.

An artifact of a local home is renamed out of the home's artifacts, in one step, before its files are removed. Of a
remote one the manifest goes first: without it there is no artifact. Whatever was made from something goes before it.
"""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

from scrollwork.flows.keeping.garbage import ARTIFACT, LEFTOVER, PAGE, TRASH, Garbage, Item, garbage_of
from scrollwork.storage.artifacts.artifact import LOCK, Artifact
from scrollwork.storage.artifacts.manifest import NAME as MANIFEST
from scrollwork.storage.errors import StorageError
from scrollwork.storage.home import Home
from scrollwork.storage.in_use import alone
from scrollwork.storage.location import TEMPORARY, Location

# the artifacts are on another disk than the home, or the disk is so full that no folder can be made
IN_PLACE = (errno.EXDEV, errno.ENOSPC, errno.EDQUOT)


@dataclass
class Removed:
    """garbage: what was found. items: what was removed of it. left: sentences on what was in use and stays."""

    garbage: Garbage
    items: list[Item] = field(default_factory=list)
    left: list[str] = field(default_factory=list)

    @property
    def bytes(self) -> int:
        """How much was removed."""
        return sum(one.bytes for one in self.items)


def collect(home: Home, keep_days: float) -> Removed:
    """List what may go, with nobody else at work in the home, and remove it.

    Raises InUse where a run or another gc is at work, StorageError for a home that cannot be written.
    """
    if not home.writable:
        raise StorageError(f"{home.url}: cannot be written, so nothing can be removed from it")
    with alone(home.url):
        done = Removed(garbage_of(home, keep_days))
        needed: set[str] = set()  # contents of what had to stay
        for item in done.garbage.items:
            if item.artifact is not None and needed & {item.artifact.content, item.artifact.exact}:
                took, why = False, "something that is in use was made from it"
            else:
                took, why = remove(home, item)
            if took:
                done.items.append(item)
            elif why:
                done.left.append(f"{item.place}: stays, {why}")
                needed |= set(item.artifact.manifest.ingredients.contents()) if item.artifact else set()
        if "://" not in home.url:
            with suppress(OSError):
                (Path(home.url) / TRASH).rmdir()
        return done


def remove(home: Home, item: Item) -> tuple[bool, str]:
    """Remove one item. Returns (whether it was removed, why not)."""
    if item.kind in (ARTIFACT, LEFTOVER):
        if item.folder.local is None:
            return remove_remote(item.folder, item.artifact)
        if Path(str(item.folder)).parent == Path(home.url) / TRASH:
            shutil.rmtree(str(item.folder), ignore_errors=True)
            return True, ""
        return remove_local(home, Path(str(item.folder)), item.artifact)
    if item.kind == PAGE and not item.names:
        shutil.rmtree(str(item.folder), ignore_errors=True)
    for name in item.names:
        item.folder.remove(name)
    return True, ""


def remove_remote(folder: Location, artifact: Artifact | None) -> tuple[bool, str]:
    """Remove a remote artifact, or parts without a manifest."""
    names = folder.names()
    if artifact is None and MANIFEST in names:
        return False, "it was finished in the meantime"
    folder.remove(MANIFEST)
    for name in names:
        folder.remove(name)
    return True, ""


def remove_local(home: Home, folder: Path, artifact: Artifact | None) -> tuple[bool, str]:
    """Remove a local artifact, or parts without a manifest, unless a process builds there."""
    try:
        descriptor = os.open(folder / LOCK, os.O_CREAT | os.O_RDWR, 0o666)
    except FileNotFoundError:
        return True, ""  # it is gone
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if artifact is None and (folder / MANIFEST).exists():
            return False, "it was finished in the meantime"
        if held(folder):
            return False, "a process is writing there"
        aside = Path(home.url) / TRASH / uuid4().hex
        try:
            aside.parent.mkdir(exist_ok=True)
            os.rename(folder, aside)
        except OSError as error:
            if error.errno not in IN_PLACE:
                raise
            (folder / MANIFEST).unlink(missing_ok=True)
            aside = folder
        shutil.rmtree(aside)
        with suppress(OSError):
            folder.parent.rmdir()  # the slot, where it is empty
        return True, ""
    except BlockingIOError:
        return False, "a process is building there"
    finally:
        os.close(descriptor)


def held(folder: Path) -> bool:
    """Return whether a process writes a temporary file there."""
    for path in folder.glob(f"{TEMPORARY}*"):
        try:
            with path.open("rb") as stream:
                fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        except FileNotFoundError:
            continue
    return False


def places(items: Sequence[Item]) -> list[dict[str, object]]:
    """Return items as data."""
    return [
        {"kind": one.kind, "stage": one.stage, "place": one.place, "bytes": one.bytes, "why": one.why} for one in items
    ]
