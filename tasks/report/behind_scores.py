"""Find the artifacts behind scores: what each model's score of a task was made from, by content keys."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from scrollwork.pipeline.inputs import InputArtifacts
from scrollwork.pipeline.plan import Node
from scrollwork.records.score import Aggregate
from scrollwork.storage.artifacts.artifact import Artifact

INPUTS = ("sample", "prompts", "answers", "scores")  # names of an aggregate's inputs

Shown = tuple[Aggregate, Artifact]  # the row that the page shows, and the artifact of stage aggregate that it is from


@dataclass(frozen=True)
class ScoredTask:
    """A model's score of one task and split, with the artifacts behind it; tuples have one for each shard.

    model: the name in its line of the page, with what distinguishes the line from others.
    """

    task: str
    split: str
    model: str
    arm: str
    metric: str
    profile: str
    curated: Artifact
    samples: tuple[Artifact, ...]
    prompts: tuple[Artifact, ...]
    answers: tuple[Artifact, ...]
    scores: tuple[Artifact, ...]


class ByContent:
    """Artifacts of a run or of a home, found by content key."""

    def __init__(self, artifacts: Iterable[Artifact]) -> None:
        self._found: dict[str, list[Artifact]] = defaultdict(list)
        for one in artifacts:
            self._found[one.content].append(one)

    def behind(self, row: Aggregate, aggregate: Artifact) -> ScoredTask | None:
        """Collect what an aggregate was made from. Return None if some of it is gone. row: as the page shows it."""
        made = aggregate.manifest.ingredients
        own = made.slot.rpartition(".")[0]  # without the metric
        try:
            samples, prompts, answers, scores = (
                tuple(self._holding(content, own) for content in made.each(name)) for name in INPUTS
            )
            curated = self._holding(samples[0].manifest.ingredients.each("curated")[0], own)
        except LookupError:
            return None
        profile = str(made.params.get("profile", "plain"))
        labels = (row.task, row.split, row.model, row.arm, row.metric)
        return ScoredTask(*labels, profile, curated, samples, prompts, answers, scores)

    def tasks(self, scored: Iterable[Shown]) -> list[ScoredTask]:
        """Collect what aggregates were made from; those of which some is gone are left out."""
        return [one for row, aggregate in scored if (one := self.behind(row, aggregate)) is not None]

    def _holding(self, content: str, slot: str) -> Artifact:
        """Return the artifact with a content key. Raises LookupError if there is none.

        slot: if several have the same content, as snapshots without any answer do, one of this slot, or of a shard of
        it, is preferred.
        """
        found: Sequence[Artifact] = self._found.get(content, ())
        slots = [f"{one.manifest.ingredients.slot}." for one in found]
        return next((one for one, own in zip(found, slots, strict=True) if own.startswith(f"{slot}.")), found[0])


class ByInputs:
    """Artifacts of a stage that has inputs in common with stage aggregate, found by these inputs. names: of them."""

    def __init__(self, artifacts: Iterable[Artifact], names: Sequence[str] = INPUTS) -> None:
        self._names = names
        self._found: dict[tuple[tuple[str, ...], ...], list[Artifact]] = defaultdict(list)
        for one in artifacts:
            self._found[self._inputs(one)].append(one)

    def of(self, aggregate: Artifact) -> Sequence[Artifact]:
        """Return what the stage made from the same inputs as an aggregate, in the order given; empty if nothing."""
        return self._found.get(self._inputs(aggregate), ())

    def _inputs(self, artifact: Artifact) -> tuple[tuple[str, ...], ...]:
        return tuple(tuple(artifact.manifest.ingredients.each(name)) for name in self._names)


def nodes_behind(aggregates: Iterable[Node]) -> tuple[Node, ...]:
    """List the nodes that aggregates were made from, each once: the input `behind` of a stage that shows them."""
    found: dict[str, Node] = {}
    for aggregate in aggregates:
        samples = aggregate.each("sample")
        for node in (samples[0].input("curated"), *aggregate.needs):
            found.setdefault(node.name, node)
    return tuple(found[name] for name in sorted(found))


def scored_in(inputs: InputArtifacts) -> list[Shown]:
    """Pair the `aggregates` of a stage with their rows; for a family, with the family's row, which is the last."""
    found = []
    for artifact in inputs.each("aggregates"):
        *_, row = artifact.rows("aggregates", Aggregate)
        found.append((row, artifact))
    return found
