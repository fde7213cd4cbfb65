"""Models with fitted rules: what they learn from, how it is keyed, and what is said where it is missing."""

from __future__ import annotations

import json
import shutil

import pytest

from tests.conftest import edit


def fit_rows(plan):
    return {row["task"]: row for row in plan if row["stage"] == "fit"}


@pytest.fixture
def learner(call, house):
    def run(*arguments, task="qmsum", raw=house / "sample" / "raw", model="naive", command="run"):
        command = (
            command,
            "scrolls",
            "--raw",
            str(raw),
            "--model",
            model,
            *arguments,
            *(("--task", task) if task else ()),
        )
        engine = ("--engine", "inline") if command[0] == "run" else ()
        return call("--quiet", "--json", *command, *engine)

    return run


@pytest.mark.slow
def test_naive_leaves_a_task_of_scrolls_without_a_score(learner):
    status, out, err = learner(task="")
    assert status == 0, err
    found = json.loads(out)
    scored = [row for row in found["tasks"] if row["metric"] != "em_hard"]
    assert [row["task"] for row in scored] == [
        "gov_report", "summ_screen_fd", "qmsum", "qasper", "narrative_qa", "quality", "contract_nli"]  # fmt: skip
    assert found["averages"]["naive"] == pytest.approx(sum(row["value"] for row in scored) / 7)


def test_changed_train_split_leaves_the_answers_standing(learner, raw):
    assert learner(raw=raw)[0] == 0
    edit(raw / "qmsum/data/ALL/jsonl/train.jsonl", lambda text: text.replace("In the end", "At the very end", 1))
    plan = {row["stage"]: row for row in json.loads(learner(raw=raw, command="plan")[1]) if row["split"] != "train"}
    assert plan["prompt"]["state"] == "reused"
    assert plan["generate"]["why"] == "input fitted changed"


def test_missing_train_split_is_not_named_or_another_is_taken_silently(learner, raw):
    (raw / "contract_nli" / "train.json").unlink()
    status, out, err = learner(task="contract_nli", raw=raw)
    assert status == 1
    assert "looked for contract_nli/**/train.json" in err
    assert "model 'naive' takes its rule for contract_nli from split train" in err
    assert "naive:fit_split=SPLIT takes another (there are: train, validation, test)" in err
    assert json.loads(out)["tasks"] == []

    status, out, err = learner(task="contract_nli", raw=raw, model="naive:fit_split=validation")
    assert status == 0, err
    [row] = json.loads(out)["tasks"]
    assert row["model"] == "naive:fit_split=validation"


def test_model_is_fitted_on_the_split_that_it_is_scored_on(learner):
    status, _, err = learner("--split", "validation", model="naive:fit_split=validation")
    assert status == 2
    assert "would be fitted on split validation, which it is to be scored on" in err
    status, _, err = learner(model="naive:fit_split=dev")
    assert status == 2
    assert "there is no split 'dev' to learn from" in err


def test_option_of_the_fitted_is_taken_where_nothing_is_fitted(call):
    status, _, err = call("run", "zeroscrolls", "--sample", "--model", "naive:fit_split=train")
    assert status == 2
    assert "'fit_split=train' is no option of 'naive'" in err


def test_fitted_value_is_not_kept(learner, call, tmp_path):
    assert learner()[0] == 0
    [manifest] = (tmp_path / "home" / "artifacts" / "fit").glob("*/*/manifest.json")
    facts = json.loads(manifest.read_text())["facts"]
    assert (facts["kind"], facts["split"], facts["cases"]) == ("lead", "train", 5)
    assert 0.005 < facts["value"] < 0.2
    assert json.loads(call("--json", "verify")[1])["ok"]


def test_model_is_asked_for_a_task_that_it_is_not_defined_for(call, tmp_path):
    own = tmp_path / "own.toml"
    own.write_text('[mine]\nprovider = "baselines"\ntasks = ["qmsum"]\nrules.qmsum = { span = 9 }\n')
    asked = ("run", "zeroscrolls", "--sample", "--model", "mine", "--models", str(own), "--engine", "inline", "--quiet")
    status, out, err = call("--json", *asked, "--task", "qmsum", "--task", "musique")
    assert status == 0, err
    assert [row["task"] for row in json.loads(out)["tasks"]] == ["qmsum"]
    status, _, err = call(*asked, "--task", "musique")
    assert status == 2
    assert "model 'mine' is defined for the tasks qmsum only" in err


def test_train_split_of_a_task_is_read_twice(learner, raw):
    shutil.rmtree(raw / "musique")
    _, out, _ = learner(raw=raw, command="plan")
    stages = [(row["stage"], row["split"]) for row in json.loads(out)]
    assert stages.count(("curate", "train")) == stages.count(("fit", "train")) == 1
