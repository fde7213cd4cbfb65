"""Systems compared by their logs: which tasks and metrics, Holm over tasks, scales, warnings, symmetry."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from scrollwork.analysis.logs.compare import Compared, TaskComparison, compare_systems
from scrollwork.analysis.logs.log import Log
from scrollwork.analysis.logs.systems import CompareOptions, short_names, systems_of
from tests.analysis.logs.logs_kit import a_log, prompts, shuffled, texts

RANDOM = np.random.default_rng(4)


def compared(*logs: Log, **options: object) -> Compared:
    systems, remarks = systems_of({"logs": list(logs)})
    found = compare_systems(systems, CompareOptions(**options))  # type: ignore[arg-type]
    return Compared(found.pairs, [*remarks, *found.notes])


def only(found: Compared) -> TaskComparison:
    (pair,) = found.pairs
    (row,) = pair.tasks
    return row


def beta(log: Log, **changes: object) -> Log:
    return replace(log, model="beta", **changes)  # type: ignore[arg-type]


def test_an_item_without_a_score_is_taken_for_zero() -> None:
    a = a_log([1.0, 1.0, 0.0, 1.0], ids=texts(4))
    row = only(compared(a, beta(a, scores={"exact": np.array([1.0, np.nan, 1.0, np.nan])})))
    assert (row.items, row.unscored, row.difference, row.won, row.lost, row.tied) == (2, 2, -0.5, 0, 1, 1)
    assert (row.all_a, row.all_b) == ((4, 0.75), (2, 1.0))


def test_one_scale_is_taken_for_the_other() -> None:
    a = a_log([0.5, 1.0, 0.25], ids=texts(3), metric="f1")
    row = only(compared(a, beta(a, scores={"f1": np.array([50.0, 100.0, 25.0])})))
    assert row.not_compared.startswith("other scales")
    assert row.difference is None
    rare = only(compared(a_log([0.0, 0.0, 0.0], ids=texts(3)), beta(a_log([0.0, 90.0, 10.0], ids=texts(3)))))
    assert rare.difference == pytest.approx(-100 / 3)  # a model that gets nothing right has no scale


def test_a_margin_in_points_is_taken_for_the_whole_scale() -> None:
    a = a_log(RANDOM.uniform(0, 1, 50), ids=texts(50))
    assert only(compared(a, shuffled(beta(a)), margin=2.0)).margin == 0.02
    percent = replace(a, scores={"exact": a.scores["exact"] * 100})
    assert only(compared(percent, beta(percent), margin=2.0)).margin == 2.0


def test_marks_from_one_to_five_are_equal_within_one() -> None:
    """A point of 100 fits no scale of counts or marks: no margin, no equality, and a warning; a given one counts."""
    marks = a_log(RANDOM.integers(1, 6, 200), ids=texts(200), metric="grade")
    found = compared(marks, shuffled(beta(marks)))
    row = only(found)
    assert (row.margin, row.equivalent, row.power) == (None, None, None)
    assert any("neither to 1 nor to 100" in warning for warning in found.warnings)
    given = only(compared(marks, beta(marks), margin=0.5))
    assert (given.margin, given.equivalent) == (0.5, True)


@pytest.mark.parametrize(("tasks", "metrics", "says"), [
    ([], [("scor", "scor")], "metric 'scor' is in no log; there are: exact"),
    ([("fact", "fact")], [], "task 'fact' is in no log; there are: facts"),
    ([], [("exact", "exat")], "metric 'exat' is in no log"),
])  # fmt: skip
def test_a_misspelt_name_gives_an_empty_table(
    tasks: list[tuple[str, str]], metrics: list[tuple[str, str]], says: str
) -> None:
    a = a_log([1.0, 0.0], ids=texts(2))
    with pytest.raises(ValueError, match=says):
        compared(a, beta(a), tasks=tasks, metrics=metrics)


def test_p_of_several_pairs_is_taken_for_corrected() -> None:
    a = a_log([1.0, 0.0], ids=texts(2))
    assert any("not over the 3 pairs" in one for one in compared(a, beta(a), replace(a, model="gamma")).warnings)


def test_low_is_good_and_the_lower_one_loses() -> None:
    a = replace(a_log([1.0, 2.0, 3.0], ids=texts(3), metric="loss"), lower_is_better=frozenset({"loss"}))
    row = only(compared(a, beta(a, scores={"loss": np.array([2.0, 2.0, 4.0])})))
    assert (row.won, row.lost, row.tied) == (2, 0, 1)
    assert row.difference == pytest.approx(-2 / 3)


@pytest.mark.parametrize("seed", range(10))
def test_b_against_a_is_not_a_against_b_mirrored(seed: int) -> None:
    random = np.random.default_rng(seed)
    names = texts(60)
    a = a_log(random.integers(0, 2, 60), ids=names, prompts=prompts(names), clusters=[n[:2] for n in names])
    b = shuffled(beta(a, scores={"exact": random.integers(0, 2, 60).astype(float)}), seed)
    one, other = only(compared(a, b)), only(compared(b, a))
    assert one.difference == pytest.approx(-(other.difference or 0))
    assert one.interval == pytest.approx(tuple(-end for end in reversed(other.interval or ())))
    assert (one.p, one.won, one.lost, one.power) == (other.p, other.lost, other.won, pytest.approx(other.power))


def test_holm_corrects_over_metrics_or_not_over_tasks() -> None:
    """Three tasks with two metrics: each metric is corrected over its three tasks."""
    logs = []
    for number, task in enumerate("xyz"):
        base = RANDOM.uniform(0, 1, 40)
        logs += [
            a_log(base, ids=texts(40), task=task, more={"other": base}),
            a_log(
                base - 0.02 * number - RANDOM.normal(0, 0.1, 40), model="beta", ids=texts(40), task=task,
                more={"other": base + RANDOM.normal(0, 0.1, 40)},
            ),
        ]  # fmt: skip
    (pair,) = compared(*logs).pairs
    for metric in ("exact", "other"):
        ordered = sorted((row for row in pair.tasks if row.metric == metric), key=lambda row: row.p or 0)
        expected = np.maximum.accumulate([min(1, (3 - place) * (row.p or 0)) for place, row in enumerate(ordered)])
        assert [row.p_holm for row in ordered] == pytest.approx(list(expected))


def test_tasks_with_other_metrics_are_not_corrected_at_all() -> None:
    """The first metric of each task is a family, where no metric is common to all tasks."""
    logs = []
    for task, metric in (("x", "exact"), ("y", "f1")):
        base = RANDOM.uniform(0, 1, 40)
        logs += [
            a_log(base, ids=texts(40), task=task, metric=metric),
            a_log(base - RANDOM.normal(0.1, 0.1, 40), model="beta", ids=texts(40), task=task, metric=metric),
        ]
    (pair,) = compared(*logs).pairs
    first = min(pair.tasks, key=lambda row: row.p or 0)
    assert first.p_holm == pytest.approx(2 * (first.p or 0))


def test_lone_tasks_of_other_names_are_not_compared_or_not_said() -> None:
    a = a_log([1.0, 0.0], ids=texts(2))
    found = compared(a, beta(a, task="tools/facts"))
    assert only(found).items == 2
    assert any("tools/facts" in warning for warning in found.warnings)


def test_named_tasks_and_metrics_are_not_paired() -> None:
    a = a_log([1.0, 0.0], ids=texts(2), more={"f1": [0.5, 0.5]})
    b = a_log(
        [0.0, 0.0], model="beta", ids=texts(2), task="facts-2", metric="exact_match,none", more={"f1": [1.0, 1.0]}
    )
    found = compared(a, b, tasks=[("facts", "facts-2")], metrics=[("exact", "exact_match,none")])
    assert (only(found).metric, only(found).difference) == ("exact = exact_match,none", 0.5)


def test_logs_without_a_common_metric_are_passed_over_silently() -> None:
    a = a_log([1.0], ids=["q"])
    found = compared(a, beta(a, scores={"rouge": np.array([1.0])}))
    assert not found.pairs[0].tasks
    assert any("no metric in common: A has exact; B has rouge" in warning for warning in found.warnings)


def test_what_is_no_score_is_compared_unasked() -> None:
    a = a_log([1.0], ids=["q"], more={"tokens": [7.0]}, auxiliary=frozenset({"tokens"}))
    assert only(compared(a, beta(a))).metric == "exact"
    assert only(compared(a, beta(a), metrics=[("tokens", "tokens")])).metric == "tokens"


def test_two_logs_of_a_model_are_mixed() -> None:
    a, b = (a_log([value], ids=["q"], source=f"{value}.log") for value in (1.0, 0.0))
    found = compared(a, b, beta(a))
    assert only(found).difference == -1.0
    assert "2 logs of alpha on facts in logs, of which 0.0.log is used" in found.warnings


def test_another_task_is_paired() -> None:
    found = compared(a_log([1.0, 0.0], ids=texts(2)), beta(a_log([1.0, 0.0], ids=texts(2, "other"))))
    assert only(found).not_compared == "nothing to compare: no item of one is in the other"


def test_other_settings_and_cut_prompts_are_not_told() -> None:
    a = a_log([1.0, 0.0], ids=texts(2), settings={"temperature": "0.0", "seed": "1"}, truncated=np.array([True, False]))
    said = " ".join(compared(a, beta(a, settings={"temperature": "0.7", "seed": "1"}, truncated=None)).warnings)
    assert "temperature differs: 0.0 and 0.7" in said
    assert "seed" not in said
    assert "1 item of alpha had their prompt or answer cut" in said


def test_a_part_of_the_prompts_is_told_in_broken_words() -> None:
    a = a_log([1.0, 0.0], ids=texts(2), prompts=prompts(texts(2)), prompt_part="instance's input")
    assert any("compared by their instance's input only" in one for one in compared(a, beta(a)).warnings)
    said = compared(a, beta(a, prompt_part="")).warnings
    assert any("cannot be compared: one log has their instance's input, the other the whole" in one for one in said)


def test_versions_of_two_tasks_are_compared_or_of_one_are_not() -> None:
    a = a_log([1.0, 0.0], ids=texts(2), settings={"task version": "1.0"})
    for task, told in (("facts", True), ("facts_new", False)):
        said = compared(a, beta(a, task=task, settings={"task version": "2.0"})).warnings
        assert any("task version differs: 1.0 and 2.0" in one for one in said) is told


def test_clusters_that_disagree_are_not_told() -> None:
    a = a_log([1.0, 0.0, 1.0, 0.0], ids=texts(4), clusters=["x", "x", "y", "y"])
    found = compared(a, beta(a, clusters=["u", "v", "w", "z"]))
    assert only(found).clusters == 2
    other = compared(a, beta(a, clusters=["x", "y", "x", "y"]))
    assert any("clusters" in warning and "not the same" in warning for warning in other.warnings)


def test_ids_that_are_numbers_are_believed() -> None:
    a = a_log([1.0, 0.0, 1.0], ids=["0", "1", "2"])
    assert any("ids look like positions" in warning for warning in compared(a, shuffled(beta(a))).warnings)
    for ids in (["q0", "q1", "q2"], ["10", "11", "12"]):  # names, and numbers that count other items
        a = a_log([1.0, 0.0, 1.0], ids=ids)
        assert not any("ids look like positions" in warning for warning in compared(a, shuffled(beta(a))).warnings)


def test_a_single_system_is_compared_with_itself() -> None:
    with pytest.raises(ValueError, match="two systems"):
        compared(a_log([1.0], ids=["q"]))


def test_a_text_of_a_log_reaches_a_warning_as_it_is() -> None:
    a = a_log([1.0], ids=["q"], settings={"seed": "1"})
    said = compared(a, beta(a, settings={"seed": "\x1b[31m\n" + "x" * 500})).warnings
    assert all(warning.isprintable() and len(warning) < 400 for warning in said)


def test_names_of_sources_are_cut_to_the_same() -> None:
    assert short_names(["runs/a/log.eval", "runs/b/log.eval", "c.csv"]) == {
        "runs/a/log.eval": "a/log.eval",
        "runs/b/log.eval": "b/log.eval",
        "c.csv": "c.csv",
    }


def test_a_file_that_was_not_read_is_told_once_for_each_task_beside_it() -> None:
    sources = {"run": [a_log([1.0], task=task, notes=["not read: run/c.eval: is cut"]) for task in ("x", "y", "z")]}
    assert list(map(str, systems_of(sources)[1])) == ["not read: run/c.eval: is cut"]


def test_a_seed_that_one_of_two_runs_was_given_is_not_told() -> None:
    a = a_log([1.0, 0.0], ids=texts(2), settings={"temperature": "0.5", "seed": "1"})
    other = beta(a, settings={"seed": "1", "max_tokens": "5"})
    said = " ".join(compared(a, other).warnings)
    assert "temperature differs: 0.5 and not stated" in said
    assert "max_tokens differs: not stated and 5" in said
    assert "differs" not in " ".join(compared(a, replace(other, tool="another")).warnings)  # it names them otherwise


def test_items_with_other_prompts_pass_for_absent_ones() -> None:
    a = a_log([1.0, 0.0], ids=texts(2), prompts=prompts(["a", "b"]))
    row = only(compared(a, beta(a, prompts=prompts(["c", "d"]))))
    assert (row.items, row.changed) == (0, 2)
    assert row.not_compared == "nothing to compare: all common items have another prompt (--allow-changed-prompts)"
