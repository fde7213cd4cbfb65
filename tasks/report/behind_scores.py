"""What each line and task of a page is made of: the artifacts behind an aggregate, from a plan or from a home."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from scrollwork.pipeline.inputs import InputArtifacts
from scrollwork.pipeline.plan import Node
from scrollwork.records.score import Aggregate
from scrollwork.storage.artifacts.artifact import Artifact

BEHIND = ("sample", "prompts", "answers", "scores")  # inputs of an aggregate


@dataclass(frozen=True)
class Lot:
    """One task and split of one line. model: as the line calls it, so with what sets it apart from others."""

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


def behind(aggregates: Iterable[Node]) -> tuple[Node, ...]:
    """Everything that aggregates were made of, each once: what a node that shows it reads as `behind`."""
    found: dict[str, Node] = {}
    for aggregate in aggregates:
        samples = aggregate.each("sample")
        for node in (samples[0].input("curated"), *aggregate.needs):
            found.setdefault(node.name, node)
    return tuple(found[name] for name in sorted(found))


def lots_of(node: Node, inputs: InputArtifacts) -> list[Lot]:
    """The lots of a node that reads `aggregates` and what is `behind` them."""
    known = {one.name: artifact for one, artifact in zip(node.each("behind"), inputs.each("behind"), strict=True)}
    lots = []
    for aggregate in node.each("aggregates"):
        curated = known[aggregate.each("sample")[0].input("curated").name]
        own = InputArtifacts.of(aggregate, lambda one: known[one.name])
        labels = [aggregate.label(name) for name in ("task", "split", "model", "arm", "metric")]
        lots.append(_lot(labels, str(aggregate.params["profile"]), curated, own))
    return lots


def lots_in(everything: Iterable[Artifact], aggregates: Iterable[tuple[Aggregate, Artifact]]) -> list[Lot]:
    """The lots of aggregates of a home, each with the row that the page shows of it; those whose inputs are gone are
    left out. everything: all artifacts of the home."""
    by_content: dict[str, Artifact] = {}
    for artifact in everything:
        by_content.setdefault(artifact.content, artifact)
    lots = []
    for row, aggregate in aggregates:
        made = aggregate.manifest.ingredients
        try:
            own = InputArtifacts({name: [by_content[content] for content in made.each(name)] for name in BEHIND})
            curated = by_content[own.each("sample")[0].manifest.ingredients.each("curated")[0]]
        except KeyError:
            continue
        labels = [row.task, row.split, row.model, row.arm, row.metric]
        lots.append(_lot(labels, str(made.params.get("profile", "plain")), curated, own))
    return lots


def _lot(labels: Sequence[str], profile: str, curated: Artifact, own: InputArtifacts) -> Lot:
    samples, prompts, answers, scores = (tuple(own.each(one)) for one in BEHIND)
    task, split, model, arm, name = labels
    return Lot(task, split, model, arm, name, profile, curated, samples, prompts, answers, scores)
