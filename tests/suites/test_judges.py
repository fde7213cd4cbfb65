"""Which models judge a suite's answers, and what is said where they cannot."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from scrollwork.flows.chains import Chain
from scrollwork.models.hosted.tables import BadTable
from scrollwork.models.local.local_tables import checked_table
from scrollwork.models.registry import UnknownModel, settings
from scrollwork.pipeline.errors import UsageError
from scrollwork.pipeline.source_digest import sources
from scrollwork.suites.judging_models import judged_suite
from scrollwork.suites.request import Request
from scrollwork.suites.suite_files import load_suite
from tests.suites.test_checkpoints import LLAMA, T5, folder

GOOD = {"template": "{premise} so {hypothesis}", "label": "yes", "window": 9}


def request(tmp_path: Path, **more: Any) -> Request:
    return Request.of("seam", home=str(tmp_path / "home"), sample=True, models=("lead",), runs=1, **more)


def scores(asked: Request) -> dict[str, Any]:
    """The score stage's node of each task."""
    return {node.label("task"): node.each("scores")[0] for node in Chain(asked).scored}


def test_judged_task_keeps_its_proxy_and_others_change(tmp_path: Path) -> None:
    place = folder(tmp_path / "t5", T5)
    judge = f"transformers:{place}"
    plain, judged = scores(request(tmp_path)), scores(request(tmp_path, faithfulness=judge, coverage=judge))
    assert plain["multi_news"] == judged["multi_news"]
    assert plain["fuse_reviews"].params["metric"] == "fic_proxy"
    own = judged["fuse_reviews"]
    assert own.params["metric"] == "fic"
    assert {
        "scrollwork.scoring.metrics.fic",
        "scrollwork.models.local.entailment",
        "scrollwork.tasks.score.judge_models",
    } <= set(sources(own.code))
    assert len(own.params["judges"]["coverage"]["digest"]) == 64
    assert str(tmp_path) not in str(own.params), "a key that knows where a checkpoint lies is another one elsewhere"


def test_models_other_than_the_papers_are_held_against_its_column() -> None:
    suite = load_suite("seam")
    papers = {"faithfulness": "google--flan-t5-xxl~1", "coverage": "lovodkin93--multi-review-fic-coverage-evaluator~2"}
    assert judged_suite(suite, papers).tasks["fuse_reviews"].proxy == ""
    other = judged_suite(suite, {**papers, "coverage": "mine~2"}).tasks["fuse_reviews"]
    assert "coverage by mine~2" in other.proxy
    assert "not comparable" in other.proxy


@pytest.mark.parametrize(
    ("roles", "problem"),
    [
        (("faithfulness",), "--coverage is missing"),
        (("coverage",), "--faithfulness is missing"),
    ],
)
def test_one_judge_alone_is_taken(tmp_path: Path, roles: tuple[str, ...], problem: str) -> None:
    place = folder(tmp_path / "t5", T5)
    with pytest.raises(UsageError, match=problem):
        request(tmp_path, **dict.fromkeys(roles, f"transformers:{place}"))


def test_what_is_no_judge_is_taken(tmp_path: Path) -> None:
    place = f"transformers:{folder(tmp_path / 't5', T5)}"
    llama = f"transformers:{folder(tmp_path / 'llama', LLAMA)}"
    for name, problem in (
        (llama, "an encoder-decoder is needed, not a causal model"),
        ("lead", "--coverage lead: only checkpoints judge"),
        ("nobody", "--coverage: .*nobody"),
        (f"transformers:{tmp_path / 'gone'}", "there is no folder"),
    ):
        with pytest.raises(UsageError, match=problem):
            request(tmp_path, faithfulness=place, coverage=name)
    with pytest.raises(UsageError, match="no task of zeroscrolls is scored by models"):
        Request.of(
            "zeroscrolls", home=str(tmp_path / "h"), sample=True, models=("naive",), faithfulness=place, coverage=place
        )


@pytest.mark.parametrize(
    ("own", "problem"),
    [
        ({**GOOD, "template": "{premise} alone"}, "entailment.template must hold {hypothesis} once"),
        ({"label": "yes", "window": 9}, "entailment.template is missing"),
        ({**GOOD, "label": ""}, "entailment.label is missing"),
        ({**GOOD, "window": -1}, "entailment.window must be positive"),
        ({**GOOD, "lable": "x"}, "entailment.lable"),
        ({**GOOD, "window": "9"}, "entailment.window"),
    ],
)
def test_slip_in_a_judges_table_is_passed_over(own: dict[str, Any], problem: str) -> None:
    table = {"provider": "transformers", "id": "x"}
    assert checked_table("tiny", {**table, "entailment": GOOD})["entailment"] == GOOD
    with pytest.raises(BadTable, match=problem.replace(".", r"\.")):
        checked_table("tiny", {**table, "entailment": own})
    with pytest.raises(UnknownModel, match="tiny"):
        settings("tiny", {"tiny": {**table, "entailment": own}})
