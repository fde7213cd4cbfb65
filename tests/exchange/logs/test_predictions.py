"""Predictions of L-Eval and LongBench, whose scores are computed here."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scrollwork.analysis.logs.log import LogError, ReadOptions, digest_of
from scrollwork.exchange.logs.predictions import l_eval, longbench
from tests.exchange.logs.true_answers import OPTIONS

CLASSES = ["City", "State"]


def write(path: Path, *rows: dict[str, Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


# ---- L-Eval


@pytest.mark.parametrize(
    ("place", "task", "metric", "mean"),
    [
        ("exam_eval/gpt4-32k", "coursera", "leval_exam_multi", 75.58),
        ("exam_eval/gpt4-32k", "quality", "leval_exam", 82.17),
        ("exam_eval/turbo-16k-0613", "tpo", "leval_exam", 78.43),
        ("ngram_eval/turbo-16k-0613", "financial_qa", "f1_scrolls", 45.36),
        ("ngram_eval/llama2-13b-chat-4k", "legal_contract_qa", "f1_scrolls", 23.14),
        ("ngram_eval/turbo-16k-0613", "tv_show_summ", "rougeL", 16.86),
        ("ngram_eval/vicuna-13b-16k", "news_summ", "rouge1", 31.60),
    ],
)
def test_a_mean_of_l_eval_is_not_the_published_one(
    shared: Path, place: str, task: str, metric: str, mean: float
) -> None:
    file = shared / "predictions" / "leval" / "Predictions" / place / f"{task}.pred.jsonl"
    assert l_eval.recognizes(file)
    (log,) = l_eval.read(file, OPTIONS)
    assert (log.task, log.model, log.ids, log.failures) == (task, file.parent.name, None, {})
    assert float(np.mean(log.scores[metric])) == pytest.approx(mean, abs=0.011)  # published values are cut


def test_items_of_two_models_are_not_the_same_or_repeated_ones_are_one(shared: Path) -> None:
    folder = shared / "predictions" / "leval" / "Predictions" / "exam_eval"
    logs = [l_eval.read(folder / model / "coursera.pred.jsonl", OPTIONS)[0] for model in ("gpt4-32k", "Claude-100k")]
    assert logs[0].contents == logs[1].contents
    assert len(set(logs[0].contents or ())) == 172  # one question is asked of two documents
    assert "items whose question and references are those of another, told apart by order: 1" in logs[0].notes


def test_an_exam_without_a_metric_is_scored_or_hidden(shared: Path) -> None:
    folder = shared / "predictions" / "leval" / "Predictions" / "exam_eval" / "gpt4-32k"
    logs = l_eval.read(folder, OPTIONS)
    assert sorted(log.task for log in logs) == ["coursera", "quality", "tpo"]
    for task in ("codeU", "topic_retrieval_longchat"):
        assert all(any(f"{task}.pred.jsonl: L-Eval scores the exam" in note for note in log.notes) for log in logs)
    with pytest.raises(LogError, match=r"scores the exam 'codeU' by a rule of its own, which is not built here$"):
        l_eval.read(folder / "codeU.pred.jsonl", OPTIONS)


def test_a_line_that_cannot_be_scored_costs_the_file_or_is_paired(tmp_path: Path) -> None:
    row = {"query": "Q1", "gt": "(B) right", "prompt": "{}", "m_pred": "B", "evaluation": "exam"}
    rows = [row, {**row, "m_pred": None}, {**row, "gt": "none"}, {**row, "evaluation": "f1"}, {**row, "query": "Q2"}]
    path = write(tmp_path / "model" / "quality.pred.jsonl", *rows)
    path.write_text(path.read_text() + '{"query": "Q3", "gt"', encoding="utf-8")
    (log,) = l_eval.read(path, OPTIONS)
    assert (log.model, log.positions) == ("model", ["0", "1", "2", "4"])
    assert (log.scores["leval_exam"].tolist()[0], log.scores["leval_exam"].tolist()[3]) == (100.0, 100.0)
    assert np.flatnonzero(np.isnan(log.scores["leval_exam"])).tolist() == sorted(log.failures) == [1, 2]
    assert "prediction must be text" in log.failures[1]
    assert "names no answer letter" in log.failures[2]
    assert "1 line was left out, having another evaluation than 'exam': line 4" in log.notes
    assert [note for note in log.notes if "being no whole JSON: line 6" in note]
    with pytest.raises(LogError, match="--id query: L-Eval's predictions have no ids"):
        l_eval.read(path, ReadOptions(id_field="query"))


# ---- LongBench

SAME_RULE = (
    "2wikimqa", "hotpotqa", "multifieldqa_en", "musique", "narrativeqa", "passage_count", "passage_retrieval_en", "qasper",
)  # fmt: skip


def test_a_score_of_minilongbench_is_not_upstreams(shared: Path) -> None:
    folder = shared / "raw" / "longbench_mini"
    assert longbench.recognizes(folder)
    logs = {log.task: log for log in longbench.read(folder, OPTIONS)}
    assert len(logs) == 14
    with (shared / "suites" / "longbench" / "example_mini_scores.csv").open(newline="") as stream:
        upstream = [row for row in csv.DictReader(stream) if row["task"] in SAME_RULE]
    assert len(upstream) == 74
    for row in upstream:  # the others are scored there by another package, or by more than the first line
        log = logs[row["task"]]
        place = list(log.positions or ()).index(row["item"])
        (found,) = (float(values[place]) for values in log.scores.values())
        assert found / 100 == pytest.approx(float(row["score"]), abs=1e-9), row
    assert float(np.mean(logs["trec"].scores["longbench_classification"])) == 37.5
    assert float(np.mean(logs["triviaqa"].scores["longbench_qa_f1"])) == pytest.approx(83.93, abs=0.01)


def test_prompts_of_minilongbench_are_unknown(shared: Path) -> None:
    file = shared / "raw" / "longbench_mini" / "MiniLongBench_trec.json"
    (log,) = longbench.read(file, OPTIONS)
    items = json.loads(file.read_text(encoding="utf-8"))
    assert log.prompts == [digest_of(item["origin_prompt"]) for item in items.values()]
    assert log.positions == list(items)


def test_a_task_without_a_metric_is_scored_or_hidden(shared: Path) -> None:
    logs = longbench.read(shared / "suites" / "longbench_mini_zh", OPTIONS)
    assert [log.task for log in logs] == ["lsht"]
    skipped = [note for note in logs[0].notes if note.startswith("not read: ")]
    assert len(skipped) == 4
    assert "'dureader' is no task of LongBench with a metric here" in skipped[0]


def test_layouts_of_longbench_are_read_otherwise(tmp_path: Path) -> None:
    lines = [
        {"pred": "\nCity\nState", "answers": ["City"], "all_classes": CLASSES, "length": 9},
        {"pred": "State", "answers": ["City"], "all_classes": CLASSES, "length": 10},
        {"pred": "State", "answers": "City", "all_classes": CLASSES, "length": 10},
        {"pred": ["City"], "answers": ["City"], "all_classes": CLASSES, "length": 11},
        {"pred": "City", "answers": [1], "all_classes": CLASSES, "length": 12},
        {"pred": "City", "answers": ["City"], "all_classes": None, "length": 13},
    ]
    (log,) = longbench.read(write(tmp_path / "model" / "trec_e.jsonl", *lines), OPTIONS)
    assert (log.task, log.model, log.ids) == ("trec_e", "model", None)  # LongBench-E has other items
    assert log.scores["longbench_classification"].tolist()[:3] == [100.0, 0.0, 0.0]
    assert log.failures[3].startswith("prediction must be text")
    assert (log.failures[4], log.failures[5]) == ("references are not all text", "options are no list")
    assert len(set(log.contents or ())) == 6
    items = {
        str(number): {"prediction": row["pred"], "gold": {"answers": row["answers"], "all_classes": CLASSES}}
        for number, row in enumerate(lines[:2])
    }
    for indent in (None, 1):
        path = tmp_path / "MiniLongBench_trec.json"
        path.write_text(json.dumps({**items, "2": 3}, indent=indent), encoding="utf-8")
        (log,) = longbench.read(path, OPTIONS)
        assert log.scores["longbench_classification"].tolist() == [100.0, 0.0]
        assert "1 item was left out, being no whole JSON object: item 2 (must be an object)" in log.notes
    path.write_text(json.dumps(items)[:-20], encoding="utf-8")
    assert longbench.recognizes(path)
    with pytest.raises(LogError, match=r"MiniLongBench_trec\.json, 1: is not JSON"):
        longbench.read(path, OPTIONS)


def test_the_verdict_of_version_2_is_computed_anew_or_its_ids_are_lost(tmp_path: Path) -> None:
    rows = [
        {
            "_id": "x1",
            "answer": "A",
            "pred": "A",
            "judge": True,
            "domain": "d",
            "difficulty": "easy",
            "response": "...",
        },
        {"_id": "x2", "answer": "A", "pred": None, "judge": False, "domain": "d", "difficulty": "hard", "response": ""},
        {"_id": "x3", "answer": "A", "pred": "A", "judge": None, "domain": "e", "difficulty": "hard", "response": ""},
    ]
    path = write(tmp_path / "results" / "some-model.jsonl", *rows)
    assert longbench.recognizes(path)
    (log,) = longbench.read(path, ReadOptions(cluster_field="domain"))
    assert (log.task, log.model, log.ids, log.clusters) == (
        "longbench_v2", "some-model", ["x1", "x2", "x3"], ["d", "d", "e"],
    )  # fmt: skip
    assert log.scores["judge"].tolist()[:2] == [1.0, 0.0]
    assert log.failures == {2: "judge: null"}
    with pytest.raises(LogError, match="no row has a value"):
        longbench.read(path, ReadOptions(id_field="no"))
    (log,) = longbench.read(write(path, *rows, {**rows[0], "_id": None}), OPTIONS)
    assert (log.ids, log.notes[0]) == (None, "ids are not used: 1 of 4 rows have none")


def test_other_files_pass_for_predictions(shared: Path) -> None:
    for place in (shared / "logs", shared / "raw" / "leval"):
        assert not l_eval.recognizes(place)
        assert not longbench.recognizes(place)
