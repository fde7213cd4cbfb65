"""Stage aggregate: scores -> the task's value, interval, spread and coverage."""

from __future__ import annotations

from collections.abc import Mapping

from analysis.summary import Labels, summarize
from records.example import Example
from records.score import Aggregate, Coverage, Score
from scoring.registry import metric
from storage.artifacts import Artifact, ArtifactWriter
from storage.digest import sha256_of
from tasks.graph import Node
from tasks.workshop import Workshop


def fill(node: Node, inputs: Mapping[str, Artifact], shop: Workshop, writer: ArtifactWriter) -> None:
    """A row a member, and one of the family."""
    facts = inputs["answers"].facts
    members: list[str] = facts["members"]
    scores: dict[str, dict[str, dict[str, float]]] = {member: {} for member in members}
    for score in inputs["scores"].rows("scores", Score):
        scores[score.model][f"{score.example_id}\x1f{score.draw}"] = dict(score.components)
    clusters = {}
    for example in inputs["sample"].rows("examples", Example):
        clusters[f"{example.example_id}\x1f{example.draw}"] = sha256_of(sorted(set(example.document_ids)))
    attempted = facts["answered"] + facts["failed"]
    coverage = Coverage(
        facts["expected"],
        attempted,
        facts["answered"],
        facts["failed"],
        facts["missing"],
        facts["truncated"],
        facts["length_cut"],
    )
    labels = Labels(*(node.label(name) for name in ("suite", "task", "split", "model", "arm", "metric")))
    table = writer.table("aggregates", Aggregate)
    for row in summarize(labels, members, scores, clusters, metric(node.params["metric"]).headline, coverage):
        table.add(row)
    writer.facts = {"inputs": len(clusters)}
