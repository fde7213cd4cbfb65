"""From observations to categories: scenario, tau, IDK, thresholds, certainty, shares, comparison, design."""

from __future__ import annotations

from dataclasses import replace
from math import inf, log

import numpy as np
import pytest

from scrollwork.analysis.windows.categories import (
    CATEGORIES,
    Thresholds,
    categories,
    category_shares,
    most_typical,
    of_two_suites,
    thresholds,
)
from scrollwork.analysis.windows.certainty import DECIDED, certainty, overlap, share_intervals
from scrollwork.analysis.windows.compare_fits import compare_complexities, divergence, relative_change
from scrollwork.analysis.windows.design import Plan, Recovery, first_sufficient, recovery, simulate
from scrollwork.analysis.windows.fit import counting
from scrollwork.analysis.windows.fit.candidates import COW, PIG, Candidates
from scrollwork.analysis.windows.fit.counting import outcome_counts, score_counts
from scrollwork.analysis.windows.fit.fitting import Settings, by_scenario, fit_task, fit_tasks
from scrollwork.analysis.windows.observations import ObservationError, Task, read_observations
from scrollwork.analysis.windows.simulation import (
    FIXED,
    IID,
    TYPICAL,
    place_evidence,
    planted_problems,
    simulate_cow_outcomes,
    simulate_pig_scores,
    window_starts,
)
from tests.analysis.dolce.dolce_vectors import observations
from tests.some_slow import one_in


def task(*rows: dict[str, object]) -> Task:
    return read_observations({"task": "t", "problem": "p", "units": 50, "length": 5} | row for row in rows).tasks[0]


def graded(heaps: int, single: int, scores: int = 60) -> Task:
    """Problems of two heaps, and of one."""
    random = np.random.default_rng(heaps * 100 + single)
    rows = []
    for number in range(heaps + single):
        drawn = random.beta(5, 5, scores)
        if number < heaps:
            drawn = np.where(random.random(scores) < 0.5, 0.0, 0.8 + drawn / 5)
        rows += [{"problem": str(number), "units": 20 + number, "score": float(score)} for score in drawn]
    return task(*rows)


def test_a_task_of_outcomes_or_of_0_and_1_is_graded() -> None:
    for rows in ([{"outcome": "idk"}], [{"score": 0}, {"score": 1}], [{"outcome": "1"}, {"score": 1.0}]):
        assert list(by_scenario(task(*rows), "auto")) == [COW]
    assert list(by_scenario(task({"score": 0.5}), "auto")) == [PIG]
    assert list(by_scenario(task({"score": 0.5}), COW)) == [COW]


@pytest.mark.parametrize(
    ("heaps", "single", "wanted"),
    [(11, 11, {COW: 11, PIG: 11}), (10, 14, {PIG: 24}), (14, 10, {COW: 24}), (5, 5, {PIG: 10})],
)
def test_a_task_is_split_where_a_part_is_small(heaps: int, single: int, wanted: dict[str, int]) -> None:
    found = by_scenario(graded(heaps, single), "auto")
    assert {scenario: len(own) for scenario, own in found.items()} == wanted


def test_parts_of_a_task_have_other_thresholds_or_lose_problems() -> None:
    both = fit_task(graded(11, 11), Settings())
    assert [one.scenario for one in both] == [COW, PIG]
    assert all(one.split for one in both)
    assert {one.limits for one in both} == {thresholds(41)}
    assert sorted(int(each.problem.name) for one in both for each in one.problems) == list(range(22))
    assert both[1].noise is None


def test_a_context_too_large_for_the_tables_of_pig_is_fitted() -> None:
    large = task({"units": 100_001, "score": 0.5})
    with pytest.raises(ObservationError, match="\"units\" of problem 'p' is 100001: PIG takes"):
        fit_task(large, Settings(PIG))
    assert fit_task(large, Settings(COW))[0].problems


def test_one_score_at_all_lengths_is_taken_for_evidence() -> None:
    def rows(name: str, *values: float) -> list[dict[str, object]]:
        found = zip((0, 5, 50), values, strict=True)
        return [
            {"problem": name, "units": 50, "length": at, "score": value, "count": 1 + at % 50} for at, value in found
        ]

    read = task(*rows("flat", 0.4, 0.4, 0.4), *rows("none", 0, 0, 0), *rows("all", 1, 1, 1), *rows("other", 1, 1, 0.4))
    (found,) = fit_task(read, Settings(scenario=PIG))
    told = {one.problem.name: (CATEGORIES[one.category], one.undecided) for one in found.problems}
    assert told["flat"][1]
    assert (told["none"], told["all"]) == (("V", False), ("I", False))
    assert not told["other"][1], "one length differs"


def test_a_score_at_tau_is_wrong_or_idk_is_changed_by_it() -> None:
    (problem,) = task(
        {"score": 0.5}, {"score": 0.49}, {"score": 0.75, "count": 3}, {"outcome": "idk"}
    ).problems.values()
    assert outcome_counts([problem], 0.5).counts[0, 0].tolist() == [4, 1, 1]
    (rounded,) = task({"score": 0.4999999975}, {"score": 0.49999}).problems.values()
    assert outcome_counts([rounded], 0.5).counts[0, 0].tolist() == [1, 1, 0], "ROUGE of half of the words"
    assert outcome_counts([problem], 1.0).counts[0, 0].tolist() == [0, 5, 1]
    assert outcome_counts([problem], 0.0).counts[0, 0].tolist() == [5, 0, 1]
    binned = score_counts([problem]).counts[0, 0]
    assert {place: count for place, count in enumerate(binned) if count} == {0: 1, 9: 1, 10: 1, 15: 3}


def test_lengths_of_problems_are_mixed_up() -> None:
    rows = [
        {"problem": "a", "units": 9, "length": length, "outcome": "1", "count": length + 1} for length in (9, 0, 2)
    ] + [{"problem": "b", "units": 7, "length": 3, "outcome": "0"}]
    counts = outcome_counts(list(task(*rows).problems.values()))
    assert counts.lengths.tolist() == [[0, 2, 9], [3, 0, 0]]
    assert counts.counts[:, :, 0].tolist() == [[1, 3, 10], [0, 0, 0]]
    assert counts.counts[1].tolist() == [[0, 1, 0], [0, 0, 0], [0, 0, 0]]


def test_windows_that_stand_twice_are_not_two() -> None:
    rows = observations()
    twice = fit_tasks(read_observations([*rows, *rows]).tasks)
    doubled = fit_tasks(read_observations({**row, "count": 2 * row["count"]} for row in rows).tasks)  # type: ignore[operator]
    assert twice[0].problems[0].likelihood == doubled[0].problems[0].likelihood


@pytest.mark.parametrize(
    ("units", "wanted"),
    [(1, (1, 1)), (2, (1, 2)), (20, (2, 10)), (60, (5, 20)), (381, (5, 50)), (498, (5, 50)), (1000, (10, 100))],
)
def test_thresholds_differ_from_the_fact_sheet(units: int, wanted: tuple[int, int]) -> None:
    assert thresholds(units) == Thresholds(*wanted)


@pytest.mark.parametrize("scenario", one_in(2, [COW, PIG]))
def test_pieces_or_their_order_change_a_fit(monkeypatch: pytest.MonkeyPatch, scenario: str) -> None:
    random = np.random.default_rng(4)
    rows = [
        {
            "problem": str(number),
            "units": 50 - number % 4,
            "length": length,
            "score": float(random.random()),
            "count": 2,
        }
        for number in range(12)
        for length in (0, 1, 5, 20, 40)[: 2 + number % 3]
    ]
    (wanted,) = fit_task(task(*rows), Settings(scenario))
    monkeypatch.setattr(counting, "CELLS", 1)
    (found,) = fit_task(task(*rows), Settings(scenario))
    assert [one.problem.name for one in found.problems] == [str(number) for number in range(12)]
    for one, other in zip(wanted.problems, found.problems, strict=True):
        assert (one.complexity, one.redundancy, one.category) == (other.complexity, other.redundancy, other.category)
        assert one.probabilities == pytest.approx(other.probabilities)
        assert one.weight == pytest.approx(other.weight)
        assert (one.weights is None) == (scenario == COW)
        assert list(one.weights or {}) == (one.problem.lengths if one.weights else [])


def test_thresholds_of_a_task_are_another_contexts() -> None:
    rows = [{"problem": str(units), "units": units, "outcome": "1"} for units in (20, 60, 1000)]
    assert fit_task(task(*rows), Settings())[0].limits == thresholds(1000)
    assert fit_task(task(*rows), Settings(of_median=True))[0].limits == thresholds(60)
    assert fit_task(task(*rows), Settings(limits=Thresholds(1, 2)))[0].limits == Thresholds(1, 2)
    assert of_two_suites(Thresholds(5, 50), Thresholds(2, 100)) == Thresholds(2, 50)


def test_a_pair_is_in_another_category() -> None:
    rows = {
        (0, 0): "I",
        (1, 100): "II",
        (5, 10): "II",
        (5, 5): "III",
        (1, 1): "III",
        (10, 9): "IV",
        (50, 1): "IV",
        (100, 1): "V",
        (-1, 1): "V",
    }
    one, many = np.array(list(rows)).T
    assert [CATEGORIES[place] for place in categories(one, many, Thresholds(5, 50))] == list(rows.values())
    with pytest.raises(ValueError, match="at least 1"):
        thresholds(0)
    with pytest.raises(ValueError, match="no problem"):
        category_shares([])


def test_the_most_typical_problem_is_another() -> None:
    complexity, redundancy = [2, 1, 1, -1], [50, 20, 100, 1]
    assert most_typical(complexity, redundancy, 1) == 2
    assert most_typical(complexity, redundancy, 2) == 1
    assert most_typical(complexity, redundancy, 4) == 3
    assert most_typical([50, 50, 20], [5, 1, 1], 3) == 1


def test_pairs_that_are_as_likely_have_other_probabilities() -> None:
    tried = Candidates(np.array([[0, 1, 1, 10, 100]]), np.array([[0, 20, 1, 1, 1]]), np.ones((1, 5), dtype=bool))
    limits = Thresholds(5, 50)
    same = certainty(np.zeros((1, 5)), tried, np.array([4]), limits)
    assert same.probabilities[0] == pytest.approx([0.2] * 5)
    assert (same.category[0], bool(same.undecided[0])) == (4, True), "of equals that of the best pair"
    nearly = certainty(np.array([[0.0, 4e-7, 2e-7, -9, -9]]), tried, np.array([2]), limits)
    row = nearly.probabilities[0].tolist()
    assert (nearly.category[0], row[0], row[1]) == (2, row[2], row[2]), "a tie of pairs is one of categories"
    likely = certainty(np.array([[-900.0, -1000, -902, -1e9, -np.inf]]), tried, np.array([0]), limits)
    assert likely.probabilities[0] == pytest.approx([1 / (1 + np.exp(-2)), 0, np.exp(-2) / (1 + np.exp(-2)), 0, 0])
    assert not likely.undecided[0]
    assert likely.probabilities[0, 0] > DECIDED


def test_windows_over_the_same_units_count_as_often_as_they_are() -> None:
    units, lengths = np.array([100, 100]), np.array([[0, 1, 50, 100], [1, 10, 0, 0]])
    windows = np.array([[1.0, 100, 51, 1], [5, 10, 0, 0]])
    found = overlap(units, lengths, windows)
    assert found == pytest.approx([153 / (1 + 100 + 2 + 1), 1])
    tried = Candidates(np.array([[0, 100]]), np.array([[0, 1]]), np.ones((1, 2), dtype=bool))
    sure = certainty(np.array([[0.0, -4]]), tried, np.array([0]), Thresholds(5, 50), np.array([2.0]))
    assert sure.probabilities[0, 0] == pytest.approx(1 / (1 + np.exp(-2)))


def test_intervals_of_shares_do_not_hold_them() -> None:
    sure = np.eye(5)[[0] * 30 + [4] * 10]
    found = share_intervals(sure)
    assert found[0] == pytest.approx([0.75 - 0.13, 0.75 + 0.13], abs=0.03)
    assert found[1].tolist() == [0, 0]
    assert (share_intervals(sure) == found).all()
    with pytest.raises(ValueError, match="no problem"):
        share_intervals(np.zeros((0, 5)))


def test_changes_of_two_fits_differ_from_the_formula() -> None:
    assert relative_change([0, 1, inf, 2, inf], [0, 2, inf, 1, 3]) == pytest.approx((0 + 0.5 + 0 + 0.5 + 1) / 5)
    assert divergence([0.5, 0.5, 0], [0.25, 0.5, 0.25]) == pytest.approx(0.5 * log(2))
    assert np.isfinite(divergence([0.5, 0.5, 0], [1, 0, 0]))
    found = compare_complexities(
        [(1, 1), (2, 1), (inf, 1)], [(5, 2), (10, 2), (100, 5)], ((0.1, 0.2, 0.7), (0.1, 0.2, 0.7))
    )
    assert (found.problems, found.rho_redundancy, found.kl) == (3, None, 0)
    assert found.rho_complexity == pytest.approx(1)
    for pairs in ([], [(1.0, 1.0)]):
        with pytest.raises(ValueError):
            compare_complexities(pairs, [(1, 1), (2, 2)])


def test_a_wrong_setting_is_taken() -> None:
    for wrong in ({"scenario": "both"}, {"tau": 1.1}, {"tau": float("nan")}):
        with pytest.raises(ValueError):
            Settings(**wrong)  # type: ignore[arg-type]


def test_planted_spans_overlap_or_favour_a_place() -> None:
    random = np.random.Generator(np.random.PCG64(1))
    seen = set()
    for _ in range(400):
        spans = place_evidence(8, 2, 2, random)
        assert (np.diff(spans) >= 2).all()
        assert (spans[0], spans[-1] <= 6) >= (0, True)
        seen.add(tuple(spans.tolist()))
    assert len(seen) == 15, "all placements: 6 over 2"
    assert window_starts(10, 3, None).tolist() == list(range(8))
    assert window_starts(10, 3, 3).tolist() == [0, 4, 7]
    assert window_starts(10, 0, 3).tolist() == [0]


@pytest.mark.slow
@pytest.mark.parametrize("mode", [IID, FIXED])
def test_simulated_answers_differ_from_the_model(mode: str) -> None:
    """Frequencies over many placements are pi and the mean share of aspects."""
    from scrollwork.analysis.windows.fit.aspects import aspect_probabilities
    from scrollwork.analysis.windows.fit.cover import cover_probability

    many = 3000
    one = planted_problems(5, 30, 30, COW, Thresholds(2, 10), 0)
    same = replace(
        one, units=np.full(many, 30), complexity=np.full(many, 3), redundancy=np.full(many, 2), weight=np.ones(many)
    )
    counts = simulate_cow_outcomes(same, mode, None, 4, (5,)).counts[:, 0].sum(axis=0)
    assert counts[0] / counts.sum() == pytest.approx(float(cover_probability(5, 3, 2, 30)), abs=0.01)
    scores = (
        simulate_pig_scores(replace(same, weight=np.full(many, 0.95)), mode, None, 4, (5,)).counts[:, 0].sum(axis=0)
    )
    wanted = aspect_probabilities([5], 3, 2, 30)[0] @ np.arange(4) / 3 * 0.95 + 0.025
    assert scores @ (np.arange(20) / 20 + 0.025) / scores.sum() == pytest.approx(wanted, abs=0.01)


@pytest.mark.slow
def test_a_plan_recovers_less_than_the_paper_needs() -> None:
    easy = recovery(Plan(mode=IID, problems=30, seeds=(0, 1)), None)
    assert easy.category >= 0.95
    assert easy.samples == pytest.approx(2000, rel=0.15)
    assert easy.decided_right is not None
    assert easy.decided_right >= 0.95
    assert recovery(Plan(PIG, IID, (120, 240), 20, (0,)), 50).category >= 0.7
    assert (
        simulate(Plan(problems=5, seeds=(1,)), 5, 1).complexity.tolist()
        == simulate(Plan(problems=5), 5, 1).complexity.tolist()
    )
    with pytest.raises(ValueError, match="no pair of 1 units"):
        simulate(Plan(units=(1, 1)), 5, 0)
    with pytest.raises(ValueError, match="one seed"):
        recovery(Plan(seeds=()), 5)


def test_a_pair_a_category_is_of_another_or_in_a_context_that_cannot_hold_it() -> None:
    limits = thresholds(500)
    found = planted_problems(10, 120, 500, COW, limits, 3, typical=True)
    pairs = list(zip(found.complexity.tolist(), found.redundancy.tolist(), strict=True))
    assert pairs == [*TYPICAL, *TYPICAL]
    assert categories(found.complexity, found.redundancy, limits).tolist() == [0, 1, 2, 3, 4] * 2
    with pytest.raises(ValueError, match="no pair of 90 units"):
        planted_problems(5, 90, 90, COW, limits, 0, typical=True)


def test_enough_windows_are_too_few() -> None:
    rows = [Recovery(n, 1, 1, 0, 0, share, 1, 1, 0) for n, share in ((5, 0.95), (10, 0.85), (20, 0.9), (50, 0.99))]
    assert first_sufficient(rows, 0.9) == rows[2], "5 windows were lucky"
    assert first_sufficient(rows, 0.995) is None
