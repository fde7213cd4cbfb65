"""Planted evidence through the whole chain: raw file, units, windows, prompts, answers, scores, categories in the JSON.

Expected shares of right categories are the fact sheet's (dolce.md 10, one placement a problem): in COW .88 at some 157
windows a problem (short contexts have no more, with all of them); in PIG .80 with the interpolated oracle and .95 with
atoms.
"""

from __future__ import annotations

from math import sqrt
from pathlib import Path

import pytest

from scrollwork.analysis.windows.fit.candidates import COW, PIG
from scrollwork.preprocessing.windows.units import units
from scrollwork.sample.ledgers import COW as COW_PAIRS
from scrollwork.sample.ledgers import PIG as PIG_PAIRS
from scrollwork.sample.windows import TASKS, Planted, contexts_of, dolce, real
from scrollwork.suites.suite_files import SAMPLE, load_suite
from tests.conftest import Scrollwork
from tests.flows.planted_kit import beside, chosen, fitted, least, run

ALL = ["I", "II", "III", "IV", "V"]


def only(*names: str) -> list[object]:
    return [made for made in TASKS if made.task in names]


def of(told: list[Planted], task: str) -> list[Planted]:
    return [one for one in told if one.task == task]


@pytest.mark.slow
def test_category_of_generated_contexts_is_not_the_planted_one(scrollwork: Scrollwork, tmp_path: Path) -> None:
    tasks = ("leval_quality", "leval_multinews")
    told = dolce(tmp_path / "raw", only(*tasks))  # type: ignore[arg-type]
    document = run(scrollwork, tmp_path / "raw", tasks)
    cow = beside(document, of(told, "leval_quality"))
    assert [one.wanted for one in cow] == ALL
    assert [one.row["category"] for one in cow] == ALL, [*map(str, cow)]
    assert [one.row["lambda"] for one in cow][:2] == [0, 1]
    pig = beside(
        fitted(scrollwork, ["leval_multinews"], tmp_path / "o.jsonl", "--atoms", "--scenario", "pig"),
        of(told, "leval_multinews"),
    )
    assert [one.row["category"] for one in pig] == ALL, [*map(str, pig)]


@pytest.mark.slow
def test_sample_of_make_run_lacks_a_category(scrollwork: Scrollwork) -> None:
    """Two tasks with a fifth of noise, as in the Makefile."""
    tasks = ("leval_quality", "leval_multinews")
    document = run(scrollwork, SAMPLE, tasks, "planted:noise=0.2", strategy="take:5")
    for task, pairs, share in zip(tasks, (COW_PAIRS, (PIG_PAIRS,)), (0.88, 0.80), strict=True):
        (found,) = [one for one in document["tasks"] if one["task"] == task]
        told = []
        for row in found["problems"]:
            context, number = map(int, row["problem"].split("-"))
            lam, copies = pairs[context % len(pairs)][number]
            size = row["units"] if lam is None else lam
            told.append(Planted(task, row["problem"], size, copies, row["units"], (), task != tasks[0]))
        problems = beside(document, told)
        assert [one.wanted for one in problems] == ALL * (len(problems) // 5)
        assert {one.wanted for one in problems if one.right} == set(ALL), [*map(str, problems)]
        assert sum(one.right for one in problems) / len(problems) >= least(share, len(problems)), [*map(str, problems)]
        assert all(one.explained for one in problems), [str(one) for one in problems if not one.explained]


@pytest.mark.slow
def test_task_of_the_44_has_another_category_than_planted(scrollwork: Scrollwork, tmp_path: Path) -> None:
    """24 units and all windows; partial points are fitted with atoms, which their scores are. Of decided problems no more
    are wrong than their probabilities allow."""
    told = dolce(tmp_path / "raw", TASKS)
    document = run(scrollwork, tmp_path / "raw", [made.task for made in TASKS])
    partial = [made.task for made in TASKS if made.partial]
    with_atoms = fitted(scrollwork, partial, tmp_path / "o.jsonl", "--atoms", "--scenario", "pig")
    problems = []
    for made in TASKS:
        if not made.partial:
            assert {one["scenario"] for one in document["tasks"] if one["task"] == made.task} == {"cow"}
        problems += beside(with_atoms if made.partial else document, of(told, made.task))
    wrong = [one for one in problems if not one.right]
    sure = [one for one in problems if not one.row["undecided"]]
    allowed = sum(1 - one.row["probabilities"][one.row["category"]] for one in sure)
    missed = [f"{one.planted.task} {one} {one.row['probabilities']}" for one in sure if not one.right]
    assert len(missed) <= allowed + 2 * sqrt(allowed), missed
    assert len(wrong) / len(problems) <= 1 - least(0.97, len(problems))


# ---- real contexts


def planted_in(shared: Path, raw: Path, task: str, scenario: str, contexts: int, least_units: int) -> list[Planted]:
    """Evidence of a pair of each category in the first contexts of a task's real files."""
    spec = load_suite("dolce").tasks[task].windows["units"]
    sizes = [len(units(text, spec)) for text in contexts_of(shared / "raw", task)]
    sizes = [size for size in sizes if size >= least_units][:contexts]
    return real(shared / "raw", raw, task, chosen(sizes, scenario, f"real/{task}"), least_units)


def seldom(tasks, *names):
    return [pytest.param(task, marks=pytest.mark.soak) if task in names else task for task in tasks]


REAL_COW = {  # contexts, their units at least, strategy: about 157 windows a problem
    "leval_quality": (8, 100, "take:20"),
    "leval_toefl": (6, 100, "take:10"),
    "longbench_2wikimultihopqa": (12, 10, "all"),
    "bamboo_meetingqa": (12, 10, "all"),
}


# The other three, of the same class, in `make soak`; so of REAL_PIG.
@pytest.mark.slow
@pytest.mark.parametrize("task", seldom(REAL_COW, "leval_toefl", "longbench_2wikimultihopqa", "bamboo_meetingqa"))
def test_category_of_real_contexts_is_not_the_planted_one(
    scrollwork: Scrollwork, shared: Path, tmp_path: Path, task: str
) -> None:
    contexts, least_units, strategy = REAL_COW[task]
    models = ("planted", "planted:noise=0.2")
    told = planted_in(shared, tmp_path / "raw", task, COW, contexts, least_units)
    document = run(scrollwork, tmp_path / "raw", [task], *models, strategy=strategy)
    for model in models:
        found = beside(document, told, model)
        assert {one.wanted for one in found} == set(ALL)
        assert sum(one.right for one in found) / len(found) >= least(0.88, len(found)), [model, *map(str, found)]
        assert {one.wanted for one in found if one.right} == set(ALL), [model, *map(str, found)]
        assert all(one.explained for one in found), [str(one) for one in found if not one.explained]


REAL_PIG = {
    "leval_multinews": (10, 70, "take:5"),
    "leval_space": (8, 50, "take:2"),
    "longbench_govreport": (6, 100, "take:10"),
}


@pytest.mark.slow
@pytest.mark.parametrize("task", seldom(REAL_PIG, "leval_multinews", "leval_space"))
def test_category_of_partial_points_in_real_contexts_is_not_the_planted_one(
    scrollwork: Scrollwork, shared: Path, tmp_path: Path, task: str
) -> None:
    contexts, least_units, strategy = REAL_PIG[task]
    told = planted_in(shared, tmp_path / "raw", task, PIG, contexts, least_units)
    document = run(scrollwork, tmp_path / "raw", [task], "planted:noise=0.2", strategy=strategy)
    with_atoms = fitted(scrollwork, [task], tmp_path / "o.jsonl", "--atoms", "--scenario", "pig")
    for fit, share, few in ((document, 0.80, 5), (with_atoms, 0.95, 0)):
        found = beside(fit, told)
        assert {one.wanted for one in found} == set(ALL)
        assert sum(one.right for one in found) / len(found) >= least(share, len(found)), [*map(str, found)]
        assert {one.wanted for one in found if one.right} == set(ALL), [*map(str, found)]
        # few aspects: the interpolated oracle has no place for scores that stand at 0; in simulations (scrollwork.analysis.windows), too,
        # 15 to 100 % of planted (1, k) to (5, 1) with w = .8 come out as lambda = inf (docs/dolce.md)
        bad = [str(one) for one in found if not one.explained and one.planted.lam > few]
        assert bad == []
