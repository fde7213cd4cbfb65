"""The exchange test against every order counted one by one, against scipy, and its level."""

from __future__ import annotations

from itertools import permutations, product
from math import sqrt

import numpy as np
import pytest
import scipy

from scrollwork.analysis.nights.exchange import Exchanged, exchange_test, windows_of
from scrollwork.analysis.statistics.intervals import Floats
from tests.some_slow import one_in


def contrasts(sums: Floats, lengths: tuple[int, ...]) -> list[float]:
    """The contrast of each window, as docs/gate.md writes it."""
    nights = len(sums)
    means = sums.sum(axis=1)
    spread = sums.var(axis=0, ddof=1).sum()
    return [
        float((means[-one:].mean() - means[:-one].mean()) / sqrt(spread * (1 / one + 1 / (nights - one))))
        for one in lengths
    ]


def by_hand(sums: Floats, lengths: tuple[int, ...]) -> tuple[float, float]:
    """One-sided p of a drop and of a rise over all orders of the nights in all documents."""
    nights, documents = sums.shape
    observed = contrasts(sums, lengths)
    drops, rises, ways = 0, 0, 0
    for orders in product(list(permutations(range(nights))), repeat=documents):
        chosen = np.stack([sums[list(order), at] for at, order in enumerate(orders)], axis=1)
        found = contrasts(chosen, lengths)
        drops += min(found) <= min(observed) + 1e-9
        rises += max(found) >= max(observed) - 1e-9
        ways += 1
    return drops / ways, rises / ways


@pytest.mark.parametrize(
    ("nights", "documents", "windows", "since_first"),
    one_in(2, [(2, 7, 3, True), (3, 4, 1, True), (3, 4, 1, False), (3, 4, 3, True), (4, 3, 2, True), (4, 3, 1, False)]),
)
@pytest.mark.parametrize("kind", ["normal", "few values"])
def test_an_order_is_not_counted(nights: int, documents: int, windows: int, since_first: bool, kind: str) -> None:
    random = np.random.default_rng([nights, documents, windows])
    sums = random.normal(size=(nights, documents))
    if kind == "few values":
        sums = random.integers(0, 3, (nights, documents)).astype(np.float64)
    found = exchange_test(sums, windows, 0.01, 1, "small", since_first)
    assert found.exact
    assert (found.drop, found.rise) == pytest.approx(by_hand(sums, windows_of(nights, windows, since_first)), abs=1e-12)


@pytest.mark.parametrize(("nights", "documents"), [(2, 12), (3, 5)])
def test_p_is_not_that_of_scipy(nights: int, documents: int) -> None:
    sums = np.random.default_rng(nights).gamma(2.0, size=(nights, documents))

    def last_to_others(*rows: Floats, axis: int = -1) -> Floats:
        return np.asarray(rows[-1].mean(axis=axis) - np.mean([row.mean(axis=axis) for row in rows[:-1]], axis=0))

    found = exchange_test(sums, 1, 0.01, 1, "small", since_first=False)
    for side, ours in (("less", found.drop), ("greater", found.rise)):
        peer = scipy.stats.permutation_test(
            tuple(sums), last_to_others, permutation_type="samples", n_resamples=np.inf, alternative=side
        )
        assert ours == pytest.approx(peer.pvalue, abs=1e-12)


def test_random_orders_are_not_as_all_orders() -> None:
    sums = np.random.default_rng(5).normal((0.0, 0.0), (1.0, 1.0), (18, 2)).T
    sums[1] -= 0.5
    signs = 1.0 - 2.0 * ((np.arange(2**18)[:, None] >> np.arange(18)) & 1)
    differences = sums[1] - sums[0]
    exact = float(np.mean(signs @ differences <= differences.sum() + 1e-9))
    found = exchange_test(sums, 1, 0.05, 100, "many")
    assert not found.exact
    assert 0.01 < exact < 0.15
    # 1,999 orders or more; five standard errors
    assert abs(found.drop - exact) <= 5 * sqrt(exact * (1 - exact) / 1_999) + 1 / 2_000


def shifted(sums: Floats, by: float) -> Floats:
    found = sums.copy()
    found[-1] += by
    return found


def test_p_depends_on_what_it_must_not() -> None:
    random = np.random.default_rng(11)
    sums = shifted(random.normal(size=(3, 5)), -1.0)
    plain = exchange_test(sums, 2, 0.01, 1, "small")
    levels = random.uniform(-50, 50, 5)
    others = {
        "the order of documents": sums[:, ::-1],
        "the level of a document": sums + levels,
        "the unit": sums * 7.5,
        "the order of nights before a window": sums[[0, 1, 2]],
        "a document that never changes": np.column_stack([sums, np.full(3, 4.0)]),
    }
    for what, changed in others.items():
        found = exchange_test(np.ascontiguousarray(changed), 2, 0.01, 1, "small")
        assert (found.drop, found.rise) == pytest.approx((plain.drop, plain.rise), abs=1e-12), what
    mirrored = exchange_test(-sums, 2, 0.01, 1, "small")
    assert (mirrored.rise, mirrored.drop) == pytest.approx((plain.drop, plain.rise), abs=1e-12)
    assert mirrored.highest.standardized == pytest.approx(-plain.lowest.standardized, abs=1e-6)


def test_the_contrast_is_not_that_of_the_page() -> None:
    sums = shifted(np.random.default_rng(3).normal(size=(6, 30)), -0.8)
    expected = contrasts(sums, windows_of(6, 3))
    found = exchange_test(sums, 3, 0.01, 1, "some")
    assert found.lowest.standardized == pytest.approx(min(expected), abs=1e-6)
    assert found.lowest.nights == windows_of(6, 3)[int(np.argmin(expected))]


def test_a_window_is_not_looked_through() -> None:
    random = np.random.default_rng(8)
    sums = random.normal(size=(8, 200))
    sums[-3:] -= 0.25  # three nights together show it, one does not
    alone = exchange_test(sums, 1, 0.01, 10, "task", since_first=False)
    pooled = exchange_test(sums, 3, 0.01, 10, "task", since_first=False)
    assert alone.drop > 0.001 >= pooled.drop
    assert pooled.lowest.nights == 3


def test_nights_that_are_equal_or_one_show_a_drop() -> None:
    still = exchange_test(np.full((4, 9), 3.7), 3, 0.01, 1, "still")
    assert (still.drop, still.rise, still.exact) == (1.0, 1.0, True)
    with pytest.raises(ValueError, match="two nights"):
        exchange_test(np.zeros((1, 9)), 3, 0.01, 1, "one")


def test_a_p_near_the_level_comes_from_few_orders() -> None:
    sums = shifted(np.random.default_rng(4).normal(size=(5, 100)), -3.0)
    tests = 10
    found = exchange_test(sums, 3, 0.01, tests, "far")
    assert found.drop <= 0.01 / tests / 10


def small_p(found: Exchanged, level: float) -> tuple[bool, bool]:
    return found.drop <= level, found.rise <= level


@pytest.mark.slow
def test_the_level_is_not_held() -> None:
    """600 tests of skewed sums at 5 %: between 12 and 54 but for a chance of 1 in 10,000 at each end."""
    level, tests = 0.05, 600
    low, high = (int(scipy.stats.binom(tests, level).ppf(q)) for q in (1e-4, 1 - 1e-4))
    random = np.random.default_rng(20_261_128)
    counts = np.zeros(2, dtype=int)
    for number in range(tests):
        sums = random.exponential(size=(4, 12)) ** 2 * random.lognormal(0, 2, 12)
        counts += small_p(exchange_test(sums, 2, level, 1, f"null {number}"), level)
    assert all(low <= count <= high for count in counts), (counts, low, high)
