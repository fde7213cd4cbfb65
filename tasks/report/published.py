"""Publish pages, each written whole or not at all, with its data files; those of earlier versions are removed."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from scrollwork.storage.artifacts.artifact import Artifact
from scrollwork.storage.errors import naming_full_disks
from scrollwork.storage.location import is_writable

FOLDER = ".files"  # suffix of a page's name: the folder of its data files


def publish(artifact: Artifact, path: Path) -> Path:
    """Copy the page of a report artifact and its data files to a path; return it. Raises DamagedArtifact."""
    facts = artifact.facts
    return write_or_elsewhere(
        path, lambda place: put_files(place, facts["page"], facts["folder"], facts["files"], artifact.bytes_of)
    )


def write_or_elsewhere(path: Path, write: Callable[[Path], object]) -> Path:
    """Write to a path of the home, or to the working directory if the home is not writable and has no such file.

    Return the path that was written. write: does nothing if the file already has the same bytes. Raises OSError.
    """
    try:
        write(path)
    except OSError as error:
        if error.errno not in (errno.EACCES, errno.EPERM, errno.EROFS) or is_writable(path.parent):
            raise
        path = Path.cwd() / path.name
        write(path)
    return path


def write_home_file(path: Path, data: bytes) -> Path:
    """Write a file to the home, or elsewhere (`write_or_elsewhere`). Return the path that was written."""
    return write_or_elsewhere(path, lambda place: write_file(place, data))


def put_files(path: Path, page: str, folder: str, files: Sequence[str], bytes_of: Callable[[str], bytes]) -> None:
    """Write the data files, then the page that needs them, then remove the data files of earlier pages.

    page: its name for bytes_of, which returns the bytes of a file. folder: of the data files, beside the page.
    """
    for name in files:
        write_file(path.parent / folder / name, bytes_of(name))
    write_file(path, bytes_of(page))
    remove_old_data(path, folder)


def remove_old_data(path: Path, folder: str) -> None:
    """Remove the data files of earlier versions of a page."""
    own = path.parent / f"{path.stem}{FOLDER}"
    for old in own.iterdir() if own.is_dir() else ():
        if f"{own.name}/{old.name}" != folder and old.is_dir():
            shutil.rmtree(old, ignore_errors=True)
    with suppress(OSError):
        own.rmdir()  # fails if something is left in it


def write_file(path: Path, data: bytes) -> Path:
    """Write a file whole or not at all. A file that holds these bytes is left alone."""
    if path.is_file() and path.stat().st_size == len(data) and path.read_bytes() == data:
        return path
    with naming_full_disks("the report", str(path.parent)):
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            temporary.write_bytes(data)
            os.replace(temporary, path)
        finally:
            temporary.unlink(missing_ok=True)
    return path
