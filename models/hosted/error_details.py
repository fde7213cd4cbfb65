"""What an error object says beside its message: of limits by the minute or the day, of spend limits, of when to come
back. Told by its shape, whatever the provider: gateways and proxies pass on what a vendor answered."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

MOST_DETAILS = 20  # of an error that are looked at
LONGEST_WAIT_S = 366 * 86400.0
READ_CHARS = 2000  # of a message, for what it means
LONGEST_DURATION = 40  # characters of a time; matching takes the square of its length
# Google's google.rpc.RetryInfo, and the same in words; OpenAI's "Please try again in 1.2s."
DURATION = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,12})?)(ms|s|m|h|d)")
DELAY_WORDS = re.compile(r"(?:try again|retry) in ((?:[0-9]{1,6}(?:\.[0-9]{1,12})?(?:ms|s|m|h)){1,3})", re.IGNORECASE)
SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
# Google's google.rpc.QuotaFailure: "GenerateRequestsPerDayPerProjectPerModel-FreeTier"
BY_DAY, BY_MINUTE = re.compile(r"per_?day", re.IGNORECASE), re.compile(r"per_?minute", re.IGNORECASE)
SPEND_CODES = {"enforced_spend_limit_reached"}  # Anthropic's, of the month


def details_of(error: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The further objects of an error: one (Anthropic) or a list (Google)."""
    found = error.get("details")
    several = found[:MOST_DETAILS] if isinstance(found, list) else [found]
    return [one for one in several if isinstance(one, Mapping)]


def ends_the_money(details: list[Mapping[str, Any]]) -> bool:
    """Whether they say that an account may spend no more."""
    return any(one.get("error_code") in SPEND_CODES for one in details if isinstance(one.get("error_code"), str))


def span_of_quota(details: list[Mapping[str, Any]], message: str) -> str:
    """Which limit is passed: "day", "minute" for one that will soon be free again, "" where neither is said. The day's
    goes first: both may be passed at once."""
    names = [*_quota_names(details)]
    if any(BY_DAY.search(name) for name in names):
        return "day"
    if any(BY_MINUTE.search(name) for name in names) or delay_of(details, message) is not None:
        return "minute"
    return ""


def delay_of(details: list[Mapping[str, Any]], message: str) -> float | None:
    """Seconds until the request may come again, by the details, else by the words of the message; None where they do
    not say."""
    for one in details:
        if isinstance(delay := one.get("retryDelay"), str) and (found := seconds_in(delay)) is not None:
            return found
    words = DELAY_WORDS.search(message[:READ_CHARS])
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
    """Seconds of "45.8s", "6m0s", "60ms"; None for anything else."""
    text = text[:LONGEST_DURATION]
    found = DURATION.findall(text)
    if not found or "".join(number + unit for number, unit in found) != text:
        return None
    return min(sum(float(number) * SECONDS[unit] for number, unit in found), LONGEST_WAIT_S)
