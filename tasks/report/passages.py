"""Texts of the passages and problems that a page of Dolce shows, from the artifacts behind it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from scrollwork.records.example import Example
from scrollwork.reporting.page.content import Beside, Excerpt, Question, Texts
from scrollwork.reporting.windows.problems import excerpt
from scrollwork.tasks.report.behind_scores import Lot


def texts_of(beside: Beside, lots: Sequence[Lot]) -> Texts:
    """The passages of what is shown beside the scores, and what its typical problems ask."""
    spans: dict[str, set[tuple[int, int]]] = defaultdict(set)
    for row in beside.passages:
        spans[row["document_id"]].add((row["start"], row["end"]))
    asked: dict[tuple[str, str], set[str]] = defaultdict(set)
    for row in beside.sights:
        asked[row["task"], row["split"]].add(row["example_id"])
    passages: dict[tuple[str, int, int], Excerpt] = {}
    questions: dict[tuple[str, str, str], Question] = {}
    seen: set[str] = set()
    for lot in lots:
        if lot.curated.content in seen or not (problems := asked.get((lot.task, lot.split))):
            continue
        seen.add(lot.curated.content)
        for example in lot.curated.rows("examples", Example, ("example_id", problems)):
            asks = example.query or ""
            query = "\n".join([asks, *(one for one in example.options if one not in asks)]).strip()
            questions[lot.task, lot.split, example.example_id] = Question(query, example.references)
        for one in lot.curated.columns("documents", ["document_id", "text"]):
            for start, end in spans.get(one["document_id"], ()):
                passages[one["document_id"], start, end] = excerpt(one["text"], start, end)
    return Texts(passages, questions)
