"""PIG: interpolation, bins by integration and by a plain restatement, options, what may not matter."""

from __future__ import annotations

import math
import warnings
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate

from scrollwork.analysis.windows.fit import pig
from scrollwork.analysis.windows.fit.aspects import aspect_probabilities
from scrollwork.analysis.windows.fit.candidates import PIG, pairs
from scrollwork.analysis.windows.fit.pig import (
    ATOMS,
    BINS,
    INTERPOLATED,
    WEIGHTS,
    Binned,
    Options,
    bin_of,
    bins,
    density,
    fit,
)
from scrollwork.scoring.metrics.longbench.rouge_l import score as rouge_l

P = (1 / 132, 25 / 132, 73 / 132, 33 / 132)


def test_interpolation_differs_from_the_fact_sheet() -> None:
    found = [density(x, P) for x in (0, 0.1, 1 / 3, 0.5, 0.9, 1)]
    assert found == pytest.approx([0.00757576, 0.06212121, 0.18939394, 0.37121212, 0.34090909, 0.25], abs=5e-9)
    z, _ = integrate.quad(density, 0, 1, args=(P,), points=[1 / 3, 2 / 3])
    assert z == pytest.approx(0.29040404, abs=5e-9)
    assert z == pytest.approx((1 - (P[0] + P[-1]) / 2) / 3)


def mixed_density(x: float, w: float, oracle: str) -> float:
    """Equation 5, as it stands."""
    if oracle == ATOMS:
        return sum(p for m, p in enumerate(P) if 0 <= x - w * m / 3 <= 1 - w) / (1 - w)
    z = (1 - (P[0] + P[-1]) / 2) / 3
    low, high = max(0.0, (x - (1 - w)) / w), min(1.0, x / w)
    if high <= low:
        return 0.0
    inner = [t for t in (1 / 3, 2 / 3) if low < t < high]
    ends = zip([low, *inner], [*inner, high], strict=True)
    total = sum((density(a, P) + density(b, P)) / 2 * (b - a) for a, b in ends)  # linear between the aspects
    return total / z / (1 - w)


@pytest.mark.parametrize("oracle", [ATOMS, INTERPOLATED])
@pytest.mark.parametrize("place", [0, 7, 12, 18])
def test_bins_differ_from_the_integral_of_the_density(oracle: str, place: int) -> None:
    w = WEIGHTS[place]
    found = bins(np.array([P]), oracle)[0, place]
    corners = sorted({w * m / 3 for m in range(4)} | {w * m / 3 + 1 - w for m in range(4)})
    for number in range(BINS):
        low, high = number / BINS, (number + 1) / BINS
        cuts = [low, *(corner for corner in corners if low < corner < high), high]
        wanted = sum(
            integrate.quad(mixed_density, a + 1e-13, b - 1e-13, args=(w, oracle))[0] for a, b in pairwise(cuts)
        )
        assert found[number] == pytest.approx(wanted, abs=1e-7)
    assert found.sum() == pytest.approx(1)


def restated(units: int, lengths: list[int], counts: np.ndarray, options: Options) -> list[float]:
    """Log-likelihood of each candidate of a problem, without arrays over candidates."""
    found = []
    for complexity, redundancy in pairs(units, PIG):
        total = np.zeros(len(WEIGHTS))
        best = 0.0
        for length, row in zip(lengths, counts, strict=True):
            if complexity > 0:
                aspects, oracle = aspect_probabilities([length], complexity, redundancy, units), options.oracle
            else:
                aspects, oracle = np.array([[0.0, 1.0] if complexity == 0 else [1.0, 0.0]]), ATOMS
            table = np.log(np.maximum(bins(aspects, oracle)[0], 1e-4))
            total += table @ row
            best += (table @ row).max()
        found.append(float(total.max()) if options.one_weight else best)
    return found


@pytest.mark.parametrize("options", [Options(), Options(ATOMS), Options(one_weight=True)])
def test_arrays_give_what_candidates_one_by_one_do_not(monkeypatch: pytest.MonkeyPatch, options: Options) -> None:
    random = np.random.default_rng(3)
    units = np.array([20, 7, 20, 20])
    lengths = np.array([[0, 1, 5, 20], [2, 7, 0, 0], [0, 1, 5, 20], [1, 20, 0, 0]])
    counts = random.multinomial(5, np.ones(BINS) / BINS, size=(4, 4)).astype(np.float64)
    counts[1, 2:] = counts[3, 2:] = 0
    data = Binned(units, lengths, counts)
    for cells in (pig.CELLS, 1):  # all at once; each problem and length alone
        monkeypatch.setattr(pig, "CELLS", cells)
        found = fit(data, options)
        for place in range(4):
            observed = counts[place].sum(axis=1) > 0
            wanted = restated(int(units[place]), lengths[place, observed].tolist(), counts[place, observed], options)
            assert found.likelihoods[place, : len(wanted)] == pytest.approx(wanted, abs=1e-9)
            assert np.isnan(found.weights[place]).tolist() == (~observed).tolist()
            if options.one_weight:
                assert len(set(found.weights[place, observed].tolist())) == 1


def scores(units: int, rows: dict[int, list[float]]) -> Binned:
    counts = np.array([np.bincount(bin_of(own), minlength=BINS) for own in rows.values()], dtype=np.float64)
    return Binned(np.array([units]), np.array([list(rows)]), counts[None])


def test_problems_of_one_context_with_other_lengths_are_fitted_by_a_table_each(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    tables = pig.log_bins
    monkeypatch.setattr(
        pig, "log_bins", lambda units, lengths, options: made.append(lengths) or tables(units, lengths, options)
    )
    units = np.full(8, 30)
    lengths = np.array([[place, 20, 30] for place in range(8)])
    counts = np.zeros((8, 3, BINS))
    counts[:, :, 3] = 2
    counts[0, 1] = 0
    found = fit(Binned(units, lengths, counts))
    assert made == [[0, 1, 2, 3, 4, 5, 6, 7, 20, 30]]
    alone = fit(Binned(units[:1], lengths[:1], counts[:1]))
    assert found.likelihoods[0] == pytest.approx(alone.likelihoods[0])
    assert found.weights[0] == pytest.approx(alone.weights[0], nan_ok=True)


def test_constant_scores_have_no_defined_pair() -> None:
    lengths = (0, 1, 5, 50)
    ones, zeros = (scores(50, {length: [value] * 4 for length in lengths}) for value in (1.0, 0.0))
    assert (fit(ones).complexity[0], fit(ones).redundancy[0]) == (0, 0)
    assert (fit(zeros).complexity[0], fit(zeros).redundancy[0]) == (-1, 1), "infinite: not even the whole context"
    halves = fit(scores(50, {length: [0.5] * 4 for length in lengths}))
    assert np.isfinite(halves.likelihood).all()


def test_the_factor_of_the_paper_is_left_out() -> None:
    aspects = aspect_probabilities([3], 2, 1, 10)
    place = pairs(10, PIG).index((2, 1))
    normal, factor = (pig.log_bins(10, [3], Options(normalised=one))[place, 0] for one in (True, False))
    z = (1 - (aspects[0, 0] + aspects[0, -1]) / 2) / 2
    kept = np.exp(factor) > 1e-4
    assert np.exp(factor)[kept] == pytest.approx(np.exp(normal)[kept] * 2 * z)


@given(st.integers(1, 400), st.data())
@settings(max_examples=40)
def test_any_problem_warns_or_gives_what_is_no_number(units: int, data: st.DataObject) -> None:
    lengths = data.draw(st.lists(st.integers(0, units), min_size=1, max_size=4, unique=True))
    own = scores(units, {length: data.draw(st.lists(st.floats(0, 1), min_size=1, max_size=5)) for length in lengths})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for oracle in (ATOMS, INTERPOLATED):
            found = fit(own, Options(oracle))
            assert np.isfinite(found.likelihood).all()
            assert 0.05 - 1e-12 <= found.weight[0] <= 0.95 + 1e-12, "a mean of weights"


@pytest.mark.slow
def test_5000_units_or_a_million_overflow_or_take_all_memory() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for units in (5000, 200_000):
            found = fit(scores(units, {0: [0.0], 10: [0.1, 0.2], 200: [0.5, 0.4], units: [1.0]}))
            assert np.isfinite(found.likelihood).all()


@pytest.mark.parametrize("value", [math.nan, -0.01, 1.01, math.inf])
def test_a_score_outside_0_to_1_has_a_bin(value: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        bin_of([0.5, value])
    assert bin_of([0.0, 0.049, 0.05, 1.0]).tolist() == [0, 0, 1, 19]


def test_score_of_points_falls_below_the_edge_of_its_bin() -> None:
    """ROUGE-L of m right words of 20, as scoring/metrics/longbench/rouge_l.py gives it, is m / 20 less some 1e-9."""
    words = [f"word{number}" for number in range(20)]
    for right in range(1, 20):
        said = words[:right] + [f"nothing{number}" for number in range(right, 20)]
        value = rouge_l(" ".join(said), [" ".join(words)]).value / 100
        assert value < right / 20
        assert bin_of([value]).tolist() == [right]


def test_what_cannot_be_fitted_is() -> None:
    with pytest.raises(ValueError, match="oracle is"):
        Options("other")
    with pytest.raises(ValueError, match="problem 0 has no observation"):
        Binned(np.array([3]), np.array([[1]]), np.zeros((1, 1, BINS)))
    with pytest.raises(ValueError, match="no problem"):
        fit(Binned(np.zeros(0, dtype=int), np.zeros((0, 1), dtype=int), np.zeros((0, 1, BINS))))
