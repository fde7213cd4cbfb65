"""pi and P(m): enumeration of all placements, vectors of the fact sheet, sizes at which sums of products fail."""

from __future__ import annotations

import tracemalloc
import warnings
from fractions import Fraction
from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scrollwork.analysis.windows.fit import aspects as tables
from scrollwork.analysis.windows.fit.aspects import aspect_probabilities
from scrollwork.analysis.windows.fit.candidates import COW, PIG, one_two_five, pairs
from scrollwork.analysis.windows.fit.cover import cover_probability

VECTORS = {
    (3, 2, 1, 6): 2 / 5,
    (4, 2, 2, 8): 19 / 25,
    (3, 2, 2, 8): 5 / 9,
    (5, 3, 2, 10): 31 / 45,
    (4, 4, 2, 10): 2 / 7,
    (3, 3, 3, 11): 1 / 3,
    (6, 4, 2, 11): 19 / 30,
    (5, 4, 2, 11): 16 / 35,
    (6, 2, 3, 11): 27 / 28,
    (2, 2, 5, 10): 5 / 9,
    (2, 1, 4, 9): 13 / 18,
    (10, 10, 1, 10): 1,
    (3, 3, 3, 9): 3 / 7,
    (4, 3, 3, 9): 2 / 3,
}
LARGE = {
    (50, 20, 10, 1000): 0.3076805245,
    (100, 100, 5, 1000): 0.0055493896,
    (120, 100, 5, 1000): 0.1146936104,
    (20, 2, 100, 500): 0.9960866365,
    (300, 200, 2, 1000): 0.2429210085,
}
ASPECTS = {
    (3, 2, 2, 6): [0, 2 / 5, 3 / 5],
    (2, 3, 1, 5): [1 / 10, 3 / 5, 3 / 10, 0],
    (4, 2, 1, 10): [1 / 3, 8 / 15, 2 / 15],
    (5, 3, 2, 12): [1 / 132, 25 / 132, 73 / 132, 33 / 132],
    (3, 2, 3, 7): [0, 8 / 35, 27 / 35],
    (4, 3, 2, 8): [0, 3 / 70, 39 / 70, 28 / 70],
}
OF_200 = [
    *(0.00225052, 0.02036818, 0.07992575, 0.17904687, 0.25353052, 0.23706346),
    *(0.14820597, 0.06115449, 0.01593511, 0.00236698, 0.00015214),
]


def fitting(units: int) -> list[tuple[int, int]]:
    return [(one, many) for one in range(1, units + 1) for many in range(1, units // one + 1)]


def exact_cover(length: int, span: int, copies: int, units: int) -> Fraction:
    """Of all placements of the spans and of the window."""
    hits = total = 0
    for chosen in combinations(range(units - copies * span + copies), copies):
        begins = [place + number * (span - 1) for number, place in enumerate(chosen)]
        for window in range(units - length + 1):
            total += 1
            hits += any(window <= begin and begin + span <= window + length for begin in begins)
    return Fraction(hits, total)


def exact_aspects(length: int, aspects: int, copies: int, units: int) -> list[Fraction]:
    """By inclusion and exclusion, in whole numbers (fact sheet 3)."""
    missed = [Fraction(comb(units - length, s * copies), comb(units, s * copies)) for s in range(aspects + 1)]
    return [
        comb(aspects, m) * sum((-1) ** j * comb(m, j) * missed[aspects - m + j] for j in range(m + 1))
        for m in range(aspects + 1)
    ]


@pytest.mark.parametrize("units", range(1, 10))
def test_pi_differs_from_the_enumeration_of_all_placements(units: int) -> None:
    for span, copies in fitting(units):
        found = cover_probability(np.arange(units + 1), span, copies, units)
        wanted = [
            float(exact_cover(length, span, copies, units)) if length >= span else 0 for length in range(units + 1)
        ]
        assert found == pytest.approx(wanted, abs=1e-13), (span, copies)


@pytest.mark.parametrize(("at", "wanted"), [*VECTORS.items(), *LARGE.items()])
def test_pi_differs_from_the_fact_sheet(at: tuple[int, int, int, int], wanted: float) -> None:
    assert float(cover_probability(*at)) == pytest.approx(wanted, abs=1e-10)


def test_a_special_case_of_pi_is_none() -> None:
    units, lengths = 60, np.arange(61)
    assert cover_probability(lengths, 7, 1, units)[7:] == pytest.approx((lengths[7:] - 6) / 54)
    assert [float(cover_probability(n, n, 3, units)) for n in range(1, 21)] == pytest.approx(
        [3 / (units - n + 1) if 3 * n <= units else 0 for n in range(1, 21)]
    )
    one = [1 - comb(units - n, 4) / comb(units, 4) for n in range(1, 61)]
    assert cover_probability(lengths, 1, 4, units)[1:] == pytest.approx(one)
    assert cover_probability(lengths, 0, 0, units).tolist() == [1.0] * 61
    assert cover_probability(lengths, units, 1, units).tolist() == [0.0] * 60 + [1.0]
    assert cover_probability(lengths, 31, 2, units).tolist() == [0.0] * 61, "no such pair"


@pytest.mark.parametrize("at", [(7, 1, 1, 6), (-1, 1, 1, 6), (1, 0, 2, 6), (1, 2, 0, 6), (1, -1, 1, 6), (0, 1, 1, 0)])
def test_what_means_nothing_has_a_pi(at: tuple[int, int, int, int]) -> None:
    with pytest.raises(ValueError, match="must"):
        cover_probability(*at)


@pytest.mark.parametrize("units", [1, 2, 3, 9, 100, 381, 1999, 5000, 1_000_000])
def test_large_contexts_overflow_warn_or_leave_0_to_1(units: int) -> None:
    some = [np.arange(min(units, 40) + 1), np.linspace(0, units, 60).astype(np.int64), list(one_two_five(units))]
    lengths = np.unique(np.concatenate(some))
    own = np.array(pairs(units, COW))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = cover_probability(lengths[None, :], own[:, :1], own[:, 1:], units)
    assert ((found >= 0) & (found <= 1)).all()
    assert (np.diff(found, axis=1) >= -1e-9).all(), "a longer window shows more"
    assert (found[:, -1] == 1).all()


def test_pi_of_5000_units_differs_from_whole_numbers() -> None:
    units = 5000
    for span, copies, length in [
        (1, 2000, 2),
        (50, 50, 98),
        (50, 50, 97),
        (500, 10, 998),
        (2000, 2, 3997),
        (20, 200, 30),
    ]:
        n = units - copies * span + copies
        missed = 2 * Fraction(choose(units - length - (copies - 1) * span + copies, copies + 1))
        if length >= 2 * span - 2:
            missed += (copies - 1) * choose(units - length - (copies - 2) * span + copies - 1, copies + 1)
        else:
            missed += (copies - 1) * (Fraction(n + 1, copies + 1) + 2 * span - 2 - length) * comb(n, copies)
        wanted = 1 - missed / ((units - length + 1) * comb(n, copies))
        assert float(cover_probability(length, span, copies, units)) == pytest.approx(float(wanted), abs=1e-9)


def choose(n: int, r: int) -> int:
    return comb(n, r) if n >= 0 else 0


@pytest.mark.parametrize("units", range(1, 10))
def test_aspects_differ_from_the_enumeration_of_all_choices(units: int) -> None:
    for aspects, copies in fitting(units):
        counted = enumerated(units, aspects, copies)
        found = aspect_probabilities(range(units + 1), aspects, copies, units)
        assert found == pytest.approx(np.array(counted), abs=1e-13), (aspects, copies)


def enumerated(units: int, aspects: int, copies: int) -> list[list[float]]:
    """[lengths, aspects + 1]: marks all lie in the first places, windows are all choices of l units."""
    of = [unit // copies if unit < aspects * copies else -1 for unit in range(units)]
    rows = []
    for length in range(units + 1):
        counts = [0] * (aspects + 1)
        for window in combinations(of, length):
            counts[len({one for one in window if one >= 0})] += 1
        rows.append([count / sum(counts) for count in counts])
    return rows


@pytest.mark.parametrize(("at", "wanted"), ASPECTS.items())
def test_aspects_differ_from_the_fact_sheet(at: tuple[int, int, int, int], wanted: list[float]) -> None:
    length, *pair = at
    assert aspect_probabilities([length], *pair)[0] == pytest.approx(wanted, abs=1e-14)


def test_ten_aspects_of_200_units_differ() -> None:
    assert aspect_probabilities([50], 10, 2, 200)[0] == pytest.approx(OF_200, abs=5e-9)


@pytest.mark.parametrize("at", [(50, 10, 2, 200), (20, 100, 5, 1000), (200, 100, 2, 500), (499, 50, 5, 500)])
def test_aspects_differ_from_whole_numbers(at: tuple[int, int, int, int]) -> None:
    length, *pair = at
    wanted = [float(one) for one in exact_aspects(*at)]
    assert aspect_probabilities([length], *pair)[0] == pytest.approx(wanted, abs=2e-13)


@given(st.integers(1, 5000), st.data())
@settings(max_examples=60)
def test_aspects_warn_or_do_not_sum_to_1(units: int, data: st.DataObject) -> None:
    complexity, redundancy = data.draw(st.sampled_from([pair for pair in pairs(units, PIG) if pair[0] > 0]))
    lengths = sorted({0, units, data.draw(st.integers(0, units)), min(units, 50)})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = aspect_probabilities(lengths, complexity, redundancy, units)
    assert found.sum(axis=1) == pytest.approx(1)
    assert (found >= 0).all()
    assert (found[0, 0], found[-1, -1]) == (1, 1)
    assert (np.diff(found @ np.arange(complexity + 1)) >= -1e-9).all(), "a longer window shows more aspects"


@pytest.mark.parametrize("pair", [(30, 3), (300, 3), (900, 1), (2, 400), (50, 18)])
def test_rows_of_a_large_table_in_blocks_differ_from_the_table(
    monkeypatch: pytest.MonkeyPatch, pair: tuple[int, int]
) -> None:
    lengths = [1, 2, 50, 450, 889, 899]
    monkeypatch.setattr(tables, "SMALL", 10**9)
    wanted = aspect_probabilities(lengths, *pair, 900)
    monkeypatch.setattr(tables, "SMALL", 0)
    monkeypatch.setattr(tables, "BLOCK", 7)
    assert aspect_probabilities(lengths, *pair, 900) == pytest.approx(wanted, abs=1e-14)


def test_aspects_of_a_large_context_take_a_table_of_all_windows() -> None:
    """Half of 20,000 units and 10,000 aspects: 800 MB as a table."""
    tracemalloc.start()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (found,) = aspect_probabilities([10_000], 10_000, 2, 20_000)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 30e6
    seen = 1 - comb(10_000, 2) / comb(20_000, 2)  # of an aspect: one of its two units
    assert found @ np.arange(10_001) / 10_000 == pytest.approx(seen, rel=1e-9)


@pytest.mark.parametrize("at", [(7, 1, 1, 6), (-1, 1, 1, 6), (1, 0, 1, 6), (1, 1, 0, 6), (1, 4, 2, 7), (0, 1, 1, 0)])
def test_what_means_nothing_has_aspects(at: tuple[int, int, int, int]) -> None:
    length, *pair = at
    with pytest.raises(ValueError, match=r"must|do not fit"):
        aspect_probabilities([length], *pair)
