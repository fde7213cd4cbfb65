"""The user's cache: copies of what lies elsewhere, which all runs of a machine share. It can be deleted at any time."""

from __future__ import annotations

import os
import shutil
import time
from contextlib import suppress
from pathlib import Path

KEPT_S = 30 * 24 * 3600.0  # of a copy after its last use


def cache_folder(name: str) -> Path:
    """Return the folder of a kind of copies, which need not exist: in XDG_CACHE_HOME, by default ~/.cache."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "scrollwork" / name


def by_age(folder: Path) -> list[tuple[float, Path]]:
    """Return what is in a folder with the seconds since it was used (its time), the longest unused first."""
    found, now = [], time.time()
    for one in folder.iterdir() if folder.is_dir() else ():
        with suppress(OSError):  # another process removes it
            found.append((now - one.stat().st_mtime, one))
    return sorted(found, reverse=True)


def remove_unused(folder: Path) -> None:
    """Remove what is in a folder and was not used for KEPT_S."""
    for age, one in by_age(folder):
        if age > KEPT_S:
            with suppress(OSError):
                shutil.rmtree(one) if one.is_dir() else one.unlink()
