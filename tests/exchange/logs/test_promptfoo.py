"""Outputs of promptfoo."""

from __future__ import annotations

import json
import math
import shutil
from pathlib import Path
from typing import Any

import pytest

from scrollwork.analysis.logs.log import LogError, ReadOptions
from scrollwork.exchange.logs.promptfoo import read, recognizes
from tests.exchange.logs.true_answers import OPTIONS, by_model, check, paired, truth_of

NAMES = {"exact": "exact", "f1": "f1"}


@pytest.fixture
def folder(shared: Path) -> Path:
    """One run with three providers, in three formats."""
    return shared / "logs" / "promptfoo"


@pytest.mark.parametrize("ending", ["json", "jsonl"])
@pytest.mark.parametrize("model", ["alpha", "beta", "gamma"])
def test_a_score_of_promptfoo_is_not_the_true_one(folder: Path, ending: str, model: str) -> None:
    path = folder / f"run.{ending}"
    assert recognizes(path)
    log = by_model(read(path, OPTIONS))[model]
    check(log, truth_of(folder, model), NAMES)
    assert log.task == ("facts" if ending == "json" else "promptfoo")
    assert list(log.scores) == ["exact", "f1", "score", "success"]
    assert log.clusters is not None
    assert log.prompts is not None
    assert log.positions is not None


def test_a_failed_assertion_is_taken_for_an_error(folder: Path) -> None:
    logs = by_model(read(folder / "run.json", OPTIONS))
    assert {model: len(log.failures) for model, log in logs.items()} == {"alpha": 0, "beta": 0, "gamma": 1}
    assert list(logs["gamma"].failures.values()) == ["vendor said 500 for this one"]
    (failed,) = logs["gamma"].failures
    assert math.isnan(logs["gamma"].scores["score"][failed])


def test_differences_of_promptfoo_are_not_those_of_the_world(folder: Path) -> None:
    logs = by_model(read(folder / "run.json", OPTIONS))
    truth = json.loads((folder / "truth_pairs.json").read_text(encoding="utf-8"))
    for pair in ("alpha vs beta", "alpha vs gamma"):
        first, _, second = pair.split()
        true = truth[pair]["all_same_id"]
        for metric in NAMES:
            n, won, lost, difference = paired(logs[first], logs[second], metric)
            assert (n, won, lost) == (true["n"], true[metric]["won"], true[metric]["lost"])
            assert difference == pytest.approx(true[metric]["diff_a_minus_b"], abs=1e-12)


@pytest.mark.parametrize("model", ["alpha", "beta", "gamma"])
def test_the_rounded_scores_of_a_csv_pass_for_whole(folder: Path, model: str) -> None:
    assert recognizes(folder / "run.csv")
    log = by_model(read(folder / "run.csv", OPTIONS))[model]
    truth = truth_of(folder, model)
    assert log.ids is not None
    assert sorted(log.ids) == sorted(truth)
    for row, name in enumerate(log.ids):
        for metric in NAMES:
            true, found = truth[name].values[metric], float(log.scores[metric][row])
            assert math.isnan(true) == math.isnan(found)
            assert math.isnan(true) or abs(true - found) <= 0.005
    assert [note for note in log.notes if "two decimals" in note]


def test_a_run_in_three_formats_is_three_runs(folder: Path) -> None:
    logs = read(folder, OPTIONS)
    assert sorted(log.model for log in logs) == ["alpha", "beta", "gamma"]
    assert {Path(log.source).name for log in logs} == {"run.json"}


# ---- hand-made cases


def result(test: int, score: float, **more: Any) -> dict[str, Any]:
    return {
        "testIdx": test, "promptIdx": 0, "provider": {"id": "p", "label": ""}, "failureReason": 0, "vars": {"q": f"v{test}"},
        "testCase": {"description": f"d{test}"}, "prompt": {"raw": f"say v{test}", "label": "one"}, "score": score,
        "success": score > 0, "namedScores": {}, **more,
    }  # fmt: skip


def write(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_repeats_and_prompts_of_one_provider_are_mixed(tmp_path: Path) -> None:
    other = {"prompt": {"raw": "x", "label": "two"}, "promptIdx": 1}
    rows = [result(0, 1.0), result(0, 0.5), result(1, 0.0), result(0, 0.25, **other)]
    one, two = read(write(tmp_path / "x.jsonl", *rows), OPTIONS)
    assert (one.model, two.model) == ("p, prompt one", "p, prompt two")
    assert (one.repeats, one.ids, one.scores["score"].tolist()) == (
        ["0", "1", "0"],
        ["d0", "d0", "d1"],
        [1.0, 0.5, 0.0],
    )
    assert (two.repeats, two.ids, two.scores["score"].tolist()) == (None, ["d0"], [0.25])


def test_one_description_of_all_tests_is_their_id(tmp_path: Path) -> None:
    same = {"testCase": {"description": "same"}}
    (log,) = read(write(tmp_path / "x.jsonl", result(0, 1.0, **same), result(1, 1.0, **same)), OPTIONS)
    assert (log.ids, log.positions) == (None, ["0", "1"])
    assert len(set(log.contents or ())) == 2
    (log,) = read(tmp_path / "x.jsonl", ReadOptions("vars.q", "q"))
    assert (log.ids, log.clusters) == (["v0", "v1"], ["v0", "v1"])
    with pytest.raises(LogError, match="no row has a value"):
        read(tmp_path / "x.jsonl", ReadOptions("vars.z"))


def test_the_number_of_a_row_is_taken_for_its_id(tmp_path: Path) -> None:
    rows = [result(test, 1.0, testCase={"description": f"Row #{test + 1}"}) for test in range(3)]
    (log,) = read(write(tmp_path / "x.jsonl", *rows), OPTIONS)
    assert (log.ids, log.positions) == (None, ["0", "1", "2"])
    (tmp_path / "x.csv").write_text(
        "Description,q,[p] say,Status,Score,Named Scores\nRow #1,v0,yes,PASS,1.00,{}\nRow #2,v1,no,FAIL,0.00,{}\n",
        encoding="utf-8",
    )
    (log,) = read(tmp_path / "x.csv", OPTIONS)
    assert log.ids is None
    assert len(set(log.contents or ())) == 2


def test_an_error_of_an_old_promptfoo_is_a_score_of_zero(tmp_path: Path) -> None:
    rows = [
        result(0, 0.0, error="API error: 429", gradingResult=None),
        result(1, 0.0, error="Expected a number", gradingResult={"pass": False}),
        result(2, 1.0, gradingResult={"pass": True}),
    ]
    for row in rows:
        del row["failureReason"]
    held = {"evalId": "e", "results": {"version": 3, "results": rows}}
    (tmp_path / "x.json").write_text(json.dumps(held), encoding="utf-8")
    (log,) = read(tmp_path / "x.json", OPTIONS)
    assert log.failures == {0: "API error: 429"}
    assert math.isnan(log.scores["score"][0])
    assert log.scores["score"].tolist()[1:] == [0.0, 1.0]


def test_values_that_are_no_scores_count(tmp_path: Path) -> None:
    rows = [
        result(0, 1.0, namedScores={"m": math.nan}),
        result(1, 1.0, namedScores={"m": "C"}),
        result(2, 0.0, namedScores={"m": 1}, failureReason=2, error="cut off"),
        result(3, 0.0, namedScores={"m": 1}, failureReason=1, error="too short"),
    ]
    (log,) = read(write(tmp_path / "x.jsonl", *rows), OPTIONS)
    assert log.failures == {0: "m: NaN", 1: "m: 'C', no number", 2: "cut off"}
    assert log.scores["m"].tolist()[3] == 1.0
    assert log.scores["score"].tolist()[:2] == [1.0, 1.0]
    assert math.isnan(log.scores["m"][2])


def test_names_of_metrics_without_end_fill_the_memory(tmp_path: Path) -> None:
    rows = [result(number, 1.0, namedScores={f"m{number}": 1}) for number in range(1001)]
    with pytest.raises(LogError, match="more than 1000 metrics"):
        read(write(tmp_path / "x.jsonl", *rows), OPTIONS)


def test_a_cut_file_is_read_as_whole(folder: Path, tmp_path: Path) -> None:
    for name in ("run.json", "run.jsonl", "run.csv"):
        shutil.copy(folder / name, tmp_path)
        place = tmp_path / name
        place.chmod(0o644)
        place.write_bytes(place.read_bytes()[: -300_000 if name == "run.json" else -100])
    assert sum(map(len, read(tmp_path / "run.jsonl", OPTIONS))) == 179
    assert "line 180 (is not whole JSON" in read(tmp_path / "run.jsonl", OPTIONS)[0].notes[0]
    with pytest.raises(LogError, match=r"run\.csv, row 60: has 19 cells, the first line 29: is it cut"):
        read(tmp_path / "run.csv", OPTIONS)
    (tmp_path / "cut.json").write_bytes((folder / "run.json").read_bytes()[:200_000])
    with pytest.raises(LogError, match=r"cut\.json, .*is not JSON"):
        read(tmp_path / "cut.json", OPTIONS)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"evalId": "e", "results": {"version": 2, "results": []}}', "results.version: 2 is not known: version 3"),
        ('{"evalId": "e", "results": {"version": 3, "results": []}}', "there is no result"),
        ('{"evalId": "e", "results": {"version": 3, "results": [{"testIdx": 0}]}}', "result 0: names no provider"),
    ],
)
def test_another_layout_is_read_as_this_one(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "x.json").write_text(content, encoding="utf-8")
    with pytest.raises(LogError, match=message):
        read(tmp_path / "x.json", OPTIONS)


def test_other_files_pass_for_promptfoo(shared: Path) -> None:
    for tool in ("plain", "lm_eval", "every_eval_ever", "helm"):
        assert not recognizes(shared / "logs" / tool)
