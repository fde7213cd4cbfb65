"""The scores of results of `scrollwork.run`, as logs for `scrollwork.compare`: of each run its own, also where a later
run of the home has others of the same models."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from scrollwork.analysis.logs.log import Log
from scrollwork.exchange.logs.homes import model_label, with_lines
from scrollwork.library.results import RunResult
from scrollwork.pipeline.errors import UsageError
from scrollwork.readings.home_artifacts import Line
from scrollwork.readings.home_scores import revisions_of
from scrollwork.storage.home import Home


@dataclass(frozen=True, eq=False)
class Scored:
    """A model's scores of a task in a result. number: of the result, from 1. revision: of a function, "" for others."""

    number: int
    line: Line
    log: Log
    revision: str

    @property
    def place(self) -> str:
        """The artifact that has the scores."""
        return self.line.aggregate.folder.url

    def called(self, model: str) -> Scored:
        """Return it with another name of the model in its log."""
        return replace(self, log=replace(self.log, model=model))


def logs_of(results: Sequence[RunResult]) -> list[Log]:
    """Return the logs of results of one home: the scores of these runs, not those that the home shows now.

    A model that has other scores in another result is called NAME@REVISION if it is a function in several revisions,
    else "NAME (result 2)", by the place among the results. Raises UsageError if nothing of a result is in its home any
    more.
    """
    home = Home.to_read(results[0].home).one_look()
    found = []
    for number, one in enumerate(results, 1):
        own = list(scores_of(one, number, home))
        if not own:
            raise UsageError(f"{one.home}: nothing that the result shows is scored in its home any more")
        found += own
    named = by_result(by_revision(by_split(found)))
    return list({(one.log.model, one.log.task, one.place): one.log for one in named}.values())


def scores_of(result: RunResult, number: int, home: Home) -> Iterator[Scored]:
    """Yield the scores of a result that are in its home. number: of the result, from 1."""
    if not result.row:
        return
    revisions = revisions_of(result.row["request"])
    of_run = replace(home, only=(result.row,))
    for line, log in with_lines(home.url, of_run, result.suite):
        yield Scored(number, line, log, revisions.get(line.stored.model, ""))


def by_split(found: Sequence[Scored]) -> list[Scored]:
    """Name tasks with their splits, where the results have several of a task."""
    splits: dict[str, set[str]] = {}
    for one in found:
        splits.setdefault(one.line.shown.task, set()).add(one.line.shown.split)
    return [
        replace(one, log=replace(one.log, task=f"{one.line.shown.task}, {one.line.shown.split}"))
        if len(splits[one.line.shown.task]) > 1
        else one
        for one in found
    ]


def by_revision(found: Sequence[Scored]) -> list[Scored]:
    """Name functions with their revisions, where the results have several of a function."""
    revisions: dict[str, set[str]] = {}
    for one in found:
        revisions.setdefault(one.line.stored.model, set()).add(one.revision)
    return [
        one.called(model_label(f"{one.line.stored.model}@{one.revision}{one.line.suffix}", one.line.shown.arm))
        if one.revision and len(revisions[one.line.stored.model]) > 1
        else one
        for one in found
    ]


def by_result(found: Sequence[Scored]) -> list[Scored]:
    """Name models with the first result that has their scores, where results have several scores of one task."""
    places: dict[tuple[str, str], set[str]] = {}
    own: dict[tuple[str, int], set[str]] = {}
    for one in found:
        places.setdefault((one.log.model, one.log.task), set()).add(one.place)
        own.setdefault((one.log.model, one.number), set()).add(one.place)
    several = {model for (model, _), some in places.items() if len(some) > 1}

    def first_with(one: Scored) -> int:
        """Return the first result in which the model has the same scores."""
        same = own[one.log.model, one.number]
        return min(number for (model, number), some in own.items() if model == one.log.model and some == same)

    return [
        one.called(f"{one.log.model} (result {first_with(one)})") if one.log.model in several else one for one in found
    ]
