"""Why no log is found at a path: its files were not fetched, or the logs lie deeper."""

from __future__ import annotations

import importlib
import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from scrollwork.exchange.logs.json_rows import head_of

POINTER = b"version https://git-lfs.github.com/spec/"  # the beginning of a file that Git LFS keeps elsewhere
NOT_FETCHED = "only the pointer of Git LFS is there, the file itself was not fetched (git lfs pull)"
ENDINGS = (".eval", ".json", ".jsonl", ".parquet", ".csv", ".gz")  # of files of which one that is a pointer is told
MOST_FOLDERS = 1000  # below a folder that are looked at
MOST_S = 5.0


def is_pointer(file: Path) -> bool:
    """Return whether a file is what Git LFS leaves in place of one that was not fetched."""
    return head_of(file).startswith(POINTER)


def what_is_there(folder: Path, readers: Sequence[str]) -> str:
    """Return what a folder has in place of logs, as the end of a sentence on it; "" where nothing is known.

    readers: names of modules that look no deeper than the folders in a folder, which lie in folders below it.
    """
    begun = time.monotonic()
    asked = [importlib.import_module(name) for name in readers]
    for below, files in folders_below(folder):
        pointer = next((file for file in files if file.suffix.lower() in ENDINGS and is_pointer(file)), None)
        if pointer:
            return f"of {pointer} {NOT_FETCHED}"
        if below != folder and any(one.recognizes(below) for one in asked):
            return f"logs are in {below}: name that folder"
        if time.monotonic() - begun > MOST_S:
            break
    return ""


def folders_below(folder: Path) -> Iterator[tuple[Path, list[Path]]]:
    """Yield a folder and those below it, in the order of their names, with their files; not hidden ones."""
    for number, (place, below, names) in enumerate(os.walk(folder)):
        if number >= MOST_FOLDERS:
            return
        below[:] = sorted(name for name in below if not name.startswith("."))
        yield Path(place), [Path(place, name) for name in sorted(names)]
