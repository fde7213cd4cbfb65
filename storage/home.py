"""The home folder, which holds artifacts, answers, reports and runs.

Its path is absolute, so that it can be sent to a worker, which may have another working directory.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scrollwork.storage.artifacts.artifact import Artifacts
from scrollwork.storage.digest import FileDigests
from scrollwork.storage.errors import StorageError
from scrollwork.storage.location import Location, is_writable

SNAPSHOTS = "generate"  # the stage whose artifacts are snapshots of answers; also the name of its folder in every home


@dataclass(frozen=True)
class Home:
    """The home of one installation.

    url: its absolute path or URL. store: URL of the response store, "" for the file responses.db in the home.
    """

    url: str
    store: str = ""

    def __post_init__(self) -> None:
        """Raise StorageError for an empty URL, which would mean the working directory of each process."""
        if not self.url:
            raise StorageError("the home is empty: name its folder (--home DIR, SCROLLWORK_HOME)")

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

    @property
    def folder(self) -> Path:
        """The local folder for caches, Prefect and reports: the home itself, or ./.scrollwork if the home is remote."""
        return Path(self.url) if "://" not in self.url else Path(".scrollwork").resolve()

    @property
    def artifacts(self) -> Artifacts:
        """The artifacts of this home."""
        return Artifacts(f"{self.url}/artifacts")

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
        """Whether the home can be written. A remote home counts as writable; if it is not, its first write fails."""
        return "://" in self.url or all(is_writable(self.folder / name) for name in ("", "artifacts", "runs"))

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

    def note_run(self, run: dict[str, Any]) -> str:
        """Store what a run was asked to do and the keys of its results; return the new id of the run."""
        now = time.time_ns()  # two runs of one process may end in the same second
        run_id = time.strftime("%Y%m%dT%H%M%S", time.gmtime(now // 10**9)) + f".{now % 10**9:09d}-{os.getpid()}"
        row = {"id": run_id, "time": now / 1e9, **run}
        Location(f"{self.url}/runs").replace(f"{run_id}.json", json.dumps(row, indent=1, sort_keys=True).encode())
        return run_id

    def runs(self) -> list[dict[str, Any]]:
        """List what `note_run` stored, the oldest run first. Files that are not valid JSON are left out."""
        folder = Location(f"{self.url}/runs")
        found = []
        for name in folder.names():
            if name.endswith(".json"):
                try:
                    found.append(json.loads(folder.read(name)))
                except ValueError:
                    continue
        return sorted(found, key=lambda run: run.get("time", 0.0))
