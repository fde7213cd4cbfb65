"""The choice of a canary: a few inputs of a sample, by a number of each that depends on seed, task and id alone."""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil

from scrollwork.records.example import Example
from scrollwork.records.stable_choice import stable_int


def canary_of(examples: Iterable[Example], *, seed: int, share: float, least: int) -> frozenset[str]:
    """Return the ids of a canary's examples: a share (0 to 1) of them, and at least `least` on different documents.

    First of each group of documents the example with the smallest number, groups in order of it; then any others. Which
    are chosen does not depend on the order of the examples. An example counts with all its draws.
    """
    documents = {one.example_id: one.document_ids for one in examples}
    tasks = {one.example_id: one.task for one in examples}
    ranked = sorted(documents, key=lambda name: (stable_int("canary", seed, tasks[name], name), name))
    seen: set[tuple[str, ...]] = set()
    first: list[str] = []
    for name in ranked:
        if documents[name] not in seen:
            seen.add(documents[name])
            first.append(name)
    known = frozenset(first)
    others = [name for name in ranked if name not in known]
    wanted = ceil(share * len(ranked))
    return frozenset([*first[: max(least, wanted)], *others[: max(0, wanted - len(first))]])
