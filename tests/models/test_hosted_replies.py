"""Every way in which a reply can be no answer, over real HTTP: none passes for an answer, none loses its cost."""

from __future__ import annotations

import time
from typing import Any

import pytest

from scrollwork.models.base import CallProblem, Reply, Usage
from scrollwork.models.hosted.replies import read
from scrollwork.models.hosted.usage import USAGES
from tests.models.hosted_kit import SPECS, ask, attempt, one_vendor, problem_of, reply_of, vendor
from tests.servers import raw
from tests.servers.texts import SAYS
from tests.servers.vendor import Vendor

__all__ = ["one_vendor", "vendor"]
ENDPOINTS = sorted(SPECS)


def at(vendor: Vendor, endpoint: str, fault: str) -> Reply | Exception:
    spec, given = SPECS[endpoint]
    vendor.set(plan={"always": fault})
    return attempt(spec, vendor.url, **given)


@pytest.mark.parametrize("endpoint", ENDPOINTS)
def test_good_reply_loses_text_usage_or_model(endpoint: str, vendor: Vendor) -> None:
    spec, given = SPECS[endpoint]
    reply = reply_of(spec, vendor.url, ask("word " * 3000), **given)
    assert reply.finish_reason == "complete"
    assert len(reply.text.split()) > 20
    assert reply.reported_model.startswith(("gpt-test-2026", "claude-test"))
    assert (reply.usage.input_tokens or 0) > 3700
    assert (reply.usage.output_tokens or 0) > 20


@pytest.mark.parametrize(
    ("said", "output", "thought"),
    [
        ({"total_tokens": 160}, 60, 50),  # Gemini's endpoint: thoughts are charged, and stand in the total alone
        ({"total_tokens": 160, "completion_tokens_details": {"reasoning_tokens": 50}}, 60, 50),
        ({"total_tokens": 110}, 10, None),
        ({"total_tokens": 110, "completion_tokens_details": {"reasoning_tokens": 4}}, 10, 4),
        ({"total_tokens": 5}, 10, None),
        ({"total_tokens": "160"}, 10, None),
        ({}, 10, None),
    ],
)
def test_thoughts_beside_the_output_cost_nothing(said: dict[str, Any], output: int, thought: int | None) -> None:
    usage = USAGES["chat"]({"prompt_tokens": 100, "completion_tokens": 10, **said})
    assert (usage.input_tokens, usage.output_tokens, usage.reasoning_tokens) == (100, output, thought)


@pytest.mark.parametrize("endpoint", ENDPOINTS)
@pytest.mark.parametrize("name", SAYS)
def test_strange_text_is_refused_or_changed(endpoint: str, name: str, vendor: Vendor) -> None:
    found = at(vendor, endpoint, f"says:{name}")
    assert isinstance(found, Reply), found
    assert found.text == SAYS[name]


@pytest.mark.parametrize("endpoint", ENDPOINTS)
def test_same_question_is_answered_differently(endpoint: str, vendor: Vendor) -> None:
    spec, given = SPECS[endpoint]
    assert reply_of(spec, vendor.url, **given).text == reply_of(spec, vendor.url, **given).text
    assert reply_of(spec, vendor.url, **given).text != reply_of(spec, vendor.url, ask("other"), **given).text


@pytest.mark.parametrize("endpoint", ENDPOINTS)
@pytest.mark.parametrize(
    ("fault", "kind", "status", "said"),
    [
        ("half", "transient", 200, "broken JSON"),
        ("html", "transient", 200, "a page of HTML: Gateway Sorry, try later"),
        ("null", "transient", 200, "null, not an object"),
        ("list", "transient", 200, "a list, not an object"),
        ("text", "transient", 200, "a text, not an object"),
        ("object", "transient", 200, ""),
        ("no-body", "transient", 200, "an empty body"),
        ("error-200", "transient", 200, "api_error): Internal"),
        ("overloaded-200", "transient", 200, "overloaded_error): Overloaded"),
        ("invalid-200", "terminal", 200, "no such thing"),
        ("stream", "terminal", 200, "stream"),
        ("empty", "transient", 200, "an empty answer"),
        ("blank", "transient", 200, "an empty answer"),
        ("no-choices", "transient", 200, ""),
        ("strange-finish", "terminal", 200, "'because', which is not known"),
        ("reset", "transient", None, ""),
        ("reset-mid", "transient", None, ""),
        ("cut", "transient", None, ""),
        ("408", "transient", 408, "Timeout"),
        ("500", "transient", 500, "Internal server error"),
        ("500-final", "terminal", 500, "Do not come back"),
        ("501", "terminal", 501, ""),
        ("503", "transient", 503, "Unavailable"),
        ("529", "transient", 529, "Overloaded"),
        ("400", "terminal", 400, "Bad request"),
        ("401", "terminal", 401, "Incorrect API key"),
        ("403", "terminal", 403, "no access"),
        ("404", "terminal", 404, "does not exist"),
        ("413", "terminal", 413, "too large"),
        ("context", "terminal", 400, "maximum context length"),
        ("quota", "quota", 429, "exceeded your current quota"),
        ("429-day", "quota", 429, "requests per day"),
        ("credit", "quota", 400, "credit balance"),
    ],
)
def test_no_answer_passes_for_one(
    fault: str, kind: str, status: int | None, said: str, endpoint: str, vendor: Vendor
) -> None:
    spec, given = SPECS[endpoint]
    vendor.set(plan={"always": fault})
    problem = problem_of(spec, vendor.url, **given)
    assert (problem.kind, problem.status) == (kind, status), problem.message
    assert said in problem.message
    assert problem.slow_down == (fault in ("503", "529", "overloaded-200", "quota", "429-day")), problem.message
    assert len(problem.message) < 400


@pytest.mark.parametrize("endpoint", ENDPOINTS)
@pytest.mark.parametrize(("fault", "seconds"), [("429", None), ("429-after", 1.0), ("429-ms", 0.25), ("429-date", 2.0)])
def test_retry_after_is_not_understood(fault: str, seconds: float | None, endpoint: str, vendor: Vendor) -> None:
    spec, given = SPECS[endpoint]
    vendor.set(plan={"always": fault})
    problem = problem_of(spec, vendor.url, **given)
    assert (problem.kind, problem.status, problem.slow_down) == ("transient", 429, True)
    assert problem.retry_after_s == (
        None if seconds is None else pytest.approx(seconds, abs=2.01 if fault == "429-date" else 0)
    )


@pytest.mark.parametrize("endpoint", ENDPOINTS)
def test_what_was_charged_for_an_unusable_reply_is_forgotten(endpoint: str, vendor: Vendor) -> None:
    spec, given = SPECS[endpoint]
    vendor.set(plan={"script": ["empty", "null", "500"]})
    paid = [problem_of(spec, vendor.url, **given).paid for _ in range(3)]
    assert paid[0] is not None
    assert (paid[0].input_tokens or 0) > 5
    assert paid[1:] == [None, None]


@pytest.mark.parametrize("endpoint", ENDPOINTS)
def test_reply_without_usage_is_thrown_away_or_its_cost_invented(endpoint: str, vendor: Vendor) -> None:
    spec, given = SPECS[endpoint]
    for fault in ("no-usage", "odd-usage"):
        vendor.set(plan={"always": fault})
        reply = reply_of(spec, vendor.url, **given)
        assert reply.text
        assert reply.usage == Usage()


@pytest.mark.parametrize("endpoint", ENDPOINTS)
@pytest.mark.parametrize(
    ("fault", "finish"),
    [
        ("length", "length"),
        ("refused", {"completions": "filtered"}),
        ("filtered", {"messages": "refused"}),
        ("window", {"messages": "context", "chat": "context", "completions": "context", "responses": "length"}),
        ("tool", {"responses": "length"}),
    ],
)
def test_finish_reason_has_no_meaning(fault: str, finish: str | dict[str, str], endpoint: str, vendor: Vendor) -> None:
    defaults = {"refused": "refused", "filtered": "filtered", "tool": "complete", "window": "context"}
    expected = finish if isinstance(finish, str) else finish.get(endpoint, defaults[fault])
    found = at(vendor, endpoint, fault)
    assert isinstance(found, Reply), found
    assert found.finish_reason == expected
    if fault == "refused" and endpoint in ("chat", "responses"):
        assert found.text == "I cannot help with that."


@pytest.mark.parametrize("endpoint", ENDPOINTS)
@pytest.mark.parametrize("fault", ["length-empty", "length-blank", "window-empty"])
def test_reply_that_ended_before_its_first_word_passes_for_an_answer(fault: str, endpoint: str, vendor: Vendor) -> None:
    found = at(vendor, endpoint, fault)
    assert isinstance(found, CallProblem), found
    assert (found.kind, found.status) == ("terminal", 200), "asked again in the same words it is paid again"
    assert found.paid is not None
    assert found.message.startswith(f"no room to answer: the whole budget of {found.paid.output_tokens} tokens went")
    assert "reasoning_tokens = 25000" in found.message


def test_thoughts_alone_pass_for_an_answer(vendor: Vendor) -> None:
    given = {"parameters": {"temperature": False}}
    for endpoint in ("chat", "responses"):
        asked = ask(max_new_tokens=64)
        problem = problem_of("openai:gpt-5-test", vendor.url, asked, endpoint=endpoint, **given)
        assert problem.message.startswith("no room to answer: the whole budget of 64 tokens went into thinking; give")
        assert problem.paid is not None
        assert problem.paid.reasoning_tokens == 64


def test_budget_too_small_for_a_thought_is_told_in_other_words(vendor: Vendor) -> None:
    vendor.set(plan={"always": "no-room"})
    problem = problem_of("openai:gpt-test", vendor.url)
    assert (problem.kind, problem.status) == ("terminal", 400)
    assert problem.message.startswith("HTTP 400: no room to answer (Could not finish the message because max_tokens")
    assert "reasoning_tokens = 25000" in problem.message
    assert len(problem.message) < 400


@pytest.mark.parametrize("endpoint", ["messages", "responses"])
def test_reply_without_a_reason_passes_for_complete(endpoint: str, vendor: Vendor) -> None:
    found = at(vendor, endpoint, "no-finish")
    assert not isinstance(found, Reply)


def test_server_that_names_no_finish_reason_is_never_understood(vendor: Vendor) -> None:
    found = at(vendor, "chat", "no-finish")
    assert isinstance(found, Reply)
    assert found.finish_reason == "complete"


def test_thoughts_that_use_up_all_tokens_are_tried_again(vendor: Vendor) -> None:
    given = {"parameters": {"temperature": False}}
    reply = reply_of("openai:o9-test", vendor.url, ask(max_new_tokens=3), **given)
    assert reply.finish_reason == "length"
    room = reply_of("openai:gpt-5-test", vendor.url, ask(max_new_tokens=60), reasoning_tokens=64, **given)
    assert room.finish_reason == "complete"
    assert room.usage.reasoning_tokens == 64
    assert (room.usage.output_tokens or 0) > 64


@pytest.mark.parametrize("endpoint", ENDPOINTS)
def test_limits_in_headers_are_not_read(endpoint: str, vendor: Vendor) -> None:
    spec, given = SPECS[endpoint]
    vendor.set(rpm=600, tpm=90_000)
    limits = reply_of(spec, vendor.url, **given).limits
    assert limits is not None
    assert (limits.requests_limit, limits.requests_remaining) == (600, 599)
    assert limits.tokens_limit == 90_000
    assert 89_000 < (limits.tokens_remaining or 0) < 90_000
    assert limits.requests_reset_s is not None
    assert limits.requests_reset_s < 5


def test_limit_that_refuses_is_not_seen(vendor: Vendor) -> None:
    vendor.set(rpm=60, burst_s=1.0)
    assert isinstance(attempt("openai:gpt-test", vendor.url), Reply)
    problem = problem_of("openai:gpt-test", vendor.url)
    assert (problem.status, problem.slow_down, problem.retry_after_s) == (429, True, 1.0)
    assert problem.limits is not None
    assert problem.limits.requests_remaining == 0


def test_cached_tokens_are_counted_beside_the_input_of_one_vendor(vendor: Vendor) -> None:
    long = "word " * 2000
    claude = [reply_of("anthropic:m", vendor.url, ask(long, prefix="p", tokens=2500)).usage for _ in range(2)]
    assert claude[0].input_tokens == claude[1].input_tokens
    assert claude[0].cache_write_tokens == claude[1].cached_tokens
    assert (claude[1].cached_tokens or 0) > 2400
    assert claude[1].cache_write_tokens == 0
    gpt = [reply_of("openai:m", vendor.url, ask(long, question=q)).usage for q in ("What?", "Who?")]
    assert gpt[0].input_tokens == pytest.approx(gpt[1].input_tokens, abs=1)
    assert (gpt[0].cached_tokens, (gpt[1].cached_tokens or 0) > 2000) == (0, True)


def test_lonely_prefix_is_written_to_the_cache_for_money(vendor: Vendor) -> None:
    alone = reply_of("anthropic:m", vendor.url, ask("word " * 2000, tokens=2500))
    assert alone.usage.cache_write_tokens == 0


def test_stalled_or_dripping_reply_is_waited_for_without_end(vendor: Vendor) -> None:
    for fault in ("stall:30", "drip:30"):
        vendor.set(plan={"always": fault})
        began = time.monotonic()
        problem = problem_of("openai:gpt-test", vendor.url, timeout_s=0.4)
        assert (problem.kind, "within 0.4 s" in problem.message) == ("transient", True)
        assert time.monotonic() - began < 3
    vendor.set(plan={"always": "drip:0.3"})
    assert isinstance(attempt("openai:gpt-test", vendor.url, timeout_s=5), Reply)


@pytest.mark.parametrize("fault", raw.FAULTS, ids=lambda fault: fault.__name__)
def test_broken_connection_raises_something_else(fault: object) -> None:
    with raw.running(fault) as url:  # type: ignore[arg-type]
        problem = problem_of("compatible:m", url.removesuffix("/v1"), timeout_s=0.7)
    assert problem.kind == "transient", problem.message
    assert len(problem.message) < 400


def test_key_follows_a_redirect(vendor: Vendor) -> None:
    with raw.running(raw.redirect) as url:
        problem = problem_of("openai:m", url.removesuffix("/v1"))
    assert (problem.kind, problem.status) == ("terminal", 307)
    assert "base_url: http://127.0.0.1:1/steal" in problem.message


def test_nobody_listens() -> None:
    problem = problem_of("compatible:m", "http://127.0.0.1:9", timeout_s=2)
    assert (problem.kind, problem.status) == ("transient", None)


def test_prompt_that_no_json_can_carry_kills_the_run(vendor: Vendor) -> None:
    problem = problem_of("openai:m", vendor.url, ask("half \ud800 surrogate"))
    assert problem.kind == "terminal"


@pytest.mark.parametrize("endpoint", ENDPOINTS)
def test_hostile_reply_is_changed_or_takes_long(endpoint: str) -> None:
    import orjson

    text = "\x1b[31m\x00\u202e<script>" + "a" * 2_000_000
    shapes = {
        "chat": {"choices": [{"message": {"content": text}, "finish_reason": "stop"}]},
        "completions": {"choices": [{"text": text, "finish_reason": "stop"}]},
        "responses": {
            "status": "completed",
            "output": [{"type": "message", "content": [{"type": "output_text", "text": text}]}],
        },
        "messages": {"content": [{"type": "text", "text": text}], "stop_reason": "end_turn"},
    }
    began = time.monotonic()
    assert read(endpoint, 200, {}, orjson.dumps(shapes[endpoint]), orjson.loads).text == text
    page = b"<" * 2_000_000
    with pytest.raises(Exception, match="HTML"):
        read(endpoint, 200, {}, page, orjson.loads)
    with pytest.raises(Exception, match="HTTP 502"):
        read(endpoint, 502, {}, page, orjson.loads)
    assert time.monotonic() - began < 2
