"""The page of a comparison of logs: HTML that loads nothing, runs no script and escapes what logs say."""

from __future__ import annotations

from dataclasses import dataclass

from scrollwork.analysis.logs.compare import Compared, PairComparison
from scrollwork.exchange.compared.cells import COLUMNS, LEFT, cells, label, pairing_notes, score_notes, summary
from scrollwork.exchange.compared.notes import note_lines
from scrollwork.reporting.page.unscripted import unscripted_page

TEMPLATE = "compare.html"
STYLES = ("pages.css", "report.css", "compare.css")
WIDTH, ROW_HEIGHT, EDGE = 640.0, 26.0, 8.0  # of the drawing, in its own units


@dataclass(frozen=True)
class Mark:
    """An interval in the drawing. low, middle, high, y: places. name: of the row."""

    name: str
    low: float
    middle: float
    high: float
    y: float


@dataclass(frozen=True)
class Drawing:
    """The intervals of a pair on one scale. zero, margin: places of 0 and of both margins. unit: "points" or "1"."""

    marks: tuple[Mark, ...]
    zero: float
    margin: tuple[float, float]
    ends: tuple[str, str]
    height: float


def compare_page(compared: Compared) -> str:
    """Render the page. Equal comparisons give equal bytes."""
    return unscripted_page(
        TEMPLATE,
        STYLES,
        title="Comparison",
        command="compare",
        summary=summary(compared),
        columns=COLUMNS,
        left=LEFT,
        pairs=[
            {
                "a": pair.a,
                "b": pair.b,
                "rows": [(cells(row), [*pairing_notes(row), *score_notes(row)]) for row in pair.tasks],
                "drawing": drawing(pair),
            }
            for pair in compared.pairs
        ],
        warnings=note_lines(compared),
    )


def drawing(pair: PairComparison) -> Drawing | None:
    """Place the intervals of a pair; each difference in multiples of its margin, so that scales may differ. None if no
    row has one."""
    found = []
    for row in pair.tasks:
        if row.interval is not None and row.difference is not None and row.margin:
            unit = -row.margin if row.lower_is_better else row.margin
            low, high = sorted(end / unit for end in row.interval)
            found.append((label(row), low, row.difference / unit, high))
    if not found:
        return None
    reach = max(1.2, *(abs(place) for _, *places in found for place in places))

    def x(place: float) -> float:
        return round(WIDTH / 2 + place / reach * (WIDTH / 2 - EDGE), 2)

    marks = [
        Mark(name, x(low), x(middle), x(high), ROW_HEIGHT * (number + 0.5))
        for number, (name, low, middle, high) in enumerate(found)
    ]
    ends = (f"B better by {reach:.3g} margins", f"A better by {reach:.3g} margins")
    return Drawing(tuple(marks), x(0), (x(-1), x(1)), ends, ROW_HEIGHT * len(marks))
