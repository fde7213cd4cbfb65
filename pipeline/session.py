"""Session: the artifacts, raw files and answers that stages use in one process, found by absolute locations."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar, cast

from scrollwork.storage.artifacts.artifact import KEY_CHARS, Artifact, Artifacts
from scrollwork.storage.artifacts.known import Known
from scrollwork.storage.digest import FileDigests
from scrollwork.storage.errors import DamagedArtifact
from scrollwork.storage.home import SNAPSHOTS, Home
from scrollwork.storage.location import Location

if TYPE_CHECKING:
    from scrollwork.storage.answers.store import ResponseStore

T = TypeVar("T")


@dataclass(frozen=True)
class CallSettings:
    """How hosted and local models are called in one run. Plain data.

    run: name of the run; attempts and their cost are stored under it. budget_usd: the budget in dollars, as text; ""
    for none. retry_failed: ask again the requests that failed for good. batch: ask through the vendors' batch APIs.
    batch_wait_s: seconds to wait for batches, None for as long as it takes. time_limit_s: seconds after which a run
    sends no more, None for no limit. tables: the complete table of each model, by model. judges: the tables of models
    that judge answers, by role.
    """

    run: str = ""
    budget_usd: str = ""
    retry_failed: bool = False
    batch: bool = False
    batch_wait_s: float | None = None
    time_limit_s: float | None = None
    tables: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    judges: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True)
class Locations:
    """Where a plan is built, and how models are called.

    home, raw, store: absolute paths or URLs of the home, the raw folder and the response store ("" for the home's own).
    calling: None if no model is called.
    """

    home: str
    raw: str
    store: str = ""
    calling: CallSettings | None = None

    @cached_property
    def known(self) -> Known:
        """What sessions at these locations have read of a remote home. A copy of them begins anew."""
        return Known()

    @cached_property
    def pointers(self) -> dict[str, dict[str, Any]]:
        """Pointers of a remote home to whole snapshots, by URL, that these sessions have read (`Session.pointer`)."""
        return {}


class Session:
    """The home, the raw folder and the response store of one process. The store is opened when it is first used."""

    def __init__(self, locations: Locations) -> None:
        self.locations = locations
        self.home = Home(locations.home, locations.store, locations.known)
        self.artifacts: Artifacts = self.home.artifacts
        self.artifacts.keeper = self._keep
        self._made: dict[str, object] = {}

    @cached_property
    def digests(self) -> FileDigests:
        """The digests of raw files, which are cached in the home."""
        return self.home.digests()

    @cached_property
    def store(self) -> ResponseStore:
        """The response store. It refuses to ask again for paid answers that snapshots of the home hold (Guard)."""
        from scrollwork.pipeline.snapshots.check import Guard
        from scrollwork.storage.answers.store import ResponseStore

        calling = self.locations.calling
        return ResponseStore(self.home.store_place, Guard(self.home, calling is not None and calling.retry_failed))

    def _keep(self, folder: Location) -> Location | None:
        """Protect a snapshot that may hold the last copy of paid answers. Called before `Artifacts` empties a folder.

        Returns where its files were moved; None if the folder may be emptied. Raises LostAnswers if it may not.
        """
        if SNAPSHOTS not in folder.url.split("/")[-3:-2]:
            return None
        from scrollwork.pipeline.snapshots.check import Keeper

        return Keeper(self.home, lambda: self.store)(folder)

    def once(self, name: str, make: Callable[[], T]) -> T:
        """Return the result of `make()`. It is called at the first call with this name; the result is kept."""
        if name not in self._made:
            self._made[name] = make()
        return cast(T, self._made[name])

    def pointer(self, stage: str, slot: str, key: str) -> dict[str, Any] | None:
        """Return the pointer for a stage key: which snapshot of answers it has now. None if there is none.

        artifact: key of the snapshot. answers: its content key. complete: True if no answer is missing that can be
        asked for. expected, unanswered: numbers of requests. A file that is not a whole pointer counts as none. Of a
        remote home, one to a complete snapshot is read once in a run, until something there is repaired.
        """
        folder, name = self._slot(stage, slot), f"{key[:KEY_CHARS]}.json"
        kept = self.locations.pointers
        if (value := kept.get(f"{folder.url}/{name}")) is not None:
            return value
        try:
            value = json.loads(folder.read(name))
        except (FileNotFoundError, ValueError):
            return None
        if not isinstance(value, dict) or not {"artifact", "answers", "complete"} <= set(value):
            return None
        again = self.locations.calling is not None and self.locations.calling.retry_failed
        if folder.local is None and value["complete"] is True and not again:
            kept[f"{folder.url}/{name}"] = value
        return value

    def point(self, stage: str, slot: str, key: str, value: Mapping[str, Any]) -> None:
        """Write the pointer for a stage key, in place of an older one. value: from `pointer_to`."""
        folder, name = self._slot(stage, slot), f"{key[:KEY_CHARS]}.json"
        self.locations.pointers.pop(f"{folder.url}/{name}", None)
        folder.replace(name, pointer_bytes(value))

    def repair(self, damage: DamagedArtifact) -> bool:
        """Remove a damaged artifact, as `Artifacts.repair`; pointers are read anew from then on."""
        self.locations.pointers.clear()
        return self.artifacts.repair(damage)

    def _slot(self, stage: str, slot: str) -> Location:
        return self.artifacts.root.child(stage, slot)


def pointer_to(snapshot: Artifact) -> dict[str, Any]:
    """Return the pointer to a snapshot of answers, as `Session.pointer` returns it.

    Requests that failed for good do not count as unanswered.
    """
    facts = snapshot.facts
    unanswered = facts["missing"] + facts["transient"]
    return {
        "artifact": snapshot.manifest.key,
        "answers": snapshot.content,
        "complete": unanswered == 0,
        "expected": facts["expected"],
        "unanswered": unanswered,
    }


def pointer_bytes(value: Mapping[str, Any]) -> bytes:
    """Return the bytes of a pointer's file."""
    return json.dumps(value, sort_keys=True).encode("utf-8")
