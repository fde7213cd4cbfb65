"""Errors as vendors mean them: a pace is waited for, a month's limit ends the run, whoever passes the body on."""

from __future__ import annotations

import json
from typing import Any

import orjson
import pytest

from scrollwork.models.base import CallProblem
from scrollwork.models.engine.retry import ends_the_run
from scrollwork.models.hosted.error_replies import problem_of_status
from scrollwork.models.hosted.replies import read
from scrollwork.models.vendors.tiers import flex_refused

CURRENT_QUOTA = (
    "You exceeded your current quota, please check your plan and billing details. For more information, head to the "
    "docs.\n* Quota exceeded for metric: generativelanguage.googleapis.com/generate_content_paid_tier_input_token_count, "
    "limit: 1000000, model: gemini-3.1-pro"
)
RETRY = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "45.5s"}


def google(message: str, *details: Any) -> list[dict[str, Any]]:
    """As the OpenAI-compatible endpoint sends it: a list around the object."""
    return [{"error": {"code": 429, "message": message, "status": "RESOURCE_EXHAUSTED", "details": [*details]}}]


def failure(quota: str) -> dict[str, Any]:
    """google.rpc.QuotaFailure."""
    return {"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [{"quotaId": quota}]}


MINUTE = failure("GenerateContentPaidTierInputTokensPerModelPerMinute")
DAY = failure("GenerateRequestsPerDayPerProjectPerModel-FreeTier")


def anthropic(kind: str, message: str, **details: Any) -> dict[str, Any]:
    """An error of Anthropic."""
    return {"type": "error", "error": {"type": kind, "message": message, **({"details": details} if details else {})}}


def openai(message: str, kind: str | None, code: str | None) -> dict[str, Any]:
    """An error of OpenAI."""
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


def passed_on(body: Any) -> dict[str, Any]:
    """As LiteLLM passes it on: the vendor's body as the text of its own message, as Python writes bytes."""
    text = f"litellm.RateLimitError: GeminiException - {json.dumps(body, indent=1).encode()!r}"
    return openai(text, "throttling_error", "429")


SPENT = (
    "You have reached your API usage limits: your organization has crossed its monthly API usage threshold, which is set "
    "by your plan. You will regain access on 2026-12-01 at 00:00 UTC."
)
# (status, headers, body, kind, whether it ends the run, seconds until it may come again or None)
ERRORS: list[tuple[str, int, dict[str, str], Any, str, bool, float | None]] = [
    ("gemini's minute", 429, {}, google(CURRENT_QUOTA, MINUTE, RETRY), "transient", False, 45.5),
    ("gemini's minute by its quota alone", 429, {}, google(CURRENT_QUOTA, MINUTE), "transient", False, None),
    ("gemini's minute in words", 429, {}, google(f"{CURRENT_QUOTA}\nPlease retry in 45.5s."), "transient", False, 45.5),
    ("gemini's day", 429, {}, google(CURRENT_QUOTA, DAY, RETRY), "quota", True, 45.5),
    ("gemini's day and minute", 429, {}, google(CURRENT_QUOTA, MINUTE, DAY, RETRY), "quota", True, 45.5),
    ("gemini through a gateway", 429, {}, google(CURRENT_QUOTA, MINUTE, RETRY)[0], "transient", False, 45.5),
    ("gemini's minute as text of a gateway", 429, {}, passed_on(google(CURRENT_QUOTA, MINUTE, RETRY)), "transient", False,
     45.5),
    ("gemini's minute by its quota in a text", 429, {}, passed_on(google(CURRENT_QUOTA, MINUTE)), "transient", False, None),
    ("gemini's day as text of a gateway", 429, {}, passed_on(google(CURRENT_QUOTA, DAY, RETRY)), "quota", True, 45.5),
    ("gemini's minute under another status", 403, {}, google(CURRENT_QUOTA, MINUTE, RETRY), "transient", False, 45.5),
    ("openai's minute under another status", 400, {}, openai("Rate limit reached. Please try again in 1.2s.", "tokens",
     "rate_limit_exceeded"), "transient", False, 1.2),
    ("gemini's day behind openrouter", 429, {}, {"error": {"code": 429, "message": "Provider returned error", "metadata":
     {"provider_name": "Google", "raw": json.dumps(google(CURRENT_QUOTA, DAY))}}}, "quota", True, None),
    ("gemini's minute as text under 400", 400, {}, {"error": {"code": "400", "message": json.dumps(google(CURRENT_QUOTA, RETRY))}},
     "transient", False, 45.5),
    ("anthropic's month as text", 400, {}, {"error": {"code": "400", "message": "AnthropicException - {\"error_code\": "
     "\"enforced_spend_limit_reached\"}"}}, "quota", True, None),
    ("openrouter's day", 429, {}, {"error": {"code": 429, "message": "Rate limit exceeded: free-models-per-day-high-balance. "}},
     "quota", True, None),
    ("no credits under a gateway's 400", 400, {}, {"error": {"code": 402, "message": "Insufficient credits"}}, "quota", True,
     None),
    ("no credits under a gateway's 502", 502, {}, {"error": {"code": "402", "message": "Insufficient"}}, "quota", True, None),
    ("no money behind openrouter", 429, {}, {"error": {"code": 429, "message": "Provider returned error", "metadata":
     {"raw": json.dumps(openai("You have no money", "insufficient_quota", "insufficient_quota"))}}}, "quota", True, None),
    ("gemini without details", 429, {}, google(CURRENT_QUOTA), "quota", True, None),
    ("gemini overloaded", 503, {}, [{"error": {"code": 503, "message": "The model is overloaded.",
     "status": "UNAVAILABLE"}}], "transient", False, None),
    ("no money at openai", 429, {}, openai("You exceeded your current quota, please check your plan and billing "
     "details.", "insufficient_quota", "insufficient_quota"), "quota", True, None),
    ("no credits at openai", 429, {}, openai("You have no credits remaining", None, None), "quota", True, None),
    ("openai's minute", 429, {}, openai("Rate limit reached for gpt-6-luna in organization org-x on tokens per min (TPM)"
     ": Limit 30000, Used 29000, Requested 2000. Please try again in 1.2s.", "tokens", "rate_limit_exceeded"),
     "transient", False, 1.2),
    ("openai's header before its words", 429, {"retry-after": "7"}, openai("Please try again in 1.2s.", "tokens",
     "rate_limit_exceeded"), "transient", False, 7.0),
    ("openai's day", 429, {}, openai("Rate limit reached for gpt-6-luna on requests per day (RPD): Limit 200, Used 200. "
     "Please try again in 7m12s.", "requests", "rate_limit_exceeded"), "quota", True, 432.0),
    ("anthropic's month", 429, {}, anthropic("rate_limit_error", SPENT, error_code="enforced_spend_limit_reached"),
     "quota", True, None),
    ("anthropic's month without its code", 429, {}, anthropic("rate_limit_error", SPENT), "quota", True, None),
    ("anthropic's own limit", 400, {}, anthropic("invalid_request_error", "You have reached your specified API usage "
     "limits. You will regain access on 2026-12-01 at 00:00 UTC."), "quota", True, None),
    ("anthropic's workspace", 400, {}, anthropic("invalid_request_error", "You have reached your specified workspace API "
     "usage limits. You will regain access on 2026-12-01 at 00:00 UTC."), "quota", True, None),
    ("anthropic's minute", 429, {"retry-after": "12"}, anthropic("rate_limit_error", "This request would exceed your "
     "organization's rate limit of 2,000,000 input tokens per minute"), "transient", False, 12.0),
    ("anthropic overloaded", 529, {}, anthropic("overloaded_error", "Overloaded"), "transient", False, None),
    ("groq's flex", 498, {}, openai("Flex tier capacity exceeded", "capacity_exceeded", "capacity_exceeded"),
     "transient", False, None),
    ("deepseek without balance", 402, {}, openai("Insufficient Balance", "unknown_error", "invalid_request_error"),
     "quota", True, None),
    ("openrouter without credits", 402, {}, {"error": {"code": 402, "message": "Insufficient credits"}}, "quota", True,
     None),
    ("openrouter's upstream", 502, {}, {"error": {"code": 502, "message": "Provider returned error", "metadata":
     {"provider_name": "X", "raw": "reset"}}}, "transient", False, None),
]  # fmt: skip


@pytest.mark.parametrize(
    ("status", "headers", "body", "kind", "ends", "seconds"),
    [one[1:] for one in ERRORS],
    ids=[one[0] for one in ERRORS],
)
def test_pace_ends_the_run_or_a_spent_month_is_asked_on(
    status: int, headers: dict[str, str], body: Any, kind: str, ends: bool, seconds: float | None
) -> None:
    problem = problem_of_status(status, headers, body)
    assert (problem.kind, ends_the_run(problem)) == (kind, ends)
    assert problem.retry_after_s == (None if seconds is None else pytest.approx(seconds))


@pytest.mark.parametrize(
    "body",
    [
        openai("too long", "tokens", "context_length_exceeded"),
        openai("wrong", "requests", None),
        openai(
            "invalid prompt: 'status: RESOURCE_EXHAUSTED, please retry in 1s.'",
            "invalid_request_error",
            "invalid_prompt",
        ),
        openai("invalid prompt: 'RESOURCE_EXHAUSTED, please retry in 1s'", None, None),
        openai("invalid prompt: 'error_code: enforced_spend_limit_reached'", "invalid_request_error", None),
        {"detail": "the prompt said enforced_spend_limit_reached and RESOURCE_EXHAUSTED, retry in 5s"},
    ],
)
@pytest.mark.parametrize("status", [400, 403, 413, 422])
def test_refused_prompt_is_asked_for_ever_or_ends_the_run_for_what_it_quotes(status: int, body: Any) -> None:
    problem = problem_of_status(status, {}, body)
    assert (problem.kind, problem.slow_down) == ("terminal", False)


def test_gemini_by_flex_pays_the_standard_price_for_a_limit_of_the_minute() -> None:
    """Its one name stands for a limit of the account, which is waited for, and for a tier that is full."""
    minute = google(CURRENT_QUOTA, MINUTE, RETRY)
    full = [{"error": {"code": 429, "message": "Resource has been exhausted.", "status": "RESOURCE_EXHAUSTED"}}]
    for body, refused in ((minute, False), (minute[0], False), (passed_on(minute), False), (full, True)):
        problem = problem_of_status(429, {}, body)
        assert problem.kind == "transient"
        assert flex_refused(problem) == refused
    assert flex_refused(problem_of_status(429, {}, openai("Resource Unavailable. Try again in 5s.", None, None)))


@pytest.mark.parametrize(
    ("error", "kind", "slow"),
    [
        ({"message": "Overloaded", "type": "service_unavailable_error", "code": "server_is_overloaded"}, "transient", True),
        ({"message": "Provider returned error", "code": 429, "metadata": {"provider_name": "X"}}, "transient", True),
        ({"message": "Provider returned error", "code": 502}, "transient", False),
        ({"message": "Insufficient credits", "code": 402}, "quota", False),
        ({"message": "slower", "code": "400", "type": "rate_limit_error"}, "transient", True),
        ({"message": json.dumps(google(CURRENT_QUOTA, RETRY)), "code": "400"}, "transient", True),
        ({"message": "slower", "code": 429, "type": "invalid_request_error"}, "transient", True),
        ({"message": "wrong", "code": 400, "type": "invalid_request_error"}, "terminal", False),
        (google(CURRENT_QUOTA, MINUTE, RETRY)[0]["error"], "transient", True),
        (google(CURRENT_QUOTA, DAY)[0]["error"], "quota", True),
    ],
)  # fmt: skip
def test_error_inside_a_good_status_is_an_answer_or_ends_the_run(error: Any, kind: str, slow: bool) -> None:
    with pytest.raises(CallProblem) as caught:
        read("chat", 200, {}, orjson.dumps({"error": error}), orjson.loads)
    assert (caught.value.kind, caught.value.slow_down) == (kind, slow)


@pytest.mark.parametrize(
    "details",
    [
        5,
        "enforced_spend_limit_reached",
        [None, 5, "x", []],
        [{"violations": 7}, {"violations": [None, {"quotaId": 5}]}],
        [{"retryDelay": "-5s"}, {"retryDelay": {"seconds": 5}}, {"retryDelay": "9" * 400 + "s"}, {"retryDelay": "5 s"}],
        [{"error_code": ["enforced_spend_limit_reached"]}],
        [{"retryDelay": "1s1"}] * 1000,
    ],
)
def test_nonsense_in_the_details_is_believed(details: Any) -> None:
    error = {"error": {"message": "slow", "type": "rate_limit_error", "details": details}}
    problem = problem_of_status(429, {}, error)
    assert (problem.kind, problem.retry_after_s) == ("transient", None)


def test_delay_without_a_bound_is_believed() -> None:
    problem = problem_of_status(429, {}, google("slow", {"retryDelay": "999999999h"}))
    assert problem.retry_after_s is not None
    assert problem.retry_after_s <= 366 * 86400


def test_words_of_a_prompt_end_the_run() -> None:
    """Some servers repeat the prompt in a 400; only a limit's status, or a message of the vendor's own, may say so."""
    said = "prompt is too long: ... the guard said: you exceeded your per day limit; retry in 5s"
    problem = problem_of_status(413, {}, openai(said, "invalid_request_error", None))
    assert (problem.kind, ends_the_run(problem)) == ("terminal", False)


def test_want_of_room_inside_a_good_status_is_another_fault() -> None:
    words = "Could not finish the message because max_tokens or model output limit was reached."
    with pytest.raises(CallProblem) as caught:
        read("chat", 200, {}, orjson.dumps({"error": {"message": words, "code": 400}}), orjson.loads)
    assert (caught.value.kind, caught.value.no_room, caught.value.own) == ("terminal", True, True)
    for status in (400, 422, 500, 502, 503, 504, 529):
        assert problem_of_status(status, {}, openai(words, None, None)).no_room, (
            "a gateway's status is asked on for minutes"
        )
