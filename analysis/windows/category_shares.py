"""Shares of categories as they are stated: of decided problems, V split by what the whole context leads to.

The paper counts every problem by the category of its pair, and V, holistic, includes what not even the whole context
solves. Here a problem that is undecided counts as that, and V is split into problems that the whole context solves and
those that it does not.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from scrollwork.records.complexity import CATEGORIES, HOLISTIC

SOLVED, UNSOLVED, UNOBSERVED = HOLISTIC
LAST = len(CATEGORIES) - 1  # place of V


@dataclass(frozen=True)
class CategoryShares:
    """Shares of all problems. decided: of decided ones, by category; with undecided, they sum to 1.

    holistic: of the decided ones in V, the solved, unsolved and unobserved ones, which sum to V's share.
    """

    decided: tuple[float, ...]
    holistic: tuple[float, ...]
    undecided: float


def stated(problems: Iterable[tuple[int, bool, bool | None]]) -> CategoryShares:
    """Compute the stated shares. Raises ValueError if there are no problems.

    problems: (place in CATEGORIES, whether it is undecided, whether the whole context solves it, None if that was not
    observed) of each.
    """
    counts, parts, open_, every = [0] * len(CATEGORIES), dict.fromkeys(HOLISTIC, 0), 0, 0
    for category, undecided, solved in problems:
        every += 1
        if undecided:
            open_ += 1
            continue
        counts[category] += 1
        if category == LAST:
            parts[UNOBSERVED if solved is None else SOLVED if solved else UNSOLVED] += 1
    if not every:
        raise ValueError("there is no problem")
    return CategoryShares(
        tuple(one / every for one in counts), tuple(one / every for one in parts.values()), open_ / every
    )


def shares_json(
    shares: Sequence[float], decided: Sequence[float], holistic: Sequence[float], undecided: float
) -> dict[str, dict[str, float]]:
    """Return the shares of a task for JSON. shares: by the category of every problem, as the paper counts.

    decided, holistic, undecided: as in Stated.
    """
    return {
        "shares": {**dict(zip(CATEGORIES, decided, strict=True)), "undecided": undecided},
        "holistic": dict(zip(HOLISTIC, holistic, strict=True)),
        "paper_shares": dict(zip(CATEGORIES, shares, strict=True)),
    }
