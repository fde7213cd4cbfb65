"""Probabilities of categories of graded problems: how often they hold off the grid, what they integrate."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from benchmarks.dolce_certainty import ANYWHERE, BOUNDS, LIMITS, PROBLEMS, TRUTHS, even_pig, planted, wilson
from scrollwork.analysis.windows.categories import CATEGORIES, Thresholds, categories, thresholds
from scrollwork.analysis.windows.fit import posterior_pig
from scrollwork.analysis.windows.fit.aspects import aspect_probabilities
from scrollwork.analysis.windows.fit.candidates import INFINITE, PIG
from scrollwork.analysis.windows.fit.cover import cover_probability
from scrollwork.analysis.windows.fit.fitting import Settings, fit_task
from scrollwork.analysis.windows.fit.pig import ATOMS, BINS, FLOOR, INTERPOLATED, Binned, Options, bins, fit
from scrollwork.analysis.windows.fit.posterior import cells, mixed_posterior, placement_variance
from scrollwork.analysis.windows.fit.posterior_pig import (
    ALONE,
    CHANCES,
    COMPONENTS,
    DEVIATES,
    FINE,
    SHARED,
    WIDEST,
    evidence,
    placed_aspects,
)
from scrollwork.analysis.windows.observations import read_observations
from scrollwork.analysis.windows.simulation import FIXED, Planted, simulate_pig_scores


@pytest.mark.slow
def test_a_category_is_stated_more_surely_than_it_is_right() -> None:
    """Scores come in steps and the fit interpolates: with its likelihoods alone .85 of those at .99 were right."""
    for probability, right in even_pig(ANYWHERE, 20, range(710, 711)).values():
        for low, high in pairwise(BOUNDS[1:]):
            some = (probability >= low) & ((probability < high) | (high == 1.0))
            if some.any():
                least, most = wilson(int(right[some].sum()), int(some.sum()))
                assert (least <= high, most >= low) == (True, True), (low, some.sum(), right[some].mean())


def some_scores(units: int) -> Binned:
    random = np.random.default_rng(3)
    lengths = np.array([[0, 1, 2, 4, units]])
    counts = np.zeros((1, 5, BINS))
    for place, many in enumerate((1, 5, 4, 3, 1)):
        for score in random.integers(0, BINS, many):
            counts[0, place, score] += 1
    return Binned(np.array([units]), lengths, counts)


def turned(aspects: np.ndarray, lengths: list[int], units: int, copies: int, deviate: float) -> np.ndarray:
    """P(m) of each length where windows cover more or fewer aspects than the mean, term by term."""
    rows = []
    for row, length in zip(aspects, lengths, strict=True):
        mean = sum(m * chance for m, chance in enumerate(row))
        variance = sum((m - mean) ** 2 * chance for m, chance in enumerate(row))
        known = cover_probability(length, 1, copies, units)
        one = float(placement_variance(np.array([length]), np.array(1), np.array(copies), units, known)[0])
        theta = min(math.sqrt(one * (len(row) - 1)) / max(variance, 1e-12), WIDEST) * deviate
        weighed = [chance * math.exp(theta * m) for m, chance in enumerate(row)]
        rows.append([one / sum(weighed) for one in weighed])
    return np.array(rows)


def plain(data: Binned, limits: Thresholds, one_weight: bool) -> np.ndarray:
    """The sums, term by term: [oracles, priors, categories]."""
    units, lengths = int(data.units[0]), data.lengths[0].tolist()
    known = cells(units, limits, PIG)
    weights = [step / FINE for step in range(1, FINE)]
    found = np.zeros((2, 3, len(CATEGORIES)))
    for of, oracle in enumerate((ATOMS, INTERPOLATED)):
        for cell, (lam, k) in enumerate(zip(known.complexity.tolist(), known.redundancy.tolist(), strict=True)):
            sure = {0: [0.0, 1.0], INFINITE: [1.0, 0.0]}.get(lam)
            aspects = np.tile(sure, (len(lengths), 1)) if sure else aspect_probabilities(lengths, lam, k, units)
            mean = 0.0
            for deviate, chance in zip(DEVIATES.tolist(), CHANCES.tolist(), strict=True):
                own = aspects if sure else turned(aspects, lengths, units, k, deviate)
                table = np.maximum(bins(own, ATOMS if sure else oracle, np.array(weights)), FLOOR)
                terms = []
                for length, rows, counts in zip(lengths, table, data.counts[0], strict=True):
                    each = ALONE / (1 + SHARED * (counts.sum() - 1) * length / units)
                    terms.append([math.prod((row**counts).tolist()) ** each for row in rows])
                weighed = [math.prod(column) / len(weights) for column in zip(*terms, strict=True)]
                mean += chance * (sum(weighed) if one_weight else math.prod(sum(one) / len(weights) for one in terms))
            found[of] += known.prior[:, :, cell] * mean
    return found


@pytest.mark.parametrize("one_weight", [False, True])
@pytest.mark.parametrize("name", [None, "TERMS"])
def test_arrays_give_what_the_integral_does_not(
    one_weight: bool, name: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if name:
        monkeypatch.setattr(posterior_pig, name, 1)
    data, limits = some_scores(9), thresholds(9)
    found = evidence(data, limits, Options(one_weight=one_weight))
    wanted = plain(data, limits, one_weight).reshape(1, COMPONENTS, -1)
    assert found / found.sum() == pytest.approx(wanted / wanted.sum(), rel=1e-9)


def test_a_cell_far_from_the_likeliest_one_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is looked at once, by the fit's weights: what that leaves out is not seen in a probability."""
    data, limits = some_scores(40), thresholds(40)
    few = mixed_posterior(evidence(data, limits, Options()))
    monkeypatch.setattr(posterior_pig, "BEHIND", 1e9)
    assert mixed_posterior(evidence(data, limits, Options())) == pytest.approx(few, abs=1e-9)


@pytest.mark.slow
def test_weights_and_copies_between_those_that_are_tried() -> None:
    """All windows tell both to a percent: nine problems that were wrong at p >= .98 by the fit's weights (.88 is between
    two of them) and four cells a decade (28 copies were between two)."""
    limits = thresholds(500)
    seeds = ((2000, 55), (2006, 39), (2007, 39), (2014, 19), (3005, 50), (3011, 58), (3016, 34), (3024, 13), (3028, 38))
    for seed, place in seeds:
        random = np.random.Generator(np.random.PCG64([seed, TRUTHS.index(LIMITS), 13]))
        units = random.integers(120, 501, PROBLEMS)
        span, copies = planted(LIMITS, units, limits, random, PIG)
        problems = Planted(units, span, copies, random.uniform(0.4, 0.9, PROBLEMS))
        data = simulate_pig_scores(problems, FIXED, None, seed)
        one = slice(place, place + 1)
        probability = mixed_posterior(
            evidence(Binned(units[one], data.lengths[one], data.counts[one]), limits, Options())
        )[0]
        category = categories(span[one], copies[one], limits)[0]
        assert probability[category] > 0.02, (seed, probability.round(3))


@pytest.mark.parametrize(
    ("units", "length", "aspects", "copies"),
    [(60, 10, 1, 1), (60, 10, 1, 5), (60, 10, 4, 3), (60, 30, 4, 3), (100, 25, 3, 6), (200, 100, 51, 2)],
)
def test_all_placements_cover_alike(units: int, length: int, aspects: int, copies: int) -> None:
    """The mean number of aspects that all windows of a placement cover deviates as in placements that are drawn."""
    random = np.random.default_rng(5)
    first = np.arange(units - length + 1)[:, None, None]
    means = []
    for _ in range(1500):
        marked = random.permutation(units)[: aspects * copies].reshape(aspects, copies)
        means.append(((marked >= first) & (marked < first + length)).any(axis=2).sum(axis=1).mean())
    known = aspect_probabilities([length], aspects, copies, units)
    found = placed_aspects(known, units, np.array([length]), copies)[:, 0] @ np.arange(aspects + 1)
    assert CHANCES @ found == pytest.approx(np.mean(means), rel=0.03)
    assert np.sqrt(CHANCES @ (found - CHANCES @ found) ** 2) == pytest.approx(np.std(means), rel=0.3)


def test_order_or_unobserved_lengths_change_a_probability() -> None:
    data, limits = some_scores(40), thresholds(40)
    order = [3, 0, 4, 2, 1]
    turned = Binned(data.units, data.lengths[:, order], data.counts[:, order])
    more = Binned(data.units, np.append(data.lengths, [[7]], axis=1), np.append(data.counts, np.zeros((1, 1, BINS)), 1))
    plain_evidence = evidence(data, limits, Options())
    for other in (turned, more):
        assert evidence(other, limits, Options()) == pytest.approx(plain_evidence)


def test_lengths_that_weigh_the_same_leave_a_probability() -> None:
    data, limits = some_scores(40), thresholds(40)
    assert evidence(data, limits, Options(equal_lengths=True)) != pytest.approx(evidence(data, limits, Options()))


def test_a_probability_changes_the_pair_or_its_category() -> None:
    random = np.random.default_rng(4)
    rows = [
        {"task": "t", "problem": str(number), "units": 60 + number, "length": length, "score": float(score)}
        for number in range(4)
        for length in (0, 1, 10, 30)
        for score in random.uniform(0, 1, 5).round(2)
    ]
    (task,) = read_observations(rows).tasks
    settings = Settings(PIG)
    (found,) = fit_task(task, settings)
    for one in found.problems:
        problem = replace(one.problem)
        lengths = sorted(problem.lengths)
        counts = np.zeros((1, len(lengths), BINS))
        for (length, score), many in problem.points().items():
            counts[0, lengths.index(length), min(int(score * BINS + 1e-6), BINS - 1)] += many
        alone = fit(Binned(np.array([problem.units]), np.array([lengths]), counts))
        limits = found.limits
        assert one.category == categories(alone.complexity, alone.redundancy, limits)[0]
        assert one.weight == pytest.approx(alone.weight[0])
        assert sum(one.probabilities) == pytest.approx(1)
        assert one.undecided == (one.probabilities[one.category] < 0.8)


@pytest.mark.parametrize("units", [1, 2, 7, 6000])
def test_a_context_of_any_size_has_no_probabilities(units: int) -> None:
    lengths = sorted({0, 1, units})
    counts = np.zeros((1, len(lengths), BINS))
    counts[0, :, 3] = 2
    data = Binned(np.array([units]), np.array([lengths]), counts)
    found = mixed_posterior(evidence(data, thresholds(units), Options()))
    assert np.isfinite(found).all()
    assert found.sum() == pytest.approx(1)
