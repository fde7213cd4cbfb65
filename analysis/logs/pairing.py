"""Which item of one log is which item of another.

Position is no identity: two runs of one task may have loaded other items, or the same ones in another order, and rows
joined by their number then compare answers to different questions, silently. Items are paired by a ladder, each rung
for what the rungs above left:

1. **id**: the data set's own id is equal, and so is the prompt wherever both logs have it.
2. **content**: the digest of the data set's whole row is equal (logs of one tool), and the prompt as above.
3. **prompt**: the digest of the prompt is equal, whatever the ids say.

An item whose id or content is found on the other side, but with another prompt, is *changed*: it is counted and left
out, unless changed prompts are allowed. Items of one log that share their prompt and were not told apart by a rung
above are one item asked several times: their mean is paired. The result does not depend on the order of the rows.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from scrollwork.analysis.logs.items import Items
from scrollwork.analysis.logs.log import BEGINNING_PART

ID, CONTENT, PROMPT, CHANGED = "id", "content", "prompt", "changed prompt"
Group = tuple[tuple[int, ...], tuple[int, ...]]


@dataclass(frozen=True)
class Pairing:
    """What was paired. groups: rows of the first and of the second log that are one item, nearly always one of each.

    by: number of pairs by rung. changed: pairs whose prompts differ; they are in groups only if that was allowed.
    only_a, only_b: rows without a partner. same_prompt_groups: pairs of several rows that share a prompt.
    unconfirmed: pairs whose prompts could not be compared. by_beginning: whether one log has the beginnings of prompts
    alone, by which pairs are confirmed or refuted, and none is made.
    """

    groups: Sequence[Group]
    by: Counter[str] = field(default_factory=Counter)
    changed: Sequence[Group] = ()
    only_a: Sequence[int] = ()
    only_b: Sequence[int] = ()
    same_prompt_groups: int = 0
    unconfirmed: int = 0
    by_beginning: bool = False


class Ladder:
    """The rows of two logs that are not paired yet."""

    def __init__(self, a: Items, b: Items) -> None:
        self.a, self.b = a, b
        self.left_a, self.left_b = set(range(len(a))), set(range(len(b)))
        parts = (a.log.prompt_part, b.log.prompt_part)
        self.prompts_a, self.prompts_b = (a.prompts, b.prompts) if parts[0] == parts[1] else (None, None)
        self.by_beginning = False
        for cut, whole in ((a, b), (b, a)):
            begun = whole.beginnings
            if (cut.log.prompt_part, whole.log.prompt_part) == (BEGINNING_PART, "") and cut.prompts and begun:
                self.by_beginning = True
                self.prompts_a, self.prompts_b = (cut.prompts, begun) if cut is a else (begun, cut.prompts)

    def take(self, groups: Collection[Group]) -> list[Group]:
        """Take pairs out of what is left."""
        for rows_a, rows_b in groups:
            self.left_a.difference_update(rows_a)
            self.left_b.difference_update(rows_b)
        return list(groups)

    def differ(self, row_a: int, row_b: int) -> bool | None:
        """Whether the prompts of two rows differ; None if that is not known."""
        if self.prompts_a is None or self.prompts_b is None:
            return None
        one, other = self.prompts_a[row_a], self.prompts_b[row_b]
        return one != other if one and other else None

    def unique(self, keys_a: Sequence[str] | None, keys_b: Sequence[str] | None) -> Iterator[tuple[int, int]]:
        """Yield rows that are the only ones left with their key on either side."""
        if keys_a is None or keys_b is None:
            return
        found_b = _by_key(keys_b, self.left_b)
        for key, rows_a in _by_key(keys_a, self.left_a).items():
            rows_b = found_b.get(key, [])
            if len(rows_a) == len(rows_b) == 1:
                yield rows_a[0], rows_b[0]

    def confirmed(self, keys_a: Sequence[str] | None, keys_b: Sequence[str] | None) -> list[Group]:
        """Pair rows of equal key whose prompts are not known to differ."""
        return self.take([((a,), (b,)) for a, b in self.unique(keys_a, keys_b) if self.differ(a, b) is not True])

    def by_prompt(self) -> list[Group]:
        """Pair rows of equal prompts, all of one prompt together."""
        if self.prompts_a is None or self.prompts_b is None or self.by_beginning:
            return []  # questions on one document begin alike
        found_b = _by_key(self.prompts_b, self.left_b)
        found_a = _by_key(self.prompts_a, self.left_a)
        return self.take([(tuple(rows), tuple(found_b[key])) for key, rows in found_a.items() if key in found_b])

    def changed(self) -> list[Group]:
        """Pair rows of equal id or content whose prompts differ."""
        found: list[Group] = []
        for keys in ((self.a.ids, self.b.ids), contents_of(self.a, self.b)):
            found += self.take([((a,), (b,)) for a, b in self.unique(*keys)])
        return found


def pair_items(a: Items, b: Items, *, allow_changed: bool = False) -> Pairing:
    """Pair the items of two logs by the ladder above."""
    ladder = Ladder(a, b)
    by: Counter[str] = Counter()
    groups: list[Group] = []
    for rung, found in ((ID, ladder.confirmed(a.ids, b.ids)), (CONTENT, ladder.confirmed(*contents_of(a, b)))):
        by[rung] = len(found)
        groups += found
    unconfirmed = sum(ladder.differ(rows_a[0], rows_b[0]) is None for rows_a, rows_b in groups)
    together = ladder.by_prompt()
    by[PROMPT] = len(together)
    groups += together
    changed = ladder.changed()
    if allow_changed:
        by[CHANGED] = len(changed)
        groups += changed
    order = a.seed_free_order
    groups.sort(key=lambda group: min(order[row] for row in group[0]))
    return Pairing(
        groups,
        +by,
        changed,
        _alone(a, ladder.left_a, b),
        _alone(b, ladder.left_b, a),
        sum(len(rows_a) > 1 or len(rows_b) > 1 for rows_a, rows_b in together),
        unconfirmed,
        ladder.by_beginning,
    )


def _alone(items: Items, rows: Collection[int], other: Items) -> list[int]:
    """Return the rows that the other log does not have at all: not those that it has twice with different scores."""
    if items.ids is None or other.ids is None or not other.contradictory:
        return sorted(rows)
    twice = set(other.contradictory)
    return [row for row in sorted(rows) if items.ids[row] not in twice]


def contents_of(a: Items, b: Items) -> tuple[Sequence[str] | None, Sequence[str] | None]:
    """Return the digests of whole rows, which only logs of one tool share."""
    return (a.contents, b.contents) if a.log.tool == b.log.tool else (None, None)


def _by_key(keys: Sequence[str], rows: Collection[int]) -> dict[str, list[int]]:
    """Group rows by their keys; rows without one ("") are left out."""
    found: dict[str, list[int]] = defaultdict(list)
    for row in sorted(rows):
        if keys[row]:
            found[keys[row]].append(row)
    return found
