"""Typical problems of each category for the page: where windows were answered right, the passages themselves, and
observed and fitted shares at each length (the paper's tables)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from scrollwork.records.complexity import CATEGORIES, COW
from scrollwork.reporting.page.content import Findings
from scrollwork.reporting.windows.listed import place_name, unit_names
from scrollwork.reporting.windows.texts import Excerpt, Question, Texts

if TYPE_CHECKING:
    from markupsafe import Markup

Entry = Mapping[str, Any]
Key = tuple[str, ...]
FIT = ("task", "split", "model", "arm", "scenario")  # the columns that identify a fit
INFINITE = "∞"
MEANINGS = ("no context", "easy", "retrieval", "balanced", "holistic")
LAST = len(CATEGORIES) - 1  # index of category V
PARTS = ("solved by the whole context", "unsolved by the whole context", "whole context not asked")  # of V
AROUND, HALF = 160, 400  # characters shown before and after a passage; of each end of a long passage
WIDE, HIGH, GAP = 600, 12, 3  # pixels of a map: width and height of a line, space between lines
OUTCOMES = ("right", "wrong", "declined")


def excerpt(text: str, start: int, end: int) -> Excerpt:
    """A span of a document with AROUND characters before and after it."""
    return Excerpt(text[max(0, start - AROUND) : start], text[start:end], text[end : end + AROUND])


def is_same_fit(row: Entry, other: Entry) -> bool:
    """Whether two rows belong to the same fit."""
    return all(row[one] == other[one] for one in FIT)


class Problems:
    """Rows of stage complexity, indexed by problem."""

    def __init__(self, findings: Findings) -> None:
        self.sights, self.passages = _by_problem(findings.table("sights")), _by_problem(findings.table("passages"))
        self.complexity = {_key(row): row for row in findings.table("complexity")}
        self.tables = _by_problem(row for row in findings.table("tables") if _key(row) in self.sights)
        self.chosen = {(*_key(row)[:-1], row["category"]): _key(row) for row in findings.table("sights")}

    def typical(self, mixture: Entry, texts: Texts, spec: str = "") -> Iterator[dict[str, Any]]:
        """Template values of a fit's typical problems, one for each category that has one. spec: of its units."""
        for place, category in enumerate(CATEGORIES):
            key = self.chosen.get((*(mixture[one] for one in FIT), category))
            if key is not None and (one := self.complexity.get(key)) is not None:
                yield problem_line(one, place) | self._detail(key, one, texts, spec)

    def _detail(self, key: Key, one: Entry, texts: Texts, spec: str) -> dict[str, Any]:
        """Details shown when a typical problem is expanded on the page."""
        sights = self.sights[key]
        return {
            "asked": texts.questions.get((one["task"], one["split"], one["example_id"]), Question("", ())),
            "map": seen_map(sights),
            "lines": len(sights),
            "many": unit_names(spec)[1],
            "lengths": [length_name(row["length"], one["units"]) for row in sights],
            "cow": one["scenario"] == COW,
            "table": [line(row, one["units"]) for row in self.tables.get(key, ())],
            "passages": [passage(texts, row, spec) for row in self.passages.get(key, ())],
        }


def _key(row: Entry) -> Key:
    return tuple(row[one] for one in (*FIT, "example_id"))


def _by_problem(rows: Iterable[Entry]) -> dict[Key, list[Entry]]:
    found: dict[Key, list[Entry]] = defaultdict(list)
    for row in rows:
        found[_key(row)].append(row)
    return found


def problem_line(one: Entry, place: int) -> dict[str, Any]:
    """A line of the table of typical problems. place: index of its category."""
    return {
        "task": one["task"],
        "model": name(one),
        "scenario": one["scenario"].upper(),
        "category": one["category"],
        "meaning": PARTS[1] if place == LAST and one["solved"] is False else MEANINGS[place],
        "problem": one["example_id"],
        "complexity": INFINITE if one["complexity"] is None else f"{one['complexity']:,}",
        "redundancy": one["redundancy"],
        "units": one["units"],
        "weight": f"{one['weight']:.2f}",
        "probability": f"{100 * one['probabilities'][place]:.0f}",
        "undecided": one["undecided"],
        "dip": f"{one['dip'][1]:.3f}" if one["dip"] else "",
    }


def name(row: Entry) -> str:
    """A model's name in tables, with its arm unless that is "full"."""
    return str(row["model"] if row["arm"] == "full" else f"{row['model']} ({row['arm']})")


def passage(texts: Texts, row: Entry, spec: str) -> dict[str, Any]:
    """Template values of a window that was answered right, with its text if the page has it."""
    text = texts.passages.get((row["document_id"], row["start"], row["end"]))
    found: dict[str, Any] = {
        "place": place_name(row["first"], row["length"], row["units"], spec),
        "score": row["score"],
    }
    if text is not None:
        whole = len(text.text) <= 2 * HALF
        found |= {
            "before": text.before,
            "head": text.text if whole else text.text[:HALF],
            "left": 0 if whole else len(text.text) - 2 * HALF,
            "tail": "" if whole else text.text[-HALF:],
            "after": text.after,
        }
    return found


def length_name(length: int, units: int) -> str:
    """A window's length; "C" for the whole context."""
    return "C" if length == units else f"{length:,}"


def line(row: Entry, units: int) -> dict[str, Any]:
    """A line, for one length, in the table of a problem."""
    return {
        "length": length_name(row["length"], units),
        "windows": row["windows"],
        **{key: [f"{one:.2f}" for one in row[key]] for key in ("observed", "fitted", "oracle", "posterior")},
        "weight": f"{row['weight']:.2f}",
    }


def seen_map(rows: Sequence[Entry]) -> Markup:
    """SVG paths of the map of a problem: a line for each length, from the first to the last possible start of a window,
    coloured by outcome. A mark reaches to the start of the next window that was asked."""
    from markupsafe import Markup

    parts = []
    for number, row in enumerate(rows):
        last = max(1, row["units"] - row["length"] + 1)
        starts = sorted((start, what) for what in OUTCOMES for start in row[what])
        places = [start for start, _ in starts] + [last]
        spans: dict[str, list[list[float]]] = {what: [] for what in OUTCOMES}
        for (start, what), (_, following) in zip(starts, pairwise(places), strict=True):
            begin, end = (0.0, WIDE) if row["length"] == 0 else (WIDE * start / last, WIDE * following / last)
            if spans[what] and spans[what][-1][1] == begin:
                spans[what][-1][1] = end
            else:
                spans[what].append([begin, end])
        top = number * (HIGH + GAP)
        for what, found in spans.items():
            drawn = "".join(f"M{begin:.1f} {top}h{end - begin:.1f}v{HIGH}h{begin - end:.1f}z" for begin, end in found)
            if drawn:
                parts.append(f'<path class="{what}" d="{drawn}"/>')
    return Markup("".join(parts))


def whole_tasks(rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """One row for each task and model: the first, if a task was fitted in two parts."""
    return list({(row["task"], row["model"], row["arm"]): row for row in reversed(rows)}.values())[::-1]
