"""Which runs are ranked together: those that drew the same, and whole ones. Who is left out is named."""

from __future__ import annotations

from typing import Any

from scrollwork.analysis.runs.rank_rows import RankingLabels, model_label
from scrollwork.analysis.runs.selection import Selected, select
from scrollwork.records.ranking import NO_RANK, NO_SCORE, REFUSED, RUN_OUT
from scrollwork.records.run_score import RunScore
from scrollwork.records.score import Coverage

OF = RankingLabels("seam", "test")
TASKS = ("musique", "ecb_plus")


def run(
    task: str, model: str, number: int, value: float | None = 50.0, *, unanswered: int = 0, **more: Any
) -> RunScore:
    answered = 0 if value is None else 10 - unanswered
    coverage = Coverage(10, answered, answered, 0, 10 - answered, 0, 0)
    fields = {"arm": "full", "components": {}, "in_format": None, "manifest": f"{task} {number}", **more}
    return RunScore("seam", task, "test", model, metric="f1", run=number, value=value, coverage=coverage, **fields)


def runs(model: str, count: int = 3, tasks: tuple[str, ...] = TASKS, **more: Any) -> list[RunScore]:
    return [run(task, model, number, 40.0 + number, **more) for task in tasks for number in range(count)]


def left(found: Selected, kind: str) -> list[tuple[str, str, tuple[int, ...], str]]:
    return [(one.model, one.task, one.runs, one.reason) for one in found.left_out if one.kind == kind]


def test_model_that_drew_other_prompts_is_ranked_or_left_out_without_a_word() -> None:
    odd = [
        run("musique", "c", 1, 99.0, manifest="another") if (one.task, one.run) == ("musique", 1) else one
        for one in runs("c")
    ]
    found = select([*runs("a"), *runs("b"), *odd], OF, TASKS)
    assert found.table.models == ("a", "b"), "not even on the data set where it drew the same"
    assert left(found, REFUSED) == [("c", "musique", (1,), "drew other prompts than a, b")]
    assert {row.model for row in found.rows} == {"a", "b"}


def test_the_odd_one_of_three_counts_because_it_was_asked_first() -> None:
    found = select([*runs("a", manifest="other"), *runs("b"), *runs("c")], OF, ("ecb_plus",))
    assert found.table.models == ("b", "c")


def test_of_two_that_drew_otherwise_the_later_one_counts() -> None:
    found = select([*runs("z", manifest="one"), *runs("a", manifest="two")], OF, TASKS)
    assert found.table.models == ("z",)
    assert {task for _, task, _, _ in left(found, REFUSED)} == set(TASKS)


def test_more_runs_are_refused_beside_fewer() -> None:
    found = select([*runs("a", 5), *runs("b", 3)], OF, TASKS)
    assert left(found, REFUSED) == []
    assert [len(found.table.cell(model, "musique").runs) for model in "ab"] == [5, 3]


def test_mean_over_other_instances_counts_as_a_run() -> None:
    rows = [*runs("a"), *(row for row in runs("b") if (row.task, row.run) != ("musique", 2))]
    found = select([*rows, run("musique", "b", 2, 99.0, unanswered=3)], OF, TASKS)
    assert found.table.cell("b", "musique").values == (40.0, 41.0)
    assert left(found, RUN_OUT) == [("b", "musique", (2,), "3 of 10 inputs are unanswered")]


def test_model_without_a_whole_run_or_never_asked_has_no_rank_or_no_reason() -> None:
    rows = [*runs("a"), *runs("b", tasks=("musique",)), *runs("c", tasks=("ecb_plus",)), run("musique", "c", 0, None)]
    found = select(rows, OF, TASKS, failures={("d", "musique"): "failed"})
    assert found.reasons == {("b", "ecb_plus"): "not asked", ("c", "musique"): "no run is whole"}
    assert {(model, task) for model, task, _, _ in left(found, NO_SCORE)} == {("b", "ecb_plus"), ("c", "musique")}
    assert found.table.cell("c", "musique").missing


def test_failure_of_a_task_is_not_the_reason_that_is_given() -> None:
    found = select(
        [*runs("a"), *runs("b", tasks=("musique",))], OF, TASKS, failures={("b", "ecb_plus"): "failed: boom"}
    )
    assert found.reasons == {("b", "ecb_plus"): "failed: boom"}


def test_upper_bound_or_model_without_any_score_is_ranked() -> None:
    found = select([*runs("oracle"), *runs("a"), run("musique", "b", 0, None)], OF, TASKS, bounds=["oracle"])
    assert found.table.models == ("a",)
    assert left(found, NO_RANK) == [
        ("oracle", "", (), "upper bound: reads the references"),
        ("b", "", (), "no score on any data set"),
    ]


def test_arms_of_a_model_are_one_or_a_name_with_brackets_is_an_arm() -> None:
    found = select([*runs("a"), *runs("a", arm="closed-book"), *runs("a (closed-book)")], OF, TASKS)
    assert set(found.table.models) == {"a", model_label("a", "closed-book"), "a (closed-book)"}


def test_nothing_scored_raises() -> None:
    found = select([run("musique", "a", 0, None)], OF, TASKS)
    assert (found.table.models, found.table.datasets) == ((), ())
