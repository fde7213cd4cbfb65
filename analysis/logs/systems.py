"""What is compared: the models in the logs of each source, and what a caller asks for."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from scrollwork.analysis.logs.log import NOT_READ, Log, metric_of
from scrollwork.analysis.logs.note import Note

SEPARATOR = re.compile(r"[/\\]" if os.sep == "\\" else "/")  # elsewhere a backslash is part of a name


@dataclass(frozen=True)
class CompareOptions:
    """What is compared. margin: half the width of what counts as no difference, in points of 100; None for one point,
    where scores are known to go to 1 or to 100, and no margin elsewhere.

    tasks, metrics: (name in A, name in B); none: those of equal names. allow_changed: also items whose prompts differ.
    """

    margin: float | None = None
    allow_changed: bool = False
    tasks: Sequence[tuple[str, str]] = ()
    metrics: Sequence[tuple[str, str]] = ()


@dataclass(frozen=True, eq=False)
class System:
    """What is compared: a model in a source. logs: by task. name: unique among the systems compared."""

    name: str
    source: str
    logs: Mapping[str, Log]


def systems_of(sources: Mapping[str, Sequence[Log]], metrics: Collection[str] = ()) -> tuple[list[System], list[Note]]:
    """Group the logs of each source by model; return (systems, remarks). sources: logs by the user's name for them.

    metrics: those that are compared; what values of others are no score is not remarked. None means all.
    Where a source has several logs of a model on one task, the last one is taken, and a remark says so.
    """
    grouped: dict[tuple[str, str], dict[str, list[Log]]] = {}
    for source, logs in sources.items():
        for log in logs:
            grouped.setdefault((source, log.model), {}).setdefault(log.task, []).append(log)
    models = [model for _, model in grouped]
    short = short_names(sources)
    systems: list[System] = []
    remarks: list[Note] = []
    for (source, model), by_task in grouped.items():
        name = model if model and models.count(model) == 1 else f"{model} ({short[source]})" if model else short[source]
        if any(name == one.name for one in systems):  # a file that is called as another's model is
            name = f"{name} [{len(systems) + 1}]"
        systems.append(System(name, source, {task: found[-1] for task, found in by_task.items()}))
        for task, found in by_task.items():
            file = (found[-1].source,)
            if len(found) > 1:
                of = f" on {task}" if task else ""
                before = f"{len(found)} logs of {model or 'a model'}{of} in {source}, of which "
                remarks.append(Note(before, file, " is used", file=True, of=name))
            remarks += [
                Note(note) if note.startswith(NOT_READ) else Note("", file, f": {note}", file=True, of=name)
                for note in found[-1].notes
                if not metrics or metric_of(note) in ("", *metrics)
            ]
    return systems, list(dict.fromkeys(remarks))


def short_names(sources: Collection[str]) -> dict[str, str]:
    """Name each source by as many of the last parts of its path as tell it from the others."""
    parts = {source: [part for part in SEPARATOR.split(source) if part] or [source] for source in sources}
    found = {}
    for source, own in parts.items():
        count = 1
        while count < len(own) and sum(other[-count:] == own[-count:] for other in parts.values()) > 1:
            count += 1
        found[source] = "/".join(own[-count:])
    return found


class UnknownName(ValueError):
    """A task or metric that was asked for is in no log; the message says which there are (`known`)."""

    def __init__(self, kind: str, name: str, known: Sequence[str]) -> None:
        there = ", ".join(known) or f"none, as the logs name no {kind}"
        super().__init__(f"{kind} {name!r} is in no log; there are: {there}")
        self.name, self.known = name, known


def unknown_name(systems: Sequence[System], options: CompareOptions) -> UnknownName | None:
    """Return the error for a task or metric that was asked for and is in no log; None if there is none."""
    logs = [(task, log) for system in systems for task, log in system.logs.items()]
    tasks = dict.fromkeys(task for task, _ in logs)
    metrics = dict.fromkeys(metric for _, log in logs for metric in log.scores)
    for kind, asked, known in (("task", options.tasks, tasks), ("metric", options.metrics, metrics)):
        for name in (name for pair in asked for name in pair):
            if name not in known:
                return UnknownName(kind, name, [*filter(None, known)])
    return None
