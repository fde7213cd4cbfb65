"""EM of COW: published problems by both acceptance checks, the joint vector, a plain restatement, what may not matter."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scrollwork.analysis.windows.categories import CATEGORIES, categories, thresholds
from scrollwork.analysis.windows.certainty import certainty
from scrollwork.analysis.windows.fit import cow
from scrollwork.analysis.windows.fit.candidates import COW, pairs
from scrollwork.analysis.windows.fit.cover import cover_probability
from scrollwork.analysis.windows.fit.cow import Counts, Options, fit
from tests.analysis.dolce.dolce_vectors import NOISE, QUALITY, quality, three
from tests.some_slow import one_in

HELD = {
    "II": ((1, 100), 0.963, -1472.859),
    "III": ((1, 1), 0.589, -631.254),
    "IV": ((50, 1), 0.591, -216.614),
    "V": ((408, 1), 0.628, -73.325),
}
SCHEDULED = {"II": (0.962, 0.96), "III": (0.594, 0.59), "IV": (0.640, 0.64), "V": (0.687, 0.68)}  # ours, published


@pytest.mark.parametrize("name", QUALITY)
def test_a_published_problem_comes_out_otherwise_with_its_noise_held(name: str) -> None:
    found = fit(quality(name), Options(noise=NOISE))
    pair, weight, likelihood = HELD[name]
    assert (found.complexity[0], found.redundancy[0]) == pair
    assert found.weight[0] == pytest.approx(weight, abs=5e-4)
    assert found.likelihood[0] == pytest.approx(likelihood, abs=5e-4)
    assert found.noise == pytest.approx(NOISE)
    limits = thresholds(498)
    assert CATEGORIES[categories(found.complexity, found.redundancy, limits)[0]] == name


@pytest.mark.parametrize("name", QUALITY)
def test_a_published_problem_comes_out_otherwise_with_noise_on_the_schedule(name: str) -> None:
    start, end = np.array([0.15, 0.03, 0.82]), np.array(NOISE)
    found = fit(quality(name), Options(noise=[end + (start - end) * 0.5**step for step in range(10)]))
    ours, published = SCHEDULED[name]
    assert (found.complexity[0], found.redundancy[0]) == HELD[name][0]
    assert found.weight[0] == pytest.approx(ours, abs=5e-4)
    assert found.weight[0] == pytest.approx(published, abs=0.01)


def test_problems_with_held_noise_change_each_other() -> None:
    together = fit(quality(*QUALITY), Options(noise=NOISE))
    assert list(zip(together.complexity, together.redundancy, strict=True)) == [HELD[name][0] for name in QUALITY]
    assert together.weight == pytest.approx([HELD[name][1] for name in QUALITY], abs=5e-4)


def test_the_joint_vector_comes_out_otherwise() -> None:
    found = fit(three())
    assert list(zip(found.complexity, found.redundancy, strict=True)) == [(2, 5), (0, 0), (10, 1)]
    assert found.weight == pytest.approx([0.867856, 0.740605, 0.950700], abs=5e-6)
    assert found.likelihood == pytest.approx([-12.812221, -7.323144, -18.025831], abs=5e-6)
    assert found.short[2] == pytest.approx([0, 0.231952, 0.768048], abs=5e-6)
    assert found.noise == pytest.approx([0.803339, 0.190583, 0.006078], abs=5e-6)
    assert found.likelihoods[0, pairs(10, COW).index((1, 2))] == pytest.approx(-13.010419, abs=5e-6)


def restated(data: Counts, passes: int = 10, free_one: bool = False) -> list[tuple[int, int, float, float]]:
    """Fact sheet 4, sample by sample, without arrays: (lambda, k, w, LL) of each problem."""
    problems = [
        [
            (int(data.lengths[i, j]), x)
            for j in range(data.lengths.shape[1])
            for x in range(3)
            for _ in range(int(data.counts[i, j, x]))
        ]
        for i in range(len(data.units))
    ]
    tracks = [
        {pair: [0.5] * len(samples) for pair in pairs(int(units), COW)}
        for units, samples in zip(data.units, problems, strict=True)
    ]
    every = [x for samples in problems for _, x in samples]
    noise = [every.count(x) / len(every) for x in range(3)]
    best: list[tuple[int, int, float, float]] = []
    for step in range(passes):
        if step:
            mass = [0.0] * 3
            for samples, track, (span, copies, *_) in zip(problems, tracks, best, strict=True):
                for (_, x), g in zip(samples, track[span, copies], strict=True):
                    mass[x] += 1 - g
            noise = [one / sum(mass) for one in mass]
        best = []
        for i, (samples, track) in enumerate(zip(problems, tracks, strict=True)):
            rows = []
            for (span, copies), g in track.items():
                w = sum(g) / len(g)
                h = [
                    sum(p for (length, x), p in zip(samples, g, strict=True) if length < span and x == y)
                    for y in range(3)
                ]
                h = h if free_one else [0.0, *h[1:]]
                h = [one / sum(h) for one in h] if sum(h) else [0.0, 0.5, 0.5]
                total = 0.0
                for place, (length, x) in enumerate(samples):
                    pi = float(cover_probability(length, span, copies, int(data.units[i])))
                    oracle = h[x] if length < span else (pi, 0.0, 1 - pi)[x]
                    both = max(w * oracle + (1 - w) * noise[x], 1e-300)
                    g[place] = w * oracle / both
                    total += math.log(both)
                rows.append((span, copies, w, total))
            top = max(row[3] for row in rows)
            best.append(max((row for row in rows if row[3] >= top - 1e-6), key=lambda row: (row[0], -row[1])))
    return best


@pytest.mark.parametrize("free_one", [False, True])
@pytest.mark.parametrize("seed", one_in(3, range(3)))
def test_arrays_give_what_samples_one_by_one_do_not(seed: int, free_one: bool) -> None:
    random = np.random.default_rng(seed)
    units = np.array([7, 12, 3])
    lengths = np.array([[0, 1, 2, 5, 7], [0, 2, 5, 10, 12], [1, 2, 3, 0, 0]])
    counts = random.multinomial(4, [0.4, 0.2, 0.4], size=(3, 5)).astype(np.float64)
    counts[2, 3:] = 0
    found = fit(Counts(units, lengths, counts), Options(free_one=free_one))
    for place, (span, copies, weight, likelihood) in enumerate(
        restated(Counts(units, lengths, counts), free_one=free_one)
    ):
        assert (found.complexity[place], found.redundancy[place]) == (span, copies)
        assert found.weight[place] == pytest.approx(weight, abs=1e-9)
        assert found.likelihood[place] == pytest.approx(likelihood, abs=1e-9)


@st.composite
def tasks(draw: st.DrawFn) -> Counts:
    many, columns = draw(st.integers(1, 6)), draw(st.integers(1, 5))
    units = np.array(draw(st.lists(st.integers(1, 300), min_size=many, max_size=many)))
    lengths = np.array([draw(st.lists(st.integers(0, int(c)), min_size=columns, max_size=columns)) for c in units])
    flat = draw(st.lists(st.integers(0, 9), min_size=many * columns * 3, max_size=many * columns * 3))
    counts = np.array(flat, dtype=np.float64).reshape(many, columns, 3)
    counts[:, 0, draw(st.integers(0, 2))] += 1
    return Counts(units, lengths, counts)


@given(tasks())
@settings(max_examples=60)
def test_any_task_warns_or_gives_what_is_no_number(data: Counts) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = fit(data)
    assert ((found.weight >= 0) & (found.weight <= 1 + 1e-12)).all()
    assert np.isfinite(found.likelihood).all()
    assert found.noise.sum() == pytest.approx(1)
    assert found.short.sum(axis=1) == pytest.approx(1)
    assert (found.complexity * found.redundancy <= data.units).all()


@given(tasks(), st.randoms(use_true_random=False))
@settings(max_examples=40)
def test_the_order_of_problems_or_lengths_matters_with_held_noise(data: Counts, random: object) -> None:
    order = np.arange(len(data.units))
    columns = np.arange(data.lengths.shape[1])
    random.shuffle(order)  # type: ignore[attr-defined]
    random.shuffle(columns)  # type: ignore[attr-defined]
    other = Counts(data.units[order], data.lengths[order][:, columns], data.counts[order][:, columns])
    first, second = (fit(one, Options(noise=NOISE)) for one in (data, other))
    assert second.likelihood == pytest.approx(first.likelihood[order], abs=1e-8)
    assert second.weight == pytest.approx(first.weight[order], abs=1e-5)


def test_batches_or_what_is_kept_between_passes_change_a_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(5)
    units = random.integers(20, 400, 30)
    lengths = np.array([[0, 1, 2, 5, 10, int(c)] for c in units])
    data = Counts(units, lengths, random.multinomial(6, [0.3, 0.2, 0.5], size=(30, 6)).astype(np.float64))
    wanted = fit(data)
    monkeypatch.setattr(cow, "BATCH", 7)
    monkeypatch.setattr(cow, "KEPT", 2000)
    monkeypatch.setattr(cow, "CELLS", 3000)
    found = fit(data)
    assert found.complexity.tolist() == wanted.complexity.tolist()
    assert found.noise == pytest.approx(wanted.noise, abs=1e-12)
    assert found.weight == pytest.approx(wanted.weight, abs=1e-12)


def one(units: int, rows: dict[int, list[int]]) -> Counts:
    return Counts(np.array([units]), np.array([list(rows)]), np.array([list(rows.values())], dtype=np.float64))


def test_degenerate_problems_have_no_defined_category() -> None:
    limits = thresholds(100)

    def category(rows: dict[int, list[int]], units: int = 100) -> str:
        found = fit(one(units, rows), Options(noise=NOISE))
        return CATEGORIES[categories(found.complexity, found.redundancy, limits)[0]]

    right = {length: [1 if length in (0, 100) else 20, 0, 0] for length in (0, 1, 10, 50, 100)}
    assert category(right) == "I", "all right"
    assert category({length: row[::-1] for length, row in right.items()}) == "V", "all declined"
    assert category({length: [0, row[0], 0] for length, row in right.items()}) == "V", "all wrong"
    assert category({100: [1, 0, 0]}) == "V", "the whole context alone: every pair fits, and the largest is taken"
    assert category({0: [1, 0, 0]}) == "I", "closed book"
    assert category({1: [1, 0, 0]}, units=1) == "III", "a context of one unit"


@pytest.mark.parametrize("outcome", range(3))
def test_a_task_of_one_outcome_is_decided(outcome: int) -> None:
    """The free noise explains it all, so the windows tell nothing."""
    row = [20 if place == outcome else 0 for place in range(3)]
    found = fit(one(100, dict.fromkeys((0, 1, 10, 50, 100), row)))
    limits = thresholds(100)
    best = categories(found.complexity, found.redundancy, limits)
    sure = certainty(found.likelihoods, found.tried, best, limits)
    assert found.noise.tolist() == [1.0 if place == outcome else 0.0 for place in range(3)]
    assert sure.undecided.tolist() == [True]
    assert sure.probabilities.sum() == pytest.approx(1)


def test_every_sample_of_the_oracle_leaves_the_noise_undefined() -> None:
    found = fit(one(10, {10: [1, 0, 0], 0: [0, 0, 1]}))
    assert np.isfinite(found.noise).all()
    assert found.noise.sum() == pytest.approx(1)


def test_equal_lengths_still_weigh_windows() -> None:
    many, few = (
        one(50, {0: [0, 0, 1], 5: [40, 0, 60], 50: [1, 0, 0]}),
        one(50, {0: [0, 0, 1], 5: [2, 0, 3], 50: [1, 0, 0]}),
    )
    first, second = (fit(data, Options(equal_lengths=True, noise=NOISE)) for data in (many, few))
    assert first.complexity == second.complexity
    assert first.weight == pytest.approx(second.weight)
    assert first.likelihood / 102 == pytest.approx(second.likelihood / 7)
    assert fit(many, Options(noise=NOISE)).weight != pytest.approx(first.weight, abs=1e-3)


BAD = [
    (lambda: Options(passes=0), "one pass"),
    (lambda: Options(noise=(0.5, 0.5, 0.5)), "three probabilities"),
    (lambda: Options(noise=(math.nan, 0.5, 0.5)), "three probabilities"),
    (lambda: Options(noise=()), "three probabilities"),
    (lambda: Options(noise=0.3), "three probabilities"),  # type: ignore[arg-type]
    (lambda: one(10, {1: [0, 0, 0]}), "problem 0 has no observation"),
    (lambda: one(10, {1: [-1, 2, 0]}), "not negative"),
    (lambda: Counts(np.array([1, 2]), np.zeros((1, 1)), np.ones((1, 1, 3))), "shape"),
    (lambda: fit(one(10, {11: [1, 0, 0]})), "between 0 and C"),
    (lambda: fit(Counts(np.zeros(0, dtype=int), np.zeros((0, 1)), np.zeros((0, 1, 3)))), "no problem"),
]


@pytest.mark.parametrize(("made", "said"), BAD)
def test_what_cannot_be_fitted_is(made, said):
    with pytest.raises(ValueError, match=said):
        made()
