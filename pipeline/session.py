"""Session: the artifacts, raw files and answers that stages use in one process, opened from absolute locations."""

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
    """How hosted and local models are called in one run, as plain data.

    run: name of the run, under which attempts and cost are stored. budget_usd: "" for none. retry_failed: ask again
    what failed for good. batch: ask by the vendor's batch API; batch_wait_s: seconds to wait for batches, None for as
    long as it takes. tables: the model's whole table, by model; judges: tables of judging models, by role.
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
    """Absolute paths or URLs of home, raw folder and response store ("" for the home's own). calling: how models are
    called."""

    home: str
    raw: str
    store: str = ""
    calling: CallSettings | None = None


class Session:
    """An open home and raw folder."""

    def __init__(self, locations: Locations) -> None:
        self.locations = locations
        self.home = Home(locations.home, locations.store)
        self.artifacts: Artifacts = self.home.artifacts
        self.artifacts.keeper = self._keep
        self._made: dict[str, object] = {}

    @cached_property
    def digests(self) -> FileDigests:
        """Cached digests of raw files."""
        return self.home.digests()

    @cached_property
    def store(self) -> ResponseStore:
        """The response store. It refuses to ask again what snapshots of the home hold (Guard)."""
        from scrollwork.pipeline.snapshots.check import Guard
        from scrollwork.storage.answers.store import ResponseStore

        calling = self.locations.calling
        return ResponseStore(self.home.store_place, Guard(self.home, calling is not None and calling.retry_failed))

    def _keep(self, folder: Location) -> Location | None:
        """Called by `Artifacts` before it removes a folder: a snapshot that may hold the last copy of paid answers is
        kept. Returns where it is kept, None where the folder may go."""
        if SNAPSHOTS not in folder.url.split("/")[-3:-2]:
            return None
        from scrollwork.pipeline.snapshots.check import Keeper

        return Keeper(self.home, lambda: self.store)(folder)

    def once(self, name: str, make: Callable[[], T]) -> T:
        """The result of `make()`, computed at the first call with this name."""
        if name not in self._made:
            self._made[name] = make()
        return cast(T, self._made[name])

    def pointer(self, stage: str, slot: str, key: str) -> dict[str, Any] | None:
        """The answer snapshot currently recorded for a stage key; None if there is none.

        {artifact: key of the snapshot, answers: its content key, complete, expected, unanswered}.
        """
        try:
            value = json.loads(self._slot(stage, slot).read(f"{key[:KEY_CHARS]}.json"))
        except (FileNotFoundError, ValueError):
            return None
        return value if isinstance(value, dict) and {"artifact", "answers", "complete"} <= set(value) else None

    def point(self, stage: str, slot: str, key: str, value: Mapping[str, Any]) -> None:
        """Record a snapshot for a stage key (see `pointer_to`)."""
        data = pointer_bytes(value)
        self._slot(stage, slot).replace(f"{key[:KEY_CHARS]}.json", data)

    def _slot(self, stage: str, slot: str) -> Location:
        return self.artifacts.root.child(stage, slot)


def pointer_to(snapshot: Artifact) -> dict[str, Any]:
    """The pointer of a snapshot of answers, as `Session.pointer` returns it."""
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
    """A pointer as the bytes of its file."""
    return json.dumps(value, sort_keys=True).encode("utf-8")
