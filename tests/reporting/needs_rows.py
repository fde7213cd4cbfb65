"""Invented rows of stage complexity, as pages get them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scrollwork.designs.windows import DESIGN as WINDOWS
from scrollwork.records.complexity import (
    CATEGORIES,
    COW,
    PIG,
    Agreement,
    AtLength,
    Complexity,
    Mixture,
    Passage,
    Plane,
    ProblemAtLength,
    WindowOutcomes,
)
from scrollwork.records.score import Aggregate, Coverage
from scrollwork.reporting.boards.board import Board, board
from scrollwork.reporting.page.content import Findings
from scrollwork.reporting.windows.texts import Excerpt, Question, Texts

UNITS = 40
LENGTHS = (0, 1, 5, 20, UNITS)
PAIRS = {"I": (0, 0), "II": (1, 20), "III": (1, 1), "IV": (10, 1), "V": (None, 1)}


def params(models: Sequence[str], tasks: Sequence[str]) -> dict[str, Any]:
    """What tasks/report/parameters.py gives the report stage."""
    told = [{"name": one, "short": one, "metric": "dolce_accuracy", "paper": {}, "units": "ls"} for one in tasks]
    return {"suite": "dolce", "title": "Dolce", "tasks": told, "models": list(models), "published": {},
            "failures": [], "observed": True, "sections": list(WINDOWS.sections)}  # fmt: skip


def dolce_board(models: Sequence[str], tasks: Sequence[str]) -> Board:
    """Scores on whole contexts."""
    scored = [
        Aggregate("dolce", task, "test", model, "full", "dolce_accuracy", 50.0, 50.0, 40.0, 60.0, None, 1,
                  {"dolce_accuracy": 50.0}, Coverage(5, 5, 5, 0, 0, 0, 0))
        for task in tasks
        for model in models
    ]  # fmt: skip
    return board(scored, params(models, tasks))


def fit(task: str, model: str, counts: Mapping[str, int], scenario: str = COW, undecided: int = 0,
        solved: bool = True) -> dict[str, Any]:  # fmt: skip
    """Rows of a fit by table. counts: problems of each category, of which the first `undecided` are not sure. solved:
    by the whole context."""
    labels = {"suite": "dolce", "task": task, "split": "test", "model": model, "arm": "full"}
    whole = sum(counts.values())
    shares = tuple(counts.get(name, 0) / whole for name in CATEGORIES)
    names = [(category, f"{task}-{category}-{number}") for category, n in counts.items() for number in range(n)]
    sure = [category for category, _ in names[undecided:]]
    decided = tuple(sure.count(name) / whole for name in CATEGORIES)
    parts = (decided[-1], 0.0, 0.0) if solved else (0.0, decided[-1], 0.0)
    mixture = Mixture(
        **labels, scenario=scenario, problems=whole, undecided=undecided, low=2, high=20, twins=(), shares=shares,
        decided=decided, holistic=parts,
        noise=(0.02, 0.2, 0.78) if scenario == COW else (), expected=shares, share_lows=(0.0,) * 5,
        share_highs=(1.0,) * 5, windows=100 * whole, answered=90 * whole, declined=7,
    )  # fmt: skip
    problems = [
        Complexity(
            **labels, example_id=name, scenario=scenario, units=UNITS, windows=90, complexity=PAIRS[category][0],
            redundancy=PAIRS[category][1] or 0, weight=0.8, likelihood=-3.5, category=category,
            probabilities=tuple(0.9 if one == category else 0.025 for one in CATEGORIES), undecided=place < undecided,
            full=100.0 if solved else 0.0, solved=solved,
            dip=(0.04, 0.625) if scenario == PIG else (),
        )
        for place, (category, name) in enumerate(names)
    ]  # fmt: skip
    typical = dict(reversed(names))
    three = (0.25, 0.125, 0.625) if scenario == COW else (0.375,)
    tables = [
        ProblemAtLength(
            **labels, example_id=name, scenario=scenario, length=length, windows=9, observed=three, fitted=three,
            oracle=three, posterior=(0.5, 0.25, 0.75) if scenario == COW else (), weight=0.8,
        )
        for _, name in names
        for length in LENGTHS
    ]  # fmt: skip
    sights = [
        WindowOutcomes(
            **labels, example_id=name, scenario=scenario, category=category, units=UNITS, length=length,
            right=(0,) if length in (0, UNITS) else (3, 4), wrong=() if length in (0, UNITS) else (5,),
            declined=() if length in (0, UNITS) else tuple(range(6, UNITS - length + 1)),
        )
        for category, name in typical.items()
        for length in LENGTHS
    ]  # fmt: skip
    passages = [
        Passage(
            **labels, example_id=name, scenario=scenario, category=category, units=UNITS, first=3, length=5,
            document_id="d", start=10, end=30, score=100.0,
        )
        for category, name in typical.items()
    ]  # fmt: skip
    observed = [
        AtLength(
            **labels, length=None if length == UNITS else length, windows=9, right=0.25, wrong=0.125, declined=0.625,
            score=31.25,
        )
        for length in LENGTHS
    ]  # fmt: skip
    steps = (1, 5, 10, 40)
    planes = [
        Plane(
            **labels, units=UNITS, length=5, complexities=steps, redundancies=steps,
            values=tuple(min(1.0, k / lam) if lam * k <= UNITS else 0.0 for lam in steps for k in steps),
        )
    ]  # fmt: skip
    return {"mixtures": [mixture], "planes": planes if scenario == COW else [], "complexity": problems, "tables": tables, "sights": sights, "passages": passages,
            "observed": observed}  # fmt: skip


def agreement(task: str, one: str, other: str, without_first: bool = False, other_scenario: str = COW) -> Agreement:
    """Of two models."""
    return Agreement("dolce", task, "test", COW, one, "full", other, "full", without_first, 8, 0.31, 0.42, 0.16, None,
                     0.07, 0.75, other_scenario)  # fmt: skip


def findings(*fits: Mapping[str, Sequence[Any]], agreements: Sequence[Agreement] = ()) -> Findings:
    """As stage report gives them to the page."""
    tables: dict[str, list[Any]] = {"agreements": [one.to_dict() for one in agreements]}
    for own in fits:
        for table, rows in own.items():
            tables.setdefault(table, []).extend(one.to_dict() for one in rows)
    return Findings(of_design=tables)


def texts(passage: str, query: str = "", reference: str = "", names: Sequence[tuple[str, str]] = ()) -> Texts:
    """The same text for all passages. names: (task, problem) of those that ask something."""
    asked = {(task, "test", name): Question(query, (reference,)) for task, name in names}
    return Texts({("d", 10, 30): Excerpt("before it ", passage, " after it")}, asked)


__all__ = ["COW", "PIG", "agreement", "dolce_board", "findings", "fit", "params", "texts"]
