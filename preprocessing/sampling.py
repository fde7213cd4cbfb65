"""The choice of a benchmark's examples: at most so many, each independent of which others exist.

Each example has a number that depends only on (seed, task, id); the smallest ones are taken (ZeroSCROLLS 3: "at most
500 examples"; method and seed are not published, fidelity.md#sampling).
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from scrollwork.records.example import Example
from scrollwork.records.stable_choice import stable_int

CUT = 1_000  # candidates beyond twice the room of a stratum before those that come last are dropped


@dataclass(frozen=True, slots=True)
class Candidate:
    """The fields of an example that decide whether it is chosen; its texts are not kept in memory."""

    place: int
    task: str
    example_id: str
    metadata: str

    @property
    def facts(self) -> dict[str, Any]:
        """Parse the example's metadata."""
        found: dict[str, Any] = json.loads(self.metadata)
        return found


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
    group_by: str = "",
    skip: int = 0,
    limit: int = 0,
) -> Iterator[Example]:
    """Yield the chosen examples in their curated order, labelled with the suite. Raises TypeError for an iterator.

    examples: iterated over twice, such as a list. size: at most so many, 0 for all. by, strata: at most so many of each
    value of metadata field `by`. order_by: those with the highest value of this field, ties at random. unique_by: at
    most one of each value of this field. group_by: values of this field are ordered at random, and examples of one
    value are neighbours. skip: so many of the first choices are left to another split. limit: at most so many of these,
    0 for all; a smaller limit takes some of what a larger one takes, in the shares of the strata as far as there are
    examples of each.
    """
    if iter(examples) is examples:
        raise TypeError("examples are gone through twice; this is an iterator")
    listed = (Candidate(place, one.task, one.example_id, one.metadata) for place, one in enumerate(examples))

    def rank(example: Candidate) -> tuple[float, int, int]:
        worth = float(example.facts[order_by]) if order_by else 0.0
        group = stable_int("group", seed, example.task, str(example.facts[group_by])) if group_by else 0
        return -worth, group, stable_int("sample", seed, example.task, example.example_id)

    room = dict(strata or {})
    if not (size or by or order_by or unique_by or group_by or skip or limit):
        return (replace(example, suite=suite) for example in examples)
    if by and not unique_by:
        ranked = sorted(foremost(listed, rank, lambda one: value_name(one.facts[by]), room), key=rank)
    elif (size or limit) and not unique_by:
        ranked = sorted(foremost(listed, rank, lambda _: "", {"": skip + (size or limit)}), key=rank)
    else:
        ranked = sorted(listed, key=rank)
    if unique_by and by and strata:
        ranked = scarce_first(ranked, by, strata)
    taken: list[Candidate] = []
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
    if limit and by and strata:
        taken = in_shares(taken, by, strata)
    chosen = {example.place for example in taken[: limit or None]}
    return (replace(example, suite=suite) for place, example in enumerate(examples) if place in chosen)


def foremost(
    listed: Iterable[Candidate],
    rank: Callable[[Candidate], tuple[float, int, int]],
    stratum: Callable[[Candidate], str],
    room: Mapping[str, int],
) -> Iterator[Candidate]:
    """Yield at least the first `room` candidates of each stratum by rank, in their order; of equal ones the earlier.

    So few are in memory that what is held is bounded by the sample, not by the data set. Strata without room have none.
    """
    held: dict[str, list[tuple[tuple[float, int, int], int, Candidate]]] = {}
    for one in listed:
        name = stratum(one)
        if most := room.get(name, 0):
            some = held.setdefault(name, [])
            some.append((rank(one), one.place, one))
            if len(some) >= 2 * most + CUT:
                some.sort(key=lambda entry: entry[:2])
                del some[most:]
    every = [one for some in held.values() for _, _, one in some]
    yield from sorted(every, key=lambda one: one.place)


def scarce_first(ranked: list[Candidate], by: str, strata: Mapping[str, int]) -> list[Candidate]:
    """Put examples of small strata first, so that a large stratum cannot take the twins of a small one and empty it."""
    return sorted(ranked, key=lambda example: strata.get(value_name(example.facts[by]), 0))


def in_shares(taken: list[Candidate], by: str, strata: Mapping[str, int]) -> list[Candidate]:
    """Order examples so that every prefix has the shares of the strata, rounded (Webster's method).

    Example j of a stratum, from 0, comes where the stratum's share of the prefix reaches j + 1/2. Examples of one
    stratum keep their order.
    """
    whole = sum(strata.values())
    seen: dict[str, int] = {}
    turns: list[int] = []
    for example in taken:
        stratum = value_name(example.facts[by])
        number = seen[stratum] = seen.get(stratum, -1) + 1
        turns.append(-(-(2 * number + 1) * whole // (2 * strata[stratum])))
    return [example for _, example in sorted(zip(turns, taken, strict=True), key=lambda pair: pair[0])]


def value_name(value: Any) -> str:
    """Return a metadata value as a key of the suite file."""
    return str(value).lower() if isinstance(value, bool) else str(value)
