"""Dolce: how often the category of a problem is right, by the probability that is stated for it, where lambda and k lie
on the grid that is fitted, anywhere, or at the limits of the categories. Seeds are printed.

Answers by two generators. `even`: windows at even distances, lengths, noise and contexts as of the other simulations.
`other`: windows anywhere, lengths between those of the grid, 4 to 40 windows of a length, contexts of 60 to 1,200
units, other weights; in COW another noise and an oracle that is wrong in part of the windows that show too little.
PIG scores come in steps, which the paper's oracle does not know.

Beside them, of COW: tasks in which nine of ten problems are solved without context, whose right answers the fitted
noise takes for its own, and tasks of one problem, which tells little of the noise.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from math import log, sqrt
from typing import Any

import numpy as np

from scrollwork.analysis.windows.categories import CATEGORIES, Thresholds, categories, thresholds
from scrollwork.analysis.windows.fit import pig
from scrollwork.analysis.windows.fit.candidates import COW, PIG, pairs
from scrollwork.analysis.windows.fit.cow import DECLINED, RIGHT, WRONG, Counts
from scrollwork.analysis.windows.fit.fitting import Settings, fit_task
from scrollwork.analysis.windows.fit.posterior import mixed_posterior
from scrollwork.analysis.windows.fit.posterior_pig import evidence
from scrollwork.analysis.windows.observations import OUTCOMES, Problem, Task
from scrollwork.analysis.windows.simulation import (
    FIXED,
    Planted,
    place_evidence,
    simulate_cow_outcomes,
    simulate_pig_scores,
)

GRID, ANYWHERE, LIMITS = TRUTHS = ("grid", "log-uniform", "at the limits")
SEEDS, PIG_SEEDS = range(71_000, 71_018), range(82_000, 82_006)
PROBLEMS = 60  # of a task
WINDOWS = (5, 20, None)
LENGTHS = (0, 1, 3, 8, 15, 40, 75, 150, 300, 700)  # of the other generator
BOUNDS = (0.0, 0.5, 0.8, 0.95, 0.99, 1.0)
Z = 1.959964
Stated = tuple[np.ndarray, np.ndarray]  # probability, right


def main(small: bool = False) -> list[str]:
    """The lines of the report."""
    return [*(report(SEEDS[:2], PIG_SEEDS[:1]) if small else report(SEEDS, PIG_SEEDS))]


def report(seeds: range, pig_seeds: range) -> Iterator[str]:
    """A row a truth, generator and number of windows."""
    yield (
        f"dolce: share of categories that is right by stated probability; COW seeds {seeds[0]} to {seeds[-1]}, PIG "
        f"{pig_seeds[0]} to {pig_seeds[-1]}, {PROBLEMS} problems each; problems: share (95 % interval, Wilson), mean "
        "probability; ! where the interval misses the class"
    )
    for truth in TRUTHS:
        rows = {f"even, {windows or 'all'}": even(truth, windows, seeds) for windows in WINDOWS}
        rows["even, together"] = joined(rows.values())
        rows["other"] = other(truth, seeds)
        for name, found in rows.items():
            yield f"  COW, {truth}, {name}: " + "; ".join(row(*found))
        for name, found in (("nine of ten in I", mostly_first(truth, seeds)), ("alone", alone(truth, seeds[:6]))):
            yield f"  COW, {truth}, {name}: " + "; ".join(row(*found))
        both = {f"even, {windows or 'all'}": even_pig(truth, windows, pig_seeds) for windows in WINDOWS}
        both["even, together"] = together([*both.values()])
        both["other"] = other_pig(truth, pig_seeds)
        for oracle in (pig.INTERPOLATED, pig.ATOMS):
            for name, of in both.items():
                yield f"  PIG {oracle}, {truth}, {name}: " + "; ".join(row(*of[oracle]))


def row(probability: np.ndarray, right: np.ndarray) -> Iterator[str]:
    """Cells of the classes."""
    for low, high in pairwise(BOUNDS):
        some = (probability >= low) & ((probability < high) | (high == 1.0))
        name = f"{low:g}-{high:g}"
        if not some.any():
            yield f"{name} none"
            continue
        share, (least, most) = right[some].mean(), wilson(int(right[some].sum()), int(some.sum()))
        missed = "" if least <= high and most >= low else " !"
        told = f"{some.sum()}: {share:.3f} ({least:.2f}-{most:.2f})"
        yield f"{name} {told}, {probability[some].mean():.3f}{missed if low else ''}"


def wilson(right: int, of: int) -> tuple[float, float]:
    """95 % interval of a share (Wilson 1927)."""
    share = right / of
    middle = (share + Z**2 / 2 / of) / (1 + Z**2 / of)
    half = Z * sqrt(share * (1 - share) / of + Z**2 / 4 / of**2) / (1 + Z**2 / of)
    return middle - half, middle + half


def planted(
    truth: str, units: np.ndarray, limits: Thresholds, random: np.random.Generator, scenario: str = COW
) -> tuple[np.ndarray, ...]:
    """(lambda, k) of problems. On the grid and log-uniform: of each category in turn; at the limits: lambda within one
    unit of a limit, or k of one with a small lambda, both sides alike, the other number log-uniform."""
    drawn = [pair(truth, int(one), number, limits, random, scenario) for number, one in enumerate(units)]
    return tuple(np.array(drawn).T)


def pair(
    truth: str, units: int, number: int, limits: Thresholds, random: np.random.Generator, scenario: str
) -> tuple[int, int]:
    """One of them."""

    def any_to(most: float) -> int:
        return int(np.exp(random.uniform(0.0, log(most + 1.0))))

    wanted = number % len(CATEGORIES)
    while True:
        if truth == GRID:
            known = pairs(units, scenario)
            span, copies = known[random.integers(len(known))]
        elif truth == ANYWHERE:
            span = any_to(units)
            copies = any_to(units / max(span, 1))
            if not wanted:
                span, copies = 0, 0
        else:
            side, more = divmod(int(random.integers(6)), 2)
            span = (limits.low + more, limits.high + more, any_to(limits.low))[side]
            copies = limits.low + more if side == 2 else any_to(units / span)
        if span * copies > units or (span and not 1 <= copies < units):
            continue
        if truth == LIMITS or categories(np.array([span]), np.array([copies]), limits)[0] == wanted:
            return span, copies


def evens(
    truth: str, windows: int | None, seeds: range, stream: int, first: float = 0.0
) -> Iterator[tuple[Counts, np.ndarray, np.ndarray]]:
    """Answers, lambda and k of each task by the simulation that `design` has. first: share of problems in category I,
    beside those of the truth."""
    limits = thresholds(500)
    for seed in seeds:
        random = np.random.Generator(np.random.PCG64([seed, TRUTHS.index(truth), stream]))
        units = random.integers(120, 501, PROBLEMS)
        span, copies = planted(truth, units, limits, random)
        if first:
            none = random.random(PROBLEMS) < first
            span, copies = np.where(none, 0, span), np.where(none, 0, copies)
        problems = Planted(units, span, copies, random.uniform(0.6, 0.95, PROBLEMS))
        yield simulate_cow_outcomes(problems, FIXED, windows, seed), span, copies


def even(truth: str, windows: int | None, seeds: range) -> Stated:
    """Windows at even distances."""
    return joined([stated(*one, thresholds(500)) for one in evens(truth, windows, seeds, 11)])


def mostly_first(truth: str, seeds: range) -> Stated:
    """As `even`, 20 windows a length, with nine of ten problems in category I."""
    return joined([stated(*one, thresholds(500)) for one in evens(truth, 20, seeds, 15, 0.9)])


def alone(truth: str, seeds: range) -> Stated:
    """As `even`, 20 windows a length, each problem a task."""
    found = []
    for data, span, copies in evens(truth, 20, seeds, 16):
        for place in range(PROBLEMS):
            one = slice(place, place + 1)
            own = Counts(data.units[one], data.lengths[one], data.counts[one])
            found.append(stated(own, span[one], copies[one], thresholds(500)))
    return joined(found)


def others(truth: str, seeds: range, stream: int, scenario: str) -> Iterator[tuple[Any, ...]]:
    """(random, thresholds, units, lambda, k) of each task of the other generator."""
    for seed in seeds:
        random = np.random.Generator(np.random.PCG64([seed, TRUTHS.index(truth), stream]))
        largest = int(random.choice([150, 400, 1200]))
        limits = thresholds(largest)
        units = random.integers(largest // 2, largest + 1, PROBLEMS)
        yield random, limits, units, *planted(truth, units, limits, random, scenario)


def other(truth: str, seeds: range) -> Stated:
    """By a generator of its own."""
    found = []
    for random, limits, units, span, copies in others(truth, seeds, 12, COW):
        noise = random.dirichlet([2.0, 4.0, 10.0])
        wrong = random.uniform(0.0, 0.3)  # of the oracle where a window shows too little
        at = np.zeros((PROBLEMS, len(LENGTHS) + 1), dtype=np.int64)
        counts = np.zeros((*at.shape, 3))
        weight = random.uniform(0.5, 0.95, PROBLEMS)
        windows = int(random.choice([4, 12, 40]))
        for place, size in enumerate(units.tolist()):
            first = (
                place_evidence(size, int(span[place]), int(copies[place]), random)
                if span[place]
                else np.zeros(0, dtype=int)
            )
            for column, length in enumerate([*(one for one in LENGTHS if one < size), size]):
                at[place, column] = length
                many = min(windows, size - length + 1) if length else 1
                begins = random.choice(size - length + 1, many, replace=False)[:, None]
                shown = ((first >= begins) & (first + span[place] <= begins + length)).any(axis=1) | (span[place] == 0)
                without = np.where(random.random(many) < wrong * (length < span[place]), WRONG, DECLINED)
                said = random.choice(3, size=many, p=noise)
                oracle = np.where(shown, RIGHT, without)
                drawn = np.where(random.random(many) < weight[place], oracle, said)
                counts[place, column] = np.bincount(drawn, minlength=3)
        found.append(stated(Counts(units, at, counts), span, copies, limits))
    return joined(found)


def stated(data: Counts, span: np.ndarray, copies: np.ndarray, limits: Thresholds) -> Stated:
    """Of each problem of a task: the probability that a fit prints of its category, and whether that was planted."""
    names = list(OUTCOMES.values())
    problems = {}
    for place, units in enumerate(data.units.tolist()):
        problem = Problem(str(place), units)
        for length, own in zip(data.lengths[place].tolist(), data.counts[place].tolist(), strict=True):
            problem.outcomes.update({(length, one): own[one] for one in names if own[one]})
            if sum(own):
                problem.seen.add(length)
        problems[problem.name] = problem
    (fitted,) = fit_task(Task("t", problems), Settings(COW, limits=limits))
    probability = np.array([one.probabilities[one.category] for one in fitted.problems])
    category = np.array([one.category for one in fitted.problems])
    return probability, category == categories(span, copies, limits)


def even_pig(truth: str, windows: int | None, seeds: range) -> dict[str, Stated]:
    """PIG by the simulation that `design` has, by the oracle that is fitted."""
    limits = thresholds(500)
    found = []
    for seed in seeds:
        random = np.random.Generator(np.random.PCG64([seed, TRUTHS.index(truth), 13]))
        units = random.integers(120, 501, PROBLEMS)
        span, copies = planted(truth, units, limits, random, PIG)
        problems = Planted(units, span, copies, random.uniform(0.4, 0.9, PROBLEMS))
        found.append(stated_pig(simulate_pig_scores(problems, FIXED, windows, seed), span, copies, limits))
    return together(found)


def other_pig(truth: str, seeds: range) -> dict[str, Stated]:
    """PIG by a generator of its own."""
    found = []
    for random, limits, units, span, copies in others(truth, seeds, 14, PIG):
        at = np.zeros((PROBLEMS, len(LENGTHS) + 1), dtype=np.int64)
        counts = np.zeros((*at.shape, pig.BINS))
        weight = random.uniform(0.5, 0.95, PROBLEMS)
        windows = int(random.choice([4, 12, 40]))
        for place, size in enumerate(units.tolist()):
            aspects = max(int(span[place]), 0)
            marked = random.permutation(size)[: aspects * copies[place]].reshape(aspects, copies[place])
            for column, length in enumerate([*(one for one in LENGTHS if one < size), size]):
                at[place, column] = length
                many = min(windows, size - length + 1) if length else 1
                first = random.choice(size - length + 1, many, replace=False)[:, None, None]
                if aspects:
                    shown = ((marked >= first) & (marked < first + length)).any(axis=2).mean(axis=1)
                else:
                    shown = np.full(many, float(span[place] == 0))
                scores = weight[place] * shown + (1 - weight[place]) * random.random(many)
                counts[place, column] = np.bincount(pig.bin_of(scores.clip(0, 1)), minlength=pig.BINS)
        found.append(stated_pig(pig.Binned(units, at, counts), span, copies, limits))
    return together(found)


def stated_pig(data: pig.Binned, span: np.ndarray, copies: np.ndarray, limits: Thresholds) -> dict[str, Stated]:
    """As `stated`, by the oracle that is fitted; the probabilities know both."""
    found = {}
    probabilities = mixed_posterior(evidence(data, limits, pig.Options()))
    for oracle in (pig.INTERPOLATED, pig.ATOMS):
        fitted = pig.fit(data, pig.Options(oracle))
        best = categories(fitted.complexity, fitted.redundancy, limits)
        found[oracle] = probabilities[np.arange(len(best)), best], best == categories(span, copies, limits)
    return found


def together(parts: Sequence[dict[str, Stated]]) -> dict[str, Stated]:
    """Of several tasks."""
    return {name: joined([one[name] for one in parts]) for name in parts[0]}


def joined(parts: Iterable[Stated]) -> Stated:
    """One after the other."""
    probability, right = (np.concatenate(part) for part in zip(*parts, strict=True))
    return probability, right


if __name__ == "__main__":
    for line in main():
        print(line, flush=True)
