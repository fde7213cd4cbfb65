"""A fit as `dolce fit --json` prints it, and as `dolce compare` reads it.

{tasks: [{task, scenario, noise, shares, problems: [{problem, lambda, k, weight, category, probabilities, undecided}]}]}
and some more keys (category_shares.py has those of shares). lambda is a number or "inf"; noise is [b1, b0, bI], null in
PIG.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, field
from math import inf, isfinite
from typing import Any

import numpy as np

from scrollwork.analysis.windows.categories import CATEGORIES, Thresholds, categories
from scrollwork.analysis.windows.category_shares import shares_json, stated
from scrollwork.analysis.windows.fit import multiplicative
from scrollwork.analysis.windows.fit.candidates import COW, PIG
from scrollwork.analysis.windows.fit.counting import TAU
from scrollwork.analysis.windows.fit.cover import cover_probability
from scrollwork.analysis.windows.fit.fitting import ProblemFit, TaskFit
from scrollwork.analysis.windows.observations import OUTCOMES
from scrollwork.records.complexity import HOLISTIC

INF = "inf"


class FitError(ValueError):
    """A document that is not a fit; the message names the place."""


def as_json(fits: Iterable[TaskFit], by_length: bool = False, tau: float = TAU) -> dict[str, Any]:
    """Return fits for JSON. by_length: also what was observed and fitted at each length of each problem."""
    return {
        "tasks": [
            {
                "task": one.task,
                "scenario": one.scenario,
                "noise": None if one.noise is None else list(one.noise),
                **shares_json(one.shares, *astuple(one.stated)),
                "expected_shares": _named(one.expected),
                "share_intervals": {name: list(ends) for name, ends in zip(CATEGORIES, one.intervals, strict=True)},
                "thresholds": {"low": one.limits.low, "high": one.limits.high},
                "split": one.split,
                "multiplicative": one.multiplicative,
                "problems": [
                    _problem(each) | ({"lengths": lengths(one, each, tau)} if by_length else {})
                    for each in one.problems
                ],
            }
            for one in fits
        ]
    }


def _named(values: Sequence[float]) -> dict[str, float]:
    return dict(zip(CATEGORIES, values, strict=True))


def _problem(one: ProblemFit) -> dict[str, Any]:
    return {
        "problem": one.problem.name,
        "lambda": INF if one.complexity < 0 else one.complexity,
        "k": one.redundancy,
        "weight": one.weight,
        "category": CATEGORIES[one.category],
        "probabilities": _named(one.probabilities),
        "undecided": one.undecided,
        "solved": one.solved,
        "dip": None if one.dip is None else dict(zip(("dip", "p"), one.dip, strict=True)),
        "units": one.problem.units,
        "likelihood": one.likelihood,
    }


def lengths(task: TaskFit, one: ProblemFit, tau: float = TAU) -> list[dict[str, Any]]:
    """Return the paper's tables, a row for each length.

    COW: [{length, windows, observed, fitted, oracle, posterior}], each of (1, 0, IDK); posterior: of the oracle given
    the outcome, None in a multiplicative mixture. PIG: [{length, windows, observed, weight}]; observed: the mean score.
    """
    if task.noise is None:
        return _graded(one)
    counts = np.zeros((len(one.problem.lengths), len(OUTCOMES)))
    places = {length: place for place, length in enumerate(one.problem.lengths)}
    for (length, outcome), count in one.problem.right_wrong_declined(tau).items():
        counts[places[length], outcome] += count
    rows = []
    for length, own in zip(one.problem.lengths, counts, strict=True):
        covered = float(cover_probability(length, one.complexity, one.redundancy, one.problem.units))
        oracle = np.array(one.short if length < one.complexity else (covered, 0.0, 1.0 - covered))
        noise = np.array(task.noise)
        both = one.weight * oracle + (1.0 - one.weight) * noise
        posterior = np.divide(one.weight * oracle, both, out=np.zeros(3), where=both > 0).tolist()
        if task.multiplicative:
            both, posterior = multiplicative.mix_with_noise(oracle, noise, one.weight), None
        rows.append(
            {
                "length": length,
                "windows": int(own.sum()),
                "observed": (own / own.sum()).tolist(),
                "fitted": both.tolist(),
                "oracle": oracle.tolist(),
                "posterior": posterior,
            }
        )
    return rows


def _graded(one: ProblemFit) -> list[dict[str, Any]]:
    windows, points = dict.fromkeys(one.problem.lengths, 0.0), dict.fromkeys(one.problem.lengths, 0.0)
    for (length, score), count in one.problem.points().items():
        windows[length] += count
        points[length] += score * count
    return [
        {
            "length": length,
            "windows": int(windows[length]),
            "observed": points[length] / windows[length],
            "weight": (one.weights or {}).get(length),
        }
        for length in one.problem.lengths
    ]


@dataclass(frozen=True)
class Read:
    """A task of a document. pairs, category: (lambda, k) and category of each problem. limits: None if not given.

    model: of a run, which may have several; "" elsewhere. undecided: by problem; empty unless it is given for all.
    solved: by the whole context.
    """

    task: str
    scenario: str
    noise: tuple[float, ...] | None
    pairs: Mapping[str, tuple[float, float]]
    category: Mapping[str, str]
    limits: Thresholds | None = None
    model: str = ""
    undecided: Mapping[str, bool] = field(default_factory=dict)
    solved: Mapping[str, bool | None] = field(default_factory=dict)

    def shares(self, limits: Thresholds | None = None, names: Sequence[str] = ()) -> dict[str, dict[str, Any]]:
        """Return {shares, holistic, paper_shares} of problems, by other thresholds if they are given.

        If the document does not say which are undecided, that share is None, and all count by their category. names: of
        some problems, () for all.
        """
        of, some = self.categories(limits), names or [*self.pairs]
        if not some:
            return shares_json([0.0] * len(CATEGORIES), [0.0] * len(CATEGORIES), [0.0] * len(HOLISTIC), 0.0)
        rows = [(CATEGORIES.index(of[name]), self.undecided.get(name, False), self.solved.get(name)) for name in some]
        every = stated((category, False, solved) for category, _, solved in rows)
        found = shares_json(every.decided, *astuple(stated(rows)))
        return found if self.undecided else found | {"shares": {**found["shares"], "undecided": None}}

    def categories(self, limits: Thresholds | None = None) -> Mapping[str, str]:
        """Return the category of each problem, by other thresholds if they are given."""
        if limits is None or not self.pairs:
            return self.category
        own = [(-1 if complexity == inf else int(complexity), int(k)) for complexity, k in self.pairs.values()]
        found = categories(np.array([one for one, _ in own]), np.array([k for _, k in own]), limits)
        return {name: CATEGORIES[place] for name, place in zip(self.pairs, found, strict=True)}


def read_fits(document: Any) -> list[Read]:
    """Read the tasks of `dolce fit --json`, or of `run dolce --json`, which has them under "dolce".

    Raises FitError naming the place in the document.
    """
    if isinstance(document, dict) and isinstance(document.get("dolce"), dict):
        document = document["dolce"]
    tasks = document.get("tasks") if isinstance(document, dict) else None
    if not isinstance(tasks, list):
        raise FitError('field "tasks" must be a list: is it what `dolce fit --json` printed?')
    return [_task(f"tasks[{place}]", one) for place, one in enumerate(tasks)]


def _task(at: str, value: Any) -> Read:
    name, scenario = _field(at, value, "task", str), _field(at, value, "scenario", str)
    if scenario not in (COW, PIG):
        raise FitError(f'{at}: field "scenario" must be "{COW}" or "{PIG}"')
    noise = value.get("noise")
    if noise is not None and (
        not isinstance(noise, list) or len(noise) != 3 or not all(_number(one) and one >= 0 for one in noise)
    ):
        raise FitError(f'{at}: field "noise" must be null or three numbers')
    pairs, category, undecided, solved = {}, {}, {}, {}
    for place, one in enumerate(_field(at, value, "problems", list)):
        where = f"{at}.problems[{place}]"
        problem = _field(where, one, "problem", str)
        if problem in pairs:
            raise FitError(f'{where}: field "problem": {problem!r:.60} occurs twice in {at}')
        complexity, redundancy = one.get("lambda"), one.get("k")
        if complexity == INF:
            complexity = inf
        elif not _number(complexity) or complexity < 0:
            raise FitError(f'{where}: field "lambda" must be a number or "{INF}"')
        if not _number(redundancy) or redundancy < 0:
            raise FitError(f'{where}: field "k" must be a number')
        pairs[problem] = (float(complexity), float(redundancy))
        category[problem] = _field(where, one, "category", str)
        if category[problem] not in CATEGORIES:
            raise FitError(f'{where}: field "category" must be one of {", ".join(CATEGORIES)}')
        solved[problem] = one["solved"] if isinstance(one.get("solved"), bool) else None
        if isinstance(one.get("undecided"), bool):
            undecided[problem] = one["undecided"]
    model = value.get("model", "")
    model = model if isinstance(model, str) else ""
    known = undecided if len(undecided) == len(pairs) else {}
    held = None if noise is None else tuple(noise)
    return Read(name, scenario, held, pairs, category, _limits(at, value), model, known, solved)


def _limits(at: str, value: Mapping[str, Any]) -> Thresholds | None:
    limits = value.get("thresholds")
    if limits is None:
        return None
    low, high = (limits.get(name) for name in ("low", "high")) if isinstance(limits, dict) else (None, None)
    if not (isinstance(low, int) and isinstance(high, int) and 1 <= low <= high):
        raise FitError(f'{at}: field "thresholds" must be {{low, high}}, whole numbers from 1 on')
    return Thresholds(low, high)


def _field(at: str, value: Any, name: str, kind: type) -> Any:
    found = value.get(name) if isinstance(value, dict) else None
    if not isinstance(found, kind):
        raise FitError(f'{at}: field "{name}" must be a {"text" if kind is str else "list"}')
    return found


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300 and isfinite(value)
