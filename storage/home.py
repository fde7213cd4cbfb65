"""The home folder, which holds artifacts, answers, reports and runs.

Its path is absolute, so that it can be sent to a worker, which may have another working directory.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from uuid import uuid4

from scrollwork.storage.artifacts.artifact import Artifacts
from scrollwork.storage.artifacts.known import Known
from scrollwork.storage.digest import FileDigests, sha256_of
from scrollwork.storage.errors import StorageError, naming_full_disks
from scrollwork.storage.location import Location, is_writable

PLANS = "plans"  # folder of the files of running plans (pipeline/plan_files.py)
SNAPSHOTS = "generate"  # the stage whose artifacts are snapshots of answers; also the name of its folder in every home

PROBE_BYTES = 4096  # a block: a file without bytes fits on a full disk


def is_remote(url: str) -> bool:
    """Return whether a home is given by the URL of another place than this machine's disks."""
    return "://" in url and not url.startswith("file://")


@dataclass(frozen=True)
class Home:
    """The home of one installation.

    url: its absolute path or URL. store: URL of the response store, "" for the file responses.db in the home. known:
    artifacts of a remote home that were read, for one run or one look at the home (`Artifacts`). noted: its files of
    runs that were read, by name and size; none is ever changed. only: the rows of the runs that count, None for all.
    """

    url: str
    store: str = ""
    known: Known | None = field(default=None, repr=False, compare=False)
    noted: dict[tuple[str, int], bytes] = field(default_factory=dict, repr=False, compare=False)
    only: tuple[Mapping[str, Any], ...] | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Raise StorageError for an empty URL, which would mean the working directory of each process."""
        if not self.url:
            raise StorageError("the home is empty: name its folder (--home DIR, SCROLLWORK_HOME)")

    @classmethod
    def to_read(cls, url: str, store: str = "") -> Home:
        """Return the home at a path or URL, to read its artifacts and runs: a remote one may come without a store."""
        remote = is_remote(url) and not store
        return cls(url.rstrip("/")) if remote else cls.at(url, store)

    @classmethod
    def at(cls, url: str, store: str = "") -> Home:
        """Return the home at a path or URL; local paths are made absolute.

        Raises StorageError if `url` is empty, if a remote home comes without a store (which other machines must be able
        to reach), or if `store` is no URL or a SQLite URL without a file.
        """
        url = url.removeprefix("file://")
        if url and "://" not in url:
            url = str(Path(url).expanduser().resolve())
        elif url and not store:
            raise StorageError(f"{url}: a remote home needs a remote response store: add --store postgresql://...")
        if store == "sqlite:///":
            raise StorageError(f"--store {store}: name its file, such as {store}answers.db")
        if store.startswith("sqlite:///"):
            store = f"sqlite:///{Path(store.removeprefix('sqlite:///')).expanduser().resolve()}"
        elif store and "://" not in store:
            raise StorageError(f"--store {store}: write it as a URL, sqlite:///{store} or postgresql://...")
        return cls(url, store)

    def one_look(self) -> Home:
        """Return this home for one command that reads it: what was read of a remote one is not asked for again."""
        return replace(self, known=Known())

    @property
    def folder(self) -> Path:
        """The local folder for caches, Prefect and reports: the home itself, or ./.scrollwork if the home is remote."""
        return Path(self.url) if "://" not in self.url else Path(".scrollwork").resolve()

    @property
    def artifacts(self) -> Artifacts:
        """The artifacts of this home."""
        return Artifacts(f"{self.url}/artifacts", self.known)

    @property
    def store_place(self) -> str | Path:
        """The URL of the response store, or the path of this home's own file if no URL was given."""
        return self.store or self.folder / "responses.db"

    @property
    def has_store(self) -> bool:
        """Whether there may be a response store: its URL was given, or the home's own file exists."""
        return bool(self.store) or (self.folder / "responses.db").is_file()

    @property
    def writable(self) -> bool:
        """Whether the home can be written. A remote home counts as writable: `try_writing`."""
        return "://" in self.url or all(is_writable(self.folder / name) for name in ("", "artifacts", "runs"))

    def check_place(self) -> None:
        """Raise StorageError if a local home cannot be where it was named: a file is there or above it, or its folder
        may not be read. Nothing is made."""
        if "://" in self.url:
            return
        standing = next(place for place in (self.folder, *self.folder.parents) if os.path.lexists(place))
        if not standing.is_dir():
            raise StorageError(f"{self.url}: no home can be there: {standing} is no folder; name another --home")
        if not os.access(standing, os.R_OK | os.X_OK):
            raise StorageError(f"{self.url}: the folder {standing} may not be read; name another --home")

    def make(self) -> None:
        """Make the folder of a local home if it is missing, and see that a file can be written there, before work
        begins. Raises StorageFull if there is no space left, StorageError naming the folder and why."""
        if "://" in self.url:
            return
        probe = self.folder / f".tmp-{os.getpid()}-{time.time_ns()}"
        try:
            with naming_full_disks("a first file", self.url):
                self.folder.mkdir(parents=True, exist_ok=True)
                try:
                    probe.write_bytes(bytes(PROBE_BYTES))
                finally:
                    probe.unlink(missing_ok=True)
        except OSError as error:
            why = error.strerror or str(error)
            raise StorageError(f"{self.url}: no home can be written there: {why}; name another --home") from error

    def try_writing(self) -> None:
        """Write and remove an empty file of a remote home. Raises AccessDenied, before work begins whose results could
        not be kept; StorageError."""
        folder, name = Location(f"{self.url}/{PLANS}"), f"{uuid4().hex}.try"
        folder.replace(name, b"")
        folder.remove(name)

    @property
    def reports(self) -> Path:
        """The folder in which report pages are published."""
        return self.folder / "reports"

    @property
    def predictions(self) -> Path:
        """The folder of prediction files of systems that ran elsewhere, and of lists of the files that belong together.

        The prediction files are named by their sha256.
        """
        return self.folder / "predictions"

    def digests(self) -> FileDigests:
        """Return the digests of raw files, which are cached in this home."""
        return FileDigests(self.folder / "cache" / "raw-digests.json")

    def remembered(self, name: str) -> dict[str, Any]:
        """Read a JSON object that `remember` wrote; {} if the file is missing, unreadable or not a JSON object.

        name: path of the file below the local folder.
        """
        try:
            value = json.loads((self.folder / name).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return value if isinstance(value, dict) else {}

    def remember(self, name: str, value: Mapping[str, Any]) -> None:
        """Write a small JSON file below the local folder, completely or not at all. name: its path there."""
        target = self.folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        partial = target.with_name(f".tmp-{os.getpid()}-{target.name}")
        partial.write_text(json.dumps(value, indent=1, sort_keys=True), encoding="utf-8")
        partial.replace(target)

    def agreed(self, name: str) -> dict[str, Any]:
        """Read what `agree` settled; {} if nothing was. name: path of the file below the home."""
        if not is_remote(self.url):
            return self.remembered(name)
        own = f"agreed/{sha256_of(self.url)[:16]}/{name}"  # this machine's copy, which saves requests
        if copy := self.remembered(own):
            return copy
        try:
            value = json.loads(Location(self.url).read(name))
        except (FileNotFoundError, ValueError):
            value = self.remembered(name)  # of an earlier version, which kept it on each machine
        if not isinstance(value, dict):
            return {}
        if value:
            with suppress(OSError):
                self.remember(own, value)
        return value

    def agree(self, name: str, value: Mapping[str, Any]) -> dict[str, Any]:
        """Settle a small JSON object for all who use this home, and return what stands: of a remote home the first one
        that came. name: path of the file below the home."""
        if is_remote(self.url):
            Location(self.url).create(name, json.dumps(value, indent=1, sort_keys=True).encode())
        else:
            self.remember(name, value)
        return self.agreed(name)

    def note_run(self, run: dict[str, Any]) -> str:
        """Store what a run was asked to do and the keys of its results; return the new id of the run."""
        now = time.time_ns()  # two runs of one process may end in the same second
        run_id = time.strftime("%Y%m%dT%H%M%S", time.gmtime(now // 10**9)) + f".{now % 10**9:09d}-{os.getpid()}"
        row = {"id": run_id, "time": now / 1e9, **run}
        Location(f"{self.url}/runs").replace(f"{run_id}.json", json.dumps(row, indent=1, sort_keys=True).encode())
        return run_id

    def runs(self) -> list[dict[str, Any]]:
        """List what `note_run` stored, the oldest first. Files that hold no run are left out; `verify` names them."""
        if self.only is not None:
            return [dict(run) for run in self.only]
        return sorted(filter(None, map(_run_in, self._run_files())), key=lambda run: run["time"])

    def _run_files(self) -> Iterator[bytes]:
        """Yield the bytes of each file of a run, in order of names. Of a remote home only new ones are asked for."""
        folder = Location(f"{self.url}/runs")
        if folder.local is not None:
            yield from (folder.read(name) for name in folder.names() if name.endswith(".json"))
            return
        files = [one for one in sorted(folder.sizes().items()) if one[0].endswith(".json")]
        new = [one for one in files if one not in self.noted]
        for one, data in zip(new, folder.read_each([name for name, _ in new]), strict=True):
            if data is not None:
                self.noted[one] = data
        yield from (self.noted[one] for one in files if one in self.noted)


def _run_in(data: bytes) -> dict[str, Any] | None:
    """Return the run that a file holds; None if it holds none, as one that was cut or that something else wrote."""
    try:
        run = json.loads(data)
        whole = isinstance(run["request"]["suite"], str) and isinstance(run["time"], int | float)
    except (ValueError, TypeError, LookupError, RecursionError):
        return None
    return run if whole else None
