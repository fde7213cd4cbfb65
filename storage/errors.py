"""Errors of storage, with messages for the user."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager


class StorageError(RuntimeError):
    """Storage cannot do what was asked; the message says what to do."""


class StorageFull(StorageError):
    """No space left for an artifact or answer. Nothing half-written stays."""


class DamagedArtifact(StorageError):
    """A part of an artifact is missing or its bytes are not those that the manifest names."""

    def __init__(self, folder: str, part: str, problem: str) -> None:
        super().__init__(f"{folder}: part {part} {problem}")
        self.folder, self.part, self.problem = folder, part, problem


class ForeignStore(StorageError):
    """The database given as response store is not a response store. It was not changed."""


class TornStore(ForeignStore):
    """The file of the response store is damaged: cut short, or with damaged pages."""


class LostAnswers(StorageError):
    """The response store lacks answers that snapshots of its home hold."""


class DamagedRows(StorageError):
    """Rows of the response store were changed: their digests do not fit."""


class ForeignFile(StorageError):
    """The file to import is not a file of answers, or is damaged. Nothing of it was imported."""


class DownloadError(StorageError):
    """A file could not be downloaded. state: of the file (records/raw_file.py). code: the server's error code."""

    state = "missing"

    def __init__(self, why: str, code: str = "") -> None:
        super().__init__(why)
        self.code = code


class Gone(DownloadError):
    """The server has no such file any more (404, 410, 451), or has an error page in its place."""

    state = "dead"


class NeedsPerson(DownloadError):
    """The file needs a login, an agreement or a confirmation by a person; the message says what to do."""

    state = "manual"


class WrongBytes(DownloadError):
    """The bytes are not those that were published. They are kept under a name that nothing reads."""

    state = "corrupt"


class Stopped(DownloadError):
    """The download was stopped; what was downloaded is kept, and the next download continues it."""


class Again(Exception):
    """A failure that may not last. wait_s: the wait that the server asked for, None where it asked for none."""

    def __init__(self, why: str, wait_s: float | None = None) -> None:
        super().__init__(why)
        self.wait_s = wait_s


_NO_ROOM = {errno.ENOSPC: "no space left", errno.EDQUOT: "disk quota reached", errno.EFBIG: "file size limit reached"}


@contextmanager
def naming_full_disks(what: str, where: str) -> Iterator[None]:
    """Turn an out-of-space error into StorageFull that says what was being written, and where."""
    try:
        yield
    except OSError as error:
        if error.errno in _NO_ROOM:
            raise StorageFull(
                f"{where}: {_NO_ROOM[error.errno]} while writing {what}. Nothing half-written was kept and everything "
                "finished before stands; free space (or name another --home) and run the same command again"
            ) from error
        raise
