"""Collect what is aggregated: the inputs that can be scored, and the answers and scores of each model or seed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from scrollwork.analysis.comparison.summary import Inputs, Labels, Member, document_group, input_name
from scrollwork.pipeline.inputs import InputArtifacts
from scrollwork.pipeline.plan import Node
from scrollwork.records.example import Example
from scrollwork.records.response import ENDED, how_ended
from scrollwork.scoring.answers import gold_problem
from scrollwork.scoring.outcome import Metric

FORM = "format_ok"  # flag of a score: the answer has the required format
WHOSE = ("example_id", "draw", "model")  # columns that identify the input and the model of a row
SCORE = (*WHOSE, "components", "flags")


def labels_of(node: Node) -> Labels:
    """Read the labels of an aggregate from its node."""
    return Labels(*(node.label(name) for name in ("suite", "task", "split", "model", "arm", "metric")))


def members_of(inputs: InputArtifacts, wanted: Inputs) -> dict[str, Member]:
    """Collect the scores on the wanted inputs and how the answers ended, by model or seed."""
    members = {name: Member() for shard in inputs.each("answers") for name in shard.facts["members"]}
    for scores in inputs.each("scores"):
        for example_id, draw, model, components, flags in scores.tuples("scores", SCORE):
            name = input_name(example_id, draw)
            if name not in wanted.clusters:  # a window of a context, or an example without the flag
                continue
            members[model].scores[name] = dict(components)
            if FORM in (told := dict(flags)):
                members[model].in_format[name] = told[FORM]
    for answers in inputs.each("answers"):
        for example_id, draw, model, finish, limit, masked in answers.tuples("responses", [*WHOSE, *ENDED, "masked"]):
            if (how := how_ended(finish, limit)) != "complete":
                members[model].ended[input_name(example_id, draw)] = how
            if masked:  # None in older snapshots
                members[model].masked.add(input_name(example_id, draw))
        for example_id, draw, model in answers.tuples("failures", WHOSE):
            members[model].failed.add(input_name(example_id, draw))
    return members


def scorable_inputs(inputs: InputArtifacts, own: Metric, flag: str = "") -> tuple[Inputs, dict[str, int]]:
    """List the inputs that can be scored, with their group of documents, and count the examples that cannot, by reason.

    Of windows, only whole contexts are listed. flag: only examples that have it, "" for all. Questions on the same
    documents form one group, as they are not independent.
    """
    groups = {}
    without: Counter[str] = Counter()
    for example in (row for sample in inputs.each("sample") for row in sample.rows("examples", Example)):
        if flag and not has_flag(example, flag):
            continue
        if problem := gold_problem(own, example.references):
            without[problem] += 1
        else:
            groups[example.example_id] = document_group(example.document_ids)
    columns = ["example_id", "draw", "truncated", "units", "span_length"]
    prompts = [row for shard in inputs.each("prompts") for row in shard.columns("prompts", columns)]
    prompts = [row for row in prompts if row["example_id"] in groups and row["units"] == row["span_length"]]
    clusters = {input_of(row): groups[row["example_id"]] for row in prompts}
    return Inputs(clusters, frozenset(input_of(row) for row in prompts if row["truncated"])), dict(
        sorted(without.items())
    )


def has_flag(example: Example, flag: str) -> bool:
    """Return whether an example has a flag; examples of an official release have one of its fields instead."""
    fields = example.facts.get("fields", {})
    return any(value in (1, True) for value in (example.facts.get(flag), fields.get(flag), fields.get(f"is_{flag}")))


def input_of(row: Mapping[str, Any]) -> str:
    """Return the name of the input that a row belongs to."""
    return input_name(row["example_id"], row["draw"])
