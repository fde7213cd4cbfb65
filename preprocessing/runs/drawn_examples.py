"""Examples of runs: a run's draws written into rows, which are all that prompts and references need (seam.md 3)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from scrollwork.preprocessing.runs.draws import VARIABLES, Draw, Streams, draw, mention_ids
from scrollwork.records.base import canonical_json
from scrollwork.records.example import Example


@dataclass(frozen=True)
class DrawSettings:
    """How runs of a task are drawn. shots, most: demonstrations and instances of a run (most 0: all).

    ids: lowest and highest id of a mention, (0, 0) for 0 to n-1. vary: the variables that differ between runs.
    """

    seed: int
    shots: int
    most: int = 0
    ids: tuple[int, int] = (0, 0)
    vary: tuple[str, ...] = VARIABLES

    def streams(self, task: str) -> Streams:
        """Return the streams that a task's choices come from."""
        return Streams(self.seed, task, self.vary)


@dataclass(frozen=True)
class Pool:
    """What runs choose from, besides the instances. instructions: number of paraphrases."""

    instructions: int
    demonstrations: Sequence[Example]


def draw_of(sizes: Mapping[str, int], task: str, pool: Pool, how: DrawSettings, run: int) -> Draw:
    """Draw a run of a task. Raises ValueError for too few demonstrations.

    sizes: number of documents of each example that can be drawn, by its name, in the order of the data set.
    """
    documents = max([*sizes.values(), *(len(shot.document_ids) for shot in pool.demonstrations)], default=0)
    return draw(
        how.streams(task),
        run,
        instructions=pool.instructions,
        documents=documents,
        pool=[shot.example_id for shot in pool.demonstrations],
        shots=how.shots,
        instances=list(sizes),
        most=how.most,
    )


def examples_of_run(
    examples: Iterable[Example],
    suite: str,
    task: str,
    one: Draw,
    how: DrawSettings,
    ids: Mapping[str, Sequence[int]] | None = None,
    *,
    counted: bool = False,
) -> Iterator[Example]:
    """Yield the examples of a run, in the order given. Raises ValueError for an example with more mentions than ids.

    ids: of mentions by example, if the run's own streams do not draw them. counted: as for `as_in_run`.
    """
    streams, chosen = how.streams(task), set(one.instances)
    for example in examples:
        if example.example_id in chosen:
            own = ids_of(example, streams, one.run, how.ids) if ids is None else ids.get(example.example_id, ())
            made = as_in_run(example, one, own, streams.child_seed(one.run), counted=counted)
            yield replace(made, suite=suite, draw=one.run)


def ids_of(example: Example, streams: Streams, run: int, limits: tuple[int, int]) -> tuple[int, ...]:
    """Return the ids of an example's mentions in a run, () if it has no mentions."""
    if '"mentions":' not in example.metadata:
        return ()
    count = len(example.facts["mentions"])
    low, high = limits if limits != (0, 0) else (0, count - 1)
    return mention_ids(streams, run, example.example_id, count, range(low, high + 1))


def as_in_run(example: Example, one: Draw, ids: Sequence[int], seed: int = 0, *, counted: bool = False) -> Example:
    """Return an example as a run shows it: documents in its order, references with its ids, and what the run's share.

    seed: for the model. counted: the run's order counts empty documents, as in the official code; a verbatim block
    shows them.
    """
    facts = example.facts
    empty = facts.get("empty_places", ())
    there = [place for place in range(len(example.document_ids) + len(empty)) if place not in empty]
    if counted:
        places = one.order(len(there) + len(empty))
    else:
        places = tuple(there[number] for number in one.order(len(there)))
    order = [there.index(place) for place in places if place not in empty]
    facts = moved_facts(facts, order)
    if "blanks" in facts:
        facts["blanks"] = [facts["blanks"][place] for place in places]
    references = example.references
    if "mentions" in facts:
        facts["mention_ids"] = list(ids)
        references = tuple(clusters(reference, ids) for reference in references)
    facts |= {"instruction": one.instruction, "shots": list(one.demonstrations), "permutation": list(one.permutation)}
    facts["generation_seed"] = seed
    return replace(
        example,
        document_ids=tuple(example.document_ids[number] for number in order),
        titles=tuple(example.titles[number] for number in order) if example.titles else (),
        references=references,
        metadata=canonical_json(facts),
    )


def moved_facts(facts: Mapping[str, Any], order: Sequence[int]) -> dict[str, Any]:
    """Return facts whose spans name documents by their new places; -1 for a document that is not shown."""
    place = {number: new for new, number in enumerate(order)}
    found = dict(facts)
    for name in ("mentions", "highlights", "evidence_spans"):
        if name in facts:
            spans = [[place.get(number, -1), start, end] for number, start, end in facts[name]]
            found[name] = spans if name == "mentions" else sorted(span for span in spans if span[0] >= 0)
    return found


def clusters(reference: str, ids: Sequence[int]) -> str:
    """Return clusters of mentions with their ids instead of their numbers, each sorted."""
    return canonical_json([sorted(ids[number] for number in cluster) for cluster in json.loads(reference)])
