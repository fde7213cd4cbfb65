"""Models that score: the checkpoints by which a suite's metric is judged where a run names them (SEAM, FuseReviews).

--faithfulness and --coverage name them as --model names local checkpoints; then such a task is scored by the metric
that its `judged` in the suite file tells, in place of the one that stands in for it. A score's key knows the
checkpoints by the digests of their files.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from scrollwork.models.local.checkpoint import ENCODER_DECODER
from scrollwork.models.local.local_tables import answer_relevant
from scrollwork.models.registry import LOCAL, UnknownModel, settings
from scrollwork.pipeline.errors import UsageError
from scrollwork.storage.home import Home
from scrollwork.suites.suite_files import Suite, TaskConfig, load_models

if TYPE_CHECKING:
    from scrollwork.suites.request import Request

ROLES = ("faithfulness", "coverage")  # of models that judge answers
Tables = Mapping[str, Mapping[str, Any]]  # adopted, by role


def judges_of(request: Request) -> dict[str, dict[str, Any]]:
    """The tables of a request's judging models by role, with what the checkpoints say. Raises UsageError."""
    names = {role: getattr(request, role) for role in ROLES}
    return judging_tables(names, request.models_file, Home(request.home, request.store), request.suite)


def judging_tables(
    names: Mapping[str, str], models_file: str | None, home: Home, suite: str = ""
) -> dict[str, dict[str, Any]]:
    """The tables of models by role, with what the checkpoints say. names: by role. Raises UsageError."""
    if lost := [role for role, name in names.items() if not name]:
        raise UsageError(f"--{lost[0]} is missing: answers are judged by two models, --faithfulness and --coverage")
    from scrollwork.suites.checkpoints import with_checkpoint_facts

    known = load_models(models_file)
    found = {}
    for role, name in names.items():
        try:
            table = settings(name, known, suite)
            table = with_checkpoint_facts(name, table, home) if table["provider"] in LOCAL else table
        except (UnknownModel, UsageError) as error:
            raise UsageError(f"--{role}: {error}") from error
        if table["provider"] not in LOCAL:
            raise UsageError(
                f"--{role} {name}: only checkpoints judge (transformers:FOLDER), not models of {table['provider']}"
            )
        if table["kind"] != ENCODER_DECODER:
            raise UsageError(f"--{role} {name}: an encoder-decoder is needed, not a {table['kind']} model")
        found[role] = table
    return found


def labels_of(tables: Tables) -> dict[str, str]:
    """The lasting name of each judging checkpoint by role."""
    return {role: str(table["checkpoint"]) for role, table in tables.items()}


def judged_suite(suite: Suite, labels: Mapping[str, str]) -> Suite:
    """Return a suite whose tasks with `judged` are scored by models. labels: by role. Raises UsageError where no task
    has it."""
    if not any(task.judged for task in suite.tasks.values()):
        raise UsageError(f"--{ROLES[0]}: no task of {suite.name} is scored by models")
    return replace(suite, tasks={name: _judged(task, labels) for name, task in suite.tasks.items()})


def _judged(task: TaskConfig, labels: Mapping[str, str]) -> TaskConfig:
    if not task.judged:
        return task
    papers = all(labels[role].startswith(f"{task.judged[role].replace('/', '--')}~") for role in ROLES)
    told = " and ".join(f"{role} by {labels[role]}" for role in ROLES)
    return replace(
        task,
        metric=task.judged["metric"],
        proxy="" if papers else f"{told}: not the paper's models, not comparable with its column",
        judges=dict(labels),
    )


def what_judges(tables: Tables) -> dict[str, dict[str, Any]]:
    """Return the part of the tables that a score depends on."""
    return {role: answer_relevant(table) for role, table in tables.items()}
