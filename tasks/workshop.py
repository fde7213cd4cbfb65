"""What stages work with in one process: the home's artifacts, raw files, answers. Opened from absolute locations."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from storage.artifacts import KEY_CHARS, Artifact, Artifacts
from storage.digest import FileDigests, sha256_of
from storage.home import Home
from storage.location import Location
from tasks.raw import Found, find

if TYPE_CHECKING:
    from storage.responses import ResponseStore
    from tasks.calling import Calling


@dataclass(frozen=True)
class Locations:
    """Where a worker finds everything: absolute, plain text. calling: how it calls hosted models."""

    home: str
    raw: str
    store: str = ""
    calling: Calling | None = None


class Workshop:
    """A home and a raw folder, opened. Raw files are looked at once: within one run they do not change."""

    def __init__(self, locations: Locations) -> None:
        self.locations = locations
        self.home = Home(locations.home, locations.store)
        self.artifacts: Artifacts = self.home.artifacts
        self._found: dict[str, Found] = {}

    @cached_property
    def digests(self) -> FileDigests:
        """Remembered digests of raw files."""
        return self.home.digests()

    @cached_property
    def store(self) -> ResponseStore:
        """The response store; nothing is asked again that snapshots of the home hold."""
        from storage.responses import ResponseStore
        from tasks.verified_answers import Guard

        return ResponseStore(self.home.store_place, Guard(self.home))

    def found(self, dataset: str, patterns: Mapping[str, tuple[str, ...]], values: Mapping[str, Any]) -> Found:
        """The raw files of a task and split. Raises MissingFile."""
        name = sha256_of([dataset, patterns, values])
        if name not in self._found:
            self._found[name] = find(dataset, patterns, values, self.locations.raw, self.digests)
            self.digests.save()
        return self._found[name]

    def pointer(self, stage: str, slot: str, key: str) -> dict[str, Any] | None:
        """Which snapshot of answers stands for a key: {artifact, answers, complete, expected, unanswered}."""
        try:
            value = json.loads(self._slot(stage, slot).read(f"{key[:KEY_CHARS]}.json"))
        except (FileNotFoundError, ValueError):
            return None
        return value if isinstance(value, dict) and {"artifact", "answers", "complete"} <= set(value) else None

    def point(self, stage: str, slot: str, key: str, value: Mapping[str, Any]) -> None:
        """Let a key stand for a snapshot."""
        data = pointer_bytes(value)
        self._slot(stage, slot).replace(f"{key[:KEY_CHARS]}.json", data)

    def _slot(self, stage: str, slot: str) -> Location:
        return self.artifacts.root.child(stage, slot)


def pointer_to(snapshot: Artifact) -> dict[str, Any]:
    """What stands in the file that points to a snapshot of answers."""
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
    """The file of a pointer."""
    return json.dumps(value, sort_keys=True).encode("utf-8")
