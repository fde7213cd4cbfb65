"""Files of Every Eval Ever."""

from __future__ import annotations

import json
import math
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scrollwork.analysis.logs.log import Log, LogError, ReadOptions
from scrollwork.exchange.logs.every_eval_ever import read, recognizes
from tests.conftest import Call
from tests.exchange.logs.true_answers import OPTIONS, by_model, check, truth_of

NAMES = {
    "helm": {"exact": "quasi_exact_match:test"},  # f1 of HELM is another: over sets of words
    "lm_eval": {"exact": "exact:first", "f1": "f1:first"},
}


@pytest.fixture
def folder(shared: Path) -> Path:
    """What the converter made of logs of HELM and lm-eval."""
    return shared / "logs" / "every_eval_ever"


def by_prompt(log: Log, folder: Path, model: str) -> list[str]:
    """The true ids of a log's rows, by their prompts, which are all different."""
    names = {truth.prompt: name for name, truth in truth_of(folder, model).items()}
    assert log.prompts is not None
    return [names[prompt] for prompt in log.prompts]


@pytest.mark.parametrize("source", ["helm", "lm_eval"])
@pytest.mark.parametrize("model", ["alpha", "beta", "gamma"])
def test_a_score_of_every_eval_ever_is_not_the_true_one(folder: Path, source: str, model: str) -> None:
    assert recognizes(folder / source)
    logs = by_model(read(folder / source, OPTIONS), "facts")
    if model not in logs:
        assert (source, model) == ("helm", "gamma")  # not converted
        return
    log = logs[model]
    check(log, truth_of(folder, model), NAMES[source], by_prompt(log, folder, model))
    assert (log.ids, log.clusters) == (None, None)  # both are lost on the way
    assert log.positions is not None
    assert log.settings["max_tokens"] == "32"
    assert not log.notes


def test_an_item_is_counted_once_a_metric_or_filter(folder: Path) -> None:
    log = by_model(read(folder / "lm_eval", OPTIONS), "facts")["alpha"]
    assert (len(log), sorted(log.scores)) == (60, ["exact:first", "exact:maj3", "f1:first", "f1:maj3"])
    assert len(by_model(read(folder / "lm_eval", OPTIONS), "facts_mc")["alpha"]) == 60


def test_equal_contents_of_two_models_are_other_items(folder: Path) -> None:
    logs = by_model(read(folder / "lm_eval", OPTIONS), "facts")
    alpha, beta = (by_prompt(logs[model], folder, model) for model in ("alpha", "beta"))
    contents = dict(zip(logs["alpha"].contents or (), alpha, strict=True))
    pairs = [(contents.get(own), name) for own, name in zip(logs["beta"].contents or (), beta, strict=True)]
    assert len([one for one, _ in pairs if one]) == 55  # two have an edited prompt
    assert all(one == other for one, other in pairs if one)


def test_an_aggregate_file_is_not_taken_for_its_samples(folder: Path) -> None:
    aggregate = next((folder / "lm_eval" / "facts" / "ours" / "alpha").glob("*[0-9a-f].json"))
    assert recognizes(aggregate)
    (log,) = read(aggregate, OPTIONS)
    assert len(log) == 60


def copied(folder: Path, tmp_path: Path) -> Path:
    """A copy of alpha's samples beside their aggregate file."""
    source = folder / "lm_eval" / "facts" / "ours" / "alpha"
    for file in source.iterdir():
        shutil.copy(file, tmp_path)
    (samples,) = tmp_path.glob("*_samples.jsonl")
    samples.chmod(0o644)
    return samples


def test_a_cut_file_is_read_as_whole(folder: Path, tmp_path: Path) -> None:
    samples = copied(folder, tmp_path)
    samples.write_bytes(samples.read_bytes()[:-50])
    (log,) = read(samples, OPTIONS)
    assert [note for note in log.notes if note.startswith("1 line was left out, being no whole JSON: line 240 ")]
    assert "239 whole rows are there, its aggregate file counts 240" in log.notes
    assert "the file is not the one that its aggregate file describes: another SHA-256" in log.notes
    assert math.isnan(log.scores["f1:maj3"][59])
    assert log.failures == {59: "f1:maj3: null"}


def sample(metric: str, value: Any, **more: Any) -> dict[str, Any]:
    return {
        "schema_version": "0.3.0", "model_id": "o/m", "evaluation_name": "t", "evaluation_result_id": metric,
        "sample_id": "a", "sample_hash": "h", "input": {"raw": "p"}, "evaluation": {"score": value}, **more,
    }  # fmt: skip


def write(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_rows_of_a_doubled_item_are_mixed(tmp_path: Path) -> None:
    path = write(tmp_path / "x_samples.jsonl", sample("m", 1), sample("n", 0.5), sample("m", 0), sample("n", 0.25))
    (log,) = read(path, OPTIONS)
    assert (log.ids, log.scores["m"].tolist(), log.scores["n"].tolist()) == (["a", "a"], [1.0, 0.0], [0.5, 0.25])


def test_an_error_or_a_value_that_is_no_score_counts(tmp_path: Path) -> None:
    rows = [
        sample("m", 0.0, error="timed out"),
        sample("m", math.nan, sample_id="b"),
        sample("m", "C", sample_id="c"),
        sample("m", None, sample_id="d"),
        sample("m", 1, sample_id="e", metadata={"document": "x"}),
    ]
    (log,) = read(write(tmp_path / "x_samples.jsonl", *rows), OPTIONS)
    assert log.failures == {0: "timed out", 1: "m: NaN", 2: "m: 'C', no number", 3: "m: null"}
    assert log.scores["m"][4] == 1.0
    assert log.clusters == ["", "", "", "", "x"]
    (log,) = read(write(tmp_path / "y_samples.jsonl", rows[1]), OPTIONS)
    assert np.isnan(log.scores["m"]).tolist() == [True]  # the metric is there, without a value
    (log,) = read(tmp_path / "x_samples.jsonl", ReadOptions("sample_hash", "metadata.document"))
    assert log.ids == ["h"] * 5
    with pytest.raises(LogError, match=r'no row has a value in the field "metadata\.no"'):
        read(tmp_path / "x_samples.jsonl", ReadOptions("metadata.no"))


def test_an_unknown_version_is_read_as_this_one(tmp_path: Path) -> None:
    path = write(tmp_path / "x_samples.jsonl", sample("m", 1), sample("m", 1, sample_id="b", schema_version="1.0.0"))
    with pytest.raises(
        LogError, match=r"x_samples.jsonl, line 2, schema_version: '1.0.0' is not known: 0.2.x and 0.3.x are"
    ):
        read(path, OPTIONS)
    path = write(tmp_path / "x_samples.jsonl", sample("", 1))
    with pytest.raises(LogError, match="line 1, evaluation_result_id: must be a text"):
        read(path, OPTIONS)


def test_rows_without_the_id_of_a_result_or_without_a_hash_are_refused(tmp_path: Path) -> None:
    """0.2.1 had no such id, and 0.3.0 requires neither."""
    rows = [sample("", place / 2, sample_id=f"id{place}", schema_version="0.2.1") for place in range(3)]
    for row in rows:
        del row["evaluation_result_id"]
    rows[1]["sample_hash"] = None
    path = write(tmp_path / "x_samples.jsonl", *rows)
    results = [{"evaluation_name": rows[0]["evaluation_name"], "metric_config": {"lower_is_better": True}}]
    (tmp_path / "x.json").write_text(json.dumps({"evaluation_results": results}), encoding="utf-8")
    assert recognizes(path)
    (log,) = read(path, OPTIONS)
    assert (log.positions, log.contents, log.scores["score"].tolist()) == (["id0", "id1", "id2"], None, [0.0, 0.5, 1.0])
    assert log.lower_is_better == {"score"}
    results[0]["evaluation_name"] = "another"
    (tmp_path / "x.json").write_text(json.dumps({"evaluation_results": results}), encoding="utf-8")
    assert read(path, OPTIONS)[0].lower_is_better == frozenset()


def test_other_json_lines_pass_for_every_eval_ever(shared: Path) -> None:
    assert not recognizes(shared / "logs" / "lm_eval")
    assert not recognizes(shared / "logs" / "promptfoo")


@pytest.mark.slow
def test_our_own_export_comes_back_with_other_numbers(call: Call, tmp_path: Path) -> None:
    of_run = ("zeroscrolls", "--sample", "--task", "quality", "--model", "naive:seed=0")
    status, text, _ = call("--quiet", "run", *of_run, "--engine", "inline", "--json")
    assert status == 0
    assert call("--quiet", "export", "eee", *of_run, "--out", str(tmp_path / "eee"))[0] == 0
    (log,) = read(tmp_path / "eee", OPTIONS)
    (row,) = json.loads(text)["tasks"]
    assert (log.task, len(log), log.failures) == ("zeroscrolls/quality", row["coverage"]["answered"], {})
    assert len(set(log.ids or ())) == len(log) > len(set(log.clusters or ())) > 1
    (found,) = log.scores.values()
    assert found.mean() == pytest.approx(row["value"], abs=1e-9)
