"""The baselines without a key through the whole chain on the sample: who sees references, and that the bound is one."""

from __future__ import annotations

import json

import pytest

TASKS = ("qmsum", "squality", "gov_report")
ASK = ("--engine", "inline", *(word for task in TASKS for word in ("--task", task)))


@pytest.fixture
def scores(call):
    """Value by (model, task) of a run on the sample."""

    def run(*models, arguments=ASK):
        asked = [word for model in models for word in ("--model", model)]
        status, out, err = call("--quiet", "--json", "run", "zeroscrolls", "--sample", *asked, *arguments)
        assert status == 0, err
        return {(row["model"], row["task"]): row["value"] for row in json.loads(out)["tasks"]}

    return run


@pytest.mark.slow
def test_upper_bound_is_below_what_it_bounds(scores):
    found = scores("oracle", "lexrank", "bm25", "lead")
    for task in TASKS:
        assert found["oracle", task] > max(found[model, task] for model in ("lexrank", "bm25", "lead")) + 5


def test_references_reach_a_model_that_is_compared(scores, monkeypatch):
    from scrollwork.models.extractive.by_rule import Extractive

    seen = {}
    answer = Extractive.answer

    def watched(self, calls):
        calls = list(calls)
        seen.setdefault(self.name, set()).update(bool(call.ask.references) for call in calls)
        return answer(self, calls)

    monkeypatch.setattr(Extractive, "answer", watched)
    scores("oracle", "strong", arguments=("--engine", "inline", "--task", "squality"))
    assert seen == {"oracle": {True}, "strong": {False}}


def test_upper_bound_is_forgotten_by_a_report_of_everything(call, scores, tmp_path):
    scores("oracle", "lexrank", arguments=("--engine", "inline", "--task", "squality"))
    out = tmp_path / "page.html"
    status, said, err = call("--quiet", "report", "zeroscrolls", "--out", str(out))
    assert status == 0, err
    assert "oracle: no average: upper bound: reads the references" in said
    assert "upper bound: reads the references" in out.read_text(encoding="utf-8")


def test_second_run_asks_again(call, scores):
    first = scores("strong")
    status, _, err = call("run", "zeroscrolls", "--sample", "--model", "strong", *ASK)
    assert status == 0
    assert "nothing was to be done" in err
    assert scores("strong") == first
