"""Files of other tools, piece by piece: ids that name folders, tokens, stops, what is not known."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from scrollwork.records.example import Example, metadata
from scrollwork.records.prompt import Part, Prompt
from scrollwork.records.response import FINISH_REASONS, Response
from scrollwork.records.score import Aggregate, Coverage, Score
from scrollwork.reporting.exchange import every_eval_ever, inspect_log, lm_eval_files
from scrollwork.reporting.exchange.system import Item, System, Trial, identity, moment

SYSTEM = System("gpt", "openai", "gpt-4o-mini", "externally_managed", "openai", {"temperature": 0.0})
COVERED = Coverage(expected=3, attempted=3, answered=3, failed=0, missing=0, truncated=0, length_cut=0)
LABELS: dict[str, Any] = {"suite": "zeroscrolls", "task": "qasper", "split": "test", "arm": "full", "model": "gpt"}
ROW = Aggregate(
    **LABELS,
    metric="f1",
    value=50.0,
    value_missing_as_zero=50.0,
    low=40.0,
    high=60.0,
    spread=None,
    seeds=1,
    components={"f1": 50.0},
    coverage=COVERED,
)
TRIAL = Trial(
    **{name: LABELS[name] for name in ("suite", "task", "split", "arm")},
    title="ZeroSCROLLS",
    system=SYSTEM,
    metric="f1",
    metric_version=1,
    profile="plain",
    max_new_tokens=128,
    temperature=0.0,
    aggregate=ROW,
    made={"sample": "a" * 64, "answers": ["b" * 64, "c" * 64]},
    ended=1_700_000_000.25,
    version="0.1.0",
    resamples=2000,
    level=0.95,
)
NAMED = {name: LABELS[name] for name in ("suite", "task", "split")}
EXAMPLE = Example(
    task="qasper",
    split="test",
    example_id="q1",
    document_ids=("d" * 64,),
    references=("one", "two"),
    metadata=metadata(b=1),
)
PROMPT = Prompt(
    **NAMED,
    example_id="q1",
    draw=0,
    profile="plain",
    arm="full",
    parts=(Part("query", "Why?"),),
    prompt_sha256="e" * 64,
    words=1,
    kept_chars=0,
    dropped_chars=0,
    truncated=False,
    max_new_tokens=128,
)


def response(**more: Any) -> Response:
    """An answer, complete unless it is said otherwise."""
    found = {"finish_reason": "complete", "input_tokens": None, "cached_tokens": None, "output_tokens": None, **more}
    return Response(
        **LABELS, example_id="q1", draw=0, request_key="f" * 64, text="so", reported_model="gpt-2026", **found
    )


def item(value: float = 100.0, **more: Any) -> Item:
    """An input with an answer and its score."""
    scored = Score(
        **LABELS,
        example_id="q1",
        draw=0,
        metric="f1",
        value=value,
        components={"f1": value},
        flags={},
        parsed=None,
    )
    return Item(0, EXAMPLE, PROMPT, "Why?", response(**more), None, scored, "so", {"answers": "b" * 64})


@pytest.mark.parametrize(
    ("name", "provider", "known", "expected"),
    [
        ("gpt-4o-mini", "openai", "gpt-4o-mini", "openai/gpt-4o-mini"),
        ("compatible:Qwen/Qwen3-32B", "compatible", "Qwen/Qwen3-32B", "Qwen/Qwen3-32B"),
        ("mine", "compatible", "a/b/c", "a/b_c"),
        ("naive:seed=0", "scrollwork", "", "scrollwork/naive-seed=0"),
        ("über ..: <x>", "elsewhere", "", "elsewhere/ber-..-x"),
        ("../../etc", "elsewhere", "", "model/_etc"),
        ("data", "elsewhere", "", "elsewhere/_data"),
        ("CON", "elsewhere", "", "elsewhere/_CON"),
        ("。。", "elsewhere", "", "elsewhere/model"),
    ],
)
def test_id_of_a_model_leaves_its_folder(name: str, provider: str, known: str, expected: str) -> None:
    assert "/".join(identity(name, provider, known)) == expected


def test_cached_tokens_are_counted_twice_by_inspect() -> None:
    used = inspect_log.usage_of(response(input_tokens=100, cached_tokens=60, output_tokens=7))
    assert used == {"input_tokens": 40, "output_tokens": 7, "total_tokens": 107, "input_tokens_cache_read": 60}
    assert inspect_log.usage_of(response()) == {}
    assert "input_tokens_cache_read" not in inspect_log.usage_of(response(input_tokens=1, output_tokens=1))


def test_tokens_that_nobody_counted_are_zero_in_eee() -> None:
    row = every_eval_ever.instance(TRIAL, item(), "id")
    assert row is not None
    assert row["token_usage"] is None
    row = every_eval_ever.instance(TRIAL, item(input_tokens=100, cached_tokens=60, output_tokens=7), "id")
    assert row is not None
    assert row["token_usage"] == {
        "input_tokens": 100,
        "output_tokens": 7,
        "total_tokens": 107,
        "input_tokens_cache_read": 60,
    }


def test_way_an_answer_ended_has_no_word_in_inspect() -> None:
    stops = [inspect_log.sample(TRIAL, item(finish_reason=reason))["output"]["choices"] for reason in FINISH_REASONS]
    assert [choices[0]["stop_reason"] for choices in stops] == [
        "stop",
        "max_tokens",
        "content_filter",
        "content_filter",
        "model_length",
    ]


@pytest.mark.parametrize(("value", "right"), [(100.0, True), (99.99999999999999, True), (99.9, False), (0.0, False)])
def test_perfect_answer_is_wrong_by_rounding(value: float, right: bool) -> None:
    row = every_eval_ever.instance(TRIAL, item(value), "id")
    assert row is not None
    assert row["evaluation"] == {"score": value, "is_correct": right}


def test_task_without_answers_has_a_score() -> None:
    nothing = Coverage(expected=3, attempted=1, answered=0, failed=1, missing=2, truncated=0, length_cut=0)
    lost = replace(
        TRIAL,
        aggregate=replace(
            ROW, value=None, value_missing_as_zero=0.0, low=None, high=None, components={}, coverage=nothing
        ),
    )
    record = every_eval_ever.record(SYSTEM, [TRIAL, lost], {})
    assert len(record["evaluation_results"]) == 1
    assert "detailed_evaluation_results" not in record
    found = lm_eval_files.results(SYSTEM, [lost], {}, 0.0, 0.0)
    assert (found["results"], found["n-samples"]) == ({}, {})
    header = inspect_log.header(lost, inspect_log.start(lost, ["q1"]), {})
    assert (header["status"], header["results"]["scores"][0]["metrics"]) == ("error", {})


def test_same_scores_are_two_records() -> None:
    one = every_eval_ever.record_id([TRIAL])
    assert UUID(one).version == 4
    assert one == every_eval_ever.record_id([replace(TRIAL, ended=0.0)])
    assert one != every_eval_ever.record_id([replace(TRIAL, made={"sample": "0" * 64})])


def test_names_of_files_are_other_than_the_tools_expect() -> None:
    assert re.fullmatch(
        r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\+00-00_[a-z-]+_[0-9a-f]{22}\.eval", inspect_log.file_name(TRIAL)
    )
    assert lm_eval_files.date_id(TRIAL.ended) == "2023-11-14T22-13-20.250000"
    assert moment(TRIAL.ended) == "2023-11-14T22:13:20+00:00"
    closed = replace(TRIAL, arm="closed-book", split="validation")
    assert lm_eval_files.task_name(closed) == "zeroscrolls_qasper_validation_closed_book"
    assert inspect_log.file_name(closed) != inspect_log.file_name(TRIAL)


def test_everything_is_plain_json() -> None:
    begun = inspect_log.start(TRIAL, ["q1"])
    values = [
        begun,
        inspect_log.header(TRIAL, begun, {}),
        inspect_log.sample(TRIAL, item()),
        inspect_log.summary(TRIAL, item()),
        lm_eval_files.sample(TRIAL, item()),
        lm_eval_files.results(SYSTEM, [TRIAL], {}, 0.0, 0.0),
        every_eval_ever.record(SYSTEM, [TRIAL], {}),
        every_eval_ever.instance(TRIAL, item(), "id"),
    ]
    for value in values:
        assert json.loads(json.dumps(value, allow_nan=False)) == value


@pytest.mark.parametrize(("temperature", "drawn"), [(0.0, False), (0.8, True), (None, None)])
def test_greedy_answers_are_said_to_be_drawn(temperature: float | None, drawn: bool | None) -> None:
    row = lm_eval_files.sample(replace(TRIAL, temperature=temperature), item())
    assert row is not None
    assert row["arguments"]["gen_args_0"]["arg_1"].get("do_sample") == drawn
