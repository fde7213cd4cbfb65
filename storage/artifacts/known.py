"""What was read of a remote home, not to ask for it again in one run or one look."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from scrollwork.storage.location import Location

if TYPE_CHECKING:
    from scrollwork.storage.artifacts.artifact import Artifact


@dataclass(frozen=True)
class Known:
    """What was read of the artifacts of a remote home, by URL.

    artifacts: by folder. slots: their names, by folder of a stage; others may have built further ones since.
    """

    artifacts: dict[str, Artifact] = field(default_factory=dict)
    slots: dict[str, set[str]] = field(default_factory=dict)

    def slots_of(self, stage: Location) -> set[str]:
        """Return the names of a stage's slots, which are listed once."""
        if stage.url not in self.slots:
            self.slots[stage.url] = set(stage.names())
        return self.slots[stage.url]

    def add(self, artifact: Artifact) -> None:
        """Add an artifact that was read or built."""
        url = artifact.folder.url
        self.artifacts[url] = artifact
        stage, slot, _ = url.rsplit("/", 2)
        if stage in self.slots:
            self.slots[stage].add(slot)
