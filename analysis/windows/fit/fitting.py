"""From a task's observations to (lambda, k) and categories: scenario, tau, fit, thresholds, certainty.

A task of accuracy is COW. One with graded scores is tested problem by problem (../dip.py) and split into a COW and a
PIG part only if both have more than ten problems; else all go with the majority, and with PIG if both have as many
(fact sheet 7). Categories are by the task's largest context in both parts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from statistics import median_low
from typing import Any

import numpy as np

from scrollwork.analysis.windows.bootstrap import frequencies
from scrollwork.analysis.windows.categories import (
    CATEGORIES,
    Thresholds,
    categories,
    category_shares,
    of_two_suites,
    thresholds,
)
from scrollwork.analysis.windows.category_shares import CategoryShares, stated
from scrollwork.analysis.windows.certainty import certainty, is_certain, of_best_pair, overlap, share_intervals
from scrollwork.analysis.windows.dip import SPLIT, dip_test
from scrollwork.analysis.windows.fit import cow, multiplicative, pig
from scrollwork.analysis.windows.fit.candidates import COW, PIG, Candidates, candidates
from scrollwork.analysis.windows.fit.combinatorics import Floats, Ints
from scrollwork.analysis.windows.fit.counting import TAU, outcome_counts, pieces, score_counts
from scrollwork.analysis.windows.fit.posterior import mixed_posterior, posterior
from scrollwork.analysis.windows.fit.posterior_pig import COMPONENTS, evidence
from scrollwork.analysis.windows.observations import MOST_GRADED, ObservationError, Problem, Task

AUTO = "auto"
MORE_THAN = 10  # problems that each part of a split task must have
MOST_DRAWS = 10_000  # of the bootstrap


@dataclass(frozen=True)
class Settings:
    """How tasks are fitted. scenario: COW, PIG or AUTO. tau: the score from which an answer is right, in COW.

    cow, pig: options of the models. limits: of categories, None for those of the task's largest context, or of its
    median with of_median. twins: the largest contexts of the same task in other suites, whose thresholds apply too: the
    smaller ones count (the paper). multiplicative: COW has a multiplicative mixture (multiplicative.py), not an
    additive one. draws: of the bootstrap over windows, which then gives the probabilities of categories; if 0, they are
    from posterior.py, posterior_pig.py, or profile likelihood.
    """

    scenario: str = AUTO
    tau: float = TAU
    cow: cow.Options = field(default_factory=cow.Options)
    pig: pig.Options = field(default_factory=pig.Options)
    limits: Thresholds | None = None
    of_median: bool = False
    twins: tuple[int, ...] = ()
    multiplicative: bool = False
    draws: int = 0
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.draws <= MOST_DRAWS or self.seed < 0:
            raise ValueError(f"the bootstrap has 0 to {MOST_DRAWS:,} draws, and a seed from 0")
        if self.scenario not in (COW, PIG, AUTO):
            raise ValueError(f"the scenario is {COW}, {PIG} or {AUTO}, not {self.scenario!r:.60}")
        if not 0 <= self.tau <= 1:
            raise ValueError(f"tau lies between 0 and 1, not at {self.tau}")


@dataclass(frozen=True)
class ProblemFit:
    """The fit of a problem. complexity: negative if infinite. weight: of the oracle, in PIG the mean over windows.

    weights: of each length, PIG only. short: the hybrid oracle (h1, h0, hI), COW only. likelihood: log. category: place
    in CATEGORIES. solved: by the whole context, None if it was not observed. dip: of its scores, and p; None if the
    scenario needs no test.
    """

    problem: Problem
    complexity: int
    redundancy: int
    weight: float
    likelihood: float
    category: int
    probabilities: tuple[float, ...]
    undecided: bool
    solved: bool | None = None
    dip: tuple[float, float] | None = None
    short: tuple[float, ...] = ()
    weights: Mapping[int, float] | None = None


@dataclass(frozen=True)
class TaskFit:
    """The fit of a task, or of its part in one scenario. noise: (b1, b0, bI), None in PIG.

    shares: of problems by their category, as the paper counts. expected: mean probabilities; intervals: (low, high) of
    these. split: it is a part; the other has the other scenario. multiplicative: COW has a multiplicative mixture.
    """

    task: str
    scenario: str
    noise: tuple[float, ...] | None
    limits: Thresholds
    problems: tuple[ProblemFit, ...]
    shares: tuple[float, ...]
    expected: tuple[float, ...]
    intervals: tuple[tuple[float, float], ...]
    split: bool = False
    multiplicative: bool = False

    @property
    def stated(self) -> CategoryShares:
        """Return its shares as they are stated: of decided problems, V split by the whole context."""
        return stated((one.category, one.undecided, one.solved) for one in self.problems)


def fit_tasks(tasks: Iterable[Task], settings: Settings | None = None) -> list[TaskFit]:
    """Fit each task; a task that is split gives its COW part, then its PIG part."""
    return [fitted for task in tasks for fitted in fit_task(task, settings or Settings())]


def fit_task(task: Task, settings: Settings) -> list[TaskFit]:
    """Fit a task, in one or two parts.

    Raises ValueError for a task without problems, ObservationError for a context that is too large for PIG.
    """
    problems = list(task.problems.values())
    if not problems:
        raise ValueError("there is no problem")
    limits = settings.limits or _limits([one.units for one in problems], settings)
    dips = dip_tests(task) if settings.scenario == AUTO and task.graded else {}
    parts = by_scenario(task, settings.scenario, dips)
    return [
        _fit_part(task.name, scenario, own, limits, settings, len(parts) > 1, dips) for scenario, own in parts.items()
    ]


def _limits(units: Sequence[int], settings: Settings) -> Thresholds:
    """Return the thresholds of a task whose problems have so many units, and which has such twins."""
    own = thresholds(median_low(units) if settings.of_median else max(units))
    return reduce(of_two_suites, map(thresholds, settings.twins), own)


def by_scenario(
    task: Task, wanted: str, dips: Mapping[str, tuple[float, float]] | None = None
) -> dict[str, list[Problem]]:
    """Return which problems are fitted by which model: one entry, or both, COW first.

    dips: the task's `dip_tests`, if they were made.
    """
    problems = list(task.problems.values())
    if wanted != AUTO:
        return {wanted: problems}
    if not task.graded:
        return {COW: problems}
    tested = dip_tests(task) if dips is None else dips
    found: dict[str, list[Problem]] = {COW: [], PIG: []}
    for problem in problems:
        found[COW if tested[problem.name][1] < SPLIT else PIG].append(problem)
    if min(map(len, found.values())) > MORE_THAN:
        return found
    return {COW if len(found[COW]) > len(found[PIG]) else PIG: problems}


def dip_tests(task: Task) -> dict[str, tuple[float, float]]:
    """Return (dip, p) of the scores of each problem's windows, by name; if p < SPLIT, right and wrong are distinct."""
    found = {}
    for problem in task.problems.values():
        points = problem.points()
        found[problem.name] = dip_test(np.array([score for _, score in points]), np.array(list(points.values())))
    return found


def is_flat(problem: Problem) -> bool:
    """Return whether all windows have one score between 0 and 1, whatever their length.

    They cannot tell what is needed. (No points on the whole context, or all of them on none of it, do tell.)
    """
    scores = {score for _, score in problem.points()}
    return len(scores) == 1 and 0 < min(scores) < 1


def _fit_part(
    name: str,
    scenario: str,
    problems: Sequence[Problem],
    limits: Thresholds,
    settings: Settings,
    split: bool,
    dips: Mapping[str, tuple[float, float]],
) -> TaskFit:
    found = _cow(problems, limits, settings) if scenario == COW else _pig(problems, limits, settings)
    best = categories(found.complexity, found.redundancy, limits)
    if settings.draws:
        sure = is_certain(_redrawn(problems, found, limits, settings), best)
    elif found.probabilities is not None:
        sure = of_best_pair(found.probabilities, best)
    else:
        sure = certainty(found.likelihoods, found.tried, best, limits, found.times)
    own = tuple(
        ProblemFit(
            problem,
            int(found.complexity[place]),
            int(found.redundancy[place]),
            float(found.weight[place]),
            float(found.likelihoods[place].max()),
            int(sure.category[place]),
            tuple(sure.probabilities[place].tolist()),
            bool(sure.undecided[place]) or (scenario == PIG and is_flat(problem)),
            problem.solved(settings.tau),
            dips.get(problem.name),
            **found.more[place],
        )
        for place, problem in enumerate(problems)
    )
    intervals = share_intervals(sure.probabilities)
    return TaskFit(
        name,
        scenario,
        found.noise,
        limits,
        own,
        tuple(category_shares(sure.category.tolist()).tolist()),
        tuple(sure.probabilities.mean(axis=0).tolist()),
        tuple((low, high) for low, high in intervals.tolist()),
        split,
        settings.multiplicative and scenario == COW,
    )


@dataclass(frozen=True)
class _Found:
    """What both models return. more: fields of ProblemFit that only one of them has.

    probabilities: of categories, None if likelihoods of pairs determine them.
    """

    complexity: Ints
    redundancy: Ints
    weight: Floats
    likelihoods: Floats
    tried: Candidates
    times: Floats
    noise: tuple[float, ...] | None
    more: Sequence[dict[str, Any]]
    probabilities: Floats | None = None


def _cow(problems: Sequence[Problem], limits: Thresholds, settings: Settings) -> _Found:
    parts = [outcome_counts(own, settings.tau) for own in pieces(problems, 3)]
    found = (multiplicative.fit if settings.multiplicative else cow.fit)(parts, settings.cow)
    times = np.concatenate([overlap(one.units, one.lengths, one.counts.sum(axis=2)) for one in parts])
    more = [{"short": tuple(row)} for row in found.short.tolist()]
    rows = (found.complexity, found.redundancy, found.weight, found.likelihoods, found.tried)
    lacking = settings.multiplicative or settings.cow.free_one or not settings.cow.hybrid  # not covered by posterior.py
    probabilities = None if settings.draws or lacking else posterior(parts, found, limits, settings.cow)
    return _Found(*rows, times, tuple(found.noise.tolist()), more, probabilities)


def _redrawn(problems: Sequence[Problem], found: _Found, limits: Thresholds, settings: Settings) -> Floats:
    """Return probabilities of categories by the bootstrap: [problems, categories]."""
    random = np.random.Generator(np.random.PCG64(settings.seed))
    held = replace(settings.cow, noise=found.noise)
    fit_cow = multiplicative.fit if settings.multiplicative else cow.fit

    def again(units: Ints, lengths: Ints, counts: Floats) -> tuple[Floats, Candidates]:
        fitted = (
            pig.fit(pig.Binned(units, lengths, counts), settings.pig)
            if found.noise is None
            else fit_cow([cow.Counts(units, lengths, counts)], held)
        )
        return fitted.likelihoods, fitted.tried

    rows = []
    for own in pieces(problems, pig.BINS):
        data = score_counts(own) if found.noise is None else outcome_counts(own, settings.tau)
        rows.append(frequencies(data.units, data.lengths, data.counts, again, limits, settings.draws, random))
    return np.concatenate(rows)


def _pig(problems: Sequence[Problem], limits: Thresholds, settings: Settings) -> _Found:
    """Fit in pieces of similar problems, which are independent of the others; put the results back in order."""
    for one in problems:
        if one.units > MOST_GRADED:
            raise ObservationError(
                f'field "units" of problem {one.name!r:.60} is {one.units}: PIG takes {MOST_GRADED:,} at most'
            )
    order = sorted(range(len(problems)), key=lambda place: (problems[place].units, len(problems[place].lengths)))
    tried = candidates([one.units for one in problems], PIG)
    likelihoods = np.full(tried.complexity.shape, -np.inf)
    complexity, redundancy = (np.zeros(len(problems), dtype=np.int64) for _ in range(2))
    weight, times = (np.zeros(len(problems)) for _ in range(2))
    more: list[dict[str, Any]] = [{} for _ in problems]
    likely = np.zeros((len(problems), COMPONENTS, len(CATEGORIES)))
    begin = 0
    for own in pieces([problems[place] for place in order], pig.BINS):
        places = order[begin : begin + len(own)]
        begin += len(own)
        data = score_counts(own)
        found = pig.fit(data, settings.pig)
        likelihoods[places, : found.likelihoods.shape[1]] = found.likelihoods
        complexity[places], redundancy[places], weight[places] = found.complexity, found.redundancy, found.weight
        times[places] = overlap(data.units, data.lengths, data.counts.sum(axis=2))
        if not settings.draws:
            likely[places] = evidence(data, limits, settings.pig)
        for place, one, row in zip(places, own, found.weights.tolist(), strict=True):
            more[place] = {"weights": dict(zip(one.lengths, row, strict=False))}
    probabilities = None if settings.draws else mixed_posterior(likely)
    return _Found(complexity, redundancy, weight, likelihoods, tried, times, None, more, probabilities)
