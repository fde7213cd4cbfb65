"""Artifacts: folders of files, the parts, with a manifest that is written last. Without a manifest it is no artifact.

    artifacts/<stage>/<slot>/<first 20 characters of key>/{<table>-<number>-<digest>.parquet, manifest.json, run.json}

A slot names what an artifact is for ("zeroscrolls.qmsum.test"); its folders are the versions that were built. The
digest is part of a part's name, so two builders of the same artifact never overwrite each other's files; the manifest
of the first one is kept. run.json holds what differs between builds (clock, host, file times); no digest covers it.
"""

from __future__ import annotations

import json
import platform
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any, TypeVar

from scrollwork.records.base import Row
from scrollwork.storage.artifacts.checked import check, open_part
from scrollwork.storage.artifacts.copies import keep
from scrollwork.storage.artifacts.known import Known
from scrollwork.storage.artifacts.leftovers import LOCK as LOCK
from scrollwork.storage.artifacts.leftovers import empty, swept, tidy
from scrollwork.storage.artifacts.manifest import NAME as MANIFEST
from scrollwork.storage.artifacts.manifest import Ingredients, Manifest, Part, remote_manifests
from scrollwork.storage.artifacts.parts import TableWriter, TextReader, read_columns, read_rows, read_tuples
from scrollwork.storage.digest import sha256_of
from scrollwork.storage.errors import DamagedArtifact
from scrollwork.storage.location import Location, file_lock

R = TypeVar("R", bound=Row)

RUN = "run.json"
KEY_CHARS = 20


@dataclass(frozen=True)
class Artifact:
    """A finished artifact. Every method that reads a part first checks its digest, and may raise DamagedArtifact."""

    folder: Location
    manifest: Manifest

    @property
    def content(self) -> str:
        """The key under which later stages know this artifact. It is an ingredient of their own keys."""
        return self.manifest.content

    @property
    def exact(self) -> str:
        """The digest of all parts. Unlike `content`, it changes if equal answers have other tokens or costs."""
        return sha256_of([part.sha256 for part in self.manifest.files])

    @property
    def facts(self) -> Mapping[str, Any]:
        """The facts that the stage noted, mostly counts."""
        return self.manifest.facts

    def rows(self, table: str, row: type[R], only: tuple[str, Collection[str]] | None = None) -> Iterator[R]:
        """Yield the rows of a table, in order. only: (text column, allowed values). Values were checked when they were
        written, and are not checked again; but a row of an older schema raises InvalidRow if it does not fit `row`."""
        yield from read_rows(self.folder, self._checked(table), row, only)

    def columns(self, table: str, names: list[str]) -> Iterator[dict[str, Any]]:
        """Yield the rows of a table as dicts of these columns, in order; without columns that an old part lacks."""
        yield from read_columns(self.folder, self._checked(table), names)

    def tuples(
        self, table: str, names: Sequence[str], only: tuple[str, Collection[str]] | None = None
    ) -> Iterator[tuple[Any, ...]]:
        """Yield the same as tuples, which is faster; None for columns that an old part lacks. only: as for `rows`, but
        its column must be one of `names`."""
        yield from read_tuples(self.folder, self._checked(table), names, only)

    def texts(self) -> TextReader:
        """Return a reader of the texts of the table `documents`, by document id."""
        return TextReader(self.folder, self._checked("documents"))

    def bytes_of(self, name: str) -> bytes:
        """Return the bytes of a file that is no table (a report's page). Raises ValueError if there is no such file."""
        (part,) = self._checked(name)
        with open_part(self.folder, part) as checked:
            return checked.whole()

    def check(self, rehash: bool) -> None:
        """Raise DamagedArtifact if a part is missing or has another size or digest. rehash: hash all parts, not only
        those whose file time is not that in run.json. Remote files have no such time: without `rehash`, only their
        sizes are compared, as they were at the first such call."""
        for part in self.manifest.files:
            self.check_part(part, rehash)

    def _checked(self, table: str) -> list[Part]:
        parts = self.manifest.parts(table)
        for part in parts if self.folder.local is not None else ():  # a remote one is checked when it is opened, once
            self.check_part(part)
        return parts

    def check_part(self, part: Part, rehash: bool = True) -> None:
        """Check the size and digest of one part. rehash: as for `check`. Raises DamagedArtifact."""
        where, stamp = str(self.folder), None
        if self.folder.local is None and rehash:
            check(self.folder, part)
            return
        try:
            if self.folder.local is None:
                size = self.sizes[part.name]
            else:
                size, stamp = self.folder.size_and_time(part.name)
        except (FileNotFoundError, KeyError):
            raise DamagedArtifact(where, part.name, "is missing") from None
        if size != part.bytes:
            raise DamagedArtifact(where, part.name, f"has {size:,} bytes, the manifest says {part.bytes:,}")
        if self.folder.local is None:
            return
        if rehash or stamp != self._times().get(part.name):
            check(self.folder, part)

    @property
    def sizes(self) -> Mapping[str, int]:
        """The sizes of the files of a remote folder, by name, as they were listed first."""
        if "_sizes" not in vars(self):  # cached_property of Python 3.11 lets one thread list at a time
            vars(self)["_sizes"] = self.folder.sizes()
        found: Mapping[str, int] = vars(self)["_sizes"]
        return found

    def run(self) -> dict[str, Any]:
        """Return the content of run.json, the record of the build; {} if it is missing or unreadable."""
        try:
            noted = json.loads(self.folder.read(RUN))
            return noted if isinstance(noted, dict) else {}
        except (OSError, ValueError):
            return {}

    def _times(self) -> dict[str, int]:
        times = self.run().get("times", {})
        return times if isinstance(times, dict) else {}


class ArtifactWriter:
    """Writes the tables and files of one artifact. The caller may set `facts`, which enter the manifest; `content`, the
    content key if it is not the artifact's key; and `notes`, which are added to run.json."""

    def __init__(self, folder: Location, stack: ExitStack) -> None:
        self.facts: dict[str, Any] = {}
        self.content: str | None = None
        self.notes: dict[str, Any] = {}
        self._folder, self._stack = folder, stack
        self._tables: list[TableWriter[Any]] = []
        self._files: list[Part] = []

    def table(self, name: str, row: type[R]) -> TableWriter[R]:
        """Open a table, to which the caller adds rows. row: class of its rows."""
        writer = TableWriter(self._folder, name, row)
        self._stack.callback(writer.abort)
        self._tables.append(writer)
        return writer

    def file(self, name: str, data: bytes) -> None:
        """Write a file that is not a table. name: with an ending, before which the digest is inserted."""
        import hashlib

        sha256 = hashlib.sha256(data).hexdigest()
        stem, dot, ending = name.rpartition(".")
        final = f"{stem}-{sha256[:12]}{dot}{ending}"
        with self._folder.temporary(name) as (stream, path):
            stream.write(data)
            self._folder.publish(stream, path, final)
            if self._folder.local is None:
                keep(path, sha256)
        self._files.append(Part(final, name, 0, len(data), sha256))

    def finish(self) -> tuple[Part, ...]:
        """Close all tables, and return the parts: those of the tables, in the order of opening, then the files."""
        for table in self._tables:
            table.close()
        return tuple(part for table in self._tables for part in table.parts) + tuple(self._files)


class Artifacts:
    """All artifacts below one folder, local or remote.

    keeper: called with the folder of an artifact before its files are removed. It may move the files elsewhere and
    return their new folder, or raise StorageError so that they are not removed.
    known: what was read of a remote folder, not to ask for it again; for one run or one look at a home.
    """

    keeper: Callable[[Location], Location | None] | None = None

    def __init__(self, url: str, known: Known | None = None) -> None:
        self.root = Location(url)
        self._known = known if self.root.local is None else None

    @property
    def _read(self) -> dict[str, Artifact]:
        return self._known.artifacts if self._known is not None else {}

    def folder(self, stage: str, slot: str, key: str) -> Location:
        """Return the folder of the artifact with this key, which need not exist."""
        return self.root.child(stage, slot, key[:KEY_CHARS])

    def find(self, stage: str, slot: str, key: str) -> Artifact | None:
        """Return the artifact with this key, None if there is none; see `at`. Its parts are not checked."""
        folder = self.folder(stage, slot, key)
        if (artifact := self._read.get(folder.url) or self.at(folder)) is None:
            return None
        self.note(artifact)
        return artifact if artifact.manifest.key == key else None

    def note(self, artifact: Artifact) -> None:
        """Do not read the manifest of an artifact again, if it is of a remote folder that is `known`."""
        if self._known is not None:
            self._known.add(artifact)

    def at(self, folder: Location) -> Artifact | None:
        """Return the artifact in a folder, None if it has no manifest. Raises DamagedArtifact if that is broken."""
        try:
            data = folder.read(MANIFEST)
        except (FileNotFoundError, NotADirectoryError):
            return None
        return Artifact(folder, Manifest.from_bytes(data, str(folder)))

    def versions(self, stage: str, slot: str) -> list[Artifact]:
        """List all artifacts of a slot, the last built first. Raises DamagedArtifact if a manifest is broken."""
        base = self.root.child(stage, slot)
        if self._known is not None and slot not in self._known.slots_of(self.root.child(stage)):
            return []
        found = [a for name in base.names() if not name.endswith(".json") and (a := self.at(base.child(name)))]
        return sorted(found, key=lambda a: a.run().get("written", 0.0), reverse=True)

    def everything(self) -> Iterator[Artifact]:
        """Yield all artifacts, in the order of their folders. Raises DamagedArtifact if a manifest is broken."""
        if self.root.local is None:
            yield from self._everything_remote()
            return
        for stage in self.root.names():
            for slot in self.root.child(stage).names():
                base = self.root.child(stage, slot)
                yield from (
                    a for name in base.names() if not name.endswith(".json") and (a := self.at(base.child(name)))
                )

    def _everything_remote(self) -> Iterator[Artifact]:
        """Yield the same of a remote folder: its files are listed at once, and only unknown manifests are read."""
        for folder, data in remote_manifests(self.root, self._read):
            artifact = self._read.get(folder.url) if data is None else self._made(folder, data)
            if artifact is not None:
                yield artifact

    def _made(self, folder: Location, manifest: bytes) -> Artifact:
        self.note(found := Artifact(folder, Manifest.from_bytes(manifest, str(folder))))
        return found

    def repair(self, damage: DamagedArtifact) -> bool:
        """Remove a damaged artifact, unless another process has rebuilt it. Returns whether it was removed."""
        folder = Location(damage.folder)
        self._read.pop(folder.url, None)
        with file_lock(folder.local / LOCK) if folder.local is not None else nullcontext():
            try:
                artifact = self.at(folder)
                if artifact is not None:
                    artifact.check(rehash=True)
                    return False
            except DamagedArtifact:
                pass
            self.clear(folder)
            return True

    def clear(self, folder: Location) -> None:
        """Remove all files of a folder but the lock; the manifest first, so that it is never without its parts."""
        if self.keeper is not None:
            self.keeper(folder)
        self._read.pop(folder.url, None)
        folder.remove(MANIFEST)
        empty(folder)

    @contextmanager
    def building(self, stage: str, slot: str, key: str) -> Iterator[None]:
        """Hold the build lock of an artifact against other processes of this machine; a remote folder has none."""
        folder = self.folder(stage, slot, key)
        with file_lock(folder.local / LOCK) if folder.local is not None else nullcontext():
            yield

    def write(self, ingredients: Ingredients, key: str | None = None) -> _Writing:
        """Return a context manager: `with (writing := artifacts.write(...)) as writer`, then `writing.artifact`."""
        return _Writing(self, ingredients, key or ingredients.key())

    def sweep(self) -> int:
        """Remove what killed runs left: temporary files, and parts without a manifest. Returns the number of files.

        Files of running builds stay, and files that the keeper refuses to give. Does nothing in a remote folder.
        """
        return 0 if self.root.local is None else swept(self.root.local, self.keeper)


class _Writing:
    """Writes one artifact; the manifest only if the block ends without an error.

    After an error, finished parts stay until a sweep or the next build. artifact: set at the end; that of another
    builder if its manifest was there first.
    """

    artifact: Artifact

    def __init__(self, artifacts: Artifacts, ingredients: Ingredients, key: str) -> None:
        self._artifacts, self._ingredients, self._key = artifacts, ingredients, key
        self._folder = artifacts.folder(ingredients.stage, ingredients.slot, key)
        self._stack = ExitStack()

    def __enter__(self) -> ArtifactWriter:
        self._started = time.time()
        self._folder.sweep()
        self._writer = ArtifactWriter(self._folder, self._stack)
        return self._writer

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        with self._stack:
            if kind is not None:
                return
            files = self._writer.finish()
            manifest = Manifest(
                self._key, self._writer.content or self._key, self._ingredients, files, self._writer.facts
            )
            ours = Artifact(self._folder, manifest)
            try:
                self._note_run(ours)
            except FileNotFoundError:
                pass  # another builder has finished first and removed our parts; its manifest is kept
            first = self._folder.create(MANIFEST, manifest.to_bytes())
            standing = ours if first else self._artifacts.at(self._folder)
            assert standing is not None
            there = self._folder.names() if self._folder.local is not None else standing.sizes
            tidy(self._folder, there, {part.name for part in standing.manifest.files} | {MANIFEST, RUN})
            self._artifacts.note(standing)
            self.artifact = standing

    def _note_run(self, artifact: Artifact) -> None:
        times: dict[str, int | None] = dict.fromkeys(part.name for part in artifact.manifest.files)
        if self._folder.local is not None:
            times = {name: self._folder.size_and_time(name)[1] for name in times}
        run = {
            "written": time.time(),
            "seconds": round(time.time() - self._started, 3),
            "host": platform.node(),
            "times": times,
            **self._writer.notes,
        }
        self._folder.replace(RUN, json.dumps(run, indent=1, sort_keys=True).encode("utf-8"))
