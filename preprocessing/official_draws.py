"""The official stream of draws (fact sheet seam.md 3): one random.Random(seed) for everything, data set after data set
and run after run. A run cannot be drawn alone: other data sets, or splits of another size, change all that comes after.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

ORDER = ("ecb_plus", "fuse_reviews", "sci_co", "multi_news", "musique", "open_asp")  # of the official configuration


@dataclass(frozen=True)
class Sizes:
    """What the stream needs to know of a data set.

    documents: of the instance with the most, over all splits. splits: instances by split, in the order in which the
    official code loads them. topics, rows: numbers of mentions that are given ids before documents are permuted (ECB+:
    train, dev, test, each of events and entities, topic after topic) or after it (SciCo: all rows of all splits).
    """

    name: str
    documents: int
    instructions: int
    demonstrations: int
    splits: Mapping[str, int]
    topics: Sequence[int] = ()
    rows: Sequence[int] = ()


@dataclass(frozen=True)
class OfficialDraw:
    """One run: numbers, from 0. mentions: ids of each entry of `topics` or `rows`."""

    permutation: tuple[int, ...]
    instruction: int
    demonstrations: tuple[int, ...]
    instances: Mapping[str, tuple[int, ...]]
    mentions: tuple[tuple[int, ...], ...] = field(default=())


def official_draws(
    seed: int, datasets: Sequence[Sizes], *, runs: int, shots: int, most: int
) -> Iterator[tuple[str, int, OfficialDraw]]:
    """(data set, run, draw) of every run of every data set, in their order. most: instances of a run, 0 for all."""
    stream = random.Random(seed)
    for dataset in datasets:
        for run in range(runs):
            yield dataset.name, run, _one(stream, dataset, shots, most)


def _one(stream: random.Random, dataset: Sizes, shots: int, most: int) -> OfficialDraw:
    def permutation(count: int) -> tuple[int, ...]:
        return tuple(stream.sample(range(count), count))

    mentions: list[tuple[int, ...]] = []
    if dataset.topics:  # ECB+: a dummy permutation, the ids, and only then the documents
        permutation(1)
        mentions = [permutation(count) for count in dataset.topics]
    order = permutation(dataset.documents)
    chosen: tuple[int, tuple[int, ...]] | None = None
    if dataset.rows:  # SciCo: the ids row by row; instruction and demonstrations are drawn behind the first row's
        for number, count in enumerate(dataset.rows):
            mentions.append(tuple(stream.sample(range(1, 100), count)))
            if not number:
                chosen = _prompt(stream.choice, stream.sample, dataset, shots)
    instruction, demonstrations = chosen or _prompt(stream.choice, stream.sample, dataset, shots)
    instances = {
        split: tuple(stream.sample(range(size), most)) if most and size > most else tuple(range(size))
        for split, size in dataset.splits.items()
    }
    return OfficialDraw(order, instruction, demonstrations, instances, tuple(mentions))


def _prompt(
    choice: Callable[[range], int], sample: Callable[[range, int], list[int]], dataset: Sizes, shots: int
) -> tuple[int, tuple[int, ...]]:
    """The paraphrase, then the demonstrations in their order."""
    return choice(range(dataset.instructions)), tuple(sample(range(dataset.demonstrations), shots))
