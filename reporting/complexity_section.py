"""What problems need, retrieval or holistic understanding, as a part of the page: shares of categories by task, the
typical problem of each, answers by length of the window (Dolce, sections 3.3 and 4)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from records.complexity import CATEGORIES, COW
from reporting.board import ARM, Board
from reporting.complexity_template import SECTION
from reporting.content import Beside
from reporting.text import number

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

Entry = Mapping[str, Any]
INFINITE = "∞"
MEANINGS = ("no context", "easy", "retrieval", "balanced", "holistic")


def complexity_section(board: Board, beside: Beside, environment: Callable[[], Environment]) -> Markup:
    """HTML, "" where nothing was observed. environment: how the page renders templates."""
    from markupsafe import Markup

    splits = list(dict.fromkeys(row["split"] for row in beside.mixtures))
    if not splits:
        return Markup("")
    parts = [part(board, beside, split) for split in splits]
    text = (
        environment().from_string(SECTION).render(parts=parts, categories=list(zip(CATEGORIES, MEANINGS, strict=True)))
    )
    return Markup(text)


def part(board: Board, beside: Beside, split: str) -> dict[str, Any]:
    """What is shown of one split."""
    order = {column.task: place for place, column in enumerate(board.columns)}
    rows = sorted(
        (row for row in beside.mixtures if row["split"] == split),
        key=lambda row: (order.get(row["task"], len(order)), row["model"], row["arm"], row["scenario"]),
    )
    return {
        "split": split,
        "shares": [shares(row) for row in rows],
        "typical": [one for row in rows for one in typical(row, of(beside.complexity, row))],
        "observed": [observed(row, beside.observed) for row in whole_tasks(rows)],
    }


def name(row: Entry) -> str:
    """A model as people see it."""
    return str(row["model"] if row["arm"] == ARM else f"{row['model']} ({row['arm']})")


def of(rows: Sequence[Entry], mixture: Entry) -> list[Entry]:
    """The problems of a fit."""
    names = ("task", "split", "model", "arm", "scenario")
    return [row for row in rows if all(row[one] == mixture[one] for one in names)]


def shares(row: Entry) -> dict[str, Any]:
    """A line of the table of shares."""
    ends = zip(row["shares"], row["expected"], row["share_lows"], row["share_highs"], strict=True)
    return {
        "task": row["task"],
        "model": name(row),
        "scenario": row["scenario"].upper(),
        "problems": row["problems"],
        "undecided": row["undecided"],
        "cells": [
            {"share": 100 * one, "expected": 100 * mean, "low": 100 * low, "high": 100 * high}
            for one, mean, low, high in ends
        ],
        "noise": " / ".join(f"{one:.2f}" for one in row["noise"]) if row["noise"] else "–",
        "windows": row["windows"],
        "answered": row["answered"],
        "declined": row["declined"],
        "limits": f"λ ≤ {row['low']}, ≤ {row['high']}; k ≤ {row['low']}",
    }


def typical(mixture: Entry, problems: Sequence[Entry]) -> list[dict[str, Any]]:
    """The most typical problem of each category that has one (fact sheet 6, inferred)."""
    found = []
    for place, category in enumerate(CATEGORIES):
        own = [one for one in problems if one["category"] == category]
        if own:
            one = min(own, key=lambda row: (row["undecided"], *typicality(row, place)))
            found.append(
                {
                    "task": one["task"],
                    "model": name(one),
                    "category": category,
                    "meaning": MEANINGS[place],
                    "problem": one["example_id"],
                    "complexity": INFINITE if one["complexity"] is None else f"{one['complexity']:,}",
                    "redundancy": one["redundancy"],
                    "units": one["units"],
                    "weight": f"{one['weight']:.2f}",
                    "probability": f"{100 * one['probabilities'][place]:.0f}",
                    "undecided": one["undecided"],
                }
            )
    return found


def typicality(row: Entry, category: int) -> tuple[float, float]:
    """II: smallest lambda, then largest k; III: smallest of both; others: largest lambda, then smallest k."""
    size = float("inf") if row["complexity"] is None else float(row["complexity"])
    return {1: (size, -row["redundancy"]), 2: (size, row["redundancy"])}.get(category, (-size, row["redundancy"]))


def whole_tasks(rows: Sequence[Entry]) -> list[Entry]:
    """One row a task and model, of those that were fitted in two parts the first."""
    return list({(row["task"], row["model"], row["arm"]): row for row in reversed(rows)}.values())[::-1]


def observed(mixture: Entry, rows: Sequence[Entry]) -> dict[str, Any]:
    """Answers by length of the window."""
    names = ("task", "split", "model", "arm")
    own = [row for row in rows if all(row[one] == mixture[one] for one in names)]
    return {
        "task": mixture["task"],
        "model": name(mixture),
        "graded": mixture["scenario"] != COW,
        "lengths": ["C" if row["length"] is None else f"{row['length']:,}" for row in own],
        "rows": [
            {"label": label, "values": [number(100 * row[key] if key != "score" else row[key]) for row in own]}
            for label, key in (
                ("right, %", "right"),
                ("wrong, %", "wrong"),
                ("declined, %", "declined"),
                ("score", "score"),
            )
        ],
        "windows": [f"{row['windows']:,}" for row in own],
    }
