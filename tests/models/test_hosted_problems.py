"""When to come back, what is left, what is hopeless: read from headers and words as vendors write them."""

from __future__ import annotations

import email.utils
import json
import time

import pytest

from scrollwork.models.base import Limits
from scrollwork.models.hosted.error_replies import (
    error_in,
    limits_of,
    message_line,
    problem_in_reply,
    problem_of_status,
    retry_after,
)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [("7", 7.0), ("0", 0.0), ("1.5", 1.5), (" 3 ", 3.0), ("-1", None), ("nan", None), ("inf", None), ("1e9", None)],
)
def test_retry_after_in_seconds(value: str, seconds: float | None) -> None:
    assert retry_after({"retry-after": value}) == seconds


@pytest.mark.parametrize("value", ["", "soon", "٣", "9" * 400, "Sun, 99 Foo 2026 99:99:99 GMT", "\x00", "1,5"])
def test_nonsense_in_retry_after_raises_or_is_believed(value: str) -> None:
    assert retry_after({"retry-after": value}) is None


def test_retry_after_as_a_date_depends_on_a_wrong_clock_here() -> None:
    then = time.time() + 1_000_000
    date = {"date": email.utils.formatdate(then, usegmt=True)}
    assert retry_after({"retry-after": email.utils.formatdate(then + 90, usegmt=True), **date}) == 90
    assert retry_after({"retry-after": email.utils.formatdate(then - 90, usegmt=True), **date}) == 0


def test_date_without_a_date_header_is_not_understood() -> None:
    found = retry_after({"retry-after": email.utils.formatdate(time.time() + 60, usegmt=True)})
    assert found == pytest.approx(60, abs=2)
    far = retry_after({"retry-after": "Fri, 31 Dec 9999 23:59:59 GMT"})
    assert far is not None
    assert far <= 366 * 86400


def test_milliseconds_do_not_go_before_seconds() -> None:
    assert retry_after({"retry-after-ms": "1500", "retry-after": "9"}) == 1.5


@pytest.mark.parametrize(
    ("reset", "seconds"),
    [("1s", 1.0), ("6m0s", 360.0), ("60ms", 0.06), ("1h2m3.5s", 3723.5), ("1d", 86400.0), ("12", 12.0), ("x", None)],
)
def test_reset_of_openai_is_misread(reset: str, seconds: float | None) -> None:
    headers = {
        "x-ratelimit-limit-requests": "500",
        "x-ratelimit-remaining-requests": "0",
        "x-ratelimit-reset-requests": reset,
        "x-ratelimit-limit-tokens": "30000",
    }
    found = limits_of(headers)
    assert found is not None
    assert found.requests_reset_s == (None if seconds is None else pytest.approx(seconds))
    assert (found.requests_limit, found.requests_remaining, found.tokens_limit) == (500, 0, 30000)
    assert found.tokens_remaining is None


def test_reset_of_anthropic_is_misread() -> None:
    headers = {
        "date": "Sat, 21 Nov 2026 12:00:00 GMT",
        "anthropic-ratelimit-requests-limit": "50",
        "anthropic-ratelimit-requests-remaining": "49",
        "anthropic-ratelimit-requests-reset": "2026-11-21T12:00:02Z",
        "anthropic-ratelimit-input-tokens-limit": "40000",
        "anthropic-ratelimit-input-tokens-remaining": "-5",
        "anthropic-ratelimit-input-tokens-reset": "soon",
    }
    assert limits_of(headers) == Limits(50, 49, 2.0, 40000, None, None)
    both = {**headers, "anthropic-ratelimit-tokens-limit": "48000"}
    found = limits_of(both)
    assert found is not None
    assert found.tokens_limit == 48000


def test_no_limits_are_limits_of_nothing() -> None:
    assert limits_of({"content-type": "application/json"}) is None
    assert limits_of({"x-ratelimit-limit-requests": "many"}) is None


@pytest.mark.parametrize(
    ("message", "quota"),
    [
        ("Rate limit reached for gpt-4 on requests per day (RPD): Limit 200, Used 200", True),
        ("Rate limit reached for gpt-4 in org on tokens per min (TPM): Limit 30000", False),
        ("Rate limit reached for requests per min. Limit: 3 / min. Current: 4 / min. Used 21 daily", False),
        ("You have reached your specified API usage limits. You will regain access on 2026-12-01", True),
        ("Your credit balance is too low to access the Anthropic API", True),
    ],
)
def test_limit_of_the_day_is_waited_for_by_the_minute(message: str, quota: bool) -> None:
    body = {"error": {"message": message, "type": "requests", "code": "rate_limit_exceeded"}}
    found = problem_of_status(429, {}, body)
    assert found.kind == ("quota" if quota else "transient")
    assert found.slow_down


@pytest.mark.parametrize(
    ("status", "body", "said"),
    [
        (400, {"error": {"message": "Invalid prompt: 'the daily limit is 5 fish per day'"}}, "Invalid prompt"),
        (500, {"error": {"message": "cannot render 'spending limit'"}}, "cannot render"),
        (413, {"error": {"message": "too large: 'your credit balance is too low'"}}, "too large"),
        (
            422,
            {"detail": [{"loc": ["body", "max_tokens"], "msg": "Field required", "input": "earned $5 per day"}]},
            "HTTP 422: body.max_tokens: Field required",
        ),
        (
            400,
            {"error": {"message": "bad request: " + "word " * 5000 + "your credit balance is too low"}},
            "bad request",
        ),
    ],
)
def test_prompt_that_a_server_repeats_stops_the_run_for_a_quota(status: int, body: object, said: str) -> None:
    found = problem_of_status(status, {}, body)
    assert found.kind == ("transient" if status == 500 else "terminal")
    assert said in found.message
    assert "$5" not in found.message
    error = error_in(body)
    assert error is not None
    assert problem_in_reply(200, {}, {**error, "names": {str(status)}}).kind == found.kind


def test_limit_of_the_day_behind_a_200_is_tried_again() -> None:
    for code, message in ((429, "40 requests per day"), (None, "Your credit balance is too low")):
        error = error_in({"error": {"message": message, "code": code}})
        assert error is not None
        assert problem_in_reply(200, {}, error).kind == "quota"


def test_header_of_digits_stops_the_clock() -> None:
    began = time.monotonic()
    limits_of({"x-ratelimit-limit-requests": "5", "x-ratelimit-reset-requests": "1" * 20_000})
    assert time.monotonic() - began < 0.5


def test_payment_required_is_terminal_for_one_call_only() -> None:
    assert problem_of_status(402, {}, None, "").kind == "quota"
    assert problem_of_status(402, {"x-should-retry": "true"}, None, "").kind == "quota"


def test_providers_own_word_is_not_obeyed() -> None:
    assert problem_of_status(500, {"x-should-retry": "false"}, None).kind == "terminal"
    assert problem_of_status(400, {"x-should-retry": "true"}, None).kind == "transient"
    assert problem_of_status(400, {"x-should-retry": "perhaps"}, None).kind == "terminal"


@pytest.mark.parametrize(
    "body",
    [
        {"error": {"message": "no", "type": "t"}},
        {"type": "error", "error": {"type": "t", "message": "no"}},
        {"type": "error", "message": "no", "code": "t"},
        [{"error": {"message": "no", "status": "T"}}],
        {"object": "error", "message": "no", "type": "t"},
        {"error": "no"},
        {"detail": "no"},
    ],
)
def test_error_of_another_server_is_not_read(body: object) -> None:
    found = error_in(body)
    assert found is not None
    assert found["message"] == "no"
    assert found["names"] <= {"t"}


@pytest.mark.parametrize("body", [None, 3, "x", [], [1], {}, {"error": None}, {"choices": [], "error": {}}, [[]]])
def test_what_is_no_error_is_read_as_one(body: object) -> None:
    assert error_in(body) is None


def test_error_with_a_number_for_a_code_behind_a_200_is_tried_for_ever() -> None:
    for code, kind in (
        (400, "terminal"),
        (403, "terminal"),
        (429, "transient"),
        (502, "transient"),
        (None, "transient"),
    ):
        error = error_in({"error": {"message": "upstream", "code": code}})
        assert error is not None
        assert problem_in_reply(200, {}, error).kind == kind, code


@pytest.mark.parametrize(
    "text",
    [
        "Incorrect API key provided: sk-abc***********************xyz1.",
        "Authorization: Bearer a8s7d6f5g4 is wrong",
        "see https://user:a8s7d6f5g4@host/v1",
        "header was a8s7d6f5g4!",
        json.dumps({"authorization": "Bearer a8s7d6f5g4"}),
        "AIzaSyD-a8s7d6f5g4abcd",
    ],
)
def test_key_is_shown_in_a_message(text: str) -> None:
    found = message_line(text, ["a8s7d6f5g4"])
    assert "a8s7d6f5g4" not in found
    assert "sk-abc" not in found
    assert "[key]" in found


def test_message_moves_the_cursor_or_fills_the_screen() -> None:
    found = message_line("\x1b[2J\r\nhead\x00\u202eless " + "long " * 100_000)
    assert found.isprintable()
    assert len(found) < 310
    assert found.startswith("[2J head less long")


def test_firewall_that_speaks_of_a_policy_is_believed_to_blame_the_prompt() -> None:
    blocked = {"error": "Blocked by your organization's content policy"}
    for status, body, foreign in ((403, blocked, False), (400, blocked, False), (413, None, True), (400, None, True)):
        found = problem_of_status(status, {}, body, "<html>Request Entity Too Large</html>")
        assert (found.kind, found.own, found.foreign) == ("terminal", False, foreign)
