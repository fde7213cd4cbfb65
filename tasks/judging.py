"""Nodes of what is said of scores: stage judge of every aggregate, stage compare of all of them. Declarations only.

score -> aggregate -> report
      -> judge -> compare -> report
"""

from __future__ import annotations

from collections.abc import Sequence

from scoring.registry import module_of as metric_module
from tasks.graph import Node
from tasks.outside import shown_name
from tasks.request import Request
from tasks.stages import counted_node, upper_bounds


def judge_node(aggregate: Node) -> Node:
    """Judged answers, and measures and slices of them, of what an aggregate is of."""
    metric = aggregate.label("metric")
    (score, *_) = (node for name, node in aggregate.inputs if name.startswith("scores-"))
    return Node(
        "judge",
        aggregate.labels,
        score.params,
        ("scoring.judgement", "scoring.answers", "analysis.judged", "analysis.summary", metric_module(metric)),
        (*aggregate.inputs, *words(aggregate)),
    )


def words(aggregate: Node) -> list[tuple[str, Node]]:
    """Words of the documents of an aggregate's samples, as inputs."""
    counted = [counted_node(sample, "words") for sample in aggregate.each("sample")]
    return [("words", counted[0])] if len(counted) == 1 else [(f"words-{n}", node) for n, node in enumerate(counted)]


def compare_node(request: Request, judged: Sequence[Node], scored: Sequence[Node]) -> Node:
    """Averages and comparisons of everything that was judged. scored: its aggregates."""
    tasks = {name: task.metric for name, task in request.config.tasks.items()}
    models = [shown_name(model) for model in request.models]  # as rows name them
    return Node(
        "compare",
        (("suite", request.suite), ("models", "+".join(models))),
        {"tasks": tasks, "models": models, "upper_bounds": upper_bounds(scored)},
        ("analysis.comparing", "analysis.judged", *sorted({metric_module(metric) for metric in tasks.values()})),
        tuple((node.slot, node) for node in judged),
    )
