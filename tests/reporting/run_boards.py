"""Invented runs of the whole of SEAM, ranked as the stage does, for the tests of this room."""

from __future__ import annotations

import random
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

from boards import CONFIG

from scrollwork.analysis.runs.points import correlations, format_points, length_points
from scrollwork.analysis.runs.rank_rows import RankingLabels, model_label, rank, variance_rows
from scrollwork.analysis.runs.scores import RunScores
from scrollwork.analysis.runs.selection import select
from scrollwork.analysis.statistics.association import Measured
from scrollwork.designs.runs import DESIGN as RUNS
from scrollwork.records.ranking import PUBLISHED as OF_PAPER
from scrollwork.records.run_score import RunScore
from scrollwork.records.score import Aggregate, Coverage
from scrollwork.reporting.boards.board import Board, board
from scrollwork.reporting.boards.ranks import Ranks
from scrollwork.suites.suite_files import load_suite
from scrollwork.tasks.rank.parameters import rank_parameters
from scrollwork.tasks.rank.ranking import published_ranking, published_table

PUBLISHED = tomllib.loads((CONFIG / "published" / "seam.toml").read_text(encoding="utf-8"))
SUITE = tomllib.loads((CONFIG / "suites" / "seam.toml").read_text(encoding="utf-8"))
TASKS = list(SUITE["task"])
METRICS = {name: task["metric"] for name, task in SUITE["task"].items()}
PROXIES = {name: task["proxy"] for name, task in SUITE["task"].items() if "proxy" in task}
INPUTS = 40


def params(models: Sequence[str], **more: Any) -> dict[str, Any]:
    """What tasks/report/parameters.py gives the report stage."""
    tasks = [
        {"name": name, "short": task["short"], "metric": task["metric"], "paper": task["paper"]}
        for name, task in SUITE["task"].items()
    ]
    base = {"suite": "seam", "title": "SEAM", "tasks": tasks, "published": PUBLISHED, "models": list(models)}
    upstream = {"fuse_reviews": "dev", "musique": "dev"}
    own = {"ranked": True, "upstream": upstream, "sections": list(RUNS.sections)}
    return {**base, "failures": [], **own, **more}


def run_score(task: str, model: str, run: int, value: float | None, **more: Any) -> RunScore:
    """A run; None: nothing was answered."""
    answered = INPUTS if value is not None else 0
    fields: dict[str, Any] = {
        "components": {},
        "in_format": None,
        "manifest": f"{task}-{run}",
        "coverage": Coverage(INPUTS, answered, answered, 0, INPUTS - answered, 0, 0),
    }
    return RunScore("seam", task, "test", model, "full", METRICS[task], run, value, **fields | more)


def aggregate(rows: Sequence[RunScore]) -> Aggregate:
    """Of the runs of a model on a task."""
    values = [row.value for row in rows if row.value is not None]
    mean = sum(values) / len(values) if values else None
    spread = (sum((one - (mean or 0)) ** 2 for one in values) / len(values)) ** 0.5 if len(values) > 1 else None
    counts = [sum(getattr(row.coverage, name) for row in rows) for name in ("expected", "attempted", "answered")]
    coverage = Coverage(*counts, 0, counts[0] - counts[1], 0, 0)
    first = rows[0]
    where = (first.suite, first.task, first.split, first.model, first.arm, first.metric)
    return Aggregate(*where, mean, mean or 0.0, mean, mean, spread, 1, {}, coverage)


def drawn(models: Mapping[str, float], runs: int = 10, tasks: Sequence[str] = tuple(TASKS)) -> list[RunScore]:
    """Runs of models around what each gets on average."""
    chance = random.Random(7)
    found = []
    for model, level in models.items():
        for task in tasks:
            base = level * (1 + 0.3 * chance.random())
            for run in range(runs):
                value = max(0.0, min(100.0, chance.gauss(base, 0.08 * base)))
                form = max(0.0, min(100.0, value + chance.gauss(20, 8))) if METRICS[task] in FORMED else None
                found.append(run_score(task, model, run, value, in_format=form))
    return found


FORMED = ("musique_output", "conll")


def ranked(rows: Sequence[RunScore], bounds: Sequence[str] = (), lengths: bool = False) -> Ranks:
    """As stage rank leaves it, without artifacts."""
    paper = published_table(PUBLISHED)
    assert paper is not None
    of = RankingLabels("seam", "test", metrics=METRICS, proxies=PROXIES)
    chosen = select(rows, of, TASKS, bounds)
    shared = [task for task in chosen.table.datasets if task not in PROXIES]
    own = {"compared": shared, "reasons": chosen.reasons}
    found = rank(chosen.table, RankingLabels(**{**vars(of), **own})) if chosen.table.models else None
    printed = rank(
        paper, published_ranking(rank_parameters(load_suite("seam"), [], bounds, "words"), of, shared), sure=False
    )
    assert {row.source for row in printed.models} == {OF_PAPER}
    formats = format_points([row for row in chosen.rows if model_label(row.model, row.arm) in chosen.table.models], of)
    points = length_points(answers(chosen.table.models) if lengths else (), of)
    designed = {
        (model, "musique"): {source: RunScores({0: 40.0, 1: 42.0, 2: 45.0}) for source in ("instruction", "shots")}
        for model in chosen.table.models[:1]
    }
    return Ranks(
        [*(found.models if found else ()), *printed.models],
        [*(found.tasks if found else ()), *printed.tasks],
        [*(found.spreads if found else ()), *printed.spreads],
        found.dominance if found else (),
        found.stability if found else (),
        formats,
        points,
        correlations(formats, points, "words", PUBLISHED["format"], of),
        variance_rows(designed, chosen.table, of) if lengths else (),
        chosen.left_out,
    )


def answers(models: Sequence[str], count: int = 150) -> list[Measured]:
    """Invented answers whose scores fall with length."""
    chance = random.Random(3)
    return [
        Measured(model, task, str(number), 40 * number + 300, max(0.0, 60 - 0.2 * number + chance.gauss(0, 12)))
        for task in TASKS[:4]
        for model in models
        for number in range(count)
    ]


def ranked_board(rows: Sequence[RunScore], lengths: bool = False, **more: Any) -> Board:
    """A board of these runs."""
    models = list(dict.fromkeys(row.model for row in rows))
    by_cell: dict[tuple[str, str], list[RunScore]] = {}
    for row in rows:
        by_cell.setdefault((row.model, row.task), []).append(row)
    ranks = ranked(rows, more.get("upper_bounds", ()), lengths)
    return board([aggregate(own) for own in by_cell.values()], params(models, **more), ranks)
