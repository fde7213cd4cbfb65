"""Refusals that real vendors, gateways and proxies send before any work is done, so that nothing is billed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from scrollwork.rehearsal.world import Reply

KEY = "[the key]"  # placeholder for the API key of the request


def _openai(status: int, message: str, kind: str, code: str | None = None, **headers: str) -> Reply:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(status, {"error": {"message": message, "type": kind, "param": None, "code": code}}, named)


def _anthropic(status: int, message: str, kind: str, code: str | None = None) -> Reply:
    inner: dict[str, Any] = {"type": kind, "message": message}
    return Reply(status, {"type": "error", "error": inner | ({"details": {"error_code": code}} if code else {})})


def _page(status: int, words: str, **headers: str) -> Reply:
    """A page of HTML, as of a proxy."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    page = f"<html><head><title>{words}</title></head><body><h1>{words}</h1></body></html>"
    return Reply(status, None, {"content-type": "text/html", **named}, page.encode())


def _raw(status: int, data: bytes, **headers: str) -> Reply:
    return Reply(status, None, {name.replace("_", "-"): value for name, value in headers.items()}, data)


INVALID = "invalid_request_error"
RETURN = "You will regain access on 2026-12-01 at 00:00 UTC."
THRESHOLD = (
    "You have reached your API usage limits: your organization has crossed its monthly API usage threshold. " + RETURN
)
TOO_LONG = (
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens. "
    "Please reduce the length of the messages."
)
REFUSALS: dict[str, Callable[[], Reply]] = {
    # Anthropic's
    "overloaded_529": lambda: _anthropic(529, "Overloaded", "overloaded_error"),
    "api_error_500": lambda: _anthropic(500, "Internal server error", "api_error"),
    "rate_limit_429": lambda: _anthropic(429, "Number of requests has exceeded your rate limit.", "rate_limit_error"),
    "enforced_spend_limit": lambda: _anthropic(429, THRESHOLD, "rate_limit_error", "enforced_spend_limit_reached"),
    "own_limit_400": lambda: _anthropic(400, f"You have reached your specified API usage limits. {RETURN}", INVALID),
    "workspace_limit_400": lambda: _anthropic(
        400, f"You have reached your specified workspace API usage limits. {RETURN}", INVALID
    ),
    "low_balance_400": lambda: _anthropic(
        400, "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing.", INVALID
    ),
    "too_large_413": lambda: _anthropic(413, "Request exceeds the maximum size", "request_too_large"),
    # OpenAI's, and those of servers with its protocol
    "timeout_408": lambda: _openai(408, "The request timed out.", "timeout_error"),
    "conflict_409": lambda: _openai(409, "The resource is locked by another request.", "conflict_error"),
    "too_long_400": lambda: _openai(400, TOO_LONG, INVALID, "context_length_exceeded"),
    "policy_400": lambda: _openai(
        400, "Invalid prompt: your prompt was flagged as potentially violating our usage policy.", INVALID,
        "invalid_prompt",
    ),
    "wrong_key_401": lambda: _openai(401, f"Incorrect API key provided: {KEY}.", INVALID, "invalid_api_key"),
    "no_credits_402": lambda: _openai(402, "Insufficient Balance", "unknown_error", INVALID),
    "forbidden_403": lambda: _openai(403, "Country, region, or territory not supported", "request_forbidden"),
    "no_model_404": lambda: _openai(
        404, "The model does not exist or you do not have access to it.", INVALID, "model_not_found"
    ),
    "insufficient_quota": lambda: _openai(
        429, "You exceeded your current quota, please check your plan and billing details.", "insufficient_quota",
        "insufficient_quota",
    ),
    "day_limit_429": lambda: _openai(
        429, "Rate limit reached on requests per day (RPD): Limit 200, Used 200, Requested 1.", "requests",
        "rate_limit_exceeded",
    ),
    "retry_after_nonsense": lambda: _openai(
        429, "Rate limit reached.", "requests", "rate_limit_exceeded", retry_after="soon, -1e400"
    ),
    "headers_nonsense": lambda: _openai(
        500, "The server had an error.", "server_error", x_ratelimit_limit_requests="NaN",
        x_ratelimit_remaining_requests="-7", x_ratelimit_reset_tokens="99999999999999h", retry_after_ms="1e309",
    ),
    "capacity_498": lambda: _openai(498, "Flex tier capacity exceeded.", "capacity_exceeded", "capacity_exceeded"),
    "server_error_500": lambda: _openai(500, "The server had an error while processing your request.", "server_error"),
    "overloaded_503": lambda: _openai(
        503, "The engine is currently overloaded, please try again later.", "service_unavailable_error",
        "server_is_overloaded",
    ),
    "error_in_200": lambda: _openai(200, "Provider returned error", "server_error", "server_is_overloaded"),
    # of other servers
    "gemini_503": lambda: Reply(
        503, [{"error": {"code": 503, "message": "The model is overloaded.", "status": "UNAVAILABLE"}}]
    ),
    "fastapi_422": lambda: Reply(
        422, {"detail": [{"loc": ["body", "model"], "msg": f"Field required ({KEY})", "type": "missing"}]}
    ),
    "error_text_200": lambda: Reply(200, {"error": f"upstream failed for {KEY}"}),
    "null_200": lambda: _raw(200, b"null"),
    "list_200": lambda: _raw(200, b"[]"),
    "text_200": lambda: _raw(200, b'"OK"'),
    "empty_object_200": lambda: _raw(200, b"{}"),
    # of gateways and proxies
    "redirect_302": lambda: _page(302, "Moved", location="http://127.0.0.1:9/elsewhere"),
    "too_early_425": lambda: _raw(425, b"Too Early", content_type="text/plain"),
    "nothing_429": lambda: _raw(429, b""),
    "not_implemented_501": lambda: _page(501, "Not Implemented"),
    "bad_gateway_html": lambda: _page(502, "502 Bad Gateway"),
    "maintenance_503": lambda: _page(503, "Down for maintenance", retry_after="Thu, 01 Jan 1970 00:00:00 GMT"),
    "gateway_timeout_504": lambda: _page(504, "504 Gateway Time-out"),
    "cloudflare_520": lambda: _page(520, "Web server is returning an unknown error"),
    "cloudflare_524": lambda: _page(524, "A timeout occurred"),
    "html_200": lambda: _page(200, "Please log in"),
    "html_413": lambda: _page(413, "413 Request Entity Too Large"),
    "closed": lambda: Reply(200, None, drop=True),
}  # fmt: skip
