"""Which inputs a canary has: fixed, on different documents, about one in a hundred."""

from __future__ import annotations

import random

import pytest

from scrollwork.preprocessing.canary import canary_of
from scrollwork.records.example import Example


def example(name: str, document: str, task: str = "t") -> Example:
    return Example(task, "test", name, (document,), ("r",))


def chosen(examples: list[Example], seed: int = 0) -> frozenset[str]:
    return canary_of(examples, seed=seed, share=0.01, least=5)


MANY = [example(f"e{number}", f"d{number // 5}") for number in range(1000)]


def test_a_canary_depends_on_the_order_or_not_on_the_seed() -> None:
    shuffled = list(MANY)
    random.Random(1).shuffle(shuffled)
    assert chosen(shuffled) == chosen(MANY)
    assert chosen(MANY, seed=1) != chosen(MANY)
    assert chosen([example(one.example_id, one.document_ids[0], "u") for one in MANY]) != chosen(MANY)


def test_two_inputs_of_a_canary_are_on_one_document_while_others_are_left() -> None:
    documents = {one.example_id: one.document_ids for one in MANY}
    assert len({documents[name] for name in chosen(MANY)}) == len(chosen(MANY)) == 10


@pytest.mark.parametrize(
    ("inputs", "documents", "wanted"),
    [(1000, 1000, 10), (1001, 1001, 11), (60, 60, 5), (3, 3, 3), (600, 3, 6), (9, 2, 2)],
)
def test_a_canary_is_larger_or_smaller_than_said(inputs: int, documents: int, wanted: int) -> None:
    found = chosen([example(f"e{number}", f"d{number % documents}") for number in range(inputs)])
    assert len(found) == wanted
    assert len({int(name[1:]) % documents for name in found}) == min(wanted, documents)


def test_an_input_that_goes_moves_others() -> None:
    before = chosen(MANY)
    gone = sorted(before)[0]
    after = chosen([one for one in MANY if one.example_id != gone])
    assert len(before - after) == 1


def test_draws_of_an_input_count_as_inputs() -> None:
    drawn = [
        Example("t", "test", f"e{number}", (f"d{number}",), ("r",), draw=draw)
        for number in range(10)
        for draw in range(9)
    ]
    assert len(chosen(drawn)) == 5
