"""A task over nights as an SVG of our own, in the page's colours: no drawing library is needed."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor

from scrollwork.records.nights.night import REGRESSED, NightRow
from scrollwork.reporting.charts.figure import plain
from scrollwork.reporting.nights.trends import Point

WIDTH, HEIGHT = 640.0, 168.0
LEFT, RIGHT, TOP, BOTTOM = 58.0, 12.0, 12.0, 30.0  # pixels around the points
LEAST_RANGE = 4.0  # points of score, so that noise does not fill the picture
MOST_DATES = 5


def picture(points: Sequence[Point], nights: Sequence[NightRow], task: str) -> str:
    """Draw the scores of a task with their intervals; a canary's are hollow. nights: those of the horizontal axis.

    Points without a score are left out. "" if there is none with one.
    """
    known = [point for point in points if point.task.value is not None]
    if not known:
        return ""
    low, high = _range(known)
    scale = (HEIGHT - TOP - BOTTOM) / (high - low)
    step = (WIDTH - LEFT - RIGHT) / max(1, len(nights))

    def y(value: float) -> float:
        return TOP + (high - min(max(value, low), high)) * scale

    def x(place: int) -> float:
        return LEFT + (place + 0.5) * step

    label = f"{task}: score of each night with its 95 % interval; the table below holds the numbers"
    parts = [f'<svg viewBox="0 0 {WIDTH:g} {HEIGHT:g}" role="img" aria-label="{plain(label)}">']
    for value in (low, (low + high) / 2, high):
        parts.append(
            f'<line class="grid" x1="{LEFT:g}" x2="{WIDTH - RIGHT:g}" y1="{y(value):.1f}" y2="{y(value):.1f}"/>'
        )
        parts.append(f'<text x="{LEFT - 6:g}" y="{y(value) + 5:.1f}" text-anchor="end">{value:g}</text>')
    for place in _dates(len(nights)):
        anchor = "end" if place and place == len(nights) - 1 else "middle" if place else "start"
        where = {"start": LEFT, "middle": x(place), "end": WIDTH - RIGHT}[anchor]
        date = plain(nights[place].date)
        of = ' class="between"' if anchor == "middle" else ""
        parts.append(f'<text{of} x="{where:.1f}" y="{HEIGHT - 6:g}" text-anchor="{anchor}">{date}</text>')
    full = [point for point in known if not point.canary]
    if len(full) > 1:
        path = " ".join(f"{x(one.at):.1f},{y(one.task.value or 0.0):.1f}" for one in full)
        parts.append(f'<polyline class="trend" points="{path}"/>')
    parts += [_mark(point, x(point.at), y) for point in known]
    return "".join([*parts, "</svg>"])


def _mark(point: Point, x: float, y: object) -> str:
    """Draw a point with its interval, and its words as a title."""
    assert callable(y)
    task = point.task
    kind = "canary" if point.canary else "dropped" if task.state == REGRESSED else "full"
    parts = [f'<g class="{kind}"><title>{plain(point.told)}</title>']
    if task.low is not None and task.high is not None and not point.canary:  # those of a canary would fill the picture
        parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{y(task.low):.1f}" y2="{y(task.high):.1f}"/>')
    middle = y(task.value or 0.0)
    if point.accepted:
        parts.append(f'<circle class="accepted" cx="{x:.1f}" cy="{middle:.1f}" r="7"/>')
    if kind == "dropped":  # another form, not another colour alone
        parts.append(f'<path d="M{x - 5:.1f} {middle - 4:.1f}h10l-5 9z"/>')
    else:
        parts.append(f'<circle cx="{x:.1f}" cy="{middle:.1f}" r="{3 if kind == "canary" else 4}"/>')
    return "".join([*parts, "</g>"])


def _range(points: Sequence[Point]) -> tuple[float, float]:
    """Return the ends of the vertical axis: of the scores and the intervals of full nights, whole numbers."""
    values = [value for point in points for value in (point.task.value,) if value is not None]
    values += [
        end for point in points if not point.canary for end in (point.task.low, point.task.high) if end is not None
    ]
    low, high = min(values), max(values)
    middle, half = (low + high) / 2, max(high - low, LEAST_RANGE) / 2
    return float(max(0, floor(middle - half))), float(min(100, ceil(middle + half)))


def _dates(count: int) -> list[int]:
    """Return the places whose dates are written."""
    most = min(count, MOST_DATES)
    return sorted({round(at * (count - 1) / max(1, most - 1)) for at in range(most)})
