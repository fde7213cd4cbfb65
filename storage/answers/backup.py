"""Backups of a store's answers in a folder. Each backup adds the answers that are new since the last one, as new files.

    DIR/{answers-00001-<digest>.parquet, ..., backup.json}

These files, the parts, have the format of `store export`; <digest> is that of their request keys. backup.json names
them in order, with their sizes and sha256. It is written after each part, so a killed backup keeps the finished parts.
"""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import asdict, dataclass, fields
from typing import IO, Any

import pyarrow.parquet as pq
import sqlalchemy as sa

from scrollwork.storage.answers.database import in_batches
from scrollwork.storage.answers.file_format import footer_of, groups_of, stored_digest, stored_line, write_file
from scrollwork.storage.answers.store import ResponseStore
from scrollwork.storage.answers.tables import responses
from scrollwork.storage.answers.transfer import Imported, answers_of, import_from, keys_of
from scrollwork.storage.errors import ForeignFile, StorageError
from scrollwork.storage.location import TEMPORARY, Location, file_lock

NAME, LOCK = "backup.json", ".backup.lock"
WHAT, FORMAT = "scrollwork backup of answers", 1
PART_ANSWERS = 20_000  # most answers in a part, and so the most that must be written again after a kill
_PART = re.compile(r"answers-[0-9]{5,}-[0-9a-f]{12}\.parquet")


@dataclass(frozen=True)
class Part:
    """A file of a backup. answers, attempts: how many it holds. sha256: of its bytes. written: unix seconds."""

    name: str
    answers: int
    attempts: int
    bytes: int
    sha256: str
    written: float


@dataclass(frozen=True)
class BackedUp:
    """Result of a backup.

    new: number of answers added now. answers: number of answers in all intact parts. parts: number of intact parts.
    damaged: a message for each other part. different: number of answers in intact parts that the store has with another
    digest.
    """

    new: int
    answers: int
    parts: int
    damaged: tuple[str, ...] = ()
    different: int = 0


def back_up(store: ResponseStore, folder: Location) -> BackedUp:
    """Add the answers that the backup in the folder does not hold yet. If there are none, no part is written.

    It reads the keys of all answers, but only the texts of new ones, and hashes the existing parts. Answers of a
    damaged part are written again, to a new part, if the store has them; the damaged part stays.

    Raises StorageError if the folder holds other files but no backup, DamagedRows if an answer of the store does not
    match its digest, and ForeignFile if backup.json was changed or a part disappears meanwhile.
    """
    with file_lock(folder.local / LOCK) if folder.local is not None else nullcontext():
        parts = parts_of(folder)
        strangers = [name for name in folder.names() if name not in (NAME, LOCK) and not _ours(name)]
        if not parts and strangers:
            raise StorageError(
                f"{folder}: holds files that are no backup ({strangers[0]}); name an empty or new folder"
            )
        damaged = {part: why for part in parts if (why := problem_of(folder, part))}
        known: set[str] = set()
        different = 0
        for part in parts:
            if part not in damaged:
                keys = list(_keys_in(folder, part))
                known.update(keys)
                different += _different(store, folder, part, keys)
        new = [key for key in keys_of(store) if key not in known]
        if new:
            _tidy(folder, parts)
        for start in range(0, len(new), PART_ANSWERS):
            parts = [*parts, _written(store, folder, len(parts) + 1, new[start : start + PART_ANSWERS])]
            folder.replace(NAME, _manifest(parts))
    whole = [part for part in parts if part not in damaged]
    return BackedUp(len(new), sum(part.answers for part in whole), len(whole), tuple(damaged.values()), different)


def restore(store: ResponseStore, folder: Location, intact: bool = False) -> Imported:
    """Import the answers of a backup, one transaction for each part. Answers that the store has already are kept.

    intact: import the intact parts, and skip parts that are damaged or missing. Raises ForeignFile if there is no
    backup and, without `intact`, if a part is damaged or missing; then nothing was imported. If the import of a part
    raises ForeignFile, the parts before it stay imported.
    """
    parts = [part for part in named_parts(folder) if not problem_of(folder, part)] if intact else check_backup(folder)
    done = [import_from(store, folder, part.name) for part in parts]
    return Imported(*(sum(vars(one)[field.name] for one in done) for field in fields(Imported)))


def named_parts(folder: Location) -> list[Part]:
    """List the parts that backup.json names. Raises ForeignFile if there is no backup, or backup.json was changed."""
    if not (parts := parts_of(folder)):
        raise ForeignFile(f"{folder}: is no backup of `scrollwork store backup` ({NAME} is not there)")
    return parts


def check_backup(folder: Location) -> list[Part]:
    """Return the parts of a backup. Raises ForeignFile unless there is a backup and all its parts are unchanged."""
    parts = named_parts(folder)
    if problems := [why for part in parts if (why := problem_of(folder, part))]:
        whole = len(parts) - len(problems)
        raise ForeignFile(f"{'; '.join(problems)}. Nothing was restored; --intact restores the {whole} whole parts")
    return parts


def problem_of(folder: Location, part: Part) -> str:
    """Return what is wrong with a part (it cannot be read, or has other bytes), "" if nothing is."""
    try:
        with folder.open(part.name) as stream:
            sha256 = _sha256(stream)
    except OSError as error:
        return f"{folder}/{part.name}: cannot be read ({error})"
    if sha256 != part.sha256:
        return f"{folder}/{part.name}: is torn or was edited, its bytes are not those that {NAME} says (sha256)"
    return ""


def _different(store: ResponseStore, folder: Location, part: Part, keys: list[str]) -> int:
    """Count the answers of a part that the store has with another digest. keys: all request keys of the part.

    The rows of the part are read only if its footer does not match the store.
    """
    held: dict[str, str] = {}
    for some in in_batches(keys):
        query = sa.select(responses.c.request_key, responses.c.digest).where(responses.c.request_key.in_(some))
        held |= store.database.read(lambda connection, query=query: dict(connection.execute(query).all()))  # type: ignore[misc]
    said = hashlib.sha256(b"".join(stored_line(key, held.get(key)) for key in keys)).hexdigest()
    if not held or said == footer_of(folder, part.name)["stored"]:
        return 0
    rows = (row for group in groups_of(folder, part.name) for row in group)
    return sum(held.get(row.request_key, digest) != digest for row in rows for digest in [stored_digest(row)])


def parts_of(folder: Location) -> list[Part]:
    """List the parts that backup.json names; [] if it is not there. Raises ForeignFile if it was changed."""
    try:
        data = folder.read(NAME)
    except (FileNotFoundError, NotADirectoryError):
        return []
    try:
        said = json.loads(data)
        parts = [Part(**part) for part in said["parts"]]
        whole = data == _manifest(parts) and said["what"] == WHAT
    except (ValueError, LookupError, TypeError, AttributeError):
        whole = False
    if not whole:
        raise ForeignFile(f"{folder}/{NAME}: is not what a backup of format {FORMAT} wrote; it was not touched")
    return parts


def _manifest(parts: list[Part]) -> bytes:
    """Return the bytes of backup.json, which holds a digest of itself; equal parts give equal bytes."""
    said: dict[str, Any] = {"what": WHAT, "format": FORMAT, "parts": [asdict(part) for part in parts]}
    said["digest"] = hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()
    return (json.dumps(said, indent=1, sort_keys=True) + "\n").encode()


def _written(store: ResponseStore, folder: Location, number: int, keys: list[str]) -> Part:
    """Write the part with this number, which holds the answers to these request keys, and return it."""
    named = hashlib.sha256("".join(keys).encode()).hexdigest()[:12]
    name = f"answers-{number:05d}-{named}.parquet"
    done = write_file(folder, name, answers_of(store, keys))
    with folder.open(name) as stream:
        sha256 = _sha256(stream)
    return Part(name, done.answers, done.attempts, folder.size_and_time(name)[0], sha256, round(time.time(), 3))


def _keys_in(folder: Location, part: Part) -> Iterator[str]:
    """Yield the request keys of an intact part, in order. Raises ForeignFile if it cannot be read."""
    try:
        with folder.open(part.name) as stream, pq.ParquetFile(stream, pre_buffer=False) as file:
            for group in range(file.metadata.num_row_groups):
                yield from file.read_row_group(group, columns=["request_key"], use_threads=False).column(0).to_pylist()
    except (OSError, ValueError) as error:  # Arrow's errors are subclasses of these
        raise ForeignFile(
            f"{folder}/{part.name}: is gone or torn ({error}). Back up into a new folder; this one was not touched"
        ) from error


def _ours(name: str) -> bool:
    return _PART.fullmatch(name) is not None or name.startswith(TEMPORARY)


def _tidy(folder: Location, parts: list[Part]) -> None:
    """Remove the temporary files and unnamed parts that killed backups left. Does nothing in a remote folder."""
    folder.sweep()
    known = {part.name for part in parts}
    for name in folder.names():
        if _PART.fullmatch(name) and name not in known and folder.local is not None:  # remote folders have no lock
            folder.remove(name)


def _sha256(stream: IO[bytes]) -> str:
    digest = hashlib.sha256()
    while data := stream.read(1 << 20):
        digest.update(data)
    return digest.hexdigest()
