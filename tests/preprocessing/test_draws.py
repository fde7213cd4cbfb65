"""Draws of SEAM: one moves no other's; the official stream is the published one (fact sheet seam.md 3)."""

from __future__ import annotations

import hashlib
import random
from dataclasses import replace

import pytest

from scrollwork.preprocessing.runs.draws import (
    DOCUMENTS,
    INSTANCES,
    SHOT_ORDER,
    VARIABLES,
    Draw,
    Streams,
    count_distinct_values,
    draw,
    mention_ids,
)
from scrollwork.preprocessing.runs.official_draws import Sizes, official_draws

POOL = ("a", "b", "c", "d", "e")
NAMES = tuple(f"i{number}" for number in range(250))


def drawn(run: int, vary: tuple[str, ...] = VARIABLES, names: tuple[str, ...] = NAMES, most: int = 100) -> Draw:
    streams = Streams(42, "musique", vary)
    return draw(streams, run, instructions=21, documents=20, pool=POOL, shots=3, instances=names, most=most)


def test_a_restricted_permutation_is_another() -> None:
    """Vectors of section 3."""
    own = replace(drawn(0), permutation=(2, 0, 1))
    assert [("a", "b", "c")[number] for number in own.order(3)] == ["c", "a", "b"]
    assert [("a", "b", "c")[number] for number in replace(own, permutation=(4, 1, 3, 0, 2)).order(3)] == ["b", "a", "c"]


def test_official_stream_is_another() -> None:
    """Vectors of section 3: seed 42, two runs."""
    sizes = Sizes("any", 5, 20, 5, {"train": 12, "validation": 4, "test": 8})
    first, second = (found for _, _, found in official_draws(42, [sizes], runs=2, shots=3, most=6))
    assert (first.permutation, first.instruction, first.demonstrations) == ((0, 4, 2, 1, 3), 7, (1, 0, 2))
    assert first.instances == {"train": (11, 8, 1, 6, 0, 7), "validation": (0, 1, 2, 3), "test": (1, 7, 6, 4, 0, 2)}
    assert (second.permutation, second.instruction, second.demonstrations) == ((1, 3, 0, 4, 2), 0, (1, 3, 4))
    assert (second.instances["train"], second.instances["test"]) == ((4, 2, 3, 5, 1, 0), (6, 0, 2, 5, 4, 7))


def test_official_coreference_draws_its_ids_in_another_place() -> None:
    """Step 2 of the official order, against the same calls written out."""
    stream = random.Random(7)
    stream.sample(range(1), 1)
    ids = [tuple(stream.sample(range(n), n)) for n in (3, 2)]
    order = tuple(stream.sample(range(4), 4))
    told = (stream.choice(range(20)), tuple(stream.sample(range(5), 3)))
    rows = [tuple(stream.sample(range(4), 4))]
    rows += [tuple(stream.sample(range(1, 100), 5))]
    told_there = (stream.choice(range(9)), tuple(stream.sample(range(5), 3)))
    rows += [tuple(stream.sample(range(1, 100), 2))]
    both = [
        Sizes("ecb_plus", 4, 20, 5, {"test": 1}, topics=(3, 2)),
        Sizes("sci_co", 4, 9, 5, {"test": 2}, rows=(5, 2)),
    ]
    (_, _, first), (_, _, second) = official_draws(7, both, runs=1, shots=3, most=100)
    assert (list(first.mentions), first.permutation, (first.instruction, first.demonstrations)) == (ids, order, told)
    assert [second.permutation, *second.mentions] == rows
    assert (second.instruction, second.demonstrations) == told_there


def test_a_further_instance_moves_what_was_chosen() -> None:
    before, after = drawn(3), drawn(3, names=(*NAMES, "another"))
    assert len(before.instances) == len(after.instances) == 100
    assert len(set(before.instances) - set(after.instances)) <= 1
    assert replace(after, instances=before.instances) == before


def test_runs_are_alike_or_depend_on_each_other() -> None:
    draws = {run: drawn(run) for run in range(10)}
    counts = count_distinct_values(draws)
    assert counts[DOCUMENTS] == counts[INSTANCES] == 10
    assert counts["instruction"] >= 5
    assert drawn(7) == draws[7]
    assert list(draws[7].instances) == sorted(draws[7].instances, key=NAMES.index)


@pytest.mark.parametrize("variable", VARIABLES[:5])
def test_a_designed_experiment_moves_what_it_holds(variable: str) -> None:
    counts = count_distinct_values({run: drawn(run, vary=(variable,)) for run in range(12)})
    moved = {name for name, count in counts.items() if count > 1}
    # other demonstrations stand in another order, too
    assert moved == ({variable, SHOT_ORDER} if variable == "shots" else {variable})


def test_every_choice_is_about_as_likely() -> None:
    """Uniform: each of 60 ordered triples of 5 about 1/60 of 6,000 runs (chi-square, 59 degrees, far below p = 1e-6)."""
    counts: dict[tuple[str, ...], int] = {}
    for run in range(6000):
        own = drawn(run, names=())
        counts[own.demonstrations] = counts.get(own.demonstrations, 0) + 1
    assert len(counts) == 60
    assert sum((count - 100) ** 2 / 100 for count in counts.values()) < 130


def test_two_mentions_have_one_id() -> None:
    streams = Streams(42, "sci_co")
    ids = mention_ids(streams, 0, "t1", 99, range(1, 100))
    assert sorted(ids) == list(range(1, 100))
    assert ids != mention_ids(streams, 1, "t1", 99, range(1, 100))
    with pytest.raises(ValueError, match="t1: 100 mentions, only 99 ids"):
        mention_ids(streams, 0, "t1", 100, range(1, 100))


def test_fewer_demonstrations_than_shots_pass() -> None:
    with pytest.raises(ValueError, match="2 demonstrations are too few for 3 shots"):
        draw(Streams(1, "x"), 0, instructions=1, documents=1, pool=("a", "b"), shots=3, instances=(), most=0)


def test_draws_depend_on_the_machine_or_the_version_of_python() -> None:
    """The documented streams, written out with nothing but sha256."""

    def number(*names: object) -> int:
        text = "\x1f".join(map(str, ("seam", 42, "musique", *names)))
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:16], "big")

    own = drawn(0)
    assert own.instruction == number(0, "instruction") % 21
    assert list(own.permutation) == sorted(range(20), key=lambda one: number(0, "document-order", one))
    shots = sorted(POOL, key=lambda one: number(0, "shots", one))[:3]
    assert list(own.demonstrations) == sorted(shots, key=lambda one: number(0, "shot-order", one))
    assert set(own.instances) == set(sorted(NAMES, key=lambda one: number(0, "instances", one))[:100])
    assert Streams(42, "musique").child_seed(0) == number(0, "generation") % 2**31
