"""What is kept of a task's answers on windows (records/complexity.py).

Rows of its fits, problems and lengths, and where typical problems were answered right.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import exp, inf, lgamma
from typing import Any

import numpy as np

from scrollwork.analysis.windows.categories import CATEGORIES, most_typical
from scrollwork.analysis.windows.category_shares import LAST
from scrollwork.analysis.windows.compare_fits import compare_complexities
from scrollwork.analysis.windows.fit.cover import cover_probability
from scrollwork.analysis.windows.fit.fitting import ProblemFit, Settings, TaskFit, fit_task
from scrollwork.analysis.windows.fit_json import lengths
from scrollwork.analysis.windows.observations import OUTCOMES, Problem, Task, is_right
from scrollwork.records.complexity import (
    Agreement,
    AtLength,
    Complexity,
    Mixture,
    Plane,
    ProblemAtLength,
    WindowOutcomes,
)

Labels = Mapping[str, Any]  # suite, task, split, model, arm
PASSAGES = 3  # of a typical problem, at most
STEPS = 25  # of lambda and of k in a plane, at most


@dataclass(frozen=True, slots=True)
class Window:
    """A window that was asked. units: of its context; first: its first unit, from 0; length: in units."""

    problem: str
    draw: int
    units: int
    first: int
    length: int

    @property
    def whole(self) -> bool:
        return self.length == self.units


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer on a window. score: 0 to 100."""

    window: Window
    score: float
    declined: bool

    def outcome(self, tau: float) -> str:
        """Return right, wrong or declined. tau: the score, 0 to 1, from which an answer is right."""
        return "declined" if self.declined else "right" if is_right(self.score / 100.0, tau) else "wrong"


@dataclass
class TaskAnswers:
    """A task's answers, as they come in. twins: tasks whose contexts determine its thresholds too."""

    labels: Labels
    settings: Settings
    answers: list[Answer] = field(default_factory=list)
    twins: tuple[str, ...] = ()

    def fits(self) -> list[TaskFit]:
        """Fit the answers: [] if there are none, else one fit, or two of a task that is split."""
        task = Task(self.labels["task"])
        for one in self.answers:
            window = one.window
            own = task.problems.setdefault(window.problem, Problem(window.problem, window.units))
            own.seen.add(window.length)
            if one.declined:
                own.outcomes[window.length, OUTCOMES["idk"]] += 1
            else:
                own.scores[window.length, one.score / 100.0] += 1
        return fit_task(task, self.settings) if task.problems else []

    def mixture(self, fitted: TaskFit, asked: Mapping[str, int]) -> Mixture:
        """Make the row of a fit. asked: number of windows by problem."""
        own = [one.problem for one in fitted.problems]
        return Mixture(
            **self.labels,
            scenario=fitted.scenario,
            problems=len(own),
            undecided=sum(one.undecided for one in fitted.problems),
            noise=fitted.noise or (),
            low=fitted.limits.low,
            high=fitted.limits.high,
            twins=self.twins,
            shares=fitted.shares,
            decided=fitted.stated.decided,
            holistic=fitted.stated.holistic,
            expected=fitted.expected,
            share_lows=tuple(low for low, _ in fitted.intervals),
            share_highs=tuple(high for _, high in fitted.intervals),
            windows=sum(asked[one.name] for one in own),
            answered=int(sum(sum((*one.outcomes.values(), *one.scores.values())) for one in own)),
            declined=int(sum(sum(one.outcomes.values()) for one in own)),
        )

    def problems(self, fitted: TaskFit) -> Iterator[Complexity]:
        """Yield a row for each problem."""
        whole: dict[str, list[float]] = defaultdict(list)
        for one in self.answers:
            if one.window.whole:
                whole[one.window.problem].append(one.score)
        for each in fitted.problems:
            full = whole.get(each.problem.name)
            yield Complexity(
                **self.labels,
                example_id=each.problem.name,
                scenario=fitted.scenario,
                units=each.problem.units,
                windows=int(sum((*each.problem.outcomes.values(), *each.problem.scores.values()))),
                complexity=None if each.complexity < 0 else each.complexity,
                redundancy=each.redundancy,
                weight=each.weight,
                likelihood=each.likelihood,
                category=CATEGORIES[each.category],
                probabilities=each.probabilities,
                undecided=each.undecided,
                full=sum(full) / len(full) if full else None,
                solved=each.solved,
                dip=each.dip or (),
            )

    def tables(self, fitted: TaskFit) -> Iterator[ProblemAtLength]:
        """Yield a row for each problem and length."""
        for each in fitted.problems:
            for row in lengths(fitted, each, self.settings.tau):
                weight = each.weight if row.get("weight") is None else row["weight"]
                if fitted.noise is None:
                    mean = mean_oracle(each, row["length"])
                    known: dict[str, Any] = {
                        "observed": (row["observed"],),
                        "fitted": (weight * mean + (1.0 - weight) / 2.0,),
                        "oracle": (mean,),
                        "posterior": (),
                    }
                else:
                    known = {name: tuple(row[name]) for name in ("observed", "fitted", "oracle", "posterior")}
                yield ProblemAtLength(
                    **self.labels,
                    example_id=each.problem.name,
                    scenario=fitted.scenario,
                    length=row["length"],
                    windows=row["windows"],
                    weight=weight,
                    **known,
                )

    def plane(self, fitted: TaskFit) -> Iterator[Plane]:
        """Yield the plane of a COW fit, for the middle one of the lengths between nothing and all.

        It has at most STEPS values of lambda and of k.
        """
        units = max(one.problem.units for one in fitted.problems)
        inner = sorted({one.window.length for one in self.answers if one.window.length and not one.window.whole})
        if fitted.noise is None or not inner:
            return
        length = inner[len(inner) // 2]
        grid = np.unique(np.rint(np.geomspace(1, units, STEPS)).astype(np.int64))
        values = cover_probability(length, grid[:, None], grid[None, :], units)
        steps = tuple(grid.tolist())
        yield Plane(
            **self.labels,
            units=units,
            length=length,
            complexities=steps,
            redundancies=steps,
            values=tuple(round(one, 4) for one in values.ravel().tolist()),
        )

    def at_lengths(self) -> Iterator[AtLength]:
        """Yield a row for each length, all problems together; whole contexts last."""
        found: dict[int | None, list[Answer]] = defaultdict(list)
        for one in self.answers:
            found[None if one.window.whole else one.window.length].append(one)
        for length, own in sorted(found.items(), key=lambda one: inf if one[0] is None else one[0]):
            said = [one.outcome(self.settings.tau) for one in own]
            shares: dict[str, Any] = {name: said.count(name) / len(own) for name in ("right", "wrong", "declined")}
            score = sum(one.score for one in own) / len(own)
            yield AtLength(**self.labels, length=length, windows=len(own), score=score, **shares)

    def sights(self, fitted: TaskFit) -> Iterator[WindowOutcomes]:
        """Yield a row for each length of the typical problem of each category."""
        for each in typical_problems(fitted):
            by_length: dict[int, dict[int, str]] = defaultdict(dict)
            for one in self.answers:
                if one.window.problem == each.problem.name:
                    by_length[one.window.length].setdefault(one.window.first, one.outcome(self.settings.tau))
            for length, starts in sorted(by_length.items()):
                known: dict[str, Any] = {
                    name: tuple(sorted(first for first, said in starts.items() if said == name))
                    for name in ("right", "wrong", "declined")
                }
                yield WindowOutcomes(
                    **self.labels,
                    example_id=each.problem.name,
                    scenario=fitted.scenario,
                    category=CATEGORIES[each.category],
                    units=each.problem.units,
                    length=length,
                    **known,
                )

    def passages(self, fitted: TaskFit) -> Iterator[tuple[str, Answer]]:
        """Yield (category, answer) of windows with text that were answered right.

        They are the shortest ones of each category's typical problem that do not overlap. If none was right in PIG, the
        best one that scored at all.
        """
        for each in typical_problems(fitted):
            own = [one for one in self.answers if one.window.problem == each.problem.name and one.window.length]
            right = [one for one in own if one.outcome(self.settings.tau) == "right"]
            if not right and fitted.noise is None:
                right = sorted((one for one in own if one.score), key=lambda one: (-one.score, one.window.length))[:1]
            kept: list[Answer] = []
            for one in sorted(right, key=lambda one: (one.window.length, one.window.first)):
                if len(kept) < PASSAGES and all(are_disjoint(one.window, other.window) for other in kept):
                    kept.append(one)
            yield from ((CATEGORIES[each.category], one) for one in kept)


def typical_problems(fitted: TaskFit) -> list[ProblemFit]:
    """Return the most typical problem of each category that has one.

    Undecided ones are taken only if all are, and in V those that the whole context does not solve likewise.
    """
    found = []
    for category in range(len(CATEGORIES)):
        own = [one for one in fitted.problems if one.category == category]
        sure = [one for one in own if not one.undecided] or own
        if category == LAST:
            sure = [one for one in sure if one.solved] or sure
        if sure:
            pairs = [one.complexity for one in sure], [one.redundancy for one in sure]
            found.append(sure[most_typical(*pairs, category)])
    return found


def are_disjoint(one: Window, other: Window) -> bool:
    """Return whether two windows share no unit."""
    return one.first + one.length <= other.first or other.first + other.length <= one.first


def mean_oracle(one: ProblemFit, length: int) -> float:
    """Return the share of aspects that a window is expected to show in PIG, 1 - binom(C-l, k) / binom(C, k).

    0 for infinite lambda, 1 for lambda = 0.
    """
    if one.complexity <= 0:
        return float(one.complexity == 0)
    units, k = one.problem.units, one.redundancy
    if units - length < k:
        return 1.0
    missed = lgamma(units - length + 1) - lgamma(units - length - k + 1) - lgamma(units + 1) + lgamma(units - k + 1)
    return 1.0 - exp(min(0.0, missed))


def agreements(mixtures: Sequence[Mixture], problems: Iterable[Complexity]) -> Iterator[Agreement]:
    """Compare every two models on each task and split, with the first one as the reference.

    Each model's own scores split the task into COW and PIG, so there is a row for every two parts with problems in
    common, then one for those that need context by both.
    """
    by_fit: dict[tuple[str, ...], dict[str, Complexity]] = defaultdict(dict)
    for row in problems:
        by_fit[row.task, row.split, row.scenario, row.model, row.arm][row.example_id] = row
    fits = {(row.task, row.split, row.scenario, row.model, row.arm): row for row in mixtures}
    for part in dict.fromkeys(key[:2] for key in fits):
        own = [key for key in fits if key[:2] == part]
        for model, other in combinations(dict.fromkeys(key[3:] for key in own), 2):
            for one in (key for key in own if key[3:] == model):
                for two in (key for key in own if key[3:] == other):
                    yield from _agreement(fits[one], fits[two], by_fit[one], by_fit[two])


def _agreement(
    one: Mixture, other: Mixture, ours: Mapping[str, Complexity], theirs: Mapping[str, Complexity]
) -> Iterator[Agreement]:
    both = [name for name in ours if name in theirs]
    needing = [name for name in both if "I" not in (ours[name].category, theirs[name].category)]
    for without_first, names in ((False, both), (True, needing)):
        if not names:
            continue
        noise = (one.noise, other.noise) if one.noise and other.noise else None
        found = compare_complexities(
            [complexity_pair(ours[name]) for name in names], [complexity_pair(theirs[name]) for name in names], noise
        )
        yield Agreement(
            suite=one.suite,
            task=one.task,
            split=one.split,
            scenario=one.scenario,
            model=one.model,
            arm=one.arm,
            other=other.model,
            other_arm=other.arm,
            without_first=without_first,
            problems=found.problems,
            rc_complexity=found.rc_complexity,
            rho_complexity=found.rho_complexity,
            rc_redundancy=found.rc_redundancy,
            rho_redundancy=found.rho_redundancy,
            kl=found.kl,
            other_scenario=other.scenario,
            same=sum(ours[name].category == theirs[name].category for name in names) / len(names),
        )


def complexity_pair(row: Complexity) -> tuple[float, float]:
    """Return (lambda, k)."""
    return inf if row.complexity is None else row.complexity, row.redundancy
