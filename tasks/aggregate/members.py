"""What an aggregate is made of: the inputs that can be scored, and what is known of each member's answers to them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from scrollwork.analysis.comparison.summary import Inputs, Labels, Member, document_group, input_name
from scrollwork.pipeline.inputs import InputArtifacts
from scrollwork.pipeline.plan import Node
from scrollwork.records.example import Example
from scrollwork.scoring.answers import gold_problem
from scrollwork.scoring.outcome import Metric

FORM = "format_ok"  # flag of a score


def labels_of(node: Node) -> Labels:
    """What an aggregate is of."""
    return Labels(*(node.label(name) for name in ("suite", "task", "split", "model", "arm", "metric")))


def members_of(inputs: InputArtifacts, wanted: Inputs) -> dict[str, Member]:
    """What is known of each member: its scores on the inputs that are wanted, and how its answers ended."""
    members = {name: Member() for shard in inputs.each("answers") for name in shard.facts["members"]}
    for scores in inputs.each("scores"):
        for row in scores.columns("scores", ["example_id", "draw", "model", "components", "flags"]):
            name = named(row)
            if name not in wanted.clusters:  # of a part of a context
                continue
            members[row["model"]].scores[name] = dict(row["components"])
            if FORM in (flags := dict(row["flags"])):
                members[row["model"]].in_format[name] = flags[FORM]
    for answers in inputs.each("answers"):
        for row in answers.columns("responses", ["model", "example_id", "draw", "finish_reason", "masked"]):
            if row["finish_reason"] != "complete":
                members[row["model"]].ended[named(row)] = row["finish_reason"]
            if row.get("masked"):  # snapshots of before lack it
                members[row["model"]].masked.add(named(row))
        for row in answers.columns("failures", ["model", "example_id", "draw"]):
            members[row["model"]].failed.add(named(row))
    return members


def asked(inputs: InputArtifacts, own: Metric, flag: str = "") -> tuple[Inputs, dict[str, int]]:
    """(every input that can be scored, with its group of documents; how many cannot, by reason). Of a suite that
    observes windows of contexts, the whole contexts alone. flag: of those examples alone that have it.

    Questions on the same documents stand and fall together.
    """
    groups = {}
    without: Counter[str] = Counter()
    for example in (row for sample in inputs.each("sample") for row in sample.rows("examples", Example)):
        if flag and not has(example, flag):
            continue
        if problem := gold_problem(own, example.references):
            without[problem] += 1
        else:
            groups[example.example_id] = document_group(example.document_ids)
    columns = ["example_id", "draw", "truncated", "units", "span_length"]
    prompts = [row for shard in inputs.each("prompts") for row in shard.columns("prompts", columns)]
    prompts = [row for row in prompts if row["example_id"] in groups and row["units"] == row["span_length"]]
    clusters = {named(row): groups[row["example_id"]] for row in prompts}
    return Inputs(clusters, frozenset(named(row) for row in prompts if row["truncated"])), dict(sorted(without.items()))


def has(example: Example, flag: str) -> bool:
    """Whether an example has a flag; a released one has upstream's own field."""
    fields = example.facts.get("fields", {})
    return any(value in (1, True) for value in (example.facts.get(flag), fields.get(flag), fields.get(f"is_{flag}")))


def named(row: Mapping[str, Any]) -> str:
    """The input that a row belongs to."""
    return input_name(row["example_id"], row["draw"])
