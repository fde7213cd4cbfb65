"""Which windows of a context are observed: lengths and strategies. Dolce (dolce.md 8).

A window is `length` units from unit `first` on; length 0 is the closed book, the number of units the whole context.
Each of these two is the only window of its length, so no strategy takes a share of them.

A window's number identifies it among all windows of a context with that many units, whatever lengths and strategy ask
for it: strategies can be compared on a stored full enumeration.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from scrollwork.records.stable_choice import stable_order

WIDE = (0, 1, 5, 20, 100)
SHORT, LONG = 10, 10  # in units: where "short" ends and "long" begins
CHOICE = re.compile(r"(all|take|sample|take-ip|sample-ip|short|long|wide)(?::([0-9]{1,6}(?:\.[0-9]{1,6})?))?")


@dataclass(frozen=True, order=True)
class Window:
    """A window. length, first: in units. Windows are ordered by length, then from the start of the context."""

    length: int
    first: int

    def number(self, units: int) -> int:
        """Return its number among all windows of so many units, from 0, the closed book.

        Raises ValueError if it is not one of them.
        """
        check(self, units)
        return 0 if not self.length else count_shorter(self.length, units) + self.first


def check(window: Window, units: int) -> None:
    """Raise ValueError for a window that so many units do not have."""
    last = units - window.length if window.length else 0
    if window.length < 0 or not 0 <= window.first <= last:
        raise ValueError(f"{window.length} units from {window.first} on are no window of {units}")


def count_shorter(length: int, units: int) -> int:
    """Return how many windows are shorter than `length`, which is at least 1."""
    return 1 + (length - 1) * units - (length - 1) * (length - 2) // 2


def window_of(number: int, units: int) -> Window:
    """Return the window of that number. Raises ValueError if there is none."""
    if number == 0:
        return Window(0, 0)
    length = bisect_right(
        range(1, units + 1), number, key=lambda one: count_shorter(one, units)
    )  # the last one that is not beyond
    found = Window(length, number - count_shorter(length, units)) if length else Window(-1, 0)
    check(found, units)
    return found


@dataclass(frozen=True)
class Strategy:
    """Which windows are taken. step: every step-th of a length. rate: a sample of this share, 0 for all.

    inverse: for windows of l units, the step is l times as long, the share 1/l of it. least, most: of lengths, both
    included. wide: the lengths WIDE and the whole context, instead of the task's.
    """

    step: int = 1
    rate: Fraction = Fraction(0)
    inverse: bool = False
    least: int = 0
    most: int | None = None
    wide: bool = False


def strategy(text: str) -> Strategy:
    """Parse all, take:N, sample:R, take-ip[:N], sample-ip[:R], short, long, wide; several joined by "+".

    ip: inversely proportional to the length: every (N times l)-th window, a share of R/l (both 1 by default). Raises
    ValueError for anything else, and for two ways of taking a share.
    """
    step, rate, inverse, least, most, wide = 1, Fraction(0), False, 0, None, False
    shares = 0
    for choice in text.split("+"):
        match = CHOICE.fullmatch(choice.strip())
        if match is None:
            raise ValueError(f"strategy {choice!r}: must be {CHOICES}")
        name, given = match[1], match[2]
        needs = name in ("take", "sample")
        if (needs and given is None) or (given is not None and not needs and not name.endswith("-ip")):
            raise ValueError(f"strategy {choice!r}: {name} {'needs' if needs else 'takes no'} number; {CHOICES}")
        shares += name not in ("all", "short", "long", "wide")
        if name.startswith("take"):
            step, inverse = parse_step(choice, given or "1"), name == "take-ip"
        elif name.startswith("sample"):
            rate, inverse = parse_rate(choice, given or "1"), name == "sample-ip"
        elif name == "long":
            least = LONG
        elif name == "short":
            most = SHORT
        elif name == "wide":
            wide = True
    if shares > 1:
        raise ValueError(f"strategy {text!r}: takes a share of the windows twice")
    return Strategy(step, rate, inverse, least, most, wide)


CHOICES = "all, take:N, sample:R, take-ip[:N], sample-ip[:R], short, long or wide, several joined by +"


def parse_step(choice: str, given: str) -> int:
    """Parse a step. Raises ValueError."""
    if "." in given or int(given) < 1:
        raise ValueError(f"strategy {choice!r}: N must be a whole number, at least 1")
    return int(given)


def parse_rate(choice: str, given: str) -> Fraction:
    """Parse a rate. Raises ValueError."""
    rate = Fraction(given)
    if not 0 < rate <= 1:
        raise ValueError(f"strategy {choice!r}: R must be over 0 and at most 1")
    return rate


def lengths(units: int, listed: Sequence[int], full: bool, one: Strategy) -> list[int]:
    """Return the lengths at which a context of so many units is observed, in order. full: the whole context too."""
    wanted = {*(WIDE if one.wide else listed), *([units] if full else [])}
    most = units if one.most is None else min(units, one.most)
    return sorted(length for length in wanted if one.least <= length <= most)


def window_starts(count: int, length: int, one: Strategy, *names: object) -> list[int]:
    """Return the first units of the windows that are taken, out of `count` of a length, in order.

    names: seed, task and problem, on which a sample depends.
    """
    if count <= 1:
        return list(range(count))
    if one.rate:
        rate = one.rate / length if one.inverse else one.rate
        taken = max(1, int(rate * count + Fraction(1, 2)))  # rounds halves up: round() would go to even numbers
        return sorted(stable_order(range(count), *names, "windows", length)[:taken])
    return list(range(0, count, one.step * length if one.inverse else one.step))


def windows(
    units: int, listed: Sequence[int], full: bool, one: Strategy, *, seed: int, task: str, problem: str
) -> Iterator[Window]:
    """Yield the windows of a problem whose context has so many units, by length and from its start.

    A context without units has only the closed book, if that is asked for. Deterministic: a sample depends on seed,
    task and problem, and a lower rate takes some of what a higher one takes.
    """
    for length in lengths(units, listed, full, one):
        count = units - length + 1 if length else 1
        yield from (Window(length, first) for first in window_starts(count, length, one, seed, task, problem))
