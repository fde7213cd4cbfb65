"""Which examples make a benchmark (ZeroSCROLLS 3; fidelity.md#sampling)."""

from __future__ import annotations

import tracemalloc
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from scrollwork.preprocessing import sampling
from scrollwork.records.example import Example, metadata
from scrollwork.records.stable_choice import stable_int
from tests.preprocessing.sampling_kit import choose


def example(name: str, **facts: Any) -> Example:
    return Example("t", "test", name, ("d",), ("r",), metadata=metadata(**facts))


def names(examples: Iterable[Example]) -> list[str]:
    return [one.example_id for one in examples]


def list_of(examples: list[Example], **policy: Any) -> list[Example]:
    return list(choose(examples, **policy))


MANY = [example(f"e{n}") for n in range(1000)]


def test_more_than_the_size_or_another_order_is_taken() -> None:
    found = names(choose(MANY, suite="s", seed=0, size=500))
    assert len(found) == 500
    assert found == sorted(found, key=lambda name: int(name[1:]))
    assert {one.suite for one in choose(MANY, suite="s", seed=0, size=5)} == {"s"}


@pytest.mark.parametrize("gone", ["taken", "left"])
def test_removed_example_moves_others(gone: str) -> None:
    before = names(choose(MANY, suite="s", seed=0, size=500))
    victim = before[17] if gone == "taken" else next(e.example_id for e in MANY if e.example_id not in before)
    after = names(choose([e for e in MANY if e.example_id != victim], suite="s", seed=0, size=500))
    assert len(set(before) - set(after)) == (1 if gone == "taken" else 0)
    assert len(set(after) - set(before)) == (1 if gone == "taken" else 0)


def test_choice_is_not_uniform_over_the_file() -> None:
    counts = Counter(
        int(name[1:]) // 250 for seed in range(20) for name in names(choose(MANY, suite="s", seed=seed, size=500))
    )
    assert all(2300 < count < 2700 for count in counts.values())  # 2,500 expected in each quarter


def test_seeds_choose_the_same() -> None:
    assert names(choose(MANY, suite="s", seed=0, size=500)) != names(choose(MANY, suite="s", seed=1, size=500))


def test_lists_of_one_book_are_in_two_splits() -> None:
    lists = [example(f"{book}_{n}", book=f"b{book}") for book in range(140) for n in range(4)]
    policy: dict[str, Any] = {"suite": "s", "seed": 0, "group_by": "book"}
    test = list_of(lists, size=500, **policy)
    validation = list_of(lists, size=20, skip=500, **policy)
    assert (len(test), len({one.facts["book"] for one in test})) == (500, 125)
    assert (len(validation), len({one.facts["book"] for one in validation})) == (20, 5)
    assert not {one.facts["book"] for one in test} & {one.facts["book"] for one in validation}
    fewer = list_of([one for one in lists if one.facts["book"] != test[0].facts["book"]], size=500, **policy)
    assert len({one.example_id for one in test} - {one.example_id for one in fewer}) == 4


def test_both_twins_are_taken_or_the_shares_are_wrong() -> None:
    twins = [example(f"{n}{kind}", answerable=kind == "a", musique_id=str(n)) for n in range(600) for kind in "au"]
    found = list_of(
        twins, suite="s", seed=0, size=500, by="answerable", strata={"true": 400, "false": 100}, unique_by="musique_id"
    )
    assert Counter(one.facts["answerable"] for one in found) == {True: 400, False: 100}
    assert len({one.facts["musique_id"] for one in found}) == 500


def test_answerable_twins_use_up_the_unanswerable_ones() -> None:
    twins = [example(f"{n}{kind}", answerable=kind == "a", musique_id=str(n)) for n in range(5) for kind in "au"]
    found = list_of(
        twins, suite="s", seed=0, size=5, by="answerable", strata={"true": 4, "false": 1}, unique_by="musique_id"
    )
    assert Counter(one.facts["answerable"] for one in found) == {True: 4, False: 1}


TWINS: dict[str, Any] = {
    "suite": "s", "seed": 0, "size": 500, "by": "answerable", "strata": {"true": 400, "false": 100}, "unique_by": "musique_id",
}  # fmt: skip


@pytest.mark.parametrize("kinds", ["au", "a", "aaau", "uuua"])
def test_limit_takes_what_a_larger_one_does_not(kinds: str) -> None:
    """Also where there are too few of a kind."""
    twins = [example(f"{n}{k}{kind}", answerable=kind == "a", musique_id=str(n)) for n in range(40) for k, kind in enumerate(kinds)]  # fmt: skip
    whole = names(choose(twins, **TWINS))
    before: set[str] = set()
    for limit in range(1, len(whole) + 3):
        now = names(choose(twins, **TWINS, limit=limit))
        assert len(now) == min(limit, len(whole))
        assert before < set(now) or len(now) == len(before) == len(whole)
        before = set(now)
    assert before == set(whole)


@pytest.mark.parametrize(("answerable", "unanswerable"), [(400, 100), (16, 4), (1, 1), (2, 3)])
def test_limit_has_other_shares(answerable: int, unanswerable: int) -> None:
    twins = [example(f"{n}{kind}", answerable=kind == "a", musique_id=str(n)) for n in range(600) for kind in "au"]
    strata = {"true": answerable, "false": unanswerable}
    whole = answerable + unanswerable
    for limit in (1, 2, 3, 4, 5, 8, 10, 19, 63, 250, 499, 500):
        most = min(limit, whole)
        found = Counter(
            one.facts["answerable"] for one in choose(twins, **{**TWINS, "size": whole, "strata": strata}, limit=limit)
        )
        assert found.total() == most
        assert abs(found[True] - most * answerable / whole) <= 0.5


def test_limit_of_another_split_takes_of_the_first() -> None:
    lists = [example(f"{book}_{n}", book=f"b{book}") for book in range(20) for n in range(4)]
    policy: dict[str, Any] = {"suite": "s", "seed": 3, "group_by": "book", "size": 20, "skip": 40}
    whole = names(choose(lists, **policy))
    for limit in (1, 3, 8, 19):
        found = names(choose(lists, **policy, limit=limit))
        assert found == names(choose(lists, **{**policy, "size": limit}))
        assert set(found) < set(whole)


def test_most_rated_hotels_are_left() -> None:
    hotels = [example(f"h{n}", rated_reviews=n) for n in range(50)]
    found = list_of(hotels, suite="s", seed=0, size=10, order_by="rated_reviews")
    assert names(found) == [f"h{n}" for n in range(40, 50)]
    after = choose(hotels, suite="s", seed=0, size=5, order_by="rated_reviews", skip=10)
    assert names(after) == [f"h{n}" for n in range(35, 40)]


def reference_choice(examples: list[Example], policy: dict[str, Any]) -> list[str]:
    """All candidates sorted by the published rule, without what keeps few of them in memory."""
    seed, by, room = policy["seed"], policy.get("by", ""), dict(policy.get("strata", {}))
    ranked = sorted(
        examples,
        key=lambda one: (
            -float(one.facts[policy["order_by"]]) if "order_by" in policy else 0.0,
            stable_int("sample", seed, one.task, one.example_id),
        ),
    )
    taken: list[str] = []
    for one in ranked:
        if by and not room.get(one.facts[by]):
            continue
        if len(taken) < policy["size"] + policy.get("skip", 0):
            taken.append(one.example_id)
            room[one.facts[by] if by else ""] = room.get(one.facts[by] if by else "", 0) - 1
    return [one.example_id for one in examples if one.example_id in taken[policy.get("skip", 0) :]]


@pytest.mark.parametrize(
    "policy",
    [
        {"size": 7},
        {"size": 7, "skip": 5},
        {"size": 9, "order_by": "worth"},
        {"size": 30, "by": "kind", "strata": {"a": 20, "b": 3}},
        {"size": 12, "by": "kind", "strata": {"a": 20, "b": 3}},
        {"size": 5_000},
    ],
)
def test_what_is_dropped_on_the_way_would_have_been_chosen(policy: dict[str, Any], monkeypatch: Any) -> None:
    monkeypatch.setattr(sampling, "CUT", 2)
    many = [example(f"e{n}", kind="abc"[n % 3], worth=n % 11) for n in range(400)]
    policy = {"seed": 4, **policy}
    assert names(choose(many, suite="s", **policy)) == reference_choice(many, policy)


class Endless:
    """Examples that are made when they are read: nothing but what `choose` keeps is in memory."""

    def __init__(self, count: int) -> None:
        self.count = count

    def __iter__(self) -> Iterator[Example]:
        return (example(f"e{n}") for n in range(self.count))


@pytest.mark.slow
def test_memory_of_a_sample_grows_with_the_data_set() -> None:
    def peak(count: int) -> int:
        tracemalloc.start()
        try:
            assert len(list_of(Endless(count), suite="s", seed=0, size=100)) == 100  # type: ignore[arg-type]
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(100)  # what is imported late
    assert peak(20_000) - peak(5_000) < 30 * 15_000  # bytes; a list of candidates takes 500 for each
