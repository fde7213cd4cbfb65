"""The same result whatever comes first: rows in another order, A for B, a third log beside them; of real logs of each
kind."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from scrollwork.analysis.logs.compare import Compared, TaskComparison, compare_systems
from scrollwork.analysis.logs.log import Log, ReadOptions
from scrollwork.analysis.logs.systems import CompareOptions, systems_of
from scrollwork.exchange.logs.read import read_log
from tests.analysis.logs.logs_kit import a_log, shuffled, texts
from tests.exchange.logs.log_kit import logs_of
from tests.some_slow import one_in

# Two logs of each kind, and the field of clusters, "" for that of the log
KINDS = {
    "every_eval_ever": ("lm_eval/facts/ours/alpha", "lm_eval/facts/ours/beta", ""),
    "helm": ("runs/v1/facts:who=alpha,model=world_alpha", "runs/v1/facts:who=beta,model=world_beta", ""),
    "inspect/plain": ("alpha.eval", "beta.json", "metadata.document_id"),
    "inspect/noid": ("alpha.eval", "beta.eval", ""),
    "inspect/epochs3": ("alpha.eval", "beta.eval", "metadata.document_id"),
    "inspect_0.3.50": ("old/alpha.json", "old/beta.eval", ""),
    "lighteval": ("details/alpha", "details/beta", ""),
    "lm_eval": ("alpha", "beta", "doc.document_id"),
    "lm_eval_0.4.2": ("alpha", "beta", ""),
    "plain": ("alpha.csv", "gamma_doubled.jsonl", ""),
    "promptfoo": ("run.json", "", ""),
}
EQUAL = ("task", "items", "clusters", "changed", "unscored", "contradictory", "p", "p_holm", "tied", "both_right")
CLOSE = ("standard_error", "equivalence_p", "power", "detectable", "margin", "mcnemar")
SAID = ("clusters_to_decide", "items_to_decide", "equivalent", "significant", "not_compared", "lower_is_better")


@cache
def logs(shared: Path, kind: str) -> list[list[Log]]:
    """The logs of two models."""
    one, other, field = KINDS[kind]
    folder = logs_of(shared, kind)
    found = [read_log(folder / name, ReadOptions(cluster_field=field)) for name in (one, other) if name]
    if len(found) == 1:
        models = list(dict.fromkeys(log.model for log in found[0]))[:2]
        found = [[log for log in found[0] if log.model == model] for model in models]
    return found


@cache
def plainly(shared: Path, kind: str) -> Compared:
    """The two compared as they stand."""
    return compared(*logs(shared, kind))


def compared(*sides: list[Log], options: CompareOptions | None = None) -> Compared:
    return compare_systems(systems_of(dict(zip("abc", sides, strict=False)))[0], options or CompareOptions())


def same(one: TaskComparison, other: TaskComparison, sign: int = 1) -> None:
    """Every number of two rows; sign -1 where A and B were exchanged."""
    for name in (*EQUAL, *SAID):
        assert getattr(one, name) == getattr(other, name), name
    for name in CLOSE:
        values = [getattr(row, name) for row in (one, other)]
        assert None in values or values[0] == pytest.approx(values[1], rel=1e-9, abs=1e-12), name
        assert values[0] is not None or values[1] is None, name
    pairs = [("won", "lost"), ("only_a", "only_b"), ("all_a", "all_b")]
    pairs += [("mean_a", "mean_b")] * (one.difference is not None)
    for left, right in pairs if sign < 0 else [(name, name) for pair in pairs for name in pair]:
        assert getattr(one, left) == pytest.approx(getattr(other, right), abs=1e-12), left
        assert getattr(one, right) == pytest.approx(getattr(other, left), abs=1e-12), right
    assert (one.difference is None) == (other.difference is None)
    if one.difference is not None and other.difference is not None:
        assert one.difference == pytest.approx(sign * other.difference, abs=1e-12)
    assert dict(one.paired_by) == dict(other.paired_by)
    assert (one.interval is None) == (other.interval is None)
    if one.interval is not None and other.interval is not None:
        ends = other.interval if sign > 0 else tuple(-end for end in reversed(other.interval))
        assert one.interval == pytest.approx(ends, abs=1e-12)


@pytest.mark.parametrize("kind", one_in(3, KINDS))
def test_rows_in_another_order_give_another_result(shared: Path, kind: str) -> None:
    one, other = logs(shared, kind)
    plain = plainly(shared, kind)
    assert plain.pairs[0].tasks
    for seed in (1, 2):
        for sides in (([shuffled(log, seed) for log in one], other), (one, [shuffled(log, seed) for log in other])):
            found = compared(*sides)
            for row, again in zip(plain.pairs[0].tasks, found.pairs[0].tasks, strict=True):
                same(row, again)


@pytest.mark.parametrize("kind", KINDS)
def test_b_for_a_gives_another_result_than_the_mirrored(shared: Path, kind: str) -> None:
    one, other = logs(shared, kind)
    plain = {(row.task, row.metric): row for row in plainly(shared, kind).pairs[0].tasks}
    turned = {(row.task, row.metric): row for row in compared(other, one).pairs[0].tasks}
    assert plain.keys() == turned.keys()
    for key, row in plain.items():
        same(row, turned[key], sign=-1)


@pytest.mark.parametrize("kind", one_in(3, KINDS))
def test_a_third_log_changes_the_result_of_two(shared: Path, kind: str) -> None:
    one, other = logs(shared, kind)
    third = [shuffled(replace(log, model="third"), renumber=True) for log in one]
    alone, among = plainly(shared, kind).pairs[0], compared(one, third, other).pairs[1]
    for row, again in zip(alone.tasks, among.tasks, strict=True):
        same(row, again)


def test_names_that_differ_give_other_random_numbers_when_exchanged() -> None:
    """Forty items are too many for the exact test: its 9,999 exchanges must not depend on whose name is first."""
    values = [0.1 * number % 0.7 for number in range(40)]
    a = a_log(values, ids=texts(40), task="facts")
    b = a_log([0.3 * number % 0.8 for number in range(40)], model="b", metric="exact_match", ids=texts(40), task="Fs")
    forth = compared([a], [b], options=CompareOptions(metrics=[("exact", "exact_match")]))
    back = compared([b], [a], options=CompareOptions(metrics=[("exact_match", "exact")]))
    (one,), (other,) = forth.pairs[0].tasks, back.pairs[0].tasks
    assert one.test is not None
    assert not one.test.exact
    assert one.p == other.p
    assert 0.001 < (one.p or 0.0) < 0.95  # else other random numbers might give the same


def test_metrics_in_another_order_are_corrected_otherwise_when_exchanged() -> None:
    """Tasks with other metrics: Holm takes the first of each together, and whose first must not depend on who is A."""
    wins = {"f1": [1.0] * 12, "em": [1.0] * 8 + [-1.0, 0.0, 0.0, 0.0], "r": [1.0, 1.0, -1.0] * 4}
    columns = {"x": (("f1", "em"), ("em", "f1")), "y": (("r",), ("r",))}
    sides: list[list[Log]] = [[], []]
    for task, orders in columns.items():
        for side, order in enumerate(orders):
            more = {name: wins[name] if side == 0 else [0.0] * 12 for name in order}
            sides[side].append(a_log(model="ab"[side], ids=texts(12), task=task, more=more))
    plain = {(row.task, row.metric): row.p_holm for row in compared(*sides).pairs[0].tasks}
    assert plain == {(row.task, row.metric): row.p_holm for row in compared(*sides[::-1]).pairs[0].tasks}
    assert plain["x", "f1"] != plain["x", "em"]


def test_low_is_good_only_if_the_first_log_says_so() -> None:
    low = a_log([1.0, 2.0, 3.0], ids=texts(3), metric="loss", lower_is_better=frozenset({"loss"}))
    silent = a_log([2.0, 2.0, 4.0], model="b", ids=texts(3), metric="loss")
    for sides, won in (((low, silent), 2), ((silent, low), 0)):
        (row,) = compared(*([one] for one in sides)).pairs[0].tasks
        assert (row.lower_is_better, row.won) == (True, won)
