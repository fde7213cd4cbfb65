"""What an error object says besides its message: limits by minute or day, spend limits, when to send again.

It is recognised by its form, whatever the provider is: gateways and proxies pass on what a vendor answered.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

MOST_DETAILS = 20  # of an error, that are read
LONGEST_WAIT_S = 366 * 86400.0
READ_CHARS = 4000  # of a message, that are searched for its meaning
LONGEST_DURATION = 40  # characters of a time; the time to match grows with the square of its length
# Google's google.rpc.RetryInfo, and the same in words: OpenAI's "Please try again in 1.2s."
DURATION = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,12})?)(ms|s|m|h|d)")
DELAY_WORDS = re.compile(r"(?:try again|retry) in ((?:[0-9]{1,6}(?:\.[0-9]{1,12})?(?:ms|s|m|h)){1,3})", re.IGNORECASE)
SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
# Google's google.rpc.QuotaFailure: "GenerateRequestsPerDayPerProjectPerModel-FreeTier"
BY_DAY, BY_MINUTE = re.compile(r"per_?day", re.IGNORECASE), re.compile(r"per_?minute", re.IGNORECASE)
# The same where a gateway (LiteLLM) passes the object on as text within its own message, escaped or not.
QUOTA_TEXT = re.compile(r"quota(?:Id|Metric)[\\\"': ]{1,8}([\w./-]{1,200})")
DELAY_TEXT = re.compile(r"retryDelay[\\\"': ]{1,8}([0-9]{1,9}(?:\.[0-9]{1,12})?(?:ms|s))")
SPEND_TEXT = re.compile(r"error_code[\\\"': ]{1,8}(\w{1,60})")
SPEND_CODES = {"enforced_spend_limit_reached"}  # Anthropic's code for the limit of the month


def details_of(error: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the further objects of an error: one object (Anthropic) or a list (Google)."""
    found = error.get("details")
    several = found[:MOST_DETAILS] if isinstance(found, list) else [found]
    return [one for one in several if isinstance(one, Mapping)]


def ends_the_money(details: list[Mapping[str, Any]], message: str) -> bool:
    """Return whether the details, or the message that quotes them, say that the account may spend no more."""
    codes = [one["error_code"] for one in details if isinstance(one.get("error_code"), str)]
    return bool(SPEND_CODES & {*codes, *SPEND_TEXT.findall(message)})


def span_of_quota(details: list[Mapping[str, Any]], message: str) -> str:
    """Return which limit is exceeded: "day", "minute" for one that soon allows more, "" if neither is named.

    "day" goes first, as both may be exceeded at once.
    """
    names = [*_quota_names(details), *QUOTA_TEXT.findall(message[:READ_CHARS])]
    if any(BY_DAY.search(name) for name in names):
        return "day"
    if any(BY_MINUTE.search(name) for name in names) or delay_of(details, message) is not None:
        return "minute"
    return ""


def delay_of(details: list[Mapping[str, Any]], message: str) -> float | None:
    """Return the seconds until the request may be sent again, by the details, else by the words of the message.

    None if neither says it.
    """
    for one in details:
        if isinstance(delay := one.get("retryDelay"), str) and (found := seconds_in(delay)) is not None:
            return found
    said = message[:READ_CHARS]
    words = DELAY_TEXT.search(said) or DELAY_WORDS.search(said)
    return seconds_in(words.group(1)) if words else None


def _quota_names(details: list[Mapping[str, Any]]) -> Iterator[str]:
    for one in details:
        violations = one.get("violations")
        for each in violations[:MOST_DETAILS] if isinstance(violations, list) else []:
            if isinstance(each, Mapping):
                yield from (
                    each[key][:READ_CHARS] for key in ("quotaId", "quotaMetric") if isinstance(each.get(key), str)
                )


def seconds_in(text: str) -> float | None:
    """Return the seconds of a time such as "45.8s", "6m0s" or "60ms", at most a leap year; None for anything else."""
    text = text[:LONGEST_DURATION]
    found = DURATION.findall(text)
    if not found or "".join(number + unit for number, unit in found) != text:
        return None
    return min(sum(float(number) * SECONDS[unit] for number, unit in found), LONGEST_WAIT_S)
