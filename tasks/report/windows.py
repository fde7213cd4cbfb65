"""The page section of a suite that observes windows of contexts, which reads artifacts behind its scores (Dolce)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from scrollwork.records.base import Row
from scrollwork.records.complexity import (
    Agreement,
    AtLength,
    Complexity,
    Mixture,
    Passage,
    Plane,
    ProblemAtLength,
    WindowOutcomes,
)
from scrollwork.records.example import Example
from scrollwork.reporting.page.content import Findings
from scrollwork.reporting.page.examples import Key
from scrollwork.reporting.windows.listed import RIGHT, listed_windows, unit_names
from scrollwork.reporting.windows.problems import excerpt
from scrollwork.reporting.windows.section import Windows
from scrollwork.reporting.windows.texts import Excerpt, Question, Texts
from scrollwork.tasks.report.behind_scores import ScoredTask
from scrollwork.tasks.report.sections import Listing, ReadingSection


class ReadingWindows(Windows, ReadingSection):
    """The section with passages of documents and the list of shown windows."""

    reads = ("prompts", "scores")
    tables: Mapping[str, type[Row]] = {
        "complexity": Complexity,
        "mixtures": Mixture,
        "observed": AtLength,
        "tables": ProblemAtLength,
        "planes": Plane,
        "sights": WindowOutcomes,
        "passages": Passage,
    }
    worked_out: Mapping[str, type[Row]] = {"agreements": Agreement}

    def work_out(self, tables: Mapping[str, Sequence[Any]]) -> Mapping[str, Sequence[Row]]:
        """Compare the fits of each pair of models on the same problems."""
        if not tables["mixtures"]:
            return {}
        from scrollwork.analysis.windows.problem_rows import agreements

        return {"agreements": list(agreements(tables["mixtures"], tables["complexity"]))}

    def texts(self, findings: Findings, tasks: Sequence[ScoredTask]) -> Texts:
        """Read the passages and the questions of typical problems."""
        return texts_of(findings, tasks)

    def listing(self, tasks: Sequence[ScoredTask], units: str) -> Listing:
        """Choose some windows of each problem."""
        return Listing(listed_of(tasks), unit_names(units))


def texts_of(findings: Findings, tasks: Sequence[ScoredTask]) -> Texts:
    """Read the passages that are shown, and the questions and references of typical problems."""
    spans: dict[str, set[tuple[int, int]]] = defaultdict(set)
    for row in findings.table("passages"):
        spans[row["document_id"]].add((row["start"], row["end"]))
    asked: dict[tuple[str, str], set[str]] = defaultdict(set)
    for row in findings.table("sights"):
        asked[row["task"], row["split"]].add(row["example_id"])
    passages: dict[tuple[str, int, int], Excerpt] = {}
    questions: dict[tuple[str, str, str], Question] = {}
    seen: set[str] = set()
    for scored in tasks:
        if scored.curated.content in seen or not (problems := asked.get((scored.task, scored.split))):
            continue
        seen.add(scored.curated.content)
        for example in scored.curated.rows("examples", Example, ("example_id", problems)):
            asks = example.query or ""
            query = "\n".join([asks, *(one for one in example.options if one not in asks)]).strip()
            questions[scored.task, scored.split, example.example_id] = Question(query, example.references)
        for one in scored.curated.columns("documents", ["document_id", "text"]):
            for start, end in spans.get(one["document_id"], ()):
                passages[one["document_id"], start, end] = excerpt(one["text"], start, end)
    return Texts(passages, questions)


def listed_of(tasks: Sequence[ScoredTask]) -> set[Key]:
    """Choose the inputs (windows of problems) that a page lists."""
    columns = ["example_id", "draw", "units", "span_start", "span_length"]
    windows: dict[Key, tuple[int, int, int]] = {}
    right: set[Key] = set()
    for scored in tasks:
        for shard in scored.prompts:
            for row in shard.columns("prompts", columns):
                place = (row["units"], row["span_start"], row["span_length"])
                windows.setdefault((row["example_id"], row["draw"]), place)
        for shard in scored.scores:
            for row in shard.columns("scores", ["example_id", "draw", "value"]):
                if row["value"] >= RIGHT:
                    right.add((row["example_id"], row["draw"]))
    return listed_windows(((key, *place) for key, place in windows.items()), right)


SECTION = ReadingWindows()
