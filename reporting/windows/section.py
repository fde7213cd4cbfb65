"""The page's section on what problems need, retrieval or holistic understanding (Dolce, sections 3.3 to 5): shares of
categories by task, tasks ranked by them, agreement of models, typical problems, answers by length of the window."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import TYPE_CHECKING, Any

from scrollwork.records.complexity import CATEGORIES, COW
from scrollwork.reporting.boards.board import Board
from scrollwork.reporting.charts.drawing import Drawing
from scrollwork.reporting.page.content import Content, Findings
from scrollwork.reporting.page.environment import environment
from scrollwork.reporting.page.sections import Link, PageSection
from scrollwork.reporting.page.text import number
from scrollwork.reporting.windows.problems import GAP, HIGH, LAST, MEANINGS, PARTS, WIDE, Problems, name, whole_tasks
from scrollwork.reporting.windows.texts import Texts

if TYPE_CHECKING:
    from markupsafe import Markup

Entry = Mapping[str, Any]
RANKED = (2, 4)  # indexes of the categories by which tasks are ranked: III and V
MOST_TYPICAL = 60  # problems shown with their passages
MOST_PAIRS = 30  # pairs of models shown
MEASURES = ("rc_complexity", "rho_complexity", "rc_redundancy", "rho_redundancy", "kl")


class Windows(PageSection):
    """The section, with a part for each split with fits."""

    files = ("windows.html", "windows.css", "runs.css")

    def styles(self, board: Board, findings: Findings) -> Sequence[str]:
        """The style sheet of rankings, whose tables it uses, and its own."""
        return ("runs.css", "windows.css") if findings.table("mixtures") else ()

    def links(self, board: Board, findings: Findings) -> Sequence[Link]:
        """A link for each split."""
        found = enumerate(splits_of(findings), 1)
        return [Link(f"needs-{place}", f"Retrieval or holistic, {split}") for place, split in found]

    def html(self, board: Board, content: Content) -> Markup | None:
        """HTML of the section; None if there are no fits."""
        from markupsafe import Markup

        if not (splits := splits_of(content.findings)):
            return None
        known = Problems(content.findings)
        parts = [part(board, content.findings, split, known, content.texts or Texts()) for split in splits]
        text = (
            environment()
            .get_template("windows.html")
            .render(
                parts=parts,
                categories=list(zip(CATEGORIES, MEANINGS, strict=True)),
                ranked=[CATEGORIES[one] for one in RANKED],
                parts_of_v=PARTS,
                wide=WIDE,
                step=HIGH + GAP,
            )
        )
        return Markup(text)

    def drawings(self, board: Board, findings: Findings) -> Sequence[Drawing]:
        """The charts of categories, problems, and answers by length."""
        from scrollwork.reporting.windows.figures import complexity_drawings

        return complexity_drawings(findings)


def splits_of(findings: Findings) -> list[str]:
    """The splits with fits."""
    return list(dict.fromkeys(row["split"] for row in findings.table("mixtures")))


def part(board: Board, findings: Findings, split: str, known: Problems, texts: Texts) -> dict[str, Any]:
    """Template values of one split."""
    rows = in_order(board, findings, split)
    units = {column.task: column.units for column in board.columns}
    problems = [one for row in rows for one in known.typical(row, texts, units.get(row["task"], ""))]
    agreed = agreements([row for row in findings.table("agreements") if row["split"] == split])
    return {
        "split": split,
        "shares": [shares(row) for row in rows],
        "ranks": ranks(rows),
        "agreements": agreed[:MOST_PAIRS],
        "more_pairs": max(0, len(agreed) - MOST_PAIRS),
        "typical": problems,
        "details": problems[:MOST_TYPICAL],
        "more": max(0, len(problems) - MOST_TYPICAL),
        "observed": [observed_lines(row, findings.table("observed")) for row in whole_tasks(rows)],
    }


def in_order(board: Board, findings: Findings, split: str) -> list[Entry]:
    """The fits of a split, in the board's order of tasks and models, COW first."""
    tasks = {column.task: place for place, column in enumerate(board.columns)}
    models = {
        (line.model, line.arm): place
        for section in board.sections
        if section.split == split
        for place, line in enumerate(section.lines)
    }
    return sorted(
        (row for row in findings.table("mixtures") if row["split"] == split),
        key=lambda row: (
            tasks.get(row["task"], len(tasks)),
            models.get((row["model"], row["arm"]), len(models)),
            row["model"],
            row["arm"],
            row["scenario"],
        ),
    )


def shares(row: Entry) -> dict[str, Any]:
    """A line of the table of shares."""
    ends = zip(row["decided"], row["expected"], row["share_lows"], row["share_highs"], strict=True)
    return {
        "task": row["task"],
        "model": name(row),
        "scenario": row["scenario"].upper(),
        "problems": row["problems"],
        "undecided": 100 * row["undecided"] / row["problems"],
        "holistic": [100 * one for one in row["holistic"]],
        "cells": [
            {"share": 100 * one, "expected": 100 * mean, "low": 100 * low, "high": 100 * high}
            for one, mean, low, high in ends
        ],
        "noise": " / ".join(f"{one:.2f}" for one in row["noise"]) if row["noise"] else "–",
        "windows": row["windows"],
        "answered": row["answered"],
        "declined": row["declined"],
        "low": row["low"],
        "high": row["high"],
        "twins": ", ".join(row["twins"]),
    }


def ranks(rows: Sequence[Entry]) -> list[dict[str, Any]]:
    """A table for each model with at least two tasks: its tasks by the share of category III, and by the share of V
    that the whole context solves, the largest first."""
    found = []
    for model in dict.fromkeys(map(name, rows)):
        own = [row for row in rows if name(row) == model]
        if len({row["task"] for row in own}) > 1:
            columns = [sorted(own, key=lambda row, at=place: -ranked_share(row, at)) for place in RANKED]  # type: ignore[misc]
            lines = [
                [
                    {
                        "task": row["task"],
                        "scenario": row["scenario"].upper(),
                        "share": 100 * ranked_share(row, place),
                        "unsolved": 100 * row["holistic"][1] if place == LAST else 0,
                    }
                    for place, row in zip(RANKED, pair, strict=True)
                ]
                for pair in zip(*columns, strict=True)
            ]
            found.append({"model": model, "lines": lines})
    return found


def ranked_share(row: Entry, place: int) -> float:
    """The share of a category by which tasks are ranked; for V, only what the whole context solves."""
    return float(row["holistic"][0] if place == LAST else row["decided"][place])


def agreements(rows: Sequence[Entry]) -> list[dict[str, Any]]:
    """Agreement of each pair of models: a line for each task and its parts, with and without problems of category I;
    then the medians."""
    pairs: dict[tuple[str, str], list[Entry]] = {}
    for row in rows:
        other = {"model": row["other"], "arm": row["other_arm"]}
        pairs.setdefault((name(row), name(other)), []).append(row)
    return [{"one": one, "other": other, "lines": agreement_lines(own)} for (one, other), own in pairs.items()]


def agreement_lines(rows: Sequence[Entry]) -> list[dict[str, Any]]:
    """The lines of one pair of models."""
    lines = [
        {
            "task": row["task"],
            "scenario": " / ".join(dict.fromkeys((row["scenario"].upper(), row["other_scenario"].upper()))),
            "left_out": row["without_first"],
            "problems": row["problems"],
            "cells": [number(row[key], 2) for key in MEASURES],
            "same": number(100 * row["same"], 0),
        }
        for row in rows
    ]
    for without in (False, True) if len(rows) > 2 else ():
        alike = [row for row in rows if row["scenario"] == row["other_scenario"]]  # λ counts units, or aspects
        own = [row for row in alike if row["without_first"] == without]
        known = [[row[key] for row in own if row[key] is not None] for key in (*MEASURES, "same")]
        *cells, same = (median(values) if values else None for values in known)
        lines.append(
            {
                "task": "median of tasks",
                "scenario": "",
                "left_out": without,
                "problems": sum(row["problems"] for row in own),
                "cells": [number(one, 2) for one in cells],
                "same": number(None if same is None else 100 * same, 0),
            }
        )
    return [one for one in lines if one["problems"]]


def observed_lines(mixture: Entry, rows: Sequence[Entry]) -> dict[str, Any]:
    """Template values of the answers by length of the window."""
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
