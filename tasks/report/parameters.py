"""What a report is told beside its rows."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from scrollwork.fetching.upstream import upstream_of
from scrollwork.records.score import subset_metric
from scrollwork.reporting.boards.published import ROUGE
from scrollwork.suites.judging_models import labels_of
from scrollwork.suites.request import Request
from scrollwork.suites.suite_files import Suite, load_published


def shown(request: Request) -> dict[str, Any]:
    """What of a request differs from the suite's own way, for the head of the report."""
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
    """What a report is told beside its rows. asked: tasks that have a column where the suite observes windows.
    upper_bounds: those of the models that read the references. decoding: of
    models that decode otherwise than the suite says.
    """
    published = load_published(suite.name)
    in_rouge = {task for row in published.get("row", ()) for task in row.get("rouge", ())}
    parts = {
        t.name: list(ROUGE) if t.name in in_rouge else [t.metric, subset_metric(t.metric, t.subset)] if t.subset else []
        for t in suite.tasks.values()
    }
    return {
        "suite": suite.name,
        "title": suite.title,
        "tasks": [
            {
                "name": t.name,
                "short": t.short,
                "metric": t.metric,
                "paper": dict(t.paper),
                **({"parts": parts[t.name]} if parts[t.name] else {}),
                **({"units": t.windows["units"]} if t.windows else {}),
            }
            for t in suite.tasks.values()
            if asked is None or not t.windows or t.name in asked
        ],
        "published": dict(published),
        "models": list(models),
        **({"upper_bounds": list(upper_bounds)} if upper_bounds else {}),
        **({"decoding": dict(decoding)} if decoding else {}),
        "failures": [dict(one) for one in failures],
        "upstream_files": upstream_of(suite.name),
        **({"observed": True} if any(task.windows for task in suite.tasks.values()) else {}),
        **({"ranked": True, "upstream": upstream_splits(suite)} if suite.runs else {}),
    }


def upstream_splits(suite: Suite) -> dict[str, str]:
    """What upstream calls the test split of a task, where it is another."""
    return {task.name: name for task in suite.tasks.values() if (name := task.splits.get("test", "test")) != "test"}
