"""What somebody accepts with a night: the answers that it lacks, and the drops that it shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from scrollwork.analysis.nights.rule import STANDARD
from scrollwork.records.nights.night import NOT_COMPARED, NightModel, NightRow, NightTask


def too_few(row: NightRow) -> bool:
    """Return whether a task of the night has so few answers that later nights will be incomplete."""
    return not all(model.whole(STANDARD.coverage) for model in row.models)


def missing_of(row: NightRow) -> Iterator[tuple[NightModel, NightTask]]:
    """Yield the tasks that lack answers, with their models."""
    yield from ((model, task) for model in row.models for task in model.tasks if task.missing)


def dropped_of(row: NightRow) -> Iterator[tuple[NightModel, NightTask]]:
    """Yield the tasks that dropped, tonight or before, with their models."""
    yield from ((model, task) for model in row.models for task in model.tasks if task.task in model.dropped)


def accepted_lines(row: NightRow) -> Iterator[str]:
    """Yield sentences on what is accepted with a night."""
    for model, task in missing_of(row):
        count = f"{task.missing:,} of {task.expected:,} answers of {named(row, model, task)}"
        yield f"{count} are missing in it, and are compared on no later night"
    for model, task in dropped_of(row):
        fall = f"{named(row, model, task)} dropped by {-(task.difference or 0.0):.1f} points"
        yield f"{fall} against {model.reference}, and later nights are held against the lower score"
    for model in row.models:
        if model.reference and all(task.state == NOT_COMPARED for task in model.tasks):
            whose = f"{model.model} was" if len(row.models) > 1 else "it was"
            yield f"{whose} not compared with {model.reference}, so nobody looked for a drop"


def named(row: NightRow, model: NightModel, task: NightTask) -> str:
    """Return a task's name, with its model's where the night has several."""
    return f"{task.task} of {model.model}" if len(row.models) > 1 else task.task


def as_json(row: NightRow) -> Mapping[str, Any]:
    """Return the same as data: lists `missing` and `dropped`, with models and tasks."""
    return {
        "missing": [
            {"model": model.model, "task": task.task, "missing": task.missing, "expected": task.expected}
            for model, task in missing_of(row)
        ],
        "dropped": [
            {"model": model.model, "task": task.task, "difference": task.difference, "reference": model.reference}
            for model, task in dropped_of(row)
        ],
    }
