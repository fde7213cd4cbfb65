"""Rows that are kept of answers on windows: counted as they came in, and told apart by task, model and scenario."""

from __future__ import annotations

from dataclasses import replace
from math import comb
from typing import Any

import pytest

from scrollwork.analysis.windows.fit.fitting import Settings
from scrollwork.analysis.windows.observations import Problem
from scrollwork.analysis.windows.problem_rows import (
    Answer,
    TaskAnswers,
    Window,
    agreements,
    complexity_pair,
    mean_oracle,
    typical_problems,
)
from scrollwork.records.complexity import CATEGORIES, Agreement, Complexity, Mixture

LABELS = {"suite": "dolce", "task": "t", "split": "test", "model": "m", "arm": "full"}
UNITS = 20
LENGTHS = (0, 1, 2, 5, 10, UNITS)


def windows(problem: str, units: int = UNITS) -> list[Window]:
    """All windows of a problem, numbered as they come."""
    places = [(first, length) for length in LENGTHS for first in range(units - length + 1 if length else 1)]
    return [Window(problem, draw, units, first, length) for draw, (first, length) in enumerate(places)]


def planted(problem: str, first: int, size: int) -> list[Answer]:
    """Right exactly if the window shows `size` units from `first` on, else declined."""
    return [
        Answer(one, 100.0 if shows else 0.0, not shows)
        for one in windows(problem)
        for shows in [one.first <= first and first + size <= one.first + one.length]
    ]


def needs(*answers: list[Answer], scenario: str = "auto", **labels: str) -> TaskAnswers:
    return TaskAnswers({**LABELS, **labels}, Settings(scenario=scenario), [one for own in answers for one in own])


@pytest.fixture(scope="module")
def cow() -> TaskAnswers:
    holistic = [Answer(one, 100.0 * one.whole, not one.whole) for one in windows("whole")]
    nothing = [Answer(one, 100.0, False) for one in windows("nothing")]
    return needs(planted("needle", 7, 1), planted("span", 4, 5), holistic, nothing)


def test_rows_of_problems_are_not_those_of_the_fit(cow: TaskAnswers) -> None:
    (fitted,) = cow.fits()
    rows = {row.example_id: row for row in cow.problems(fitted)}
    assert {name: row.category for name, row in rows.items()} == {
        "needle": "III",
        "span": "IV",
        "whole": "V",
        "nothing": "I",
    }
    assert {row.full for row in rows.values()} == {100.0}
    for row in rows.values():
        assert row.windows == len(windows("x"))
        (own,) = (one for one in fitted.problems if one.problem.name == row.example_id)
        assert row.probabilities == own.probabilities
        assert row.undecided == (row.probabilities[CATEGORIES.index(row.category)] < 0.8)
    asked = dict.fromkeys(rows, len(windows("x")) + 3)
    mixture = cow.mixture(fitted, asked)
    assert (mixture.problems, mixture.windows, mixture.answered) == (4, 4 * len(windows("x")) + 12, len(cow.answers))
    assert mixture.declined == sum(one.declined for one in cow.answers)
    assert mixture.shares == pytest.approx([0.25, 0, 0.25, 0.25, 0.25])


def test_lengths_lose_answers_or_whole_contexts_count_as_windows(cow: TaskAnswers) -> None:
    rows = list(cow.at_lengths())
    assert [row.length for row in rows] == [0, 1, 2, 5, 10, None]
    for row in rows:
        own = [one for one in cow.answers if one.window.length == (UNITS if row.length is None else row.length)]
        assert row.windows == len(own)
        assert row.right == pytest.approx(sum(one.score == 100 for one in own) / len(own))
        assert row.right + row.wrong + row.declined == pytest.approx(1)
        assert row.score == pytest.approx(100 * row.right)


def test_tables_are_not_what_was_seen(cow: TaskAnswers) -> None:
    (fitted,) = cow.fits()
    rows = {(row.example_id, row.length): row for row in cow.tables(fitted)}
    assert len(rows) == 4 * len(LENGTHS)
    assert rows["needle", 5].observed == pytest.approx((5 / 16, 0, 11 / 16))
    (needle,) = (one for one in cow.problems(fitted) if one.example_id == "needle")
    assert needle.complexity == 1
    covered = 1 - comb(UNITS - 5, needle.redundancy) / comb(UNITS, needle.redundancy)
    assert rows["needle", 5].oracle == pytest.approx((covered, 0, 1 - covered))
    for row in rows.values():
        both = [row.weight * o + (1 - row.weight) * b for o, b in zip(row.oracle, fitted.noise or (), strict=True)]
        assert row.fitted == pytest.approx(both)
        for fit, oracle, posterior in zip(row.fitted, row.oracle, row.posterior, strict=True):
            assert posterior == pytest.approx(row.weight * oracle / fit if fit else 0)


def test_plane_is_not_the_probability_of_the_oracle(cow: TaskAnswers) -> None:
    (fitted,) = cow.fits()
    (plane,) = cow.plane(fitted)
    assert (plane.units, plane.length) == (20, 5)
    small = [Answer(Window("small", 0, size, 0, size), 100.0, False) for size in (3,)]
    more = needs(cow.answers, small, small, small)
    assert next(more.plane(more.fits()[0])).length == 5
    places = [(lam, k) for lam in plane.complexities for k in plane.redundancies]
    found = dict(zip(places, plane.values, strict=True))
    assert found[1, 1] == pytest.approx(5 / 20, abs=1e-4)
    assert found[4, 1] == pytest.approx(2 / 17, abs=1e-4)
    assert found[5, 3] == pytest.approx(3 / 16, abs=1e-4)
    assert {value for (lam, k), value in found.items() if lam * k > 20} == {0.0}
    pig = needs(graded("a"), scenario="pig")
    assert list(pig.plane(pig.fits()[0])) == []
    ends = needs([one for one in planted("p", 1, 1) if one.window.length in (0, UNITS)])
    assert list(ends.plane(ends.fits()[0])) == []


def test_places_of_right_answers_are_others_than_the_planted_ones(cow: TaskAnswers) -> None:
    (fitted,) = cow.fits()
    rows = {(row.example_id, row.length): row for row in cow.sights(fitted)}
    assert rows["needle", 5].right == (3, 4, 5, 6, 7)
    assert rows["span", 5].right == (4,)
    assert rows["whole", 10].right == ()
    assert rows["whole", 10].declined == tuple(range(11))
    found = [(category, one.window) for category, one in cow.passages(fitted)]
    assert [(what, w.problem, w.first, w.length) for what, w in found] == [
        *(("I", "nothing", first, 1) for first in range(3)),
        ("III", "needle", 7, 1),
        ("IV", "span", 4, 5),
        ("V", "whole", 0, 20),
    ]


def test_seeds_of_a_window_are_lost_or_a_whole_context_is_that_of_the_last_one() -> None:
    one, other = planted("p", 3, 2), [Answer(one, 0.0, False) for one in windows("p")]
    both = needs(one, other)
    (fitted,) = both.fits()
    (row,) = both.problems(fitted)
    assert (row.windows, row.full) == (2 * len(windows("p")), 50.0)
    assert both.mixture(fitted, {"p": len(windows("p"))}).answered == 2 * len(windows("p"))


def test_unanswered_problems_or_no_answer_at_all_are_an_error() -> None:
    assert needs().fits() == []
    assert list(needs().at_lengths()) == []
    only = needs(planted("p", 3, 2)[:1])
    (fitted,) = only.fits()
    (row,) = only.problems(fitted)
    assert (row.windows, row.full, row.undecided) == (1, None, True)
    assert [one.length for one in only.at_lengths()] == [0]


def graded(problem: str) -> list[Answer]:
    """Scores that grow evenly with what is shown."""
    return [
        Answer(one, round(100 * (0.1 + 0.8 * one.length / UNITS) + one.first % 7, 1), False) for one in windows(problem)
    ]


def test_pig_has_noise_or_no_expected_score() -> None:
    own = needs(graded("a"), graded("b"), scenario="pig")
    (fitted,) = own.fits()
    assert own.mixture(fitted, {"a": 1, "b": 1}).noise == ()
    for row in own.tables(fitted):
        assert len(row.observed) == len(row.fitted) == 1
        assert row.posterior == ()
        assert row.fitted[0] == pytest.approx(row.weight * row.oracle[0] + (1 - row.weight) / 2)
    seen = [row.observed[0] for row in own.tables(fitted) if row.example_id == "a"]
    assert seen == sorted(seen)


@pytest.mark.parametrize(("complexity", "k", "length"), [(4, 1, 5), (2, 5, 10), (3, 2, 19), (1, 1, 0), (5, 4, 20)])
def test_expected_score_is_not_the_share_of_aspects_shown(complexity: int, k: int, length: int) -> None:
    own = needs(graded("a"), scenario="pig")
    (one,) = own.fits()[0].problems
    found = mean_oracle(type(one)(**{**vars(one), "complexity": complexity, "redundancy": k}), length)
    assert found == pytest.approx(1 - comb(UNITS - length, k) / comb(UNITS, k), abs=1e-12)


def test_pairs_that_need_nothing_or_more_than_all_have_an_expected_score_between() -> None:
    (one,) = needs(graded("a"), scenario="pig").fits()[0].problems
    assert mean_oracle(type(one)(**{**vars(one), "complexity": 0, "redundancy": 0}), 0) == 1.0
    assert mean_oracle(type(one)(**{**vars(one), "complexity": -1, "redundancy": 1}), UNITS) == 0.0


def test_split_task_has_rows_of_one_part_only() -> None:
    heaps = [
        Answer(one, score, False)
        for problem in range(11)
        for one in windows(f"heap {problem}")
        for score in [100.0 if one.length >= 5 else 0.0]
    ]
    middling = [
        Answer(one, 35.0 + 7 * one.draw % 20, False) for problem in range(11) for one in windows(f"graded {problem}")
    ]
    own = needs(heaps, middling)
    fits = own.fits()
    assert [(one.scenario, len(one.problems)) for one in fits] == [("cow", 11), ("pig", 11)]
    asked = dict.fromkeys((row.window.problem for row in own.answers), len(windows("x")))
    assert [own.mixture(one, asked).windows for one in fits] == [11 * len(windows("x"))] * 2
    names = [{row.example_id.partition(" ")[0] for row in own.problems(one)} for one in fits]
    assert names == [{"heap"}, {"graded"}]


def test_typical_problem_is_undecided_although_another_is_not(cow: TaskAnswers) -> None:
    (fitted,) = cow.fits()
    sure = next(one for one in fitted.problems if one.problem.name == "needle")
    vague = replace(sure, problem=Problem("a vague one", UNITS), undecided=True)
    for own, wanted in ([vague, replace(sure, undecided=False)], "needle"), ([vague], "a vague one"):
        assert [one.problem.name for one in typical_problems(replace(fitted, problems=tuple(own)))] == [wanted]


def rows(model: str, pairs: dict[str, tuple[int | None, int]], noise: tuple[float, ...]) -> tuple[Mixture, Any]:
    """A fit by hand."""
    labels = {**LABELS, "model": model, "scenario": "cow"}
    five = (0.2,) * 5
    mixture = Mixture(
        **labels, problems=len(pairs), undecided=0, noise=noise, low=2, high=5, twins=(), shares=five, expected=five,
        share_lows=five, share_highs=five, decided=five, holistic=(0.2, 0.0, 0.0), windows=1, answered=1, declined=0,
    )  # fmt: skip
    problems = [
        Complexity(
            **labels, example_id=name, units=9, windows=1, complexity=lam, redundancy=k, weight=1.0, likelihood=0.0,
            category="I" if lam == 0 else "III", probabilities=five, undecided=False, full=None, solved=None, dip=(),
        )
        for name, (lam, k) in pairs.items()
    ]  # fmt: skip
    return mixture, problems


def test_two_models_are_compared_on_other_problems_than_they_share() -> None:
    ours, own = rows("a", {"p": (1, 1), "q": (2, 4), "r": (0, 0), "only": (5, 1)}, (0.1, 0.1, 0.8))
    theirs, other = rows("b", {"p": (2, 1), "q": (2, 2), "r": (None, 1)}, (0.1, 0.1, 0.8))
    whole, without = agreements([ours, theirs], [*own, *other])
    assert [(one.model, one.other, one.without_first, one.problems) for one in (whole, without)] == [
        ("a", "b", False, 3),
        ("a", "b", True, 2),
    ]
    assert whole.rc_complexity == pytest.approx((0.5 + 0 + 1) / 3)
    assert whole.rc_redundancy == pytest.approx((0 + 0.5 + 1) / 3)
    assert without.rc_complexity == pytest.approx(0.25)
    assert (without.rho_complexity, without.rho_redundancy) == (None, pytest.approx(1))
    assert whole.kl == pytest.approx(0)
    assert (whole.same, without.same) == (pytest.approx(2 / 3), 1.0)
    assert complexity_pair(other[2])[0] == float("inf")


def test_two_models_that_split_a_task_otherwise_drop_problems() -> None:
    parts = {"cow": [f"p{n}" for n in range(15)], "pig": [f"p{n}" for n in range(15, 30)]}
    mixtures, problems = [], []
    for model, split in (("a", parts), ("b", {"pig": [*parts["cow"], *parts["pig"]]})):
        for scenario, names in split.items():
            mixture, own = rows(model, dict.fromkeys(names, (1, 1)), (0.1, 0.1, 0.8) if scenario == "cow" else ())
            mixtures.append(replace(mixture, scenario=scenario))
            problems += [replace(one, scenario=scenario) for one in own]
    found = [one for one in agreements(mixtures, problems) if not one.without_first]
    assert [(one.scenario, one.other_scenario, one.problems, one.kl) for one in found] == [
        ("cow", "pig", 15, None),
        ("pig", "pig", 15, None),
    ]


def test_one_model_alone_is_compared() -> None:
    ours, own = rows("a", {"p": (1, 1)}, ())
    found: list[Agreement] = list(agreements([ours], own))
    assert found == []
