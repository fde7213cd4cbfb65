"""Convert a provider's error reply to a CallProblem: kind, status, when to send again, and never a key.

Terminal: sending again changes nothing. Transient: another attempt may help. Quota: the money or the limit of the day
is used up, so every further call would fail too. What the provider itself says (`x-should-retry`) overrides the status,
except for quota.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any

from scrollwork.models.base import CallProblem, Limits, Trouble, Usage
from scrollwork.models.hosted.error_details import (
    LONGEST_WAIT_S,
    READ_CHARS,
    delay_of,
    details_of,
    ends_the_money,
    seconds_in,
    span_of_quota,
)
from scrollwork.models.hosted.masking import HIDDEN, mask_secrets

Headers = Mapping[str, str]

TRANSIENT_STATUSES = {408, 409, 425, 429, 498}  # 498: Groq has no capacity for flex
UNSUPPORTED = {501, 505}  # statuses of 5xx for which waiting does not help
ROOMLESS_STATUSES = {400, 422, 500, 502, 503, 504, 529}
GATEWAYS_OWN = {400, 403, 422}  # under which gateways pass on what has another status at the vendor
PROXY_STATUSES = {400, 403, 405, 406, 407, 451, 502, 503, 504, 511}  # statuses with which proxies send their own pages
SLOW_DOWN_STATUSES = {429, 503, 529}
QUOTA_STATUSES = {402}

# type or code of an error object, of both vendors and of servers that use their protocols
TRANSIENT_NAMES = {
    *("api_error", "timeout_error", "conflict_error", "server_error", "internal_error", "internal_server_error"),
    *("vector_store_timeout", "service_unavailable", "engine_overloaded", "aborted", "unavailable"),
}
SLOW_DOWN_NAMES = {
    *("rate_limit_error", "rate_limit_exceeded", "overloaded_error", "slow_down", "server_overloaded"),
    *("server_is_overloaded", "service_unavailable_error", "resource_exhausted"),
}
TERMINAL_NAMES = {
    *("invalid_request_error", "authentication_error", "permission_error", "not_found_error", "request_too_large"),
    *("context_length_exceeded", "invalid_prompt", "content_filter", "content_policy_violation", "bio_policy"),
    *("misalignment_policy_violation", "model_not_found", "invalid_api_key", "data_residency_mismatch"),
}
QUOTA_NAMES = {"insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "billing_error"}
# Limits by the day come with the status and type of a short limit, and empty accounts also as a bad request. With other
# statuses, the same words may come from the prompt, which some servers repeat.
LIMIT_STATUSES = {402, 403, 429}
DAY_WORDS = re.compile(r"per[ _-]day|/ ?day\b|\b[RT]PD\b|daily (?:limit|quota)|spend(?:ing)? limit", re.IGNORECASE)
MONEY_WORDS = re.compile(
    r"credit balance is too low|insufficient_quota|no credits remaining|exceeded your current quota"
    r"|reached your (?:specified )?(?:workspace )?API usage limits",
    re.IGNORECASE,
)

MESSAGE_CHARS = 300
KEY_SHAPES = re.compile(r"\bsk-[\w*.\-]{6,}|(?<=Bearer )[^\s\"',;]+|(?<=://)[^/\s@]+(?=@)|\bAIza[\w\-]{10,}")
PACE_NAMES = frozenset({"rate_limit_exceeded", "rate_limit_error", "requests", "tokens"})
GOOGLES_LIMIT = re.compile(r"status[\\\"': ]{1,8}RESOURCE_EXHAUSTED")  # its error as text, escaped or not
NO_ROOM = "no room to answer"  # begins the message of a call that reached its limit before the first word
MORE_ROOM = "give the model's table room for thoughts (reasoning_tokens = 25000) or turn them off there"
NO_ROOM_WORDS = re.compile(r"could not finish the message because max_tokens or model output limit was reached", re.I)
MARKUP = re.compile(r"<(script|style)\b.*?</\1>|<[^<>]*>", re.DOTALL | re.IGNORECASE)


def message_line(text: object, secrets: Sequence[str] = ()) -> str:
    """Return one short line of a provider's text, without control characters and keys."""
    line = KEY_SHAPES.sub(HIDDEN, mask_secrets(str(text), secrets)[: 20 * MESSAGE_CHARS])
    line = " ".join("".join(c if c.isprintable() else " " for c in line).split())
    return line if len(line) <= MESSAGE_CHARS else line[:MESSAGE_CHARS] + "..."


def problem_of_status(
    status: int, headers: Headers, body: Any, text: str = "", secrets: Sequence[str] = ()
) -> CallProblem:
    """Return the problem of a reply whose status is not 2xx. body: its JSON, None if it has none.

    text: the body as it came.
    """
    error = error_in(body)
    message = message_line(error["message"] if error else text_of(mask_secrets(text, secrets)), secrets)
    if 300 <= status < 400:  # not followed, as no other server may get the key
        place = message_line(headers.get("location", ""), secrets)
        message = f"sent elsewhere; if that is right, make it the base_url: {place}"
    elif error is None and status in PROXY_STATUSES and "<" in text[:200]:
        message = f"{message or 'a page of HTML'}: is a proxy or a firewall between?"
    roomless = status in ROOMLESS_STATUSES and error is not None and says_no_room(error)
    if roomless:
        message = f"{NO_ROOM} ({message[:120]}); {MORE_ROOM}"
    kind: Trouble = "terminal" if roomless else kind_of_status(status)
    slow = status in SLOW_DOWN_STATUSES or (error is not None and asks_to_wait(error))
    if kind == "terminal" and slow and status in GATEWAYS_OWN:
        kind = "transient"  # a gateway's status, with a vendor's word that says to come again
    if error and is_quota(status, error):
        kind = "quota"
    elif kind != "quota" and (word := headers.get("x-should-retry", "").lower()) in ("true", "false"):
        kind = "transient" if word == "true" else "terminal"
    return CallProblem(
        kind,
        f"HTTP {status}" + (f": {message}" if message else ""),
        status=status,
        retry_after_s=come_back(headers, error),
        limits=limits_of(headers),
        slow_down=slow,
        paced=error is not None and is_pace(error),
        own=roomless,
        no_room=roomless,
        foreign=error is None,
    )


def problem_in_reply(
    status: int, headers: Headers, error: Mapping[str, Any], paid: Usage | None = None, secrets: Sequence[str] = ()
) -> CallProblem:
    """Return the problem of a 2xx reply that contains an error object in place of an answer.

    error: as `error_in` returns it. paid: tokens that were charged, None if unknown.
    """
    names = error["names"]
    statuses = statuses_in(error)
    kind: Trouble = "transient"  # an unknown error in a 200 is more often a gateway's fault than the request's
    kinds = {kind_of_status(one) for one in statuses}
    roomless = says_no_room(error)
    if roomless:
        kind = "terminal"
    elif "quota" in kinds or any(is_quota(one, error) for one in statuses or {400}):
        kind = "quota"
    elif not asks_to_wait(error) and (names & TERMINAL_NAMES or kinds == {"terminal"}):
        kind = "terminal"
    named = ", ".join(sorted(names)) or "error"
    message = message_line(f"HTTP {status} with an error ({named}): {error['message']}", secrets)
    return CallProblem(
        kind,
        f"{NO_ROOM} ({message[:160]}); {MORE_ROOM}" if roomless else message,
        status=status,
        retry_after_s=come_back(headers, error),
        limits=limits_of(headers),
        slow_down=asks_to_wait(error),
        paid=paid,
        own=roomless,
        no_room=roomless,
    )


def statuses_in(error: Mapping[str, Any]) -> set[int]:
    """Return the HTTP statuses among the names of an error."""
    return {int(name) for name in error["names"] if re.fullmatch("[45][0-9]{2}", name)}


def asks_to_wait(error: Mapping[str, Any]) -> bool:
    """Return whether an error says that requests must come more slowly: by its names, or as Google's that it quotes."""
    named = bool(error["names"] & SLOW_DOWN_NAMES or statuses_in(error) & SLOW_DOWN_STATUSES)
    quoted = quoted_words(error)
    return named or (bool(GOOGLES_LIMIT.search(quoted)) and span_of_quota([], quoted) == "minute")


def quoted_words(error: Mapping[str, Any]) -> str:
    """Return the words in which a gateway may quote its vendor's error; "" for an error that blames the request, whose
    words may quote the prompt."""
    return "" if error["names"] & TERMINAL_NAMES else error["message"][:READ_CHARS]


def is_pace(error: Mapping[str, Any]) -> bool:
    """Return whether an error names a limit of the account for a short time, not a lack of capacity.

    Google has one name for both; the quota that its details name, or the time to come back, tell the two apart.
    """
    googles = "resource_exhausted" in error["names"] or GOOGLES_LIMIT.search(quoted_words(error))
    short = span_of_quota(error["details"], error["message"][:READ_CHARS]) == "minute"
    return bool(error["names"] & PACE_NAMES) or bool(googles and short)


def says_no_room(error: Mapping[str, Any]) -> bool:
    """Return whether an error says that the limit of new tokens was reached before the first word of the answer."""
    return bool(NO_ROOM_WORDS.search(error["message"][:READ_CHARS]))


def kind_of_status(status: int) -> Trouble:
    """Return terminal, transient or quota by the status alone."""
    if status in QUOTA_STATUSES:
        return "quota"
    if status in TRANSIENT_STATUSES or (status >= 500 and status not in UNSUPPORTED):
        return "transient"
    return "terminal"


def is_quota(status: int, error: Mapping[str, Any]) -> bool:
    """Return whether an error says that money or the limit of the day is used up.

    Google's message for a limit by the minute is like that for an empty account; its details, or the time after which
    it allows another request, tell the two apart.
    """
    said, limited = error["message"][:READ_CHARS], status in LIMIT_STATUSES or asks_to_wait(error)
    if (
        error["names"] & QUOTA_NAMES
        or statuses_in(error) & QUOTA_STATUSES
        or ends_the_money(error["details"], quoted_words(error))
    ):
        return True
    span = span_of_quota(error["details"], said) if limited else ""
    if span == "day" or (limited and DAY_WORDS.search(said)):
        return True
    return (limited or status == 400) and not span and bool(MONEY_WORDS.search(said))


def error_in(body: Any) -> dict[str, Any] | None:
    """Return {names, message, details} of an error object in a JSON body, None if there is none.

    names: its type, code and status, as texts in lower case. Read are both vendors' {"error": {...}} and {"type":
    "error"}, and what other servers write: a list around it, a plain string, {"detail": ...}, {"object": "error", ...}.
    """
    if isinstance(body, list) and len(body) == 1:
        body = body[0]
    if not isinstance(body, Mapping):
        return None
    found = body.get("error")
    if not found:
        if body.get("type") == "error" or body.get("object") == "error":
            found = {**body, "type": ""} if body.get("type") == "error" else body
        elif set(body) == {"detail"}:
            found = {"message": detail_of(body["detail"])}
        else:
            return None
    if not isinstance(found, Mapping):
        found = {"message": found}
    names = {str(found[name]).lower() for name in ("type", "code", "status") if isinstance(found.get(name), str | int)}
    message = found.get("message")
    said = message if isinstance(message, str) else str(message or "")
    further = found.get("metadata")
    if isinstance(further, Mapping) and isinstance(further.get("raw"), str):  # OpenRouter: what the vendor said
        said = f"{said}: {further['raw']}"
    return {"names": names - {""}, "message": said, "details": details_of(found)}


def detail_of(detail: Any) -> Any:
    """Return what a FastAPI server rejects in a request, without the request, which it repeats."""
    if not isinstance(detail, list):
        return detail
    found = [one for one in detail[:5] if isinstance(one, Mapping)]
    places = [one["loc"] if isinstance(one.get("loc"), list) else [one.get("loc")] for one in found]
    return "; ".join(f"{'.'.join(map(str, at))}: {one.get('msg')}" for at, one in zip(places, found, strict=True))


def text_of(text: str) -> str:
    """Return the words of an HTML error page, or plain text as it is."""
    if "<" in text[:200]:
        text = MARKUP.sub(" ", text[:8000])
    return text


def retry_after(headers: Headers) -> float | None:
    """Return the seconds after which the provider allows another request, by its headers; None if they do not say.

    A date is compared with the reply's own Date, so that a wrong clock here changes nothing.
    """
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    value = headers.get("retry-after", "").strip()
    if not value:
        return None
    seconds = _number(value)
    if seconds is not None:
        return seconds
    at = _date(value)
    if at is None:
        return None
    now = _date(headers.get("date", ""))
    return min(max(0.0, at - (time.time() if now is None else now)), LONGEST_WAIT_S)


def come_back(headers: Headers, error: Mapping[str, Any] | None) -> float | None:
    """Return the seconds after which the provider allows another request, by its headers, else by its error."""
    said = retry_after(headers)
    return said if said is not None or error is None else delay_of(error["details"], error["message"])


def limits_of(headers: Headers) -> Limits | None:
    """Return the limits in the rate-limit headers of either vendor, None if there are none."""
    if "x-ratelimit-limit-requests" in headers or "x-ratelimit-limit-tokens" in headers:
        limits = Limits(*_openai_limit(headers, "requests"), *_openai_limit(headers, "tokens"))
    elif any(name.startswith("anthropic-ratelimit-") for name in headers):
        tokens = "tokens" if "anthropic-ratelimit-tokens-limit" in headers else "input-tokens"
        limits = Limits(*_anthropic_limit(headers, "requests"), *_anthropic_limit(headers, tokens))
    else:
        return None
    return None if limits == Limits() else limits


def _openai_limit(headers: Headers, kind: str) -> tuple[int | None, int | None, float | None]:
    """Return (limit, remaining, seconds to the reset), which the header gives as "1s", "6m0s" or "60ms"."""
    reset = headers.get(f"x-ratelimit-reset-{kind}", "")
    seconds = seconds_in(reset)
    return (
        _whole(headers.get(f"x-ratelimit-limit-{kind}")),
        _whole(headers.get(f"x-ratelimit-remaining-{kind}")),
        _number(reset) if seconds is None else seconds,
    )


def _anthropic_limit(headers: Headers, kind: str) -> tuple[int | None, int | None, float | None]:
    """Return (limit, remaining, seconds to the reset), which the header gives as a time in RFC 3339."""
    prefix = f"anthropic-ratelimit-{kind}"
    reset: float | None = None
    try:
        at = datetime.fromisoformat(headers.get(f"{prefix}-reset", "")).timestamp()
        now = _date(headers.get("date", ""))
        reset = min(max(0.0, at - (time.time() if now is None else now)), LONGEST_WAIT_S)
    except (ValueError, OverflowError):
        pass
    return _whole(headers.get(f"{prefix}-limit")), _whole(headers.get(f"{prefix}-remaining")), reset


def date_of(headers: Headers) -> float | None:
    """Return the provider's own time when it answered, in unix seconds; None if it does not say."""
    return _date(headers.get("date", ""))


def _date(value: str) -> float | None:
    try:
        return parsedate_to_datetime(value).timestamp()
    except (ValueError, OverflowError, TypeError, IndexError):
        return None


def _number(value: str | None) -> float | None:
    """Return a plain number in ASCII digits that is not negative; None for anything else."""
    if value is None or not re.fullmatch(r"[0-9]{1,12}(\.[0-9]{1,12})?", value.strip()):
        return None
    return min(float(value), LONGEST_WAIT_S * 1000)


def _whole(value: str | None) -> int | None:
    number = _number(value)
    return None if number is None else int(number)
