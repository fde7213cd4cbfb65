"""Parameters of the report and of the comparison of models."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from scrollwork.fetching.upstream import upstream_of
from scrollwork.pipeline.design import design_of
from scrollwork.pipeline.plan import Node
from scrollwork.records.score import subset_metric
from scrollwork.reporting.boards.published import ROUGE
from scrollwork.suites.judging_models import labels_of
from scrollwork.suites.request import Request
from scrollwork.suites.suite_files import Suite, load_published, load_suite
from scrollwork.tasks.compare import Parameters


def differing_settings(request: Request) -> dict[str, Any]:
    """Return the settings of a request that differ from the suite's, for the head of the report."""
    asked = {
        "limit": request.limit,
        "seed": request.seed,
        "max input tokens": request.max_input_tokens,
        "tokenizer": request.tokenizer,
        "truncation": request.truncation,
        "prompts": request.prompts,
        **{f"{role} by": name for role, name in labels_of(request.judges).items()},
    }
    return {**{name: value for name, value in asked.items() if value}, **(request.options or {})}


def report_params(
    suite: Suite,
    models: Sequence[str],
    failures: Sequence[Mapping[str, str]],
    upper_bounds: Sequence[str],
    decoding: Mapping[str, str],
    asked: Collection[str] | None = None,
) -> dict[str, Any]:
    """Return the parameters of a report. asked: the tasks that were requested, None for all.

    upper_bounds: those of the models that read the references. decoding: of models that decode otherwise than the suite
    says, by model.
    """
    published, design = load_published(suite.published), design_of(suite)
    in_rouge = {task for row in published.get("row", ()) for task in row.get("rouge", ())}
    parts = {
        t.name: list(ROUGE) if t.name in in_rouge else [t.metric, subset_metric(t.metric, t.subset)] if t.subset else []
        for t in suite.tasks.values()
    }
    return {
        "suite": suite.name,
        "title": suite.title,
        **({"extends": load_suite(suite.extends).title} if suite.extends else {}),
        "tasks": [
            {
                "name": t.name,
                "short": t.short,
                "metric": t.metric,
                "paper": dict(t.paper),
                **({"parts": parts[t.name]} if parts[t.name] else {}),
                **({} if t.name in suite.official else {"added": True}),
                **column,
            }
            for t in suite.tasks.values()
            if (column := design.column(t, asked is None or t.name in asked)) is not None
        ],
        "published": dict(published),
        "models": list(models),
        **({"upper_bounds": list(upper_bounds)} if upper_bounds else {}),
        **({"decoding": dict(decoding)} if decoding else {}),
        "failures": [dict(one) for one in failures],
        "upstream_files": upstream_of(suite),
        **design.page(suite),
        **({"sections": list(design.sections)} if design.sections else {}),
    }


def compare_parameters(suite: Suite, models: Sequence[str], bounds: Collection[str]) -> Parameters:
    """Return the parameters of stage compare. models: in their order. bounds: those that read the references."""
    metrics = {name: task.metric for name, task in suite.tasks.items()}
    added = tuple(name for name in metrics if name not in suite.official)
    return Parameters(metrics, models, list(bounds), not design_of(suite).ranked, added)


def upper_bounds(aggregates: Sequence[Node]) -> list[str]:
    """List the models that read the references, sorted."""
    return sorted({node.label("model") for node in aggregates if node.params.get("reads_references")})
