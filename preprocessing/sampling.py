"""The choice of a benchmark's examples: at most so many, each independent of which others exist.

Each example has a number that depends only on (seed, task, id); the smallest ones are taken (ZeroSCROLLS 3: "at most
500 examples"; method and seed are not published, fidelity.md#sampling).
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from scrollwork.records.stable_choice import stable_int

HEAD = ("task", "example_id", "metadata")  # the fields of an example that a choice depends on
Head = tuple[str, str, str]  # their values
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


@dataclass(frozen=True)
class Policy:
    """What decides which examples are chosen.

    size: at most so many, 0 for all. by, strata: at most so many of each value of metadata field `by`. order_by: those
    with the highest value of this field, ties at random. unique_by: at most one of each value of this field. group_by:
    values of this field are ordered at random, and examples of one value are neighbours. skip: so many of the first
    choices are left to another split. limit: at most so many of these, 0 for all; a smaller limit takes some of what a
    larger one takes, in the shares of the strata as far as there are examples of each.
    """

    seed: int
    size: int = 0
    by: str = ""
    strata: Mapping[str, int] | None = None
    order_by: str = ""
    unique_by: str = ""
    group_by: str = ""
    skip: int = 0
    limit: int = 0

    @property
    def takes_all(self) -> bool:
        """Whether every example is chosen, whatever it is."""
        limits = self.size, self.by, self.order_by, self.unique_by, self.group_by, self.skip, self.limit
        return not any(limits)

    @property
    def takes_foremost(self) -> bool:
        """Whether only the foremost of each stratum can be chosen, so that a share of a data set has few candidates."""
        return not self.unique_by and bool(self.by or self.size or self.limit)

    def rank(self, one: Candidate) -> tuple[float, int, int]:
        """Return a sort key: the order in which candidates are chosen."""
        worth = float(one.facts[self.order_by]) if self.order_by else 0.0
        group = stable_int("group", self.seed, one.task, str(one.facts[self.group_by])) if self.group_by else 0
        return -worth, group, stable_int("sample", self.seed, one.task, one.example_id)

    def stratum(self, one: Candidate) -> str:
        """Return the stratum of a candidate; "" if there are none."""
        return value_name(one.facts[self.by]) if self.by else ""

    def candidates(self, heads: Iterable[Head]) -> Iterator[Candidate]:
        """Yield, in their order, the examples that can be chosen. What is chosen of the candidates of shares of a data
        set, one share after the other, is what is chosen of the whole."""
        listed = (Candidate(place, *head) for place, head in enumerate(heads))
        if not self.takes_foremost:
            return listed
        room = (self.strata or {}) if self.by else {"": self.skip + (self.size or self.limit)}
        return foremost(listed, self.rank, self.stratum, room)

    def choice(self, heads: Iterable[Head]) -> list[Candidate]:
        """Return the examples that are chosen, as they are ranked. heads: of all examples, in their curated order."""
        ranked = sorted(self.candidates(heads), key=self.rank)
        if self.unique_by and self.by and self.strata:
            ranked = scarce_first(ranked, self.by, self.strata)
        room = dict(self.strata or {})
        taken: list[Candidate] = []
        seen: set[Any] = set()
        for one in ranked:
            if self.size and len(taken) == self.size + self.skip:
                break
            stratum = self.stratum(one)
            if self.by and room.get(stratum, 0) == 0:
                continue
            if self.unique_by:
                value = one.facts[self.unique_by]
                if value in seen:
                    continue
                seen.add(value)
            if self.by:
                room[stratum] -= 1
            taken.append(one)
        taken = taken[self.skip :]
        if self.limit and self.by and self.strata:
            taken = in_shares(taken, self.by, self.strata)
        return taken[: self.limit or None]


def foremost(
    listed: Iterable[Candidate],
    rank: Callable[[Candidate], tuple[float, int, int]],
    stratum: Callable[[Candidate], str],
    room: Mapping[str, int],
) -> Iterator[Candidate]:
    """Yield the first `room` candidates of each stratum by rank, in their order; of equal ones the earlier.

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
    every = [sorted(some, key=lambda entry: entry[:2])[: room[name]] for name, some in held.items()]
    yield from sorted((one for some in every for _, _, one in some), key=lambda one: one.place)


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
