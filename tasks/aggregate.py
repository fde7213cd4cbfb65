"""Stage aggregate: scores -> the task's value, interval, spread and coverage."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from analysis.summary import Inputs, Labels, Member, document_group, summarize
from records.example import Example
from records.score import Aggregate, Score
from scoring.registry import metric
from storage.artifacts import Artifact, ArtifactWriter
from tasks.graph import Node
from tasks.shards import shards
from tasks.workshop import Workshop


def fill(node: Node, inputs: Mapping[str, Artifact], shop: Workshop, writer: ArtifactWriter) -> None:
    """A row a member, and one of the family."""
    members = {name: Member() for shard in shards(inputs, "answers") for name in shard.facts["members"]}
    for scores in shards(inputs, "scores"):
        for score in scores.rows("scores", Score):
            members[score.model].scores[input_name(score.example_id, score.draw)] = score.components
    for answers in shards(inputs, "answers"):
        for row in answers.columns("responses", ["model", "example_id", "draw", "finish_reason"]):
            if row["finish_reason"] == "length":
                members[row["model"]].length_cut.add(named(row))
        for row in answers.columns("failures", ["model", "example_id", "draw"]):
            members[row["model"]].failed.add(named(row))
    labels = Labels(*(node.label(name) for name in ("suite", "task", "split", "model", "arm", "metric")))
    table = writer.table("aggregates", Aggregate)
    for aggregate in summarize(labels, asked(inputs), members, metric(node.params["metric"]).headline):
        table.add(aggregate)
    writer.facts = {"members": len(members)}


def asked(inputs: Mapping[str, Artifact]) -> Inputs:
    """Every input with its group of documents: questions on the same documents stand and fall together."""
    groups = {
        example.example_id: document_group(example.document_ids)
        for example in inputs["sample"].rows("examples", Example)
    }
    columns = ["example_id", "draw", "truncated"]
    prompts = [row for shard in shards(inputs, "prompts") for row in shard.columns("prompts", columns)]
    clusters = {named(row): groups[row["example_id"]] for row in prompts}
    return Inputs(clusters, frozenset(named(row) for row in prompts if row["truncated"]))


def named(row: Mapping[str, Any]) -> str:
    """The input that a row belongs to."""
    return input_name(row["example_id"], row["draw"])


def input_name(example_id: str, draw: int) -> str:
    """One name for an example in a draw."""
    return f"{draw}\x1f{example_id}"
