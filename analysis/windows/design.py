"""How many windows per length are enough? Planted problems are answered, fitted, and compared with what was planted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from scrollwork.analysis.windows.bootstrap import frequencies
from scrollwork.analysis.windows.categories import Thresholds, categories, thresholds
from scrollwork.analysis.windows.certainty import is_certain, of_best_pair
from scrollwork.analysis.windows.fit import cow, pig
from scrollwork.analysis.windows.fit.candidates import COW, Candidates
from scrollwork.analysis.windows.fit.combinatorics import Floats, Ints
from scrollwork.analysis.windows.fit.posterior import mixed_posterior, posterior
from scrollwork.analysis.windows.fit.posterior_pig import evidence
from scrollwork.analysis.windows.simulation import (
    NOISE,
    Planted,
    planted_problems,
    simulate_cow_outcomes,
    simulate_pig_scores,
)


@dataclass(frozen=True)
class Plan:
    """What is simulated. units: smallest and largest context. noise: of COW; in PIG it is uniform.

    typical: see `planted_problems`. draws: of the bootstrap in COW; if 0, probabilities are those of `fit_task`.
    """

    scenario: str = COW
    mode: str = "fixed"
    units: tuple[int, int] = (120, 500)
    problems: int = 60
    seeds: tuple[int, ...] = (0, 1, 2, 3, 4, 5)
    noise: tuple[float, ...] = NOISE
    options: pig.Options = field(default_factory=pig.Options)
    typical: bool = False
    draws: int = 0


@dataclass(frozen=True)
class Recovery:
    """How well planted problems are recovered. windows: of each length, None for all. samples: mean per problem.

    complexity, pair, category: shares of problems whose planted one was found. decided: share of problems that are not
    undecided; decided_right: of these, the share whose category was found, None without any. noise_error: the largest
    of any component, 0 in PIG.
    """

    windows: int | None
    problems: int
    samples: float
    complexity: float
    pair: float
    category: float
    decided: float
    decided_right: float | None
    noise_error: float


@dataclass(frozen=True)
class SimulatedTask:
    """One simulated task: what was planted, what was found, and how sure it is."""

    planted: Planted
    complexity: Ints
    redundancy: Ints
    samples: Floats
    right: np.ndarray[tuple[int], np.dtype[np.bool_]]
    undecided: np.ndarray[tuple[int], np.dtype[np.bool_]]
    probability: Floats  # of the stated category
    noise_error: float


def simulate(plan: Plan, windows: int | None, seed: int) -> SimulatedTask:
    """Simulate and fit one task. Raises ValueError for contexts in which a category has no pair."""
    limits = thresholds(plan.units[1])
    problems = planted_problems(plan.problems, *plan.units, plan.scenario, limits, seed, plan.typical)
    data: cow.Counts | pig.Binned
    found: cow.Fitted | pig.Fitted
    error = 0.0
    if plan.scenario == COW:
        data = simulate_cow_outcomes(problems, plan.mode, windows, seed, noise=plan.noise)
        found = fitted = cow.fit(data)
        error = float(np.abs(fitted.noise - np.array(plan.noise)).max())
        if plan.draws:
            probabilities = _redrawn(data, fitted, limits, plan.draws, seed)
        else:
            probabilities = posterior([data], fitted, limits)
    else:
        data = simulate_pig_scores(problems, plan.mode, windows, seed)
        found = pig.fit(data, plan.options)
        probabilities = mixed_posterior(evidence(data, limits, plan.options))
    wanted = categories(problems.complexity, problems.redundancy, limits)
    best = categories(found.complexity, found.redundancy, limits)
    at = data.counts.sum(axis=2)
    redrawn = plan.draws and plan.scenario == COW
    sure = (is_certain if redrawn else of_best_pair)(probabilities, best)
    top = sure.probabilities[np.arange(len(best)), sure.category]
    right = sure.category == wanted
    return SimulatedTask(
        problems, found.complexity, found.redundancy, at.sum(axis=1), right, sure.undecided, top, error
    )


def _redrawn(data: cow.Counts, fitted: cow.Fitted, limits: Thresholds, draws: int, seed: int) -> Floats:
    """Return probabilities of categories by the bootstrap, with the fitted noise held: [problems, categories]."""
    held = cow.Options(noise=fitted.noise.tolist())

    def again(units: Ints, lengths: Ints, counts: Floats) -> tuple[Floats, Candidates]:
        found = cow.fit(cow.Counts(units, lengths, counts), held)
        return found.likelihoods, found.tried

    random = np.random.Generator(np.random.PCG64([seed, 4]))
    return frequencies(data.units, data.lengths, data.counts, again, limits, draws, random)


def recovery(plan: Plan, windows: int | None) -> Recovery:
    """Simulate a plan over all its seeds. Raises ValueError without one."""
    runs = [simulate(plan, windows, seed) for seed in plan.seeds]
    if not runs:
        raise ValueError("a simulation needs at least one seed")
    complexity = np.concatenate([run.complexity == run.planted.complexity for run in runs])
    redundancy = np.concatenate([run.redundancy == run.planted.redundancy for run in runs])
    right = np.concatenate([run.right for run in runs])
    decided = ~np.concatenate([run.undecided for run in runs])
    return Recovery(
        windows,
        len(right),
        float(np.concatenate([run.samples for run in runs]).mean()),
        float(complexity.mean()),
        float((complexity & redundancy).mean()),
        float(right.mean()),
        float(decided.mean()),
        float(right[decided].mean()) if decided.any() else None,
        max(run.noise_error for run in runs),
    )


def first_sufficient(rows: Sequence[Recovery], accuracy: float) -> Recovery | None:
    """Return the first row from which on the category is found so often, or None if even the last row is below."""
    found = None
    for row in reversed(rows):
        if row.category < accuracy:
            break
        found = row
    return found
