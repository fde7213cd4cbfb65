"""Rows of run scores from outside: what is read, and what is refused by line and field."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf, nan
from typing import Any

import pytest

from scrollwork.analysis.runs.score_rows import ScoreRowError, read_run_scores
from scrollwork.analysis.runs.scores import RunScores


def run(number: Any, score: Any, **more: Any) -> dict[str, Any]:
    return {"model": "m", "dataset": "x", "run": number, "score": score, **more}


def mean(value: Any, std: Any, **more: Any) -> dict[str, Any]:
    return {"model": "m", "dataset": "x", "mean": value, "std": std, **more}


def test_runs_and_means_are_not_read() -> None:
    read = read_run_scores([run(1, 2.5), run(0, 2), mean(7, 0.5, model="n"), mean(8, 0, dataset="y")])
    assert read.table.cells == {
        ("m", "x"): RunScores({1: 2.5, 0: 2.0}),
        ("n", "x"): RunScores(given=(7.0, 0.5)),
        ("m", "y"): RunScores(given=(8.0, 0.0)),
    }
    assert (read.table.models, read.table.datasets) == (("m", "n"), ("x", "y"))
    assert read.table.cell("n", "y").missing


NA_ROWS: list[list[dict[str, Any]]] = [
    [run(0, None)],
    [run(0, None), run(1, None)],
    [run(None, None)],
    [{"model": "m", "dataset": "x", "score": None}],
    [mean(None, None)],
    [{"model": "m", "dataset": "x", "mean": None}],
    [{"model": "m", "dataset": "x", "run": None, "score": None, "mean": None, "std": None}],
]


@pytest.mark.parametrize("rows", NA_ROWS)
def test_a_form_of_na_is_refused(rows: list[dict[str, Any]]) -> None:
    read = read_run_scores([*rows, run(0, 1, model="n")])
    assert read.table.cell("m", "x").missing
    assert read.table.models == ("m", "n")
    assert read.left_out == ()


def test_columns_of_the_other_kind_that_are_null_are_refused() -> None:
    """So a table with both kinds of rows is written by data-frame libraries, whole numbers with a point."""
    rows = [run(0.0, 5.0, mean=None, std=None), mean(6.0, 1.0, model="n", run=None, score=None, vary=None)]
    assert read_run_scores(rows).table.cells == {
        ("m", "x"): RunScores({0: 5.0}),
        ("n", "x"): RunScores(given=(6.0, 1.0)),
    }


def test_a_lost_run_is_not_told() -> None:
    read = read_run_scores([run(0, 1), run(1, None), run(2, 3), run(3, None), run(0, None, dataset="y")])
    assert read.table.cell("m", "x").values == (1, 3)
    assert read.left_out == (("m", "x", 2),)


def test_unknown_fields_are_not_told() -> None:
    assert read_run_scores([run(0, 1, n=100, when="now"), run(1, 1, n=7)]).ignored == ("n", "when")


def test_rows_of_an_experiment_enter_the_ranking() -> None:
    read = read_run_scores([run(0, 1), run(0, 9, vary="shots"), run(1, 8, vary="shots"), run(0, 7, vary="generation")])
    assert read.table.cells == {("m", "x"): RunScores({0: 1.0})}
    assert read.designed == {("m", "x"): {"shots": RunScores({0: 9.0, 1: 8.0}), "generation": RunScores({0: 7.0})}}


def test_names_are_not_free() -> None:
    names = ["__proto__", " ", "ß", "ss", "\ud800", '"', "[red]", "é", "e\u0301", "x" * 5000]
    read = read_run_scores([run(0, 1, model=name, dataset=name) for name in names])
    assert set(read.table.models) == set(read.table.datasets) == set(names)


GOOD = run(0, 1)
BAD: list[tuple[list[Mapping[str, Any]], str]] = [
    ([], "there is no row to rank"),
    ([run(0, 1, vary="shots")], "there is no row to rank"),
    ([GOOD, {}], 'line 2: field "model" is missing'),
    ([GOOD, run(1, 1, model=3)], 'line 2: field "model" must be a string, not a number'),
    ([run(0, 1, dataset=None)], 'line 1: field "dataset" must be a string, not null'),
    ([run(0, 1, dataset="")], 'line 1: field "dataset" is empty'),
    ([{"model": "m", "dataset": "x"}], 'line 1: field "score" is missing'),
    ([{"model": "m", "dataset": "x", "run": 0}], 'line 1: field "score" is missing'),
    ([{"model": "m", "dataset": "x", "score": 1}], 'line 1: field "run" is missing'),
    ([run(None, 1)], 'line 1: field "run" must be a whole number, not null'),
    ([run("0", 1)], 'line 1: field "run" must be a whole number, not a string'),
    ([run(True, 1)], 'line 1: field "run" must be a whole number, not true or false'),
    ([run(0.5, 1)], 'line 1: field "run" must be a whole number, not a fraction'),
    ([run(inf, 1)], 'line 1: field "run" must be a whole number, not a fraction'),
    ([run(-1, 1)], 'line 1: field "run" must be from 0'),
    ([run(2**60, 1)], 'line 1: field "run" must be from 0'),
    ([run(0, "5")], 'line 1: field "score" must be a number or null, not a string'),
    ([run(0, False)], 'line 1: field "score" must be a number or null, not true or false'),
    ([run(0, [1])], 'line 1: field "score" must be a number or null, not a list'),
    ([run(0, nan)], 'line 1: field "score" is not finite'),
    ([run(0, -inf)], 'line 1: field "score" is not finite'),
    ([run(0, 10**400)], 'line 1: field "score" is beyond 1e+100'),
    ([run(0, -2e100)], 'line 1: field "score" is beyond 1e+100'),
    ([mean(1, nan)], 'line 1: field "std" is not finite'),
    ([mean(1, -0.1)], 'line 1: field "std" is negative'),
    ([mean(1, None)], 'line 1: field "std" must be a number where "mean" is one'),
    ([{"model": "m", "dataset": "x", "mean": 1}], 'line 1: field "std" is missing'),
    ([{"model": "m", "dataset": "x", "std": 1}], 'line 1: field "mean" is missing'),
    ([run(0, 1, mean=2, std=1)], 'line 1: fields "score" and "mean" exclude each other'),
    ([mean(2, 1, run=0)], 'line 1: fields "run" and "mean" exclude each other'),
    ([GOOD, run(1, 1), run(0, 1)], 'line 3: field "run": run 0 of "m" on "x" is in line 1 too'),
    ([GOOD, run(0.0, None)], 'line 2: field "run": run 0 of "m" on "x" is in line 1 too'),
    ([run(None, None)] * 2, 'line 2: field "run": NA of "m" on "x" is in line 1 too'),
    ([mean(1, 0), mean(1, 0)], 'line 2: field "mean": line 1 gives mean and std of "m" on "x"'),
    ([GOOD, mean(1, 0)], 'line 2: field "mean": line 1 gives runs of "m" on "x"'),
    ([GOOD, mean(None, None)], 'line 2: field "mean": line 1 gives runs of "m" on "x"'),
    ([mean(None, None), run(3, 1)], 'line 2: field "score": line 1 gives mean and std of "m" on "x"'),
    ([GOOD, run(None, None)], 'line 2: field "score": "m" on "x" is NA in line 2, with a score in line 1'),
    ([run(None, None), run(3, 1)], 'line 2: field "score": "m" on "x" is NA in line 1, with a score in line 2'),
    ([GOOD, run(0, 1, vary="weather")], 'line 2: field "vary" must be one of instruction, document-order'),
    ([GOOD, run(0, 1, vary=["shots"])], 'line 2: field "vary" must be one of'),
    ([GOOD, *[run(0, 1, vary="shots")] * 2], '"m" on "x", shots varied is in line 2 too'),
]


@pytest.mark.parametrize(("rows", "said"), BAD)
def test_bad_rows_are_read_or_not_named(rows: list[Mapping[str, Any]], said: str) -> None:
    with pytest.raises(ScoreRowError) as error:
        read_run_scores(rows)
    assert said in str(error.value)


def test_a_hostile_name_acts_on_the_terminal() -> None:
    with pytest.raises(ScoreRowError) as error:
        read_run_scores([run(0, 1, model="\x1b[2J\u202e" + "x" * 500)] * 2)
    text = str(error.value)
    assert "\\u001b[2J\\u202e" in text
    assert text.isprintable()
    assert len(text) < 200
