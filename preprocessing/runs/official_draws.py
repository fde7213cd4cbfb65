"""The official stream of draws (fact sheet seam.md 3): one random.Random(seed) for everything, data set after data set
and run after run. A run cannot be drawn alone: other data sets, or splits of another size, change all that comes after.
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
NUMBERED = ("multi_news",)  # whose instances are named by their row, so that rows without documents keep their number
HARMLESS = ("empty document", "no validated sentence", "no event mention")  # reasons of drops that the stream knows of
ROWS_LEFT_OUT = "no document"
FIXED = {"musique": 20, "fuse_reviews": 8}  # documents that the official code permutes, however many there are


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
    """The paraphrase, then the demonstrations in their order."""
    return choice(range(dataset.instructions)), tuple(sample(range(dataset.demonstrations), shots))


@dataclass(frozen=True)
class Split:
    """What the stream needs to know of a curated split. documents, facts: by instance, in order, as curation counted
    them. dropped: how many records were left out, by reason."""

    documents: Sequence[int]
    facts: Sequence[Mapping[str, Any]]
    dropped: Mapping[str, int] = field(default_factory=dict)


def sizes_of(name: str, splits: Mapping[str, Split], instructions: int, demonstrations: int) -> Sizes:
    """What the stream needs to know of a data set, of all splits that upstream has.

    What is left out here and kept in the official code is counted: empty documents, Multi-News' rows without any. Of
    MuSiQue and FuseReviews it permutes 20 and 8 documents whatever they have.
    SciCo's largest number of documents is taken as its largest number from 0, one too few, as in the official code:
    the last document of an instance that has the most is never shown (fact sheet 11).

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
    """(A run by names, ids of mentions by instance) of the split that is evaluated.

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
    """An example whose documents stand in the order of their texts with the marks of a run, before its permutation: the
    official code marks ECB+'s documents up first and sorts them then. swapped: as in blocks.Block."""
    texts = shown_documents(example, text_of, ids, swapped=swapped)
    order = sorted(range(len(texts)), key=texts.__getitem__)
    return replace(
        example,
        document_ids=tuple(example.document_ids[number] for number in order),
        titles=tuple(example.titles[number] for number in order) if example.titles else (),
        metadata=canonical_json(moved_facts(example.facts, order)),
    )
