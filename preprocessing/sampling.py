"""Which curated examples make a benchmark: at most so many, chosen so that one example's choice moves no other's.

Each example has a number that depends on (seed, task, id) alone; the smallest ones are taken (ZeroSCROLLS 3: "at most
500 examples"; method and seed are not published, fidelity.md#sampling).
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from records.example import Example
from records.stable import stable_int


def choose(
    examples: Iterable[Example],
    *,
    suite: str,
    seed: int,
    size: int = 0,
    by: str = "",
    strata: Mapping[str, int] | None = None,
    order_by: str = "",
    unique_by: str = "",
    skip: int = 0,
) -> list[Example]:
    """The chosen examples in their curated order, named as the suite's.

    size: at most so many, 0 for all. by, strata: at most so many of each value of metadata field `by`. order_by: those
    with the highest value of this field, ties by chance. unique_by: at most one of each value of this field. skip: so
    many of the first choices are left to another split.
    """
    listed = list(examples)
    places = {example.example_id: place for place, example in enumerate(listed)}

    def rank(example: Example) -> tuple[float, int]:
        worth = float(example.facts[order_by]) if order_by else 0.0
        return -worth, stable_int("sample", seed, example.task, example.example_id)

    ranked = sorted(listed, key=rank)
    if unique_by and by and strata:
        ranked = scarce_first(ranked, by, strata)
    room = dict(strata or {})
    taken: list[Example] = []
    seen: set[Any] = set()
    for example in ranked:
        if size and len(taken) == size + skip:
            break
        facts = example.facts
        stratum = value_name(facts[by]) if by else ""
        if by and room.get(stratum, 0) == 0:
            continue
        if unique_by and facts[unique_by] in seen:
            continue
        if by:
            room[stratum] -= 1
        if unique_by:
            seen.add(facts[unique_by])
        taken.append(example)
    taken = taken[skip:]
    taken.sort(key=lambda example: places[example.example_id])
    return [replace(example, suite=suite) for example in taken]


def scarce_first(ranked: list[Example], by: str, strata: Mapping[str, int]) -> list[Example]:
    """Examples of small strata before those of large ones, so that a twin taken by the large one cannot empty it."""
    return sorted(ranked, key=lambda example: strata.get(value_name(example.facts[by]), 0))


def value_name(value: Any) -> str:
    """How a metadata value is written as a key of the suite file."""
    return str(value).lower() if isinstance(value, bool) else str(value)
