"""What each line and task of a page is made of: the artifacts behind an aggregate, from a plan or from a home."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from scrollwork.pipeline.plan import Node
from scrollwork.pipeline.shards import shards
from scrollwork.records.score import Aggregate
from scrollwork.storage.artifacts.artifact import Artifact

Named = tuple[tuple[str, Node], ...]


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


def behind(aggregates: Iterable[Node]) -> Named:
    """Everything that aggregates were made of, each once, as inputs of the node that shows it."""
    found: dict[str, Node] = {}
    for aggregate in aggregates:
        samples = aggregate.each("sample")
        for node in (samples[0].input("curated"), *samples, *(node for _, node in aggregate.inputs)):
            found.setdefault(node.name, node)
    return tuple(found.items())


def lots_of(node: Node, inputs: Mapping[str, Artifact]) -> list[Lot]:
    """The lots of a report whose inputs are its aggregates (by slot) and what is `behind` them (by name)."""
    lots = []
    for _, aggregate in node.inputs:
        if aggregate.stage == "aggregate":
            curated = inputs[aggregate.each("sample")[0].input("curated").name]
            own = {name: inputs[needed.name] for name, needed in aggregate.inputs}
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
            own = {name: by_content[content] for name, content in made.inputs.items()}
            curated = by_content[shards(own, "sample")[0].manifest.ingredients.inputs["curated"]]
        except KeyError:
            continue
        labels = [row.task, row.split, row.model, row.arm, row.metric]
        lots.append(_lot(labels, str(made.params.get("profile", "plain")), curated, own))
    return lots


def _lot(labels: Sequence[str], profile: str, curated: Artifact, own: Mapping[str, Artifact]) -> Lot:
    samples, prompts, answers, scores = (tuple(shards(own, one)) for one in ("sample", "prompts", "answers", "scores"))
    task, split, model, arm, name = labels
    return Lot(task, split, model, arm, name, profile, curated, samples, prompts, answers, scores)
