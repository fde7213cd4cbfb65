"""What the page of a suite that observes windows of contexts reads behind its scores (Dolce)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from scrollwork.records.complexity import Agreement
from scrollwork.records.example import Example
from scrollwork.reporting.page.content import Beside, Excerpt, Question, Texts
from scrollwork.reporting.page.examples import Key
from scrollwork.reporting.windows.listed import RIGHT, listed, unit_names
from scrollwork.reporting.windows.problems import excerpt
from scrollwork.reporting.windows.section import Windows
from scrollwork.tasks.report.behind_scores import Lot
from scrollwork.tasks.report.sections import Listing, ReadingSection


class ReadingWindows(Windows, ReadingSection):
    """The section with passages of documents, and the list of its windows."""

    def agreed(self, beside: Mapping[str, Sequence[Any]]) -> list[Agreement]:
        """None where nothing was fitted."""
        from scrollwork.analysis.windows.problem_rows import agreements

        return list(agreements(beside["mixtures"], beside["complexity"])) if beside.get("mixtures") else []

    def texts(self, beside: Beside, lots: Sequence[Lot]) -> Texts:
        """Those of passages and typical problems."""
        return texts_of(beside, lots)

    def listing(self, lots: Sequence[Lot], units: str) -> Listing:
        """Some windows of each problem."""
        return Listing(listed_of(lots), unit_names(units))


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


def listed_of(lots: Sequence[Lot]) -> set[Key]:
    """The inputs of lots that show windows which a page lists."""
    columns = ["example_id", "draw", "units", "span_start", "span_length"]
    windows: dict[Key, tuple[int, int, int]] = {}
    right: set[Key] = set()
    for lot in lots:
        for shard in lot.prompts:
            for row in shard.columns("prompts", columns):
                place = (row["units"], row["span_start"], row["span_length"])
                windows.setdefault((row["example_id"], row["draw"]), place)
        for scored in lot.scores:
            for row in scored.columns("scores", ["example_id", "draw", "value"]):
                if row["value"] >= RIGHT:
                    right.add((row["example_id"], row["draw"]))
    return listed(((key, *place) for key, place in windows.items()), right)


SECTION = ReadingWindows()
