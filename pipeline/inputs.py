"""The artifacts that a stage reads, by input name. An input has one, or several in order (of shards, runs, models)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from scrollwork.pipeline.plan import Node
from scrollwork.storage.artifacts.artifact import Artifact


@dataclass(frozen=True)
class InputArtifacts:
    """The artifacts of a node's inputs. lists: the artifacts of each input, by its name."""

    lists: Mapping[str, Sequence[Artifact]]

    @classmethod
    def of(cls, node: Node, artifact_of: Callable[[Node], Artifact]) -> InputArtifacts:
        """Collect the artifacts of a node's inputs. artifact_of: returns the artifact of an input node."""
        return cls({name: [artifact_of(one) for one in needed] for name, needed in node.inputs})

    def __getitem__(self, name: str) -> Artifact:
        """Return the only artifact of an input.

        Raises KeyError if there is no such input, ValueError if it does not have exactly one artifact.
        """
        (only,) = self.lists[name]
        return only

    def __contains__(self, name: str) -> bool:
        return name in self.lists

    def each(self, name: str) -> Sequence[Artifact]:
        """Return all artifacts of an input, in order; () if there is no such input."""
        return self.lists.get(name, ())
