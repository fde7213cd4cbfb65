"""A home that an earlier version fitted can be reported: its fits lack fields that came later."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

from scrollwork.designs.windows import DESIGN
from scrollwork.records.complexity import Complexity
from scrollwork.storage.artifacts.manifest import Ingredients
from scrollwork.tasks.report.ledger import tables_of, unreadable_tasks

INPUTS = {"prompts-0": "a", "scores-0": "b"}
PARAMS = {"sections": list(DESIGN.sections), "tasks": [], "suite": "dolce"}


def made(stage: str) -> Any:
    """What is asked of an artifact; its rows are those of a version that knew fewer fields."""

    def rows(table: str, kind: Any) -> Iterator[Any]:
        yield Complexity.from_dict({"suite": "dolce"})

    ingredients = Ingredients(stage, "slot", {}, {}, {}, INPUTS)
    return SimpleNamespace(manifest=SimpleNamespace(ingredients=ingredients), rows=rows, content=stage)


def test_a_fit_of_an_earlier_version_ends_the_report() -> None:
    row: Any = SimpleNamespace(task="leval_quality", model="m", split="test")
    scored, old = [(row, made("aggregate"))], [made("complexity")]
    assert not any(tables_of(PARAMS, scored, [], old, {}).values())
    assert unreadable_tasks(PARAMS, scored, old) == ["leval_quality"]
    assert unreadable_tasks(PARAMS, scored, []) == []  # never fitted: nothing is missing
