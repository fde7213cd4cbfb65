"""Which item of one log is which item of another: never by position, and whatever the order of the rows."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

from scrollwork.analysis.logs.compare import compare_pair
from scrollwork.analysis.logs.items import items_of
from scrollwork.analysis.logs.log import BEGINNING_PART, Log
from scrollwork.analysis.logs.pairing import Pairing, pair_items
from scrollwork.analysis.logs.systems import CompareOptions, systems_of
from tests.analysis.logs.logs_kit import a_log, prompts, shuffled, texts

NAMES = texts(40)


def paired(a: Log, b: Log, *, allow_changed: bool = False) -> tuple[Pairing, list[tuple[str, str]]]:
    """The pairing, and the prompts or ids of the rows of each pair."""
    ours, theirs = items_of(a), items_of(b)
    found = pair_items(ours, theirs, allow_changed=allow_changed)

    def name(log: Log, row: int) -> str:
        return (log.ids or log.prompts or log.contents or [])[row]

    return found, [(name(a, rows_a[0]), name(b, rows_b[0])) for rows_a, rows_b in found.groups]


def test_rows_of_a_shuffled_run_are_paired_by_their_position() -> None:
    a = a_log(range(40), positions=texts(40, ""), prompts=prompts(NAMES))
    b = shuffled(a, renumber=True)
    found, names = paired(a, b)
    assert found.by == {"prompt": 40}
    assert all(one == other for one, other in names)
    assert all(a.scores["exact"][one[0]] == b.scores["exact"][other[0]] for one, other in found.groups)


def test_positions_without_prompts_are_taken_for_an_identity() -> None:
    a = a_log(range(40), positions=texts(40, ""))
    found, _ = paired(a, a)
    assert (len(found.groups), len(found.only_a), len(found.only_b)) == (0, 40, 40)


def test_an_edited_prompt_is_compared_under_its_old_id() -> None:
    a = a_log(range(40), ids=NAMES, prompts=prompts(NAMES))
    b = a_log(range(38), ids=NAMES[:38], prompts=prompts(["edited", *NAMES[1:38]]))
    found, _ = paired(a, b)
    assert (found.by, len(found.groups)) == ({"id": 37}, 37)
    assert (found.changed, list(found.only_a), list(found.only_b)) == ([((0,), (0,))], [38, 39], [])
    allowed, _ = paired(a, b, allow_changed=True)
    assert allowed.by == {"id": 37, "changed prompt": 1}
    assert len(allowed.groups) == 38


def test_ids_that_a_tool_gave_by_position_win_over_the_prompts() -> None:
    """Ids q0, q1, ... were counted anew after a shuffle: equal ids, other questions."""
    a = a_log(range(40), ids=NAMES, prompts=prompts(NAMES))
    order = random.Random(3).sample(range(40), 40)
    b = a_log([float(row) for row in order], ids=NAMES, prompts=[prompts(NAMES)[row] for row in order])
    found, _ = paired(a, b)
    assert len(found.groups) == 40
    assert not found.changed
    assert all(a.scores["exact"][one[0]] == b.scores["exact"][other[0]] for one, other in found.groups)


def test_digests_of_rows_are_compared_between_tools() -> None:
    a, b = a_log(range(5), contents=texts(5)), a_log(range(5), contents=texts(5))
    assert paired(a, b)[0].by == {"content": 5}
    assert not paired(a, replace(b, tool="another"))[0].groups


def test_digests_of_cut_prompts_are_compared_with_whole_ones() -> None:
    a, b = (a_log(range(5), prompts=prompts(texts(5))) for _ in "ab")
    assert not paired(a, replace(b, prompt_part="first 5,120 characters"))[0].groups
    cut = replace(a, prompt_part="first 5,120 characters")
    assert paired(cut, replace(b, prompt_part="first 5,120 characters"))[0].by == {"prompt": 5}


def test_a_cut_prompt_confirms_no_pair_or_makes_one() -> None:
    """Items 0 and 1 begin alike: ids tell them apart, and the beginning confirms; it refutes item 4, and pairs none."""
    names = ["same", "same", "2", "3", "4"]
    cut = a_log(range(5), ids=texts(5), prompts=prompts(names), prompt_part=BEGINNING_PART)
    whole = a_log(range(5), ids=texts(5), prompts=prompts(texts(5)), beginnings=prompts([*names[:4], "other"]))
    for one, other in ((cut, whole), (whole, cut)):
        found, _ = paired(one, other)
        assert (found.by, found.unconfirmed, found.by_beginning) == ({"id": 4}, 0, True)
        assert [group[0] for group in found.changed] == [(4,)]
        systems, _ = systems_of({"a": [one], "b": [replace(other, model="beta")]})
        _, said = compare_pair(*systems, CompareOptions())
        assert any("by their beginning alone (first 5,120 characters)" in str(note) for note in said)
    assert not paired(replace(cut, ids=None), replace(whole, ids=None))[0].groups
    unknown, _ = paired(cut, replace(whole, beginnings=None))
    assert (unknown.by, unknown.unconfirmed) == ({"id": 5}, 5)


def test_items_with_one_prompt_are_paired_at_random() -> None:
    """Three items share a prompt: which is which cannot be known, so their means are one pair."""
    names = ["same", "same", "same", "other"]
    a = a_log([1.0, 0.0, 0.0, 1.0], positions=texts(4, ""), prompts=prompts(names))
    b = a_log([0.0, 1.0, 1.0], positions=texts(3, ""), prompts=prompts(["same", "other", "same"]))
    found, _ = paired(a, b)
    assert (found.same_prompt_groups, len(found.groups)) == (1, 2)
    systems, _ = systems_of({"a": [a, replace(b, model="beta")]})
    row = compare_pair(*systems, CompareOptions())[0].tasks[0]
    assert (row.items, row.mean_a, row.mean_b) == (2, pytest.approx((1 / 3 + 1) / 2), pytest.approx((0.5 + 1) / 2))


def test_one_id_with_two_scores_counts_as_one_of_them() -> None:
    a = a_log([1.0, 0.0, 1.0, 1.0], ids=["x", "x", "y", "y"])
    items = items_of(a)
    assert (list(items.names), list(items.contradictory), items.written_twice) == (["y"], ["x"], 1)
    found = pair_items(items, items_of(a_log([1.0, 1.0, 1.0], ids=["x", "y", "z"])))
    assert (len(found.groups), list(found.only_b)) == (1, [2])


def test_a_row_written_twice_counts_twice_where_its_score_is_nan() -> None:
    items = items_of(a_log([np.nan, np.nan, 1.0], ids=["x", "x", "y"]))
    assert (list(items.names), items.written_twice) == (["x", "y"], 1)


def test_repeats_of_an_item_are_items() -> None:
    a = a_log([1.0, 0.0, np.nan, np.nan, 0.5], ids=["x", "x", "x", "y", "z"], repeats=["1", "2", "3", "1", "1"])
    items = items_of(a)
    assert items.repeats == 3
    np.testing.assert_array_equal(items.scores["exact"], [0.5, np.nan, 0.5])


def test_a_repeat_that_contradicts_itself_is_averaged() -> None:
    a = a_log([1.0, 0.0, 1.0], ids=["x", "x", "x"], repeats=["1", "1", "2"])
    assert list(items_of(a).contradictory) == ["x"]


@pytest.mark.parametrize("seed", range(60))
def test_the_order_of_rows_changes_the_result(seed: int) -> None:
    """Whatever the logs hold: ids or none, doubled rows, repeats, missing prompts, clusters, NaN."""
    chance = random.Random(seed)
    count = chance.randint(2, 40)
    names = [chance.choice(texts(30)) for _ in range(count)]

    def made(model: str) -> Log:
        kept = [name for name in names if chance.random() < 0.9] or names[:1]
        edited = [name if chance.random() < 0.9 else f"{name}*" for name in kept]
        return a_log(
            [chance.choice([0.0, 1.0, 0.25, float("nan")]) for _ in kept],
            model=model,
            ids=kept if chance.random() < 0.6 else None,
            contents=texts(len(kept), "c") if chance.random() < 0.2 else None,
            prompts=[prompt if chance.random() < 0.95 else "" for prompt in prompts(edited)]
            if chance.random() < 0.8
            else None,
            clusters=[name[:2] for name in kept] if chance.random() < 0.5 else None,
            repeats=[chance.choice("12") for _ in kept] if chance.random() < 0.4 else None,
        )

    a, b = made("alpha"), made("beta")
    results = []
    for one, other in ((a, b), (shuffled(a, seed), b), (a, shuffled(b, seed)), (shuffled(a, seed + 1), shuffled(b, 7))):
        systems, _ = systems_of({"a": [one, other]})
        results.append([repr(row) for row in compare_pair(*systems, CompareOptions())[0].tasks])
    assert results[0] == results[1] == results[2] == results[3]
