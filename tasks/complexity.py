"""Stage complexity: scores of windows -> lambda, k and category of every problem (Dolce)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from analysis.dolce.fitting import Settings, TaskFit, fit_task
from analysis.dolce.observations import OUTCOMES, Problem, Task
from analysis.summary import input_name
from records.complexity import CATEGORIES, AtLength, Complexity, Mixture
from storage.artifacts import Artifact, ArtifactWriter
from tasks.aggregate import named
from tasks.graph import Node
from tasks.score import DECLINED
from tasks.shards import shards
from tasks.workshop import Workshop

LABELS = ("suite", "task", "split", "model", "arm")


def fill(node: Node, inputs: Mapping[str, Artifact], shop: Workshop, writer: ArtifactWriter) -> None:
    """A row a problem; a row a scenario of the task; a row a length."""
    labels = {name: node.label(name) for name in LABELS}
    settings = Settings(**node.params["how"])
    windows = windows_of(inputs)
    task = Task(labels["task"])
    whole: dict[str, float] = {}
    lengths: dict[int | None, list[tuple[float, bool]]] = defaultdict(list)
    for name, value, declined in answered(inputs):
        problem, units, length = windows[name]
        own = task.problems.setdefault(problem, Problem(problem, units))
        own.seen.add(length)
        if declined:
            own.outcomes[length, OUTCOMES["idk"]] += 1
        else:
            own.scores[length, value / 100.0] += 1
        if length == units:
            whole[problem] = value
        lengths[None if length == units else length].append((value, declined))
    problems = writer.table("complexity", Complexity)
    mixtures = writer.table("mixtures", Mixture)
    for fitted in fit_task(task, settings) if task.problems else []:
        count = sum(1 for problem, *_ in windows.values() if problem in {one.problem.name for one in fitted.problems})
        mixtures.add(mixture(labels, fitted, count))
        for row in problem_rows(labels, fitted, whole):
            problems.add(row)
    table = writer.table("observed", AtLength)
    for at, found in sorted(lengths.items(), key=lambda one: (one[0] is None, one[0] or 0)):
        table.add(at_length(labels, at, found, settings.tau))
    writer.facts = {
        "problems": len(task.problems),
        "windows": len(windows),
        "answered": sum(map(len, lengths.values())),
    }


def windows_of(inputs: Mapping[str, Artifact]) -> dict[str, tuple[str, int, int]]:
    """(problem, units of its context, units of the window) of every input that was asked."""
    columns = ["example_id", "draw", "units", "span_length"]
    return {
        input_name(row["example_id"], row["draw"]): (row["example_id"], row["units"], row["span_length"])
        for shard in shards(inputs, "prompts")
        for row in shard.columns("prompts", columns)
    }


def answered(inputs: Mapping[str, Artifact]) -> Iterator[tuple[str, float, bool]]:
    """(input, score, whether it was declined) of every answer."""
    for scores in shards(inputs, "scores"):
        for row in scores.columns("scores", ["example_id", "draw", "value", "flags"]):
            yield named(row), row["value"], bool(dict(row["flags"]).get(DECLINED))


def mixture(labels: Mapping[str, str], fitted: TaskFit, windows: int) -> Mixture:
    """The row of a fit."""
    own = [one.problem for one in fitted.problems]
    return Mixture(
        **labels,
        scenario=fitted.scenario,
        problems=len(own),
        undecided=sum(one.undecided for one in fitted.problems),
        noise=fitted.noise or (),
        low=fitted.limits.low,
        high=fitted.limits.high,
        shares=fitted.shares,
        expected=fitted.expected,
        share_lows=tuple(low for low, _ in fitted.intervals),
        share_highs=tuple(high for _, high in fitted.intervals),
        windows=windows,
        answered=int(sum(sum((*one.outcomes.values(), *one.scores.values())) for one in own)),
        declined=int(sum(sum(one.outcomes.values()) for one in own)),
    )


def problem_rows(labels: Mapping[str, str], fitted: TaskFit, whole: Mapping[str, float]) -> Iterator[Complexity]:
    """A row a problem."""
    for one in fitted.problems:
        yield Complexity(
            **labels,
            example_id=one.problem.name,
            scenario=fitted.scenario,
            units=one.problem.units,
            windows=int(sum((*one.problem.outcomes.values(), *one.problem.scores.values()))),
            complexity=None if one.complexity < 0 else one.complexity,
            redundancy=one.redundancy,
            weight=one.weight,
            likelihood=one.likelihood,
            category=CATEGORIES[one.category],
            probabilities=one.probabilities,
            undecided=one.undecided,
            full=whole.get(one.problem.name),
        )


def at_length(labels: Mapping[str, Any], length: int | None, found: list[tuple[float, bool]], tau: float) -> AtLength:
    """The row of a length. tau: the score, 0 to 1, from which an answer is right."""
    right = sum(not declined and value / 100.0 >= tau for value, declined in found) / len(found)
    declined = sum(one for _, one in found) / len(found)
    return AtLength(
        **labels,
        length=length,
        windows=len(found),
        right=right,
        wrong=max(0.0, 1.0 - right - declined),
        declined=declined,
        score=sum(value for value, _ in found) / len(found),
    )
