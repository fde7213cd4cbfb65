"""Invented aggregates of the whole suite, for the tests of this room."""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from scrollwork.records.score import Aggregate, Coverage

CONFIG = Path(__file__).resolve().parents[2] / "config"
PUBLISHED = tomllib.loads((CONFIG / "published" / "zeroscrolls.toml").read_text(encoding="utf-8"))
SUITE = tomllib.loads((CONFIG / "suites" / "zeroscrolls.toml").read_text(encoding="utf-8"))
TASKS = list(SUITE["task"])
METRICS = {name: task["metric"] for name, task in SUITE["task"].items()}


def params(models: list[str], failures: Sequence[Mapping[str, str]] = (), **more: Any) -> dict[str, Any]:
    """What tasks/report/parameters.py gives the report stage."""
    tasks = [
        {"name": name, "short": task["short"], "metric": task["metric"], "paper": task["paper"]}
        for name, task in SUITE["task"].items()
    ]
    base = {"suite": "zeroscrolls", "title": "ZeroSCROLLS", "tasks": tasks, "published": PUBLISHED, "models": models}
    return {**base, "failures": [dict(one) for one in failures], **more}


def row(
    task: str,
    model: str = "naive",
    value: float = 10.0,
    *,
    split: str = "test",
    arm: str = "full",
    inputs: int = 0,
    unanswered: int = 0,
    spread: float | None = None,
    seeds: int = 1,
    **more: Any,
) -> Aggregate:
    """One aggregate; inputs 0: as many as the paper has."""
    expected = inputs or SUITE["task"][task]["paper"]["examples"]
    answered = expected - unanswered
    fields: dict[str, Any] = {
        "metric": METRICS[task],
        "value": value if answered else None,
        "value_missing_as_zero": value * answered / expected,
        "low": value - 1 if answered else None,
        "high": value + 1 if answered else None,
        "components": {METRICS[task]: value} if answered else {},
        "coverage": Coverage(expected, answered, answered, 0, unanswered, 0, 0),
    }
    return Aggregate(
        suite="zeroscrolls", task=task, split=split, model=model, arm=arm, spread=spread, seeds=seeds, **fields | more
    )


def family(model: str = "naive", seeds: int = 3, split: str = "test") -> Iterator[Aggregate]:
    """Every task of a family: a row a seed (10, 11, 12, ...), then the family's."""
    values = [10.0 + seed for seed in range(seeds)]
    for task in TASKS:
        yield from (row(task, f"{model}:seed={seed}", value, split=split) for seed, value in enumerate(values))
        yield row(task, model, sum(values) / seeds, split=split, spread=1.0, seeds=seeds)


def failure(message: str, model: str = "m", task: str = "qmsum", split: str = "test") -> dict[str, str]:
    """A task of a model that has no score."""
    return {"task": task, "split": split, "model": model, "message": message}
