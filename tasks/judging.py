"""Nodes of what is said of scores: stage judge of every aggregate, stages compare and rank of all of them. Declarations
only.

score -> aggregate -> report
      -> judge -> compare -> report
         aggregate -> rank -> report, of a suite that draws its prompts anew in each run
score -> complexity -> report, of a suite that observes windows of contexts
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scrollwork.pipeline.plan import Node
from scrollwork.scoring.registry import module_of as metric_module
from scrollwork.suites.outside_systems import shown_name
from scrollwork.suites.request import Request
from scrollwork.suites.suite_files import Suite, load_published
from scrollwork.suites.tokenizers import length_tokenizer
from scrollwork.tasks.report.behind_scores import behind
from scrollwork.tasks.stages import counted_node, engines, upper_bounds

COREFERENCE = "coreference"  # scored over all instances of a run together: none has a score of its own


def judge_node(aggregate: Node) -> Node:
    """Judged answers, and measures and slices of them, of what an aggregate is of."""
    score = aggregate.each("scores")[0]
    return Node(
        "judge",
        aggregate.labels,
        score.params,
        "scrollwork.tasks.judge",
        (metric_module(aggregate.label("metric")),),
        (*aggregate.inputs, ("words", tuple(counted_node(sample, "words") for sample in aggregate.each("sample")))),
    )


def complexity_node(aggregate: Node, how: Mapping[str, Any], twins: Sequence[Node] = ()) -> Node:
    """lambda, k and category of the problems of an aggregate whose contexts are observed through windows.

    twins: samples of the same task in other suites, whose contexts decide the thresholds too (complexity/twins.py).
    """
    inputs = tuple((name, nodes) for name, nodes in aggregate.inputs if name in ("prompts", "scores"))
    others = (("twin", tuple(twins)),) if twins else ()
    body = "scrollwork.tasks.complexity.run"
    return Node("complexity", aggregate.labels, {"how": dict(how)}, body, (), (*inputs, *others))


def compare_node(request: Request, judged: Sequence[Node], scored: Sequence[Node]) -> Node:
    """Averages and comparisons of everything that was judged. scored: its aggregates."""
    tasks = {name: task.metric for name, task in request.config.tasks.items()}
    models = [shown_name(model) for model in request.models]  # as rows name them
    return Node(
        "compare",
        (("suite", request.suite), ("models", "+".join(models))),
        {
            "tasks": tasks,
            "models": models,
            "upper_bounds": upper_bounds(scored),
            **({"averaged": False} if request.run_count else {}),
        },
        "scrollwork.tasks.compare",
        tuple(sorted({metric_module(one) for one in tasks.values()})),
        (("judge", tuple(sorted(judged, key=lambda node: node.slot))),),  # in whatever order arms were asked for
    )


def rank_node(request: Request, scored: Sequence[Node], failures: Sequence[Mapping[str, str]]) -> Node:
    """Models ranked by the scores of their runs. scored: aggregates of a suite that draws; failures: of tasks that have
    none."""
    models = [shown_name(model) for model in request.models]
    lengths = length_tokenizer(request.tokenizer)
    return Node(
        "rank",
        (("suite", request.suite), ("models", "+".join(models))),
        rank_params(request.config, failures, upper_bounds(scored), lengths),
        "scrollwork.tasks.rank.run",
        engines(lengths),
        (("aggregates", tuple(in_order(scored, models))), ("behind", behind(scored))),
    )


def in_order(scored: Sequence[Node], models: Sequence[str]) -> list[Node]:
    """Aggregates in the order in which their models were asked: of two that drew otherwise the first one counts."""
    return sorted(scored, key=lambda node: (models.index(node.label("model")), node.slot))


def rank_params(
    suite: Suite, failures: Sequence[Mapping[str, str]], upper_bounds: Sequence[str], lengths: str
) -> dict[str, Any]:
    """What a ranking is told beside its rows. lengths: the tokenizer of prompts."""
    return {
        "suite": suite.name,
        "tasks": {name: task.metric for name, task in suite.tasks.items()},
        "upper_bounds": list(upper_bounds),
        "failures": [dict(one) for one in failures],
        "published": dict(load_published(suite.name)),
        "proxies": {name: task.proxy for name, task in suite.tasks.items() if task.proxy},
        "by_instance": [name for name, task in suite.tasks.items() if task.kind != COREFERENCE],
        "lengths": lengths,
    }
