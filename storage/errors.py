"""The errors that storage raises. Their messages are written for the user."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager


class StorageError(RuntimeError):
    """Storage cannot do what the caller wants. The message says what the user can do."""


class AccessDenied(StorageError):
    """A remote folder may not be read, or not be written, by who we are."""


class StorageFull(StorageError):
    """There is no space left for an artifact or an answer. No half-written file is left behind."""


class DamagedArtifact(StorageError):
    """A part of an artifact is missing or has other bytes than the manifest says, or the manifest is broken."""

    def __init__(self, folder: str, part: str, problem: str) -> None:
        super().__init__(f"{folder}: part {part} {problem}")
        self.folder, self.part, self.problem = folder, part, problem


class ForeignStore(StorageError):
    """The database that the user named is not a response store that this version can read. It was not changed."""


class TornStore(ForeignStore):
    """The file of the response store is damaged: it was cut short, has damaged pages, or its repair was killed."""


class LostAnswers(StorageError):
    """Answers are missing from the response store, although snapshots in its home hold them."""


class DamagedRows(StorageError):
    """Rows of the response store were changed: their values do not match their digests."""


class ForeignFile(StorageError):
    """The file or backup to import does not hold answers, or is damaged. Nothing of that file was imported."""


class DownloadError(StorageError):
    """A file could not be downloaded.

    state: the state that the raw file now has (records/raw_file.py). code: the server's error code, "" for none.
    """

    state = "missing"

    def __init__(self, why: str, code: str = "") -> None:
        super().__init__(why)
        self.code = code


class Gone(DownloadError):
    """The server no longer has the file (HTTP 404, 410, 451), or sends an error page in its place."""

    state = "dead"


class NeedsPerson(DownloadError):
    """A person must log in, agree to terms or confirm something to get the file. The message says what to do."""

    state = "manual"


class WrongBytes(DownloadError):
    """The bytes differ from the published ones. A complete file is kept as NAME.corrupt; nothing reads it."""

    state = "corrupt"


class Stopped(DownloadError):
    """The download was stopped. The bytes that came so far are kept, and the next download continues from there."""


class Again(Exception):
    """A failure after which another try may succeed.

    wait_s: how many seconds the server asked us to wait, None if it did not say.
    """

    def __init__(self, why: str, wait_s: float | None = None) -> None:
        super().__init__(why)
        self.wait_s = wait_s


_NO_ROOM = {errno.ENOSPC: "no space left", errno.EDQUOT: "disk quota reached", errno.EFBIG: "file size limit reached"}


@contextmanager
def naming_full_disks(what: str, where: str) -> Iterator[None]:
    """Turn an out-of-space OSError of the block into StorageFull; other errors pass unchanged.

    what, where: what the block writes, and in which place, for the message.
    """
    try:
        yield
    except OSError as error:
        if error.errno in _NO_ROOM:
            raise StorageFull(
                f"{where}: {_NO_ROOM[error.errno]} while writing {what}. Nothing half-written was kept and everything "
                "finished before stands; free space (or name another --home) and run the same command again"
            ) from error
        raise
