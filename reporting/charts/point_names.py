"""Place names next to the points of a chart so that they do not overlap."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

WIDTH, HEIGHT = 4.6, 8.5  # of a letter, of a line, at font size 8; all lengths here are in typographic points
ABOVE, BESIDE = (4, -10, 13, -19), ((6, "left"), (-6, "right"))
MARK = 3  # half the size of a point's mark


def name_places(
    points: Sequence[Sequence[float]], names: Sequence[str], left: float, right: float
) -> list[tuple[float, float, str]]:
    """(x offset, y offset, horizontal alignment) of each point's name.

    It is the first place inside the panel (from left to right) that covers no mark and no earlier name; if there is
    none, the place that covers least. Names are put towards the middle of the panel first."""
    taken = [(x - MARK, y - MARK, x + MARK, y + MARK) for x, y in points]
    found = []
    for (x, y), name in zip(points, names, strict=True):
        tried: list[tuple[float, int, tuple[float, float, str], tuple[float, float, float, float]]] = []
        sides = BESIDE if x <= (left + right) / 2 else BESIDE[::-1]
        for some in (ABOVE[:2], ABOVE[2:]):
            for (across, side), up in product(sides, some):
                begin = x + across - (WIDTH * len(name) if side == "right" else 0)
                box = (begin, y + up, begin + WIDTH * len(name), y + up + HEIGHT)
                over = sum(overlap_area(box, other) for other in taken)
                over += HEIGHT * (max(0.0, left - box[0]) + max(0.0, box[2] - right))
                tried.append((over, len(tried), (across, up, side), box))
        *_, place, box = min(tried)
        taken.append(box)
        found.append(place)
    return found


def overlap_area(one: Sequence[float], other: Sequence[float]) -> float:
    """The area that two boxes (left, low, right, high) have in common."""
    wide, high = (min(one[at + 2], other[at + 2]) - max(one[at], other[at]) for at in (0, 1))
    return max(0.0, wide) * max(0.0, high)
