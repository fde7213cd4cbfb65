"""Files of L-Eval and LongBench: predictions with their own gold."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest

from scrollwork.exchange.released import score_files
from scrollwork.pipeline.errors import UsageError
from scrollwork.scoring.files.pairs import score_pairs
from scrollwork.scoring.files.released import task_of
from scrollwork.scoring.registry import metric
from tests.conftest import Call

LEVAL = [
    {"query": "Q1", "gt": "(B) right", "prompt": "{}", "some_pred": "B", "evaluation": "exam"},
    {"query": "Q2", "gt": "AC", "prompt": "{}", "some_pred": "A", "evaluation": "exam"},
]
CLASSES = ["City", "State"]


def write(path: Path, *rows: dict[str, Any]) -> Path:
    """JSON Lines."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def one(benchmark: str, path: Path, *tasks: str, own: str = "") -> dict[str, Any]:
    """The only row of a file that is scored."""
    result = score_files(benchmark, str(path), "theirs", tasks, own)
    assert (result["failed"], result["not_scored"]) == ([], [])
    (row,) = result["tasks"]
    return row


def test_file_of_leval_is_scored_otherwise_than_its_pairs(tmp_path: Path) -> None:
    row = one("leval", write(tmp_path / "quality.pred.jsonl", *LEVAL))
    pairs = [
        {"id": str(number), "prediction": row["some_pred"], "references": [row["gt"]]}
        for number, row in enumerate(LEVAL)
    ]
    assert row["value"] == score_pairs(metric("leval_exam"), pairs)["value"] == (100 + 25) / 2
    assert (row["task"], row["metric"], row["model"], row["n"]) == ("quality", "leval_exam", "theirs", 2)
    assert one("leval", write(tmp_path / "coursera.pred.jsonl", *LEVAL))["metric"] == "leval_exam_multi"
    assert one("leval", write(tmp_path / "x.jsonl", *LEVAL), "tpo")["metric"] == "leval_exam"
    f1 = {**LEVAL[0], "evaluation": "f1"}
    assert one("leval", write(tmp_path / "scientific_qa.pred.jsonl", f1))["metric"] == "f1_scrolls"
    assert one("leval", tmp_path / "x.jsonl", own="f1")["metric"] == "f1"


def test_layouts_of_longbench_are_scored_otherwise(tmp_path: Path) -> None:
    lines = [
        {"pred": "\nCity\nState", "answers": ["City"], "all_classes": CLASSES, "length": 9},
        {"pred": "State", "answers": ["City"], "all_classes": CLASSES, "length": 9},
    ]
    published = one("longbench", write(tmp_path / "trec_e.jsonl", *lines))
    assert (published["task"], published["metric"], published["value"]) == ("trec", "longbench_classification", 50.0)
    items = {
        str(number): {"prediction": row["pred"], "gold": {"answers": row["answers"], "all_classes": CLASSES}}
        for number, row in enumerate(lines)
    }
    for indent in (None, 1):
        path = tmp_path / "MiniLongBench_trec.json"
        path.write_text(json.dumps(items, indent=indent), encoding="utf-8")
        assert one("longbench", path)["value"] == 50.0
    plain = {"pred": "Paris\nmore", "answers": ["Paris"], "all_classes": None, "length": 9}
    assert one("longbench", write(tmp_path / "triviaqa.jsonl", plain))["value"] == 100.0
    assert one("longbench", write(tmp_path / "qasper.jsonl", plain))["value"] < 100.0  # not cut at its first line


@pytest.mark.parametrize(
    ("benchmark", "name", "text", "message"),
    [
        ("leval", "quality.pred.jsonl", "", "there is no row"),
        ("leval", "quality.pred.jsonl", '{"gt": "B"}', r'line 1: 0 fields end in "_pred"'),
        (
            "leval",
            "quality.pred.jsonl",
            '{"gt": "B", "a_pred": "", "b_pred": ""}',
            r"line 1: 2 fields .*a_pred, b_pred",
        ),
        ("leval", "quality.pred.jsonl", '{"a_pred": "B", "evaluation": "exam"}', '"gt" is missing'),
        (
            "leval",
            "quality.pred.jsonl",
            '{"a_pred": 3, "gt": "B", "evaluation": "exam"}',
            "must be a string, not a num",
        ),
        ("leval", "quality.pred.jsonl", '{"a_pred": "B", "gt": "E", "evaluation": "exam"}', "names no answer letter"),
        ("leval", "quality.pred.jsonl", '{"a_pred": "B", "gt":', "line 1: not a JSON object"),
        ("longbench", "qasper.jsonl", '{"answers": ["x"]}', 'row 1: field "pred" is missing'),
        ("longbench", "qasper.jsonl", '{"pred": "x", "answers": []}', 'row 1: field "answers" is empty'),
        ("longbench", "trec.jsonl", '{"pred": "x", "answers": ["x"]}', 'row 1: field "all_classes" is missing'),
        ("longbench", "qasper.json", '{"0": {"gold": ["x"]}, "1": 3}', 'field "prediction" is missing'),
        ("longbench", "qasper.json", '{"0": {"gold": ["x"], "prediction": ""}, "1": 3}', "item '1': not an object"),
        ("longbench", "qasper.json", '{"0": {"gold": []}, "0": {}}', 'field "0" occurs twice'),
        ("longbench", "qasper.json", '{\n"0": ', "not a JSON object"),
    ],
)
def test_what_cannot_be_scored_is_not_named(tmp_path: Path, benchmark: str, name: str, text: str, message: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    result = score_files(benchmark, str(tmp_path), "theirs", (), "")
    assert result["tasks"] == []
    (failed,) = result["failed"]
    assert re.search(message, failed["error"])
    assert name in failed["error"]


def test_rows_of_another_rule_are_scored_by_that_of_the_first(tmp_path: Path) -> None:
    path = write(tmp_path / "quality.pred.jsonl", *LEVAL, {**LEVAL[0], "evaluation": "f1"})
    result = score_files("leval", str(path), "", (), "")
    assert result["tasks"] == []
    assert "line 3: field \"evaluation\" is 'f1', that of line 1 'exam'" in result["failed"][0]["error"]
    assert one("leval", path, own="f1")["n"] == 3


def test_output_with_an_object_beside_it_is_taken_for_a_whole_file(tmp_path: Path) -> None:
    line = {"pred": "City", "answers": ["City"], "all_classes": CLASSES, "usage": {"output": 1}}
    assert one("longbench", write(tmp_path / "trec.jsonl", line, line))["value"] == 100.0


def test_output_of_null_is_told_as_missing(tmp_path: Path) -> None:
    path = write(tmp_path / "qasper.jsonl", {"pred": None, "answers": ["x"], "all_classes": None})
    (failed,) = score_files("longbench", str(path), "", (), "")["failed"]
    assert 'row 1: field "pred" must be a string, not null' in failed["error"]


def test_task_without_a_metric_is_scored_somehow(tmp_path: Path) -> None:
    write(tmp_path / "codeU.pred.jsonl", *LEVAL)
    (row,) = score_files("leval", str(tmp_path), "", (), "")["not_scored"]
    assert "'codeU' by a rule of its own" in row["why"]
    write(tmp_path / "dureader.jsonl", {"pred": "x", "answers": ["x"]})
    (row,) = score_files("longbench", str(tmp_path / "dureader.jsonl"), "", (), "")["not_scored"]
    assert "'dureader' is no task of LongBench with a metric here" in row["why"]


@pytest.mark.parametrize(
    ("benchmark", "name", "task"),
    [
        ("leval", "TOEFL.pred.jsonl", "tpo"),
        ("leval", "QuALITY_pred.jsonl", "quality"),
        ("leval", "topic-retrieval-longchat.jsonl", "topic_retrieval_longchat"),
        ("longbench", "HotpotQA.jsonl", "hotpotqa"),
        ("longbench", "repobench_p_e.jsonl", "repobench-p"),
        ("longbench", "LongBench_2WikiMultihopQA.json", "2wikimqa"),
        ("longbench", "hotpotqa_v2.jsonl", "hotpotqa_v2"),
        ("longbench", "tpo.jsonl", "tpo"),
    ],
)
def test_task_by_another_name_is_another_task(benchmark: str, name: str, task: str) -> None:
    assert task_of(benchmark, name) == task


def test_file_of_no_known_task_is_said_to_have_a_rule_of_its_own(tmp_path: Path) -> None:
    write(tmp_path / "gpt4.jsonl", *LEVAL)
    (row,) = score_files("leval", str(tmp_path), "", (), "")["not_scored"]
    assert "'gpt4' is no exam of L-Eval; --task names one of: coursera, quality, tpo" in row["why"]
    write(tmp_path / "gpt4.jsonl", {"gt": "B", "a_pred": "B"})
    (row,) = score_files("leval", str(tmp_path), "", (), "")["not_scored"]
    assert 'has no field "evaluation"' in row["why"]
    write(tmp_path / "gpt4.jsonl", {"pred": "x", "answers": ["x"]})
    (row,) = score_files("longbench", str(tmp_path), "", (), "")["not_scored"]
    assert "--task names one of: narrativeqa" in row["why"]


def test_outputs_of_two_systems_in_one_file_are_one_system(tmp_path: Path) -> None:
    path = write(tmp_path / "quality.pred.jsonl", *LEVAL, {"gt": "B", "other_pred": "B", "evaluation": "exam"})
    (failed,) = score_files("leval", str(path), "", (), "")["failed"]
    assert 'line 3: the output is field "other_pred", before it was "some_pred"' in failed["error"]


def test_what_lies_beside_the_predictions_is_an_error_or_passed_over_in_silence(tmp_path: Path) -> None:
    write(tmp_path / "qasper.jsonl", {"pred": "x", "answers": ["x"], "all_classes": None})
    (tmp_path / "result.json").write_text('{\n"qasper": 100.0\n}')
    (tmp_path / "hotpotqa.txt").write_text("")
    (tmp_path / ".hidden").write_text("")
    (tmp_path / "other-model").mkdir()
    result = score_files("longbench", str(tmp_path), "", (), "")
    assert [row["task"] for row in result["tasks"]] == ["qasper"]
    assert result["failed"] == []
    told = {Path(row["file"]).name: row["why"] for row in result["not_scored"]}
    assert sorted(told) == ["hotpotqa.txt", "other-model", "result.json"]
    with pytest.raises(UsageError, match=r"no file is of the task hotpotqa; there are: qasper"):
        score_files("longbench", str(tmp_path), "", ("hotpotqa",), "")


def test_folder_of_folders_is_said_not_to_be_there(tmp_path: Path) -> None:
    (tmp_path / "gpt4").mkdir()
    with pytest.raises(UsageError, match=r"holds no \.json or \.jsonl, but gpt4/; folders in it are not looked into"):
        score_files("leval", str(tmp_path), "", (), "")


def test_packed_file_is_only_no_utf8(tmp_path: Path) -> None:
    (tmp_path / "qasper.jsonl").write_bytes(gzip.compress(b"{}"))
    (failed,) = score_files("longbench", str(tmp_path), "", (), "")["failed"]
    assert "is packed with gzip: unpack it" in failed["error"]


def test_wrong_call_is_an_empty_result(tmp_path: Path) -> None:
    for arguments in ((str(tmp_path), (), ""), (str(tmp_path / "none"), (), ""), (str(tmp_path), (), "no_metric")):
        with pytest.raises(UsageError):
            score_files("leval", arguments[0], "", arguments[1], arguments[2])


def test_published_numbers_do_not_come_out_of_the_command(call: Call, shared: Path) -> None:
    folder = shared / "predictions" / "leval" / "Predictions" / "exam_eval" / "gpt4-32k"
    status, out, err = call("--json", "score", "leval", "--predictions", str(folder), "--name", "gpt4")
    assert status == 0
    found = {row["task"]: round(row["value"], 2) for row in json.loads(out)["tasks"]}
    assert found == {"coursera": 75.58, "quality": 82.18, "tpo": 84.39}
    assert err.count("by a rule of its own") == 2  # codeU, topic_retrieval_longchat
    status, out, _ = call("--json", "score", "longbench", "--predictions", str(shared / "raw" / "longbench_mini"))
    assert status == 0
    assert len(json.loads(out)["tasks"]) == 14


def test_score_that_is_asked_for_in_two_ways_does_one(call: Call, tmp_path: Path) -> None:
    pairs = write(tmp_path / "pairs.jsonl", {"id": "1", "prediction": "A", "references": ["A"]})
    for wrong in (
        (),
        ("--metric", "f1"),
        ("zeroscrolls", "--metric", "f1", "--pairs", str(pairs)),
        ("zeroscrolls",),
        ("leval",),
        ("--metric", "f1", "--pairs", str(pairs), "--predictions", str(pairs)),
        ("--metric", "no", "--pairs", str(pairs)),
        ("--metric", "f1", "--pairs", str(tmp_path / "none")),
        ("no_suite", "--predictions", str(pairs), "--name", "x"),
        ("zeroscrolls", "--predictions", str(pairs)),
    ):
        assert call("score", *wrong)[0] == 2, wrong
    status, out, _ = call("--json", "score", "--metric", "leval_exam", "--pairs", str(pairs))
    assert (status, json.loads(out)["value"]) == (0, 100.0)
