"""What is judged and compared in a run: rows of the artifacts beside scores and aggregates, and what is built again."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scrollwork.flows.chains import Chain
from scrollwork.pipeline.plan import Node
from scrollwork.records.base import Row
from scrollwork.records.comparison import Average, Comparison
from scrollwork.records.example import Example
from scrollwork.records.judgement import AnswerMeasure, Judgement, Slice
from scrollwork.records.score import Aggregate, Score
from scrollwork.storage.artifacts.artifact import Artifact
from scrollwork.storage.home import Home
from scrollwork.suites.request import Request
from scrollwork.tasks.judge import run as judge
from tests.conftest import Call, Scrollwork, edit, files_of

ASK = ("--quiet", "run", "zeroscrolls", "--sample", "--engine", "inline", "--json")
TASKS = ("--task", "musique", "--task", "quality", "--task", "qmsum")
MODELS = ("--model", "naive", "--model", "bm25", "--model", "oracle")


def artifacts(home: Path, stage: str, part: str = "") -> list[Artifact]:
    """The artifacts of a stage, of slots that hold `part`."""
    return [
        one
        for one in Home(str(home)).artifacts.everything()
        if one.manifest.ingredients.stage == stage and part in one.manifest.ingredients.slot
    ]


def rows(home: Path, stage: str, table: str, row: type[Row], part: str = "") -> list[Any]:
    """Rows of all of them."""
    return [found for one in artifacts(home, stage, part) for found in one.rows(table, row)]


@pytest.fixture(scope="module")
def home(house: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with a run of three models, and what `run --json` printed in `printed.json`. Read it."""
    work = Scrollwork(house, tmp_path_factory.mktemp("judged") / "home")
    done = work(*ASK, *TASKS, *MODELS)
    (work.home / "printed.json").write_text(done.out, encoding="utf-8")
    return work.home


def printed(home: Path) -> dict[str, Any]:
    """What `run --json` printed."""
    found: dict[str, Any] = json.loads((home / "printed.json").read_text(encoding="utf-8"))
    return found


def test_judgements_differ_from_scores(home: Path) -> None:
    scores = rows(home, "score", "scores", Score)
    judged = rows(home, "judge", "judgements", Judgement)
    assert len(scores) == len(judged) > 0
    found = {(one.task, one.model, one.example_id): one for one in judged}
    for score in scores:
        one = found[score.task, score.model, score.example_id]
        assert one.components == score.components
        assert one.readable == score.flags.get("format_ok")
    letters = [one for one in judged if one.task == "quality"]
    assert {one.in_format for one in letters} == {True}
    assert {one.words for one in letters} == {1}
    assert {one.refusal for one in judged if (one.task, one.model[:5]) == ("musique", "naive")} == {"unanswerable"}


def test_documents_have_other_lengths_than_their_texts(home: Path) -> None:
    words = {}
    for curated in artifacts(home, "curate", "qmsum"):
        text_of = curated.texts()
        for example in curated.rows("examples", Example):
            words[example.example_id] = sum(len(text_of(one).split()) for one in example.document_ids)
    judged = rows(home, "judge", "judgements", Judgement, "qmsum")
    assert {one.example_id: one.document_words for one in judged} == words


def test_average_of_all_tasks_is_given_for_three_of_ten_or_to_an_upper_bound(home: Path) -> None:
    averages = rows(home, "compare", "averages", Average)
    assert [(one.model, one.value, one.withheld) for one in averages] == [
        ("naive", None, "3 of 10 tasks"),
        ("bm25", None, "3 of 10 tasks"),
        ("oracle", None, "upper bound: reads the references"),
    ]


def test_comparison_has_other_values_than_the_leaderboard(home: Path) -> None:
    values = {(one.task, one.model): one.value for one in rows(home, "aggregate", "aggregates", Aggregate)}
    compared = rows(home, "compare", "comparisons", Comparison)
    assert [(one.task, one.model, one.other) for one in compared] == [
        (task, "naive", "bm25") for task in ("qmsum", "quality", "musique")
    ], "the oracle reads the references and is compared with none"
    for one in compared:
        assert one.value == pytest.approx(values[one.task, one.model])
        assert one.other_value == pytest.approx(values[one.task, one.other])
        assert one.difference == pytest.approx(one.value - one.other_value)
        assert one.left_out == 0


def test_json_differs_from_the_artifacts(home: Path) -> None:
    told = printed(home)
    assert {"tasks", "averages", "report", "spent"} <= set(told)
    for key, stage, table, row in (
        ("conduct", "judge", "conduct", AnswerMeasure),
        ("slices", "judge", "slices", Slice),
        ("comparisons", "compare", "comparisons", Comparison),
        ("average_intervals", "compare", "averages", Average),
    ):
        kept = rows(home, stage, table, row)
        assert len(told[key]) == len(kept) > 0
        assert Counter(map(repr, rows(home, "report", table, row))) == Counter(map(repr, kept))
    shares = {(one["task"], one["model"], one["measure"]): one["value"] for one in told["conduct"]}
    assert shares["musique", "naive", "unanswerable"] == 100.0
    assert shares["quality", "bm25", "in_format"] == 100.0


@pytest.mark.slow
def test_artifacts_of_two_runs_differ(call: Call, home: Path) -> None:
    before = files_of(home)
    status, out, err = call(*ASK, *TASKS, *MODELS)
    assert status == 0, err
    assert {**json.loads(out), "report": ""} == {**printed(home), "report": ""}
    assert files_of(call.home) == before
    assert call("--json", "verify")[0] == 0


@pytest.mark.slow
def test_order_of_models_or_arms_changes_what_is_said_of_one(call: Call, tmp_path: Path) -> None:
    asked = ("--task", "musique", "--task", "qasper", "--model", "bm25", "--model", "lead")
    arms = ("--arm", "full", "--arm", "closed-book")
    assert call(*ASK, *asked, *arms)[0] == 0
    there = {one.task: one for one in rows(call.home, "compare", "comparisons", Comparison) if one.other_arm == "full"}
    own = [one for one in rows(call.home, "compare", "comparisons", Comparison) if one.arm != one.other_arm]
    assert [(one.model, one.task, one.arm, one.other_arm) for one in own] == [
        (model, task, "full", "closed-book") for model in ("bm25", "lead") for task in ("qasper", "musique")
    ]
    assert all(one.low is not None and one.p_holm is not None for one in own)
    before = files_of(call.home)
    call.home = tmp_path / "other"
    assert call(*ASK, *asked, *arms[2:], *arms[:2])[0] == 0
    compared = {name: digest for name, digest in files_of(call.home).items() if name.startswith("compare/")}
    assert compared == {name: digest for name, digest in before.items() if name.startswith("compare/")}
    call.home = tmp_path / "turned"
    assert call(*ASK, *asked[:4], "--model", "lead", "--model", "bm25")[0] == 0
    for one in rows(call.home, "compare", "comparisons", Comparison):
        other = there[one.task]
        assert (one.model, one.other, one.p) == (other.other, other.model, other.p)
        assert (one.difference, one.low, one.high) == pytest.approx((-other.difference, -other.high, -other.low))


def test_cut_prompts_have_no_slices_of_their_own(call: Call) -> None:
    cut = ("--task", "qasper", "--model", "bm25", "--max-input-tokens", "1700", "--tokenizer", "words")
    assert call(*ASK, *cut)[0] == 0
    judged = rows(call.home, "judge", "judgements", Judgement)
    found = rows(call.home, "judge", "slices", Slice)
    truncated = sum(one.truncated for one in judged)
    assert truncated > 0
    by = {one.by for one in found}
    assert "document_words" in by
    assert ("truncated" in by) == (truncated < len(judged))
    assert "answer" in by or "evidence" in by
    for name in by:
        assert sum(one.asked for one in found if one.by == name) == len(judged)


def test_shards_change_a_judgement(call: Call) -> None:
    """narrative_qa comes in shards; every input is judged once."""
    assert call(*ASK, "--task", "narrative_qa", "--model", "bm25")[0] == 0
    judged = rows(call.home, "judge", "judgements", Judgement)
    scores = rows(call.home, "score", "scores", Score)
    assert len(artifacts(call.home, "score")) > 1
    assert sorted(one.example_id for one in judged) == sorted(one.example_id for one in scores)
    assert len({one.example_id for one in judged}) == len(judged)


def test_failed_task_takes_the_comparison_or_the_report_with_it(call: Call, raw: Path) -> None:
    (raw / "qmsum" / "data" / "ALL" / "jsonl" / "test.jsonl").write_bytes(b"")
    ask = ("--quiet", "run", "zeroscrolls", "--raw", str(raw), "--engine", "inline", "--json", *TASKS)
    status, out, _ = call(*ask, "--model", "bm25", "--model", "lead")
    assert status == 1
    assert {one["task"] for one in json.loads(out)["comparisons"]} == {"quality", "musique"}


@pytest.mark.slow
def test_changed_rule_of_judgement_scores_or_asks_again(finished: Scrollwork, tree: Path) -> None:
    work = finished.with_(root=tree)
    edit(
        tree / "scoring" / "reading" / "judgement.py",
        lambda text: text.replace("HEAD_CHARACTERS, HEAD_WORDS = 1_000, 40", "HEAD_CHARACTERS, HEAD_WORDS = 1_000, 50"),
    )
    states = work.states("--task", "qmsum")
    assert {name for name, state in states.items() if state != "reused"} == {"judge qmsum", "compare", "report"}


def test_stage_between_score_and_aggregate_gives_judge_its_own_parameters(tmp_path: Path) -> None:
    chain = Chain(Request.of("zeroscrolls", home=str(tmp_path), sample=True, models=("naive",), tasks=("quality",)))
    aggregate = chain.scored[0]
    between = Node("recheck", (), {"other": 1}, "a.module", (), (("scores", aggregate.each("scores")),))
    moved = replace(
        aggregate, inputs=tuple((name, (between,) if name == "scores" else of) for name, of in aggregate.inputs)
    )
    assert judge.declare(moved, []).params == chain.judge(aggregate).params
