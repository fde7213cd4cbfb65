"""The artifacts that a stage reads, by input name: one, or several in order (of shards, runs, models)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from scrollwork.pipeline.plan import Node
from scrollwork.storage.artifacts.artifact import Artifact


@dataclass(frozen=True)
class InputArtifacts:
    """Artifacts by the name of an input."""

    lists: Mapping[str, Sequence[Artifact]]

    @classmethod
    def of(cls, node: Node, artifact_of: Callable[[Node], Artifact]) -> InputArtifacts:
        """Collect the artifacts of a node's inputs."""
        return cls({name: [artifact_of(one) for one in needed] for name, needed in node.inputs})

    def __getitem__(self, name: str) -> Artifact:
        """The only artifact of an input. Raises KeyError where there is no such input, ValueError for several."""
        (only,) = self.lists[name]
        return only

    def __contains__(self, name: str) -> bool:
        return name in self.lists

    def each(self, name: str) -> Sequence[Artifact]:
        """All artifacts of an input; none where there is no such input."""
        return self.lists.get(name, ())
