"""What tests of planted evidence share: pairs (lambda, k) of each category, runs, their problems beside what was
planted."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from scrollwork.analysis.windows.categories import CATEGORIES, Thresholds, categories, thresholds
from scrollwork.analysis.windows.fit.candidates import PIG, pairs
from scrollwork.sample._kit import Voice
from scrollwork.sample.windows import Planted
from tests.conftest import Scrollwork

NEIGHBOURS = {("II", "III"), ("II", "IV"), ("III", "IV"), ("IV", "V")}  # regions of (lambda, k) with a common edge
SURE = 2.33  # standard errors below an expected share: one in a hundred falls lower


@dataclass(frozen=True)
class Found:
    """A problem of a run beside what was planted in it."""

    planted: Planted
    wanted: str
    row: dict[str, Any]

    @property
    def right(self) -> bool:
        """Whether its category is the planted one."""
        return bool(self.row["category"] == self.wanted)

    @property
    def explained(self) -> bool:
        """Whether a category that is not the planted one is flagged or next to it."""
        near = {(self.wanted, self.row["category"]), (self.row["category"], self.wanted)}
        return self.right or self.row["undecided"] or bool(near & NEIGHBOURS)

    def __str__(self) -> str:
        row, one = self.row, self.planted
        flag = " undecided" if row["undecided"] else ""
        return f"{one.problem} C {one.units}: ({one.lam}, {one.copies}) {self.wanted} -> " + (
            f"({row['lambda']}, {row['k']}) {row['category']}{flag}"
        )


def chosen(sizes: Sequence[int], scenario: str, seed: str) -> list[list[tuple[int, int]]]:
    """One pair of each category for each context of so many units, any of the candidates with the same chance; the
    whole context and lambda = inf are left out of PIG, where every unit would be evidence, or none."""
    limits = thresholds(max(sizes))
    voice = Voice(seed)
    found = []
    for size in sizes:
        own = [one for one in pairs(size, scenario) if scenario != PIG or one[0] not in (-1, size)]
        named = [(one, category_of(*one, limits)) for one in own]
        groups = [[one for one, name in named if name == category] for category in CATEGORIES]
        found.append([voice.pick(group, 1)[0] for group in groups if group])
    return found


def category_of(lam: int, copies: int, limits: Thresholds) -> str:
    """The name of a pair's category."""
    import numpy as np

    return CATEGORIES[int(categories(np.array([lam]), np.array([copies]), limits)[0])]


def beside(document: Any, planted: Sequence[Planted], model: str = "") -> list[Found]:
    """The problems of one task of a run's or a fit's JSON. A task may be split: few aspects give scores of two heaps.

    model: whose, where there are several."""
    own = [one for one in document["tasks"] if one["task"] == planted[0].task and (not model or one["model"] == model)]
    parts = [one["problems"] for one in own]
    rows = {row["problem"]: row for problems in parts for row in problems}
    assert sum(map(len, parts)) == len(rows)
    assert set(rows) == {one.problem for one in planted}
    limits = thresholds(max(one.units for one in planted))
    assert [rows[one.problem]["units"] for one in planted] == [one.units for one in planted]
    return [Found(one, category_of(one.lam, one.copies, limits), rows[one.problem]) for one in planted]


def run(work: Scrollwork, raw: Path, tasks: Sequence[str], *models: str, strategy: str = "all") -> Any:
    """What `run dolce --json` says of complexity. models: one, planted, where none is named."""
    named = [word for task in tasks for word in ("--task", task)]
    named += [word for model in models or ("planted",) for word in ("--model", model)]
    done = work(
        *("run", "dolce", "--raw", str(raw), *named, "--strategy", strategy),
        *("--engine", "inline", "--quiet", "--json"),
    )
    return done.document["dolce"]


def fitted(work: Scrollwork, tasks: Sequence[str], file: Path, *options: str) -> Any:
    """What `dolce fit` says of a run's own observations. One run of one model must be in the home."""
    made = (row for task in tasks for row in observations(work.home, task))
    file.write_text("".join(json.dumps(row) + "\n" for row in made), encoding="utf-8")
    return work("dolce", "fit", "--observations", str(file), "--json", *options).document


def observations(home: Path, task: str) -> Iterator[dict[str, Any]]:
    """A row a window, from the Parquet files of prompts and scores."""
    windows = {
        (row["example_id"], row["draw"]): (row["units"], row["span_length"]) for row in rows(home, "prompt", task)
    }
    for row in rows(home, "score", task):
        units, length = windows[row["example_id"], row["draw"]]
        yield {
            "task": task,
            "problem": row["example_id"],
            "units": units,
            "length": length,
            "score": row["value"] / 100,
        }


def rows(home: Path, stage: str, task: str) -> Iterator[dict[str, Any]]:
    """The rows of a stage's table, which is named as the stage with an s."""
    for path in sorted((home / "artifacts" / stage).glob(f"dolce.{task}.*/*/{stage}s-*.parquet")):
        yield from pq.read_table(path).to_pylist()


def least(share: float, count: int) -> float:
    """The share of so many problems that is reached 99 times in a hundred where each is right with this chance."""
    return share - SURE * (share * (1 - share) / count) ** 0.5
