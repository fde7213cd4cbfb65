"""The official stream of draws (fact sheet seam.md 3): one random.Random(seed) for everything, data set after data set
and run after run. A run cannot be drawn alone: other data sets, or splits of another size, change all that comes after.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from preprocessing.draws import Draw
from records.example import Example

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


def sizes_of(
    name: str, splits: Mapping[str, Sequence[Example]], instructions: int, demonstrations: Iterable[Example]
) -> Sizes:
    """What the stream needs to know of a curated data set, of all splits that upstream has.

    SciCo's largest number of documents is taken as its largest number from 0, one too few, as in the official code:
    the last document of an instance that has the most is never shown (fact sheet 11).
    """
    everything = [example for examples in splits.values() for example in examples]
    documents = max((len(example.document_ids) for example in everything), default=0)
    topics: list[int] = []
    rows: list[int] = []
    if name == "ecb_plus":
        for examples in splits.values():
            topics += [len(example.facts["mentions"]) for example in examples]
            topics += [example.facts["entities"] for example in examples]
    elif name == "sci_co":
        documents -= 1
        rows = [len(example.facts["mentions"]) for example in everything]
    counts = {split: len(examples) for split, examples in splits.items()}
    return Sizes(name, documents, instructions, len(list(demonstrations)), counts, topics, rows)


def official_run(
    found: OfficialDraw, sizes: Sizes, split: str, run: int, names: Sequence[str], pool: Sequence[str]
) -> tuple[Draw, dict[str, tuple[int, ...]]]:
    """(A run by names, ids of mentions by instance) of the split that is evaluated.

    names: of its instances, pool: of the demonstrations, both in their order.
    """
    before = 0
    for other, count in sizes.splits.items():
        if other == split:
            break
        before += count * (2 if sizes.topics else 1)
    ids = dict(zip(names, found.mentions[before:], strict=False))
    one = Draw(
        run,
        found.instruction,
        found.permutation,
        tuple(pool[number] for number in found.demonstrations),
        tuple(names[number] for number in found.instances[split]),
    )
    return one, ids
