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
from functools import cached_property
from typing import Any, TypeVar

from scrollwork.records.base import Row
from scrollwork.storage.artifacts.checked import check, open_part
from scrollwork.storage.artifacts.kept import KeptParts
from scrollwork.storage.artifacts.leftovers import LOCK as LOCK
from scrollwork.storage.artifacts.leftovers import empty, swept
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
            self._check(part, rehash)

    def check_part(self, part: Part, rehash: bool = True) -> None:
        """Check the size and digest of one part. rehash: as for `check`. Raises DamagedArtifact."""
        self._check(part, rehash)

    def _checked(self, table: str) -> list[Part]:
        parts = [part for part in self.manifest.files if part.table == table]
        for part in parts if self.folder.local is not None else ():  # a remote one is checked when it is opened, once
            self._check(part, rehash=True)
        return parts

    def _check(self, part: Part, rehash: bool) -> None:
        where, stamp = str(self.folder), None
        if self.folder.local is None and rehash:
            check(self.folder, part)
            return
        try:
            if self.folder.local is None:
                size = self._sizes[part.name]
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

    @cached_property
    def _sizes(self) -> Mapping[str, int]:
        """The sizes of the files of a remote folder, by name, from one listing."""
        return self.folder.sizes()

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
    known: where `find` and `everything` keep what they read of a remote folder, by URL, not to ask for it again; for
    one run or one look at a home. Parts are checked all the same when they are read, small ones are read once; `at`
    and listings are of now.
    """

    keeper: Callable[[Location], Location | None] | None = None

    def __init__(self, url: str, known: dict[str, Artifact] | None = None) -> None:
        self.root = Location(url)
        self._known = known if known is not None and self.root.local is None else None
        self._keep = KeptParts().of if self._known is not None else lambda folder: folder

    def folder(self, stage: str, slot: str, key: str) -> Location:
        """Return the folder of the artifact with this key, which need not exist."""
        return self.root.child(stage, slot, key[:KEY_CHARS])

    def find(self, stage: str, slot: str, key: str) -> Artifact | None:
        """Return the artifact with this key, None if there is none; see `at`. Its parts are not checked."""
        folder = self.folder(stage, slot, key)
        artifact = (self._known or {}).get(folder.url) or self.at(self._keep(folder))
        if artifact is not None and self._known is not None:
            self._known[folder.url] = artifact
        return artifact if artifact is not None and artifact.manifest.key == key else None

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
        found = [a for name in base.names() if not name.endswith(".json") and (a := self.at(base.child(name)))]
        return sorted(found, key=lambda a: a.run().get("written", 0.0), reverse=True)

    def everything(self) -> Iterator[Artifact]:
        """Yield all artifacts, in the order of their folders' names. Raises DamagedArtifact if a manifest is broken."""
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
        known = {} if self._known is None else self._known
        for folder, data in remote_manifests(self.root, known):
            if data is not None:
                known[folder.url] = Artifact(self._keep(folder), Manifest.from_bytes(data, str(folder)))
            if folder.url in known:
                yield known[folder.url]

    def discard(self, artifact: Artifact) -> None:
        """Remove the files of an artifact. Raises StorageError if the keeper does."""
        self.clear(artifact.folder)

    def repair(self, damage: DamagedArtifact) -> bool:
        """Remove a damaged artifact, unless another process has rebuilt it. Returns whether it was removed."""
        folder = Location(damage.folder)
        (self._known or {}).pop(folder.url, None)
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
        (self._known or {}).pop(folder.url, None)
        folder.remove(MANIFEST)
        empty(folder)

    @contextmanager
    def building(self, stage: str, slot: str, key: str) -> Iterator[None]:
        """Hold the build lock of an artifact against other processes of this machine; a remote folder has none."""
        folder = self.folder(stage, slot, key)
        if folder.local is None:
            yield
            return
        with file_lock(folder.local / LOCK):
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
    """Context manager that writes one artifact; the manifest only if its block ends without an error.

    After an error, finished parts stay until `Artifacts.sweep` or the next build. artifact: set at the end; that of
    another builder if its manifest was there first.
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
            self._tidy(standing)
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

    def _tidy(self, artifact: Artifact) -> None:
        """Remove parts that the manifest does not name: those of killed or slower builders."""
        named = {part.name for part in artifact.manifest.files} | {MANIFEST, RUN, LOCK}
        for name in self._folder.names():
            if name not in named and not name.startswith("."):
                self._folder.remove(name)
