"""Read what is left of snapshots of answers that are damaged or have no manifest, and move them aside.

They may hold the last copy of paid answers, so none is removed before its answers are in the store. An answer is
believed if its own digest fits, or if the digest of its whole file is the one in the file's name. A failure has no
digest of its own, so only the digest of the file counts.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any

import sqlalchemy as sa

from scrollwork.models.hosted.replies import without_room
from scrollwork.models.registry import CALLED
from scrollwork.pipeline.snapshots.rows import store_row
from scrollwork.records.base import InvalidRow, Row
from scrollwork.records.response import Failure, Response
from scrollwork.storage.answers.rows import LOSSY
from scrollwork.storage.answers.store import ResponseStore
from scrollwork.storage.answers.tables import responses
from scrollwork.storage.artifacts.artifact import LOCK, Artifact
from scrollwork.storage.artifacts.manifest import NAME as MANIFEST
from scrollwork.storage.digest import sha256_file
from scrollwork.storage.errors import DamagedArtifact
from scrollwork.storage.home import SNAPSHOTS, Home
from scrollwork.storage.location import TEMPORARY, Location

_PART = re.compile(r"(responses|failures)-\d+-([0-9a-f]{12})\.parquet")
_KINDS: dict[str, type[Row]] = {"responses": Response, "failures": Failure}
_LABELS = ("suite", "task", "split", "example_id", "draw", "arm")  # which input a row answers; not in the store
_SOME = 64  # number of rows that are read at once
UNREADABLE = (OSError, ValueError, TypeError, LookupError, MemoryError, InvalidRow)  # Arrow's errors are among these


@dataclass(frozen=True)
class Damaged:
    """A damaged snapshot.

    why: what is wrong. provider: "" if unknown. models: the asked models that its manifest names, () if that cannot be
    read. answered, failed (for good): request keys that can still be read. unread: number of answers whose key cannot
    be read.
    """

    folder: Location
    why: str
    provider: str
    models: tuple[str, ...]
    answered: frozenset[str]
    failed: frozenset[str]
    unread: int

    @property
    def paid(self) -> bool:
        """True if its answers may have cost money or time: its model is hosted or local, or its provider is unknown."""
        return self.provider in CALLED or not self.provider

    def __str__(self) -> str:
        return self.why if self.why.startswith(str(self.folder)) else f"{self.folder}: {self.why}"


def provider_of(snapshot: Artifact) -> str:
    """Return the provider of a snapshot's model; "" if the snapshot does not name one."""
    settings = snapshot.manifest.ingredients.params.get("settings")
    return str(settings.get("provider", "")) if isinstance(settings, dict) else ""


def snapshot_folders(home: Home) -> Iterator[Location]:
    """Yield the folders of all snapshots of answers in a home."""
    base = home.artifacts.root.child(SNAPSHOTS)
    for slot in base.names():
        for name in base.child(slot).names():
            if not name.endswith(".json"):
                yield base.child(slot, name)


def damaged_snapshots(home: Home) -> list[Damaged]:
    """List the damaged snapshots of a home, except those that a process of this machine is building now."""
    found = [damaged_snapshot(home, folder) for folder in snapshot_folders(home)]
    return [one for one in found if one is not None and not _being_built(one.folder)]


def _being_built(folder: Location) -> bool:
    """Return whether a process of this machine holds the folder's build lock."""
    try:
        if folder.local is not None:
            with (folder.local / LOCK).open("rb") as stream:
                fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


def damaged_snapshot(home: Home, folder: Location) -> Damaged | None:
    """Return what is known about the damaged snapshot in a folder; None if it is intact or there is none."""
    artifact, why = None, "has parts of answers and no manifest"
    try:
        artifact = home.artifacts.at(folder)
        if artifact is not None:
            for part in artifact.manifest.files:
                artifact.check_part(part)
            return None
    except DamagedArtifact as damage:
        why = str(damage)
    names = [name for name in folder.names() if _PART.fullmatch(name)]
    if artifact is None and not names:
        return None
    keys: dict[str, set[str]] = {"responses": set(), "failures": set()}
    providers: set[str] = set()
    expected = read = 0
    for name in names:
        table = name.partition("-")[0]
        count, rows = _glance(folder, name)
        if table == "responses":
            empty = {row["request_key"] for row in rows if is_empty(row)}
            keys["failures"] |= empty
            expected, read = expected + count, read + len(rows)
            providers |= {row.get("provider") or "" for row in rows}
            rows = [row for row in rows if row["request_key"] not in empty]
        keys[table] |= {row["request_key"] for row in rows if row.get("kind", "terminal") == "terminal"}
    if artifact is not None:
        expected, providers = artifact.facts.get("answered", expected), {provider_of(artifact)}
    provider = next((one for one in CALLED if one in providers), "")
    if not provider and len(providers) == 1:
        (provider,) = providers
    models = tuple(artifact.facts.get("members", ())) if artifact is not None else ()
    answered, failed = frozenset(keys["responses"]), frozenset(keys["failures"])
    return Damaged(folder, why, provider, models, answered, failed, max(0, expected - read))


def _glance(folder: Location, name: str) -> tuple[int, list[dict[str, Any]]]:
    """Return (number of rows of a part, the rows that can be read).

    The rows are dictionaries with request_key, provider, kind, finish_reason and text, as far as the part has them. If
    the number cannot be read, it is the number of rows found, at least 1. If damage hides all rows, only their keys are
    read.
    """
    import pyarrow.parquet as pq

    found: list[dict[str, Any]] = []
    try:
        with folder.open(name) as stream, pq.ParquetFile(stream, pre_buffer=False) as file:
            names = ("request_key", "provider", "kind", "finish_reason", "text")
            wanted = [one for one in names if one in file.schema_arrow.names]
            found = list(_readable(file, wanted)) or list(_readable(file, ["request_key"]))
            return file.metadata.num_rows, [row for row in found if isinstance(row.get("request_key"), str)]
    except UNREADABLE:
        return max(1, len(found)), found


def is_empty(row: Mapping[str, Any]) -> bool:
    """Return whether a row is an empty reply that an older version stored as an answer."""
    return "text" in row and without_room(str(row["text"] or ""), str(row.get("finish_reason")))


def _readable(file: Any, names: list[str]) -> Iterator[dict[str, Any]]:
    """Yield the rows of a part that can be read: in each row group, those before the first damage."""
    for group in range(file.metadata.num_row_groups):
        try:
            for batch in file.iter_batches(_SOME, row_groups=[group], columns=names, use_threads=False):
                for number in range(batch.num_rows):
                    try:
                        yield batch.slice(number, 1).to_pylist()[0]
                    except UNREADABLE:
                        continue
        except UNREADABLE:
            continue


def certain_rows(found: Damaged) -> tuple[list[Response], list[Failure]]:
    """Return the answers and the failures of a damaged snapshot that are certainly unchanged."""
    answers: list[Response] = []
    failures: list[Failure] = []
    for name in found.folder.names():
        if not (part := _PART.fullmatch(name)):
            continue
        try:
            whole = _sha256(found.folder, name).startswith(part[2])
            rows = list(_rows(found.folder, name, _KINDS[part[1]]))
        except UNREADABLE:
            continue
        for row in rows:
            if isinstance(row, Failure):
                failures += [row] if whole else []
            elif isinstance(row, Response) and (whole or _fits(row, found.provider)):
                answers.append(row)
    return answers, failures


def _fits(row: Response, provider: str) -> bool:
    """Return whether the row has a digest of its own, and this fits its content."""
    return row.digest is not None and store_row(row, provider).origin != LOSSY


def _rows(folder: Location, name: str, kind: type[Row]) -> Iterator[Row]:
    """Yield the rows of a part that can be read, as records with empty _LABELS."""
    import pyarrow.parquet as pq

    labels: dict[str, Any] = {label: 0 if label == "draw" else "" for label in _LABELS}
    with folder.open(name) as stream, pq.ParquetFile(stream, pre_buffer=False) as file:
        known = {field.name for field in fields(kind)}.difference(_LABELS)
        for values in _readable(file, [one for one in file.schema_arrow.names if one in known]):
            try:
                yield kind.from_dict({**labels, **values})
            except UNREADABLE:
                continue


def lacking_answers(store: ResponseStore, found: Damaged) -> str:
    """Say which answers of a damaged snapshot the store may lack; "" if it holds them all.

    If some keys cannot be read, the store must hold at least as many answers of the snapshot's models as the snapshot
    has (of all hosted and local models, if its models are unknown).
    """
    states = store.states(found.answered | found.failed)
    lost = (found.answered | found.failed).difference(states)
    lost |= {key for key in found.answered if states.get(key) not in (None, "answered")}
    if lost:
        return f"{len(lost):,} of its answers (the first: {min(lost)}) are not in the store"
    if found.unread:
        mine = responses.c.model.in_(found.models) if found.models else responses.c.provider.in_(list(CALLED))
        query = sa.select(sa.func.count()).select_from(responses).where(mine)
        count = store.database.read(lambda connection: int(connection.scalar(query) or 0))
        if count < found.unread + len(found.answered):
            return f"{found.unread:,} of its answers cannot be read, and may not be in the store"
    return ""


def move_aside(home: Home, folder: Location) -> Location | None:
    """Move the files of a snapshot out of the artifacts, to the home's folder "damaged".

    Returns the new folder; None if a process is writing there, and nothing was moved.
    """
    folder.sweep()
    names = [name for name in folder.names() if name != LOCK]
    if any(name.startswith(TEMPORARY) for name in names):
        return None
    slot, name = folder.url.split("/")[-2:]
    base, number = Location(home.url).child("damaged"), 1
    while (aside := base.child(f"{SNAPSHOTS}.{slot}.{name}-{number}")).names():
        number += 1
    for one in sorted(names, key=lambda one: one != MANIFEST):  # first, so that it is never without its parts
        _move(folder, one, aside)
    return aside


def _move(folder: Location, name: str, aside: Location) -> None:
    if folder.local is not None and aside.local is not None:
        aside.local.mkdir(parents=True, exist_ok=True)
        os.rename(folder.local / name, aside.local / name)
    else:
        aside.replace(name, folder.read(name))
        folder.remove(name)


def _sha256(folder: Location, name: str) -> str:
    return (
        sha256_file(folder.local / name) if folder.local is not None else hashlib.sha256(folder.read(name)).hexdigest()
    )


def refusal_message(found: Damaged, why: str) -> str:
    """Return the message of LostAnswers: why no model is asked, and what the user can do."""
    return (
        f"a damaged snapshot may hold the last copy of paid answers: {found}; {why}. Nothing was asked and nothing "
        "was thrown away. `scrollwork store repair` puts back what can be read of it and moves it aside; "
        "or name the store of its answers with --store; whoever wants new answers names another --home"
    )
