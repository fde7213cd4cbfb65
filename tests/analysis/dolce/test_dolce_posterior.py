"""Probabilities of categories: how often they hold off the grid, what they integrate, what may not matter."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from functools import cache
from itertools import combinations, pairwise, product

import numpy as np
import pytest

from benchmarks.dolce_certainty import ANYWHERE, GRID, LIMITS, Stated, alone, even, mostly_first, wilson
from scrollwork.analysis.windows.categories import CATEGORIES, Thresholds, categories, thresholds
from scrollwork.analysis.windows.fit import fitting, posterior
from scrollwork.analysis.windows.fit.candidates import COW, best_of
from scrollwork.analysis.windows.fit.cover import cover_probability
from scrollwork.analysis.windows.fit.cow import WRONG, Counts, Options, equal_samples, fit
from scrollwork.analysis.windows.fit.fitting import Settings, fit_task
from scrollwork.analysis.windows.fit.posterior import (
    ALONE,
    DEVIATE_CHANCES,
    DEVIATES,
    EDGE_CHANCES,
    EDGES,
    PER_DECADE,
    PLACEMENTS,
    PRIORS,
    SHARED,
    WEIGHTS,
    WRONGS,
    cells,
    mixed_posterior,
    placement_variance,
)
from scrollwork.analysis.windows.observations import Task, read_observations
from scrollwork.analysis.windows.simulation import FIXED, Planted, simulate_cow_outcomes
from tests.analysis.dolce.dolce_vectors import NOISE, quality


@pytest.mark.slow
@pytest.mark.parametrize("truth", [GRID, ANYWHERE, LIMITS])
def test_a_category_is_stated_more_surely_than_it_is_right(truth: str) -> None:
    """The table of docs/dolce.md in small: with likelihoods of the fitted pairs alone, truths off the grid miss."""
    found = [even(truth, windows, range(700, 702)) for windows in (5, 20, None)]
    probability, right = (np.concatenate(part) for part in zip(*found, strict=True))
    for low, high in pairwise((0.5, 0.8, 0.95, 0.99, 1.0)):
        some = (probability >= low) & ((probability < high) | (high == 1.0))
        if some.any():
            least, most = wilson(int(right[some].sum()), int(some.sum()))
            assert (least <= high, most >= low) == (True, True), (low, some.sum(), right[some].mean())


def test_a_probability_changes_the_pair_or_its_category() -> None:
    random = np.random.default_rng(8)
    rows = [
        {"task": "t", "problem": str(number), "units": 90 + number, "length": length, "outcome": outcome, "count": many}
        for number in range(25)
        for length in (0, 1, 5, 20, 80)
        for outcome, many in zip(("1", "0", "idk"), random.multinomial(7, [0.3, 0.2, 0.5]).tolist(), strict=True)
        if many
    ]
    (task,) = read_observations(rows).tasks
    (found,) = fit_task(task, Settings(COW))
    plain = fit(fitting.outcome_counts(list(task.problems.values())))
    best = best_of(plain.likelihoods, plain.tried)
    assert [one.complexity for one in found.problems] == plain.tried.complexity[np.arange(25), best].tolist()
    assert [one.weight for one in found.problems] == plain.weight.tolist()
    limits = thresholds(114)
    assert [one.category for one in found.problems] == categories(plain.complexity, plain.redundancy, limits).tolist()
    for one in found.problems:
        assert sum(one.probabilities) == pytest.approx(1)
        assert one.undecided == (one.probabilities[one.category] < 0.8)


@pytest.mark.parametrize(
    ("units", "limits"), [(60, Thresholds(5, 20)), (499, Thresholds(5, 50)), (3, Thresholds(5, 50))]
)
def test_a_cell_crosses_a_limit_or_numbers_are_in_none(units: int, limits: Thresholds) -> None:
    values, width = posterior._values(units, limits, PER_DECADE)
    assert width.sum() == pytest.approx(math.log((units + 0.5) / 0.5))
    ends = 0.5 * np.exp(np.cumsum(width))
    for limit in (limits.low, limits.high):
        if limit < units:
            assert np.isclose(ends, limit + 0.5).sum() == 1
    assert (np.diff(values) > 0).all()
    known = cells(units, limits)
    assert (known.complexity * known.redundancy <= units).all()
    assert known.prior.sum(axis=(1, 2))[:2] == pytest.approx([1, 1])
    of = categories(known.complexity, known.redundancy, limits)
    assert (known.prior[:, np.arange(len(CATEGORIES))[:, None] != of] == 0).all()


@cache
def held(units: int, length: int, span: int, copies: int, placement: int) -> float:
    """Share of windows that hold evidence, at one placement."""
    if not span:
        return 1.0
    windows = units - length + 1
    if copies == 1:
        first = int(EDGES[placement] * (units - span) / 2)
        return sum(start <= first and first + span <= start + length for start in range(windows)) / windows
    known = float(cover_probability(length, span, copies, units))
    one = placement_variance(np.array([length]), np.array([span]), np.array([copies]), units, np.array([known]))[0]
    return float(min(max(known + DEVIATES[placement] * math.sqrt(one), 0), 1))


def plain(units: int, lengths: list[int], counts: list[list[float]], span: int, copies: int) -> float:
    """The integral over weights, wrongs and placements, term by term."""
    total = 0.0
    chances = EDGE_CHANCES if copies == 1 else DEVIATE_CHANCES
    for weight in WEIGHTS.tolist():
        for wrong, placement in product(WRONGS.tolist(), range(PLACEMENTS)):
            value = chances[placement] / len(WRONGS)
            for length, row in zip(lengths, counts, strict=True):
                known = held(units, length, span, copies, placement) if length >= span else 0.0
                oracle = (0.0, wrong, 1 - wrong) if length < span else (known, 0.0, 1 - known)
                times = (1 + SHARED * max(sum(row) - 1, 0) * length / units) / ALONE
                for one, noise, many in zip(oracle, NOISE, row, strict=True):
                    value *= (weight * one + (1 - weight) * noise) ** (many / times)
            total += value
    return total / len(WEIGHTS)


def test_arrays_give_what_the_integral_does_not() -> None:
    lengths, counts = [5, 0, 1, 7, 6, 3], [[2, 0, 1], [0, 0, 1], [0, 1, 6], [1, 0, 0], [0, 0, 0], [0, 2, 0]]
    known = cells(7, thresholds(7))
    wanted = [plain(7, lengths, counts, *one) for one in zip(known.complexity, known.redundancy, strict=True)]
    model = posterior._Model(np.array(NOISE))
    found, top = model.likelihoods(posterior.seen_of(7, np.array(lengths), np.array(counts), known), known)
    assert found * math.exp(top) == pytest.approx(np.array(wanted), rel=1e-9)


@pytest.mark.parametrize(
    ("units", "length", "span", "copies"), [(12, 4, 2, 2), (14, 3, 1, 4), (13, 6, 5, 1), (30, 3, 3, 1), (14, 2, 1, 6)]
)
def test_windows_are_taken_to_be_apart(units: int, length: int, span: int, copies: int) -> None:
    """Against the variance over every placement there is."""
    found = []
    for chosen in combinations(range(units - copies * span + copies), copies):
        first = [start + place * (span - 1) for place, start in enumerate(chosen)]
        windows = units - length + 1
        found.append(np.mean([any(b <= a and a + span <= b + length for a in first) for b in range(windows)]))
    covered = cover_probability(length, span, copies, units)
    assert np.mean(found) == pytest.approx(covered)
    one = placement_variance(np.array([length]), np.array([span]), np.array([copies]), units, np.array([covered]))
    apart = covered * (1 - covered) / (units / length)  # if windows that share no unit told all there is
    assert one[0] == pytest.approx(np.var(found), abs=0.25 * apart)


@pytest.mark.parametrize("problems", [1, 4, 37])
def test_cases_that_are_learned_at_once_learn_from_each_other(problems: int) -> None:
    """To the bit: categories of a task must not depend on how many noises were tried."""
    evidence = np.random.default_rng(problems).random((7, problems, posterior.PRIORS, 5)) ** 9
    together = mixed_posterior(evidence), posterior.log_evidence(evidence)
    alone = [(mixed_posterior(one), posterior.log_evidence(one[None])[0]) for one in evidence]
    for at_once, one_by_one in zip(together, zip(*alone, strict=True), strict=True):
        assert np.array_equal(at_once, np.array(one_by_one))


def test_what_other_problems_tell_of_the_priors_is_lost() -> None:
    evidence = np.full((41, PRIORS, len(CATEGORIES)), 1e-9)
    evidence[:40, 2] = 1.0
    evidence[40, 2, 3] = evidence[40, 0, 4] = 1.0
    found = mixed_posterior(evidence)
    assert found[40, 3] > 0.95
    assert mixed_posterior(evidence[40:])[0, 3] == pytest.approx(0.5, abs=1e-6)
    assert found.sum(axis=1) == pytest.approx(1)
    assert mixed_posterior(evidence[::-1])[0] == pytest.approx(found[40])


def task(rows: dict[int, dict[str, int]], units: int) -> Task:
    return read_observations(
        {"task": "t", "problem": "p", "units": units, "length": length, "outcome": outcome, "count": count}
        for length, own in rows.items()
        for outcome, count in own.items()
    ).tasks[0]


@pytest.mark.parametrize("outcome", ["1", "0", "idk"])
def test_a_task_whose_answers_are_all_alike_is_decided(outcome: str) -> None:
    (found,) = fit_task(task({length: {outcome: 20} for length in (0, 1, 10, 50, 100)}, 100), Settings(COW))
    assert found.problems[0].undecided
    assert found.problems[0].probabilities == pytest.approx([0.2] * 5)


def test_a_held_noise_decides_no_task_whose_answers_are_all_alike() -> None:
    rows = {length: {"idk": 20} for length in (0, 1, 10, 50, 100)}
    for noise, decided in (((0.0, 0.0, 1.0), False), ((0.1, 0.2, 0.7), True)):
        (found,) = fit_task(task(rows, 100), Settings(COW, cow=Options(noise=noise)))
        assert (found.problems[0].probabilities[4] > 0.8) == decided == (not found.problems[0].undecided)


@pytest.mark.parametrize("units", [1, 2, 7, 1_000_000])
def test_a_context_of_any_size_warns_or_has_no_probabilities(units: int) -> None:
    lengths = sorted({0, 1, min(3, units), units // 2, units})
    rows = {length: {"1": 10**6, "0": 1, "idk": 2} for length in lengths}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (found,) = fit_task(task(rows, units), Settings(COW))
        (other,) = fit_task(
            task(rows, units), Settings(COW, limits=Thresholds(5, 50), cow=Options(noise=(0, 0.5, 0.5)))
        )
    for one in (*found.problems, *other.problems):
        assert np.isfinite(one.probabilities).all()
        assert sum(one.probabilities) == pytest.approx(1)


@pytest.mark.slow
@pytest.mark.parametrize("tasks", [mostly_first, pytest.param(alone, marks=pytest.mark.slow)])
def test_a_wrong_noise_is_believed(tasks: Callable[[str, range], Stated]) -> None:
    """Where nine of ten problems are solved without context the fitted noise takes their right answers for its own, and
    with that noise alone .82 of those at .99 were right; one problem hardly tells the noise."""
    probability, right = tasks(GRID, range(703, 705))
    for low, high in pairwise((0.5, 0.8, 0.95, 0.99, 1.0)):
        some = (probability >= low) & ((probability < high) | (high == 1.0))
        if some.any():
            assert wilson(int(right[some].sum()), int(some.sum()))[1] >= low, (low, some.sum(), right[some].mean())


def test_a_task_solved_without_context_looks_as_if_it_needed_all() -> None:
    """By the mean of its probabilities: the fitted pairs, with a noise that is mostly right, need context."""
    units = np.full(40, 300)
    none = np.zeros(40, dtype=np.int64)
    data = simulate_cow_outcomes(Planted(units, none, none, np.linspace(0.5, 0.95, 40)), FIXED, 20, 5)
    fitted = fit(data)
    assert fitted.noise[0] > 0.3
    assert (fitted.complexity > 0).sum() > 10
    found = posterior.posterior([data], fitted, thresholds(300))
    assert found[:, 0].mean() > 0.9


def test_a_held_noise_of_one_outcome_decides_nothing() -> None:
    data = quality("II")
    data.counts[..., WRONG] = 0.0
    held = Options(noise=(0.0, 0.0, 1.0))
    assert posterior.posterior([data], fit(data, held), thresholds(498), held)[0, 1] > 0.8


def test_lengths_that_weigh_the_same_change_the_pair_and_not_its_probability() -> None:
    data = quality("II", "III", "IV", "V")
    same, plain_options = Options(noise=NOISE, equal_lengths=True), Options(noise=NOISE)
    known = posterior.posterior([data], fit(data, same), thresholds(498), same)
    equalised = Counts(data.units, data.lengths, equal_samples(data.counts))
    assert known == pytest.approx(posterior.posterior([equalised], fit(data, same), thresholds(498), plain_options))
    assert known != pytest.approx(posterior.posterior([data], fit(data, same), thresholds(498), plain_options))


def test_published_problems_are_not_in_their_categories() -> None:
    data = quality("II", "III", "IV", "V")
    fitted = fit(data, Options(noise=NOISE))
    found = posterior.posterior([data], fitted, thresholds(498))
    assert found.argmax(axis=1).tolist() == [1, 2, 3, 4]
    parts = [Counts(data.units[some], data.lengths[some], data.counts[some]) for some in (slice(0, 1), slice(1, 4))]
    assert posterior.posterior(parts, fitted, thresholds(498)) == pytest.approx(found)
