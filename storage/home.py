"""The home folder: artifacts, answers, reports, runs. Its path is absolute, so that it can be sent to a worker."""

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

SNAPSHOTS = "generate"  # the stage whose artifacts are snapshots of answers, and so its folder in every home


@dataclass(frozen=True)
class Home:
    """The home of one installation. store: URL of the response store, "" for responses.db in the home."""

    url: str
    store: str = ""

    def __post_init__(self) -> None:
        """Raise StorageError for an empty URL: it would be the working directory of each process."""
        if not self.url:
            raise StorageError("the home is empty: name its folder (--home DIR, SCROLLWORK_HOME)")

    @classmethod
    def at(cls, url: str, store: str = "") -> Home:
        """Open the home at a path or URL, made absolute. A remote home needs a store that other machines reach."""
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
        """The local folder of this home: for caches, Prefect and reports. Remote homes keep these in ./.scrollwork."""
        return Path(self.url) if "://" not in self.url else Path(".scrollwork").resolve()

    @property
    def artifacts(self) -> Artifacts:
        """The artifacts of this home."""
        return Artifacts(f"{self.url}/artifacts")

    @property
    def store_place(self) -> str | Path:
        """URL of the response store, or the path of this home's own file."""
        return self.store or self.folder / "responses.db"

    @property
    def has_store(self) -> bool:
        """Whether there may be a response store: one is named by URL, or the home's own file exists."""
        return bool(self.store) or (self.folder / "responses.db").is_file()

    @property
    def writable(self) -> bool:
        """Whether the home can be written. A remote home counts as writable; its first write shows otherwise."""
        return "://" in self.url or all(is_writable(self.folder / name) for name in ("", "artifacts", "runs"))

    @property
    def reports(self) -> Path:
        """Where pages are published."""
        return self.folder / "reports"

    @property
    def predictions(self) -> Path:
        """Folder of prediction files of systems that ran elsewhere, named by sha256, and lists of what goes
        together."""
        return self.folder / "predictions"

    def digests(self) -> FileDigests:
        """Digests of raw files, cached in this home."""
        return FileDigests(self.folder / "cache" / "raw-digests.json")

    def remembered(self, name: str) -> dict[str, Any]:
        """Read a small JSON file of the local folder, {} where there is none that can be read. name: its path in it."""
        try:
            value = json.loads((self.folder / name).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return value if isinstance(value, dict) else {}

    def remember(self, name: str, value: Mapping[str, Any]) -> None:
        """Write such a file, whole or not at all."""
        target = self.folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        partial = target.with_name(f".tmp-{os.getpid()}-{target.name}")
        partial.write_text(json.dumps(value, indent=1, sort_keys=True), encoding="utf-8")
        partial.replace(target)

    def note_run(self, run: dict[str, Any]) -> str:
        """Store the row of a run (request, keys of its results) and return its id."""
        now = time.time_ns()  # two runs of one process may end in the same second
        run_id = time.strftime("%Y%m%dT%H%M%S", time.gmtime(now // 10**9)) + f".{now % 10**9:09d}-{os.getpid()}"
        row = {"id": run_id, "time": now / 1e9, **run}
        Location(f"{self.url}/runs").replace(f"{run_id}.json", json.dumps(row, indent=1, sort_keys=True).encode())
        return run_id

    def runs(self) -> list[dict[str, Any]]:
        """List the rows of runs, the oldest first, without unreadable ones."""
        folder = Location(f"{self.url}/runs")
        found = []
        for name in folder.names():
            if name.endswith(".json"):
                try:
                    found.append(json.loads(folder.read(name)))
                except ValueError:
                    continue
        return sorted(found, key=lambda run: run.get("time", 0.0))
