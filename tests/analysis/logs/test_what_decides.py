"""How many documents, with how many items, decide: new samples of so many do in about 80 of 100 cases."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from scrollwork.analysis.logs.compare import TaskComparison, measured
from scrollwork.analysis.logs.difference import PairedScores, permutation_test
from scrollwork.analysis.logs.power import clusters_to_decide, items_in
from scrollwork.exchange.compared.cells import verdict
from scrollwork.records.comparison import FEW_CLUSTERS, FEWEST_CLUSTERS, few_clusters

SAMPLES = 300
Draw = Callable[[np.random.Generator, int], PairedScores]


def documents(effect: float, most: int, shared: float) -> Draw:
    """Documents of 1 to `most` items, `shared` of the variance in common."""

    def draw(random: np.random.Generator, clusters: int) -> PairedScores:
        cluster = np.repeat(np.arange(clusters), random.integers(1, most + 1, clusters))
        own, common = random.normal(size=len(cluster)), random.normal(size=clusters)[cluster]
        values = effect + np.sqrt(shared) * common + np.sqrt(1 - shared) * own
        return PairedScores(values, np.zeros(len(cluster)), cluster)

    return draw


def right_or_wrong(won: float, lost: float) -> Draw:
    """Items of which a share is right in one of the two alone."""

    def draw(random: np.random.Generator, items: int) -> PairedScores:
        chance: NDArray[np.float64] = random.random(items)
        return PairedScores.of(
            (chance < won).astype(float), ((chance >= won) & (chance < won + lost)).astype(float), None
        )

    return draw


@pytest.mark.parametrize(
    ("draw", "effect"),
    [
        (documents(0.37, 9, 0.4), 0.37),
        (documents(0.83, 9, 0.4), 0.83),
        (documents(0.55, 4, 0.0), 0.55),
        (documents(1.65, 1, 0.0), 1.65),  # by t six are enough: the permutation test finds it in 70 % then
        (documents(0.61, 1, 0.0), 0.61),
        (right_or_wrong(0.15, 0.05), 0.1),
        (right_or_wrong(0.3, 0.1), 0.2),
        (right_or_wrong(0.12, 0.0), 0.12),
    ],
)
def test_so_many_documents_do_not_decide_or_far_fewer_do(draw: Draw, effect: float) -> None:
    """Off the grid of sizes; the difference counts as found where the permutation test says so, as the verdict does."""
    random = np.random.default_rng(23)
    large = draw(random, 20_000)
    args = (len(large), large.clusters, large.standard_error, effect)
    needed = clusters_to_decide(*args, 0.0, 1.0, large.step)
    assert needed is not None
    found = [draw(random, needed) for _ in range(SAMPLES)]
    power = np.mean([permutation_test(one.sums, f"{number}").p < 0.05 for number, one in enumerate(found)])
    assert 0.73 < power < 0.97, (needed, power)  # of six or seven documents one more matters
    items = items_in(needed, len(large), large.clusters)
    assert items == pytest.approx(np.mean([len(one) for one in found]), rel=0.05, abs=1)
    fewer = [draw(random, max(needed // 2, 2)) for _ in range(SAMPLES)]
    assert (
        np.mean([permutation_test(one.sums, f"{number}").p < 0.05 for number, one in enumerate(fewer)]) < power - 0.15
    )


def row(a: list[float], b: list[float], clusters: list[str] | None, margin: float | None = 0.01) -> TaskComparison:
    return measured(TaskComparison("facts", "exact"), PairedScores.of(np.array(a), np.array(b), clusters), margin, "x")


def test_documents_are_told_where_items_are_meant() -> None:
    """Twelve documents of five items each: the sentence says documents, with the items that they hold."""
    random = np.random.default_rng(3)
    a = random.normal(0.1, 1.0, 60)
    found = row([*a], [0.0] * 60, [f"d{number // 5}" for number in range(60)])
    assert found.clusters_to_decide is not None
    assert found.items_to_decide == 5 * found.clusters_to_decide
    told = f"about {found.clusters_to_decide:,} documents ({found.items_to_decide:,} items) would decide"
    assert verdict(replace(found, p_holm=1.0)) == f"undecided: {told}"
    lone = row([*a], [0.0] * 60, None)
    assert verdict(replace(lone, p_holm=1.0)) == f"undecided: about {lone.items_to_decide:,} items would decide"


def test_a_number_below_the_present_one_would_decide() -> None:
    """Only Holm's correction is in the way: more items are not what is missing."""
    found = row([0.5 + 0.01 * number for number in range(20)], [0.0] * 20, None)
    assert (found.clusters_to_decide or 0) < found.items
    assert verdict(replace(found, p_holm=0.2)) == "undecided: p is .0001 before Holm's correction"


@pytest.mark.parametrize(
    ("a", "b", "clusters", "margin", "expected"),
    [
        ([1.0], [0.0], None, 0.01, None),  # one item
        ([1.0, 0.0], [0.0, 0.0], ["d", "d"], 0.01, None),  # one cluster
        ([1.0] * 8, [0.0] * 8, None, 0.01, None),  # all differ alike: significant already
        ([0.5] * 8, [0.5] * 8, None, 0.01, 299),  # none differs: ln .05 / ln .99
        ([0.5] * 8, [0.5] * 8, list("aabbccdd"), 0.01, 299),
        ([0.5] * 8, [0.5] * 8, None, None, None),  # and nobody gave a margin
        ([0.0] * 8, [0.0] * 8, None, 0.01, 299),
        ([0.0] * 8, [0.0] * 8, None, None, None),  # zeros alone have no scale
        ([1e-300, 0.0, 1e-300, 0.0], [0.0] * 4, None, 0.01, None),  # below what squares can hold
        ([1.0, -1.0] * 4, [0.0] * 8, None, None, None),  # no difference at all: never found, and without a margin
    ],
)
def test_hostile_samples_decide(
    a: list[float], b: list[float], clusters: list[str] | None, margin: float | None, expected: int | None
) -> None:
    assert row(a, b, clusters, margin).clusters_to_decide == expected


def test_the_threshold_of_few_clusters_is_another_for_each_sentence() -> None:
    assert [bool(few_clusters(count)) for count in (0, 1, 2, 5, 6, 9, 10, 60)] == [False, *[True] * 5, False, False]
    assert few_clusters(None) == ""
    assert "no interval" in few_clusters(1)
    assert all("cannot be trusted" in few_clusters(count) for count in range(2, FEW_CLUSTERS))
    significant = [
        count for count in range(2, FEW_CLUSTERS) if "no difference can be significant" in few_clusters(count)
    ]
    assert significant == [*range(2, FEWEST_CLUSTERS)]
    assert few_clusters(4, 4).startswith("only 4 independent items: ")
    assert few_clusters(4, 9).startswith("only 4 clusters (documents): ")
