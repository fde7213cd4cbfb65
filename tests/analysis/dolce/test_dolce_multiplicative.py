"""The multiplicative mixture: a plain restatement, limits, what may not matter."""

from __future__ import annotations

import math
import warnings
from dataclasses import replace

import numpy as np
import pytest

from scrollwork.analysis.windows.fit import cow, multiplicative
from scrollwork.analysis.windows.fit.candidates import COW, pairs
from scrollwork.analysis.windows.fit.cover import cover_probability
from scrollwork.analysis.windows.fit.cow import Counts, Options
from scrollwork.analysis.windows.fit.multiplicative import fit, mix_with_noise
from tests.analysis.dolce.dolce_vectors import NOISE, QUALITY, quality, three


def restated(data: Counts, noise: list[float], free_one: bool) -> list[tuple[int, int, float, float]]:
    """(lambda, k, w, LL) of each problem, sample by sample."""
    found = []
    for units, lengths, counts in zip(data.units.tolist(), data.lengths.tolist(), data.counts, strict=True):
        samples = [
            (length, x)
            for length, row in zip(lengths, counts, strict=True)
            for x in range(3)
            for _ in range(int(row[x]))
        ]
        rows = []
        for span, copies in pairs(units, COW):
            short = [0.0 if x == 0 and not free_one else sum(s == x for n, s in samples if n < span) for x in range(3)]
            short = [one / sum(short) for one in short] if sum(short) else [0, 0.5, 0.5]
            seen = {length: float(cover_probability(length, span, copies, units)) for length, _ in samples}
            best = (-math.inf, 0.0)
            for step in range(1, 21):
                w, total = step / 20, 0.0
                for length, x in samples:
                    oracle = short if length < span else [seen[length], 0.0, 1 - seen[length]]
                    both = [max(o, 1e-4) ** w * max(b, 1e-4) ** (1 - w) for o, b in zip(oracle, noise, strict=True)]
                    total += math.log(both[x] / sum(both))
                best = max(best, (total, w), key=lambda one: one[0])
            rows.append((span, copies, best[1], best[0]))
        top = max(row[3] for row in rows)
        found.append(max((row for row in rows if row[3] >= top - 1e-6), key=lambda row: (row[0], -row[1])))
    return found


@pytest.mark.parametrize("free_one", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_arrays_give_what_samples_one_by_one_do_not(seed: int, free_one: bool) -> None:
    random = np.random.default_rng(seed)
    units, lengths = np.array([7, 12, 3]), np.array([[0, 1, 2, 5, 7], [0, 2, 5, 10, 12], [1, 2, 3, 0, 0]])
    counts = random.multinomial(4, [0.4, 0.2, 0.4], size=(3, 5)).astype(np.float64)
    counts[2, 3:] = 0
    data = Counts(units, lengths, counts)
    found = fit([data], Options(free_one=free_one))
    assert found.noise.tolist() == cow.fit(data, Options(free_one=free_one)).noise.tolist()
    for place, (span, copies, weight, likelihood) in enumerate(restated(data, found.noise.tolist(), free_one)):
        assert (found.complexity[place], found.redundancy[place]) == (span, copies)
        assert found.weight[place] == pytest.approx(weight)
        assert found.likelihood[place] == pytest.approx(likelihood, abs=1e-9)


def test_a_weight_of_0_or_1_is_not_one_of_the_two() -> None:
    oracle, noise = np.array([0.3, 0.3, 0.4]), np.array(NOISE)
    assert mix_with_noise(oracle, noise, 1.0) == pytest.approx(oracle)
    assert mix_with_noise(oracle, noise, 0.0) == pytest.approx(noise)
    both = np.sqrt(oracle * noise)
    assert mix_with_noise(oracle, noise, 0.5) == pytest.approx(both / both.sum())


def test_pieces_or_batches_change_a_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    data = quality(*QUALITY)
    wanted = fit([data], Options(noise=NOISE))
    one_by_one = [quality(name) for name in QUALITY]
    monkeypatch.setattr(cow, "BATCH", 2)
    for found in (fit(one_by_one, Options(noise=NOISE)), fit([data], Options(noise=NOISE))):
        assert found.complexity.tolist() == wanted.complexity.tolist()
        assert found.redundancy.tolist() == wanted.redundancy.tolist()
        assert found.weight == pytest.approx(wanted.weight)


def test_planted_answers_of_the_product_are_not_found_again() -> None:
    """Frequencies that are the model's own, at a weight of the grid."""
    units, lengths = 100, [0, 1, 2, 5, 10, 20, 50, 100]
    planted = [(0, 0), (1, 20), (2, 1), (20, 2), (100, 1)]
    counts = np.zeros((len(planted), len(lengths), 3))
    for row, (span, copies) in enumerate(planted):
        for column, length in enumerate(lengths):
            pi = float(cover_probability(length, span, copies, units))
            oracle = np.array([0, 0.2, 0.8] if length < span else [pi, 0, 1 - pi])
            counts[row, column] = 400 * mix_with_noise(oracle, np.array([0.05, 0.2, 0.75]), 0.7)
    data = Counts(np.full(len(planted), units), np.tile(lengths, (len(planted), 1)), counts)
    found = fit([data], Options(noise=(0.05, 0.2, 0.75)))
    assert list(zip(found.complexity.tolist(), found.redundancy.tolist(), strict=True)) == planted
    assert found.weight[:4] == pytest.approx([0.7] * 4)


def test_degenerate_problems_warn_or_have_no_result() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for x in range(3):
            counts = np.zeros((1, 3, 3))
            counts[0, :, x] = 5
            found = fit([Counts(np.array([30]), np.array([[0, 5, 30]]), counts)])
            assert np.isfinite(found.likelihood).all()
        single = fit([Counts(np.array([1]), np.array([[1]]), np.array([[[1.0, 0, 0]]]))], Options(hybrid=False))
        assert single.weight[0] in multiplicative.WEIGHTS
        equal = fit([three()], Options(equal_lengths=True))
        assert equal.likelihood.tolist() != fit([three()]).likelihood.tolist()
        twice = replace(three(), counts=three().counts * 2)
        assert fit([twice]).weight == pytest.approx(fit([three()]).weight)
