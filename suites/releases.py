"""Official releases in place of upstream files: when a task is imported from one, and the parameters of that."""

from __future__ import annotations

from typing import Any

from scrollwork.pipeline.plan import RawQuery
from scrollwork.pipeline.raw_files import any_match, fill_pattern
from scrollwork.preprocessing.curation import RELEASE
from scrollwork.suites.request import Request
from scrollwork.suites.suite_files import TaskConfig


def upstream_values(request: Request, task: TaskConfig, split: str) -> dict[str, Any]:
    """What fills the patterns of a task's raw files. {test} is empty there and unknown for other splits."""
    return {"split": task.splits[split], split: "", **request.options_of(task)}


def is_imported(request: Request, task: TaskConfig, split: str) -> bool:
    """Whether upstream files of the task are missing and its official release is there.

    Who sets an option of the task wants it built, and is told what is missing.
    """
    if any(path.startswith(f"{task.name}.") for path in request.options or {}):
        return False
    values = upstream_values(request, task, split)
    roles = ([p for one in ordered if (p := fill_pattern(one, values)) is not None] for ordered in task.raw.values())
    if all(any_match(request.raw, patterns) for patterns in roles):
        return False
    return any_match(request.raw, release_patterns(request, task, split))


def release_patterns(request: Request, task: TaskConfig, split: str) -> list[str]:
    """Where the release of a task may lie below the raw folder, with the member that holds the split."""
    values = {"task": task.name, "split": split}
    return [p for one in request.config.release if (p := fill_pattern(one, values)) is not None]


def release_query(request: Request, task: TaskConfig, split: str) -> RawQuery:
    """The release as raw files."""
    return RawQuery(RELEASE, {"records": request.config.release}, {"task": task.name, "split": split})


def release_options(task: TaskConfig) -> dict[str, Any]:
    """The task's options that the import needs: its prompt template, and where its queries end."""
    return {"template": dict(task.template), "query_ends": task.query_ends}
