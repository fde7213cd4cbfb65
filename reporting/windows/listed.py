"""Windows of contexts in the list of examples (Dolce): which of thousands are listed, and their names."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain, islice, zip_longest

from scrollwork.reporting.page.examples import Key

MOST = 40  # listed windows of a problem
RIGHT = 50.0  # least score of a window that counts as answered right
UNITS = {
    "s": ("sentence", "sentences"),
    "t": ("sentence", "sentences"),
    "l": ("line", "lines"),
    "b": ("paragraph", "paragraphs"),
    "c": ("pair of lines", "pairs of lines"),
    "n": ("review", "reviews"),
    "o": ("passage", "passages"),
    "q": ("example", "examples"),
    "u": ("dialogue", "dialogues"),
}  # by the last letter of a spec (preprocessing/windows/units.py)

Window = tuple[Key, int, int, int]  # input, units of its context, first unit (from 0), length in units


def unit_names(spec: str) -> tuple[str, str]:
    """(singular, plural) name of a unit spec."""
    return UNITS.get(spec[-1:], ("unit", "units"))


def place_name(first: int, length: int, units: int, spec: str = "") -> str:
    """The name of a window, the same as in the list of examples (assets/list.js). first: from 0."""
    one, many = unit_names(spec)
    if not length:
        return "closed book"
    if length == units:
        return f"whole context, {units:,} {many if units > 1 else one}"
    return (
        f"{many} {first + 1:,}–{first + length:,} of {units:,}" if length > 1 else f"{one} {first + 1:,} of {units:,}"
    )


def listed_windows(windows: Iterable[Window], right: Collection[Key], most: int = MOST) -> set[Key]:
    """The windows of each problem to list: closed book, whole context, then half each of windows that some model
    answered right and that none did; equally many of each length, from the start of the context. right: inputs answered
    right. most: windows of a problem."""
    by_problem: dict[str, list[Window]] = defaultdict(list)
    for one in windows:
        by_problem[one[0][0]].append(one)
    return {key for own in by_problem.values() for key in _of_problem(own, right, most)}


def _of_problem(windows: Sequence[Window], right: Collection[Key], most: int) -> Iterator[Key]:
    if len(windows) <= most:
        yield from (key for key, *_ in windows)
        return
    ends = [key for key, units, _, length in windows if length in (0, units)]
    inner = [one for one in windows if one[3] not in (0, one[1])]
    places = max(0, most - len(ends))
    good, other = ([one for one in inner if (one[0] in right) == is_right] for is_right in (True, False))
    share = max(min(len(good), places - places // 2), places - len(other))
    yield from ends
    yield from islice(_by_length(good), share)
    yield from islice(_by_length(other), places - share)


def _by_length(windows: Sequence[Window]) -> Iterator[Key]:
    """The first of each length, then the second of each, and so on."""
    lengths: dict[int, list[tuple[int, Key]]] = defaultdict(list)
    for key, _, first, length in windows:
        lengths[length].append((first, key))
    columns = [sorted(lengths[length]) for length in sorted(lengths)]
    return (one[1] for one in chain.from_iterable(zip_longest(*columns)) if one is not None)
