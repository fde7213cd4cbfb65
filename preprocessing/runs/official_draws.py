"""The official stream of draws (fact sheet seam.md 3).

One random.Random(seed) serves everything, data set after data set and run after run. So a run cannot be drawn alone:
other data sets, or splits of another size, change all that comes after.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from scrollwork.preprocessing.runs.blocks import shown_documents
from scrollwork.preprocessing.runs.drawn_examples import moved_facts
from scrollwork.preprocessing.runs.draws import Draw
from scrollwork.records.base import canonical_json
from scrollwork.records.example import Example

ORDER = ("ecb_plus", "fuse_reviews", "sci_co", "multi_news", "musique", "open_asp")  # of the official configuration
SCICO_IDS = range(1, 100)
NUMBERED = ("multi_news",)  # instances are named by their row, so that rows without documents keep their number
HARMLESS = ("empty document", "no validated sentence", "no event mention")  # drops that do not disturb the stream
ROWS_LEFT_OUT = "no document"
FIXED = {"musique": 20, "fuse_reviews": 8}  # documents that the official code permutes, however many there are


@dataclass(frozen=True)
class Sizes:
    """What the stream depends on in a data set.

    documents: of the instance with the most, over all splits. splits: instances by split, in the order in which the
    official code loads them. topics, rows: numbers of mentions that get ids before documents are permuted (ECB+: train,
    dev, test, each with events and entities, topic after topic) or after it (SciCo: all rows of all splits).
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
    """One run, as numbers from 0. mentions: ids for each entry of `topics` or `rows`."""

    permutation: tuple[int, ...]
    instruction: int
    demonstrations: tuple[int, ...]
    instances: Mapping[str, tuple[int, ...]]
    mentions: tuple[tuple[int, ...], ...] = field(default=())


def official_draws(
    seed: int, datasets: Sequence[Sizes], *, runs: int, shots: int, most: int
) -> Iterator[tuple[str, int, OfficialDraw]]:
    """Yield (data set, run, draw) for every run of every data set, in order. most: instances of a run, 0 for all."""
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
    if dataset.rows:  # SciCo: the ids row by row; instruction and demonstrations are drawn after the first row's
        for number, count in enumerate(dataset.rows):
            mentions.append(tuple(stream.sample(SCICO_IDS, count)))
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
    """Draw the paraphrase, then the demonstrations in their order."""
    return choice(range(dataset.instructions)), tuple(sample(range(dataset.demonstrations), shots))


@dataclass(frozen=True)
class Split:
    """What the stream depends on in a curated split. documents, facts: by instance, in order, as curated.

    dropped: number of records left out, by reason.
    """

    documents: Sequence[int]
    facts: Sequence[Mapping[str, Any]]
    dropped: Mapping[str, int] = field(default_factory=dict)


def sizes_of(name: str, splits: Mapping[str, Split], instructions: int, demonstrations: int) -> Sizes:
    """Return what the stream depends on in a data set, given all splits that upstream has.

    What is left out here and kept in the official code is counted: empty documents, Multi-News' rows without any. For
    MuSiQue and FuseReviews it permutes 20 and 8 documents, however many there are. SciCo's number of documents is taken
    as the largest number from 0, which is one too few, as in the official code: the last document of an instance that
    has the most is never shown (fact sheet 11).

    Raises ValueError for a split whose dropped records make its size unknown, and for more mentions than SciCo has ids.
    """
    known = (*HARMLESS, *((ROWS_LEFT_OUT,) if name in NUMBERED else ()))
    for split, one in splits.items():
        for reason, count in one.dropped.items():
            if reason not in known and count:
                raise ValueError(
                    f"the official stream depends on every record of every split, and {count:,} of split {split} "
                    f"cannot be used ({reason})"
                )
    facts = [one for split in splits.values() for one in split.facts]
    counts = [count for split in splits.values() for count in split.documents]
    documents = max(
        (count + one.get("empty_documents", 0) for count, one in zip(counts, facts, strict=True)), default=0
    )
    documents = FIXED.get(name, documents)
    topics: list[int] = []
    rows: list[int] = []
    if name == "ecb_plus":
        for own in splits.values():
            topics += [len(one["mentions"]) for one in own.facts]
            topics += [one["entities"] for one in own.facts]
    elif name == "sci_co":
        documents -= 1
        rows = [len(one["mentions"]) for one in facts]
        if max(rows, default=0) > len(SCICO_IDS):
            raise ValueError(f"an instance has {max(rows)} mentions, there are only {len(SCICO_IDS)} ids")
    left_out = {split: one.dropped.get(ROWS_LEFT_OUT, 0) for split, one in splits.items()}
    instances = {split: len(one.facts) + left_out[split] for split, one in splits.items()}
    return Sizes(name, documents, instructions, demonstrations, instances, topics, rows)


def official_run(
    found: OfficialDraw, sizes: Sizes, split: str, run: int, names: Sequence[str], pool: Sequence[str]
) -> tuple[Draw, dict[str, tuple[int, ...]]]:
    """Return (a run by names, ids of mentions by instance) for the split that is evaluated.

    names: of its instances, pool: of the demonstrations, both in their order.
    """
    before = 0
    for other, count in sizes.splits.items():
        if other == split:
            break
        before += count * (2 if sizes.topics else 1)
    ids = dict(zip(names, found.mentions[before:], strict=False))
    there = set(names)
    chosen = [str(number) if sizes.name in NUMBERED else names[number] for number in found.instances[split]]
    one = Draw(
        run,
        found.instruction,
        found.permutation,
        tuple(pool[number] for number in found.demonstrations),
        tuple(name for name in chosen if name in there),
    )
    return one, ids


def in_marked_order(
    example: Example, ids: Sequence[int], text_of: Callable[[str], str], *, swapped: bool = False
) -> Example:
    """Return an example whose documents are sorted by their texts with the run's marks, before its permutation.

    The official code marks up ECB+'s documents first and sorts them then. swapped: see blocks.Block.
    """
    texts = shown_documents(example, text_of, ids, swapped=swapped)
    order = sorted(range(len(texts)), key=texts.__getitem__)
    return replace(
        example,
        document_ids=tuple(example.document_ids[number] for number in order),
        titles=tuple(example.titles[number] for number in order) if example.titles else (),
        metadata=canonical_json(moved_facts(example.facts, order)),
    )
