"""Session: the artifacts, raw files and answers that stages use in one process, found by absolute locations."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar, cast

from scrollwork.storage.artifacts.artifact import KEY_CHARS, Artifact, Artifacts
from scrollwork.storage.digest import FileDigests
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
    batch_wait_s: seconds to wait for batches, None for as long as it takes. tables: the complete table of each model,
    by model. judges: the tables of models that judge answers, by role.
    """

    run: str = ""
    budget_usd: str = ""
    retry_failed: bool = False
    batch: bool = False
    batch_wait_s: float | None = None
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


class Session:
    """The home, the raw folder and the response store of one process. The store is opened when it is first used."""

    def __init__(self, locations: Locations) -> None:
        self.locations = locations
        self.home = Home(locations.home, locations.store)
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
        asked for. expected, unanswered: numbers of requests. A file that is not a whole pointer counts as none.
        """
        try:
            value = json.loads(self._slot(stage, slot).read(f"{key[:KEY_CHARS]}.json"))
        except (FileNotFoundError, ValueError):
            return None
        return value if isinstance(value, dict) and {"artifact", "answers", "complete"} <= set(value) else None

    def point(self, stage: str, slot: str, key: str, value: Mapping[str, Any]) -> None:
        """Write the pointer for a stage key, in place of an older one. value: from `pointer_to`."""
        data = pointer_bytes(value)
        self._slot(stage, slot).replace(f"{key[:KEY_CHARS]}.json", data)

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
