"""Examples of runs: what a run draws put into rows; prompts and references need nothing else (fact sheet seam.md 3)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from preprocessing.draws import VARIABLES, Draw, Streams, draw, mention_ids
from records.base import canonical_json
from records.example import Example


@dataclass(frozen=True)
class Runs:
    """How a suite is drawn. shots, most: demonstrations and instances of a run. ids: lowest and highest of a mention,
    (0, 0) for 0 to n-1."""

    suite: str
    seed: int
    runs: int
    shots: int
    most: int = 0
    ids: tuple[int, int] = (0, 0)
    vary: tuple[str, ...] = VARIABLES


def draws_of(
    examples: Iterable[Example], dataset: str, pool: Sequence[Example], instructions: int, how: Runs
) -> list[Draw]:
    """Every run. examples: those that can be drawn; pool: demonstrations. Raises ValueError for too few of these."""
    names, documents = [], 0
    for example in examples:
        names.append(example.example_id)
        documents = max(documents, len(example.document_ids))
    documents = max([documents, *(len(shot.document_ids) for shot in pool)])
    return [
        draw(
            Streams(how.seed, dataset, how.vary),
            run,
            instructions=instructions,
            documents=documents,
            pool=[shot.example_id for shot in pool],
            shots=how.shots,
            instances=names,
            most=how.most,
        )
        for run in range(how.runs)
    ]


def drawn(examples: Iterable[Example], dataset: str, draws: Sequence[Draw], how: Runs) -> Iterator[Example]:
    """The examples of every run, run after run. examples: gone through once a run. Raises ValueError for one with more
    mentions than there are ids."""
    streams = Streams(how.seed, dataset, how.vary)
    for one in draws:
        chosen = set(one.instances)
        for example in examples:
            if example.example_id in chosen:
                ids = ids_of(example, streams, one.run, how.ids)
                yield replace(shown(example, one, ids), suite=how.suite, draw=one.run)


def ids_of(example: Example, streams: Streams, run: int, limits: tuple[int, int]) -> tuple[int, ...]:
    """The ids of an example's mentions in a run, none where it has no mentions."""
    if '"mentions":' not in example.metadata:
        return ()
    count = len(example.facts["mentions"])
    low, high = limits if limits != (0, 0) else (0, count - 1)
    return mention_ids(streams, run, example.example_id, count, range(low, high + 1))


def shown(example: Example, one: Draw, ids: Sequence[int]) -> Example:
    """An example as a run shows it: documents in its order, references with its ids, what it shares with the run."""
    order = one.order(len(example.document_ids))
    facts = moved(example.facts, order)
    references = example.references
    if "mentions" in facts:
        facts["mention_ids"] = list(ids)
        references = tuple(clusters(reference, ids) for reference in references)
    facts |= {"instruction": one.instruction, "shots": list(one.demonstrations), "permutation": list(one.permutation)}
    return replace(
        example,
        document_ids=tuple(example.document_ids[number] for number in order),
        titles=tuple(example.titles[number] for number in order) if example.titles else (),
        references=references,
        metadata=canonical_json(facts),
    )


def moved(facts: Mapping[str, Any], order: Sequence[int]) -> dict[str, Any]:
    """Facts whose spans name documents by their new places."""
    place = {number: new for new, number in enumerate(order)}
    found = dict(facts)
    for name in ("mentions", "highlights"):
        if name in facts:
            spans = [[place[number], start, end] for number, start, end in facts[name]]
            found[name] = spans if name == "mentions" else sorted(spans)
    return found


def clusters(reference: str, ids: Sequence[int]) -> str:
    """Clusters of mentions by their ids in place of their numbers, each sorted."""
    return canonical_json([sorted(ids[number] for number in cluster) for cluster in json.loads(reference)])
