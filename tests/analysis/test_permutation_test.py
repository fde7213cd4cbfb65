"""The permutation test: against scipy where it has the test (one input a document), against plain loops elsewhere."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
import scipy

from scrollwork.analysis.comparison.outcomes import Outcomes
from scrollwork.analysis.statistics.intervals import Floats
from scrollwork.analysis.statistics.permutation_test import (
    PERMUTATIONS,
    Exchange,
    average_test,
    every_swap,
    random_swaps,
    swap_test,
)
from tests.analysis.outcomes_kit import F1, GEO, ROUGE, documents, one, rouge, several


def scores(count: int, shift: float = 0.0) -> Floats:
    return np.random.default_rng([count, int(10 * shift)]).uniform(0, 80, count) + shift


def test_exact_p_differs_from_scipy() -> None:
    ours, theirs = scores(10, 9.0), scores(10)
    p, permutations, exact = swap_test(Exchange(one(ours), one(theirs), F1), "t")
    peer = scipy.stats.permutation_test(
        (ours, theirs), lambda x, y: np.mean(x) - np.mean(y), permutation_type="samples", n_resamples=np.inf
    )
    assert (permutations, exact) == (1024, True)
    assert p == pytest.approx(peer.pvalue, abs=1e-12)


def test_random_p_differs_from_scipy() -> None:
    ours, theirs = scores(60, 12.0), scores(60)
    p, permutations, exact = swap_test(Exchange(one(ours), one(theirs), F1), "t")
    peer = scipy.stats.permutation_test(
        (ours, theirs),
        lambda x, y, axis: np.mean(x, axis=axis) - np.mean(y, axis=axis),
        permutation_type="samples",
        n_resamples=PERMUTATIONS,
        vectorized=True,
        rng=np.random.default_rng(3),
    )
    assert (permutations, exact) == (PERMUTATIONS, False)
    assert 0.001 < peer.pvalue < 0.2  # or the test would say nothing
    assert p == pytest.approx(peer.pvalue, abs=4 * np.sqrt(peer.pvalue / PERMUTATIONS))


def test_exact_p_of_a_geometric_mean_differs_from_scipy() -> None:
    """scipy permutes places of inputs; its statistic looks the components up."""
    rows = np.random.default_rng(4).uniform(1, 60, (2, 3, 9))

    def difference(x: Floats, y: Floats) -> float:
        both = np.concatenate([rows[0], rows[1]], axis=1)
        return float(
            np.prod(both[:, x.astype(int)].mean(axis=1)) ** (1 / 3)
            - np.prod(both[:, y.astype(int)].mean(axis=1)) ** (1 / 3)
        )

    peer = scipy.stats.permutation_test(
        (np.arange(9), np.arange(9, 18)), difference, permutation_type="samples", n_resamples=np.inf
    )
    alone = documents([1] * 9)
    p, _, _ = swap_test(Exchange(rouge(rows[0], alone), rouge(rows[1], alone), GEO), "t")
    assert p == pytest.approx(peer.pvalue, abs=1e-12)


def by_loops(ours: Outcomes, theirs: Outcomes) -> float:
    """Every exchange of whole documents of two models with ROUGE, one after another."""
    names = sorted(set(ours.clusters))
    found = []
    for way in product((False, True), repeat=len(names)):
        exchanged = dict(zip(names, way, strict=True))
        means: list[list[float]] = [[], []]
        for component in ROUGE:
            rows = (ours.components[component][0], theirs.components[component][0])
            sides = [
                [rows[side != exchanged[cluster]][place] for place, cluster in enumerate(ours.clusters)]
                for side in (0, 1)
            ]
            for side in (0, 1):
                means[side].append(sum(sides[side]) / len(sides[side]))
        found.append(np.prod(means[0]) ** (1 / 3) - np.prod(means[1]) ** (1 / 3))
    return sum(abs(value) >= abs(found[0]) - 1e-9 for value in found) / len(found)


def test_exact_p_of_unequal_documents_differs_from_plain_loops() -> None:
    clusters = documents([1, 4, 2, 1, 3, 1, 1])
    rows = np.random.default_rng(8).uniform(1, 60, (2, 3, len(clusters)))
    rows[0] += 6
    ours, theirs = rouge(rows[0], clusters), rouge(rows[1], clusters)
    p, permutations, _ = swap_test(Exchange(ours, theirs, GEO), "t")
    assert permutations == 128
    assert p == by_loops(ours, theirs)


def test_inputs_of_one_document_are_exchanged_apart() -> None:
    """Ten inputs of two documents: four ways, and no p under 1/2, however large the difference."""
    ours, theirs = one([90.0] * 10, documents([5, 5])), one([10.0] * 10, documents([5, 5]))
    assert swap_test(Exchange(ours, theirs, F1), "t") == (0.5, 4, True)


def test_mean_of_a_geometric_headline_is_flipped() -> None:
    """One of six documents is exchanged, by hand. Flipping the sign of its share would give 2/3 of the difference."""
    alone = documents([1] * 6)
    ours = rouge(np.array([[50.0] * 6, [1.0] * 6, [50.0] * 6]), alone)
    theirs = rouge(np.array([[0.0] * 6, [50.0] * 6, [50.0] * 6]), alone)
    exchange = Exchange(ours, theirs, GEO)
    means = np.array([[250 / 6, (5 + 50) / 6, 50.0], [50 / 6, (250 + 1) / 6, 50.0]])
    by_hand = np.prod(means[0]) ** (1 / 3) - np.prod(means[1]) ** (1 / 3)
    assert exchange.differences(np.array([[1, 0, 0, 0, 0, 0]], dtype=np.uint8))[0] == pytest.approx(by_hand)
    assert abs(by_hand - exchange.observed * 2 / 3) > 5


def test_equal_models_are_told_apart() -> None:
    same = one(scores(40))
    assert swap_test(Exchange(same, same, F1), "t") == (1.0, 1, True)


def test_documents_without_a_difference_spend_permutations() -> None:
    ours = scores(300)
    theirs = ours.copy()
    theirs[:5] -= 3.0
    p, permutations, exact = swap_test(Exchange(one(ours), one(theirs), F1), "t")
    assert (p, permutations, exact) == (2 / 32, 32, True)


def test_random_p_can_be_zero() -> None:
    p, _, _ = swap_test(Exchange(one([90.0] * 50), one([10.0] * 50), F1), "t")
    assert p == 1 / (1 + PERMUTATIONS)


def test_order_of_rows_changes_p() -> None:
    ours, theirs = scores(30, 5.0), scores(30)
    clusters = documents([2] * 15)
    forward = swap_test(Exchange(one(ours, clusters), one(theirs, clusters), F1), "t")
    assert not forward[2]
    order = np.random.default_rng(1).permutation(30)
    moved = [clusters[place] for place in order]
    assert swap_test(Exchange(one(ours[order], moved), one(theirs[order], moved), F1), "t") == forward


def test_seeds_of_a_family_are_exchanged_one_by_one() -> None:
    """Twenty seeds against one model: what is exchanged is the mean over seeds, so two documents have four ways."""
    family = several([[10.0, 20.0], [30.0, 60.0]])
    exchange = Exchange(family, one([100.0, 0.0]), F1)
    assert exchange.observed == pytest.approx(30.0 - 50.0)
    assert sorted(exchange.differences(every_swap(2))) == pytest.approx([-60.0, -20.0, 20.0, 60.0])


def test_random_exchanges_differ_from_run_to_run_or_are_shared_by_tasks() -> None:
    first = random_swaps(20, "qmsum").copy()
    random_swaps.cache_clear()
    assert (random_swaps(20, "qmsum") == first).all()
    assert (random_swaps(20, "squality") != first).any()
    assert first.mean() == pytest.approx(0.5, abs=0.01)


def test_tasks_of_an_average_are_exchanged_together() -> None:
    """Two tasks with opposite differences: exchanged together they would always cancel, and p be 1 / 10,000."""
    ours, theirs = scores(40, 4.0), scores(40)
    up, down = Exchange(one(ours), one(theirs), F1), Exchange(one(theirs), one(ours), F1)
    p, permutations = average_test({"a": up, "b": down})
    assert permutations == PERMUTATIONS
    assert p == 1.0
    both = average_test({"a": up, "b": Exchange(one(ours), one(theirs), F1)})[0]
    alone = swap_test(up, "a")[0]
    assert both < alone


def test_other_inputs_on_the_other_side_are_compared() -> None:
    with pytest.raises(ValueError, match="same inputs"):
        Exchange(one([1.0, 2.0]), one([1.0]), F1)
