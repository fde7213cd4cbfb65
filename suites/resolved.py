"""A request with everything that is looked up for it, once: code that gets it reads no table of models again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from scrollwork.models.registry import TABLES
from scrollwork.models.table_keys import nearest_known
from scrollwork.pipeline.errors import UsageError
from scrollwork.pipeline.session import CallSettings, Locations
from scrollwork.suites.model_tables import calling_of, can_be_asked_anew, tables_of
from scrollwork.suites.parts import Part, parts, profile_of
from scrollwork.suites.request import Request

Table = Mapping[str, Any]


@dataclass(frozen=True)
class Resolved:
    """tables: of the request's models, by the name they were asked for. locations: where a worker finds everything, and
    how it calls models."""

    request: Request
    tables: Mapping[str, Table]
    locations: Locations

    @property
    def calling(self) -> CallSettings:
        """How hosted and local models are called; of a request without models nothing."""
        return self.locations.calling or CallSettings()

    @cached_property
    def anew(self) -> Mapping[str, Table]:
        """The tables of the models that can be asked anew (docs/fresh.md), by model."""
        return {model: table for model, table in self.tables.items() if can_be_asked_anew(table)}

    def asked(self, model: str) -> list[Part]:
        """The tasks and splits that a model is asked for, with the way its prompts are made. Raises UsageError where it
        is defined for other suites or tasks only."""
        table, request = self.tables[model], self.request
        suites, tasks = table.get("suites", [request.suite]), table.get("tasks")
        if request.suite not in suites:
            raise UsageError(
                f"model {model!r} is defined for {', '.join(suites)} only, not for {request.suite}; to have it there, "
                "name the suite in `suites` of the model's table, with a rule for each task where the table has rules"
            )
        chosen = [part for part in parts(request) if tasks is None or part.task.name in tasks]
        if not chosen:
            raise UsageError(f"model {model!r} is defined for the tasks {', '.join(tasks or ())} only")
        if "rules" in TABLES.get(table["provider"], {}):
            need_rules(model, table.get("rules", {}), [part.task.name for part in chosen])
        own = {name: value for name, value in table.items() if name not in ("suites", "tasks")}
        profile = profile_of(request, own)
        return [replace(part, profile=profile, model=own.get("shown", model), table=own) for part in chosen]


def resolve(request: Request) -> Resolved:
    """Look up what a request names. Raises UnknownModel, UsageError."""
    if not request.models:
        return Resolved(request, {}, Locations(request.home, request.raw, request.store))
    tables = tables_of(request)
    calling = calling_of(request, tables)
    return Resolved(request, tables, Locations(request.home, request.raw, request.store, calling))


def need_rules(model: str, rules: Mapping[str, Any], tasks: Iterable[str]) -> None:
    """Raises UsageError where a model that answers by rules has none for a task."""
    for task in tasks:
        if task not in rules:
            near = nearest_known(task, list(rules))
            raise UsageError(f"model {model!r}: its table has no rule for task {task!r} (rules.{task}){near}")
