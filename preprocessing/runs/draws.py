"""What a run of SEAM draws at random (fact sheet seam.md 3).

A paraphrase of the instruction, the order of documents, demonstrations and their order, instances, the ids of mentions.
Each variable of each (data set, run) has a stream of its own, a digest of (root seed, data set, run, variable): a run
can be drawn again by itself, and a further run, data set or instance changes no other choice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scrollwork.records.stable_choice import stable_index, stable_int, stable_order

INSTRUCTION, DOCUMENTS, SHOTS, SHOT_ORDER, INSTANCES, MENTIONS = VARIABLES = (
    "instruction",
    "document-order",
    "shots",
    "shot-order",
    "instances",
    "mention-ids",
)
GENERATION = "generation"  # instead of a variable: all of them are held, and only the model's own sampling differs


@dataclass(frozen=True)
class Draw:
    """What all instances of one run of a data set share.

    run: from 0. instruction: number of the paraphrase. permutation: of the numbers of documents, as many as any
    instance has; one with fewer takes those that it has, in this order. demonstrations: names, in the order shown.
    instances: names, in the order of the data set.
    """

    run: int
    instruction: int
    permutation: tuple[int, ...]
    demonstrations: tuple[str, ...]
    instances: tuple[str, ...]

    def order(self, documents: int) -> tuple[int, ...]:
        """Return the numbers of an instance's documents in the order of this run."""
        return tuple(number for number in self.permutation if number < documents)


@dataclass(frozen=True)
class Streams:
    """Where choices come from. vary: the variables that differ between runs; the others are as in run 0 in every run.

    A designed experiment holds variables fixed in this way. The model's own seed differs in every run, so GENERATION is
    no variable.
    """

    seed: int
    dataset: str
    vary: tuple[str, ...] = VARIABLES

    def names(self, variable: str, run: int) -> tuple[object, ...]:
        """Return the name of a variable's stream."""
        return "seam", self.seed, self.dataset, run if variable in self.vary else 0, variable

    def child_seed(self, run: int) -> int:
        """Return the seed of a run for the model: below 2**31, as providers accept it."""
        return stable_int("seam", self.seed, self.dataset, run, GENERATION) % 2**31


def draw(
    streams: Streams,
    run: int,
    *,
    instructions: int,
    documents: int,
    pool: Sequence[str],
    shots: int,
    instances: Sequence[str],
    most: int,
) -> Draw:
    """Draw one run. Raises ValueError if there are fewer demonstrations than shots.

    documents: of the instance with the most. pool: names of the demonstrations. most: instances of a run, 0 for all.
    """
    if len(pool) < shots:
        raise ValueError(f"{len(pool)} demonstrations are too few for {shots} shots")
    chosen = stable_order(pool, *streams.names(SHOTS, run))[:shots]
    taken = set(stable_order(instances, *streams.names(INSTANCES, run))[: most or None])
    return Draw(
        run,
        stable_index(instructions, *streams.names(INSTRUCTION, run)) if instructions else 0,
        tuple(stable_order(range(documents), *streams.names(DOCUMENTS, run))),
        tuple(stable_order(chosen, *streams.names(SHOT_ORDER, run))),
        tuple(name for name in instances if name in taken),
    )


def mention_ids(streams: Streams, run: int, instance: str, mentions: int, of: Sequence[int]) -> tuple[int, ...]:
    """Return the id that each mention of an instance has in a run's prompts, by number of the mention.

    of: the ids to choose from (ECB+ 0 to n-1, SciCo 1 to 99; fact sheet 1.2). Raises ValueError if there are fewer ids
    than mentions.
    """
    if len(of) < mentions:
        raise ValueError(f"{instance}: {mentions} mentions, only {len(of)} ids")
    return tuple(stable_order(of, *streams.names(MENTIONS, run), instance)[:mentions])


def count_distinct_values(draws: Mapping[int, Draw]) -> Mapping[str, int]:
    """Return how many different values each variable took over runs."""
    return {
        INSTRUCTION: len({one.instruction for one in draws.values()}),
        DOCUMENTS: len({one.permutation for one in draws.values()}),
        SHOTS: len({frozenset(one.demonstrations) for one in draws.values()}),
        SHOT_ORDER: len({one.demonstrations for one in draws.values()}),
        INSTANCES: len({one.instances for one in draws.values()}),
    }
