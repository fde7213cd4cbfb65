"""What can go wrong on purpose, and which request it happens to.

A plan is JSON: {"script": [FAULT or "", ...]} for the requests in the order in which they come, {"share": 0.3, "seed": 7,
"kinds": [FAULT, ...], "most": 2} for a share of them, chosen by the digest of the request and the number of the try, at
most so many times a request; {"always": FAULT}. A FAULT is a name of STATUSES or SHAPES, or stall:S, drip:S, says:TEXT of SAYS.
"""

from __future__ import annotations

import email.utils
import hashlib
import time
from collections import Counter
from typing import Any

# name -> (status, type, code, message, headers)
STATUSES: dict[str, tuple[int, str, str | None, str, dict[str, str]]] = {
    "429": (429, "rate_limit_error", "rate_limit_exceeded", "Rate limit reached", {}),
    "429-after": (429, "rate_limit_error", "rate_limit_exceeded", "Rate limit reached", {"retry-after": "1"}),
    "429-ms": (429, "rate_limit_error", "rate_limit_exceeded", "Rate limit reached", {"retry-after-ms": "250"}),
    "429-date": (429, "rate_limit_error", "rate_limit_exceeded", "Rate limit reached", {"retry-after": "DATE"}),
    "429-day": (429, "tokens", "rate_limit_exceeded", "Rate limit reached on requests per day (RPD): Limit 200", {}),
    "quota": (429, "insufficient_quota", "insufficient_quota", "You exceeded your current quota", {}),
    "credit": (400, "invalid_request_error", None, "Your credit balance is too low to access the API", {}),
    "302": (302, "moved", None, "Found", {"location": "https://login.hotel.example/?to=KEY"}),
    "400": (400, "invalid_request_error", None, "Bad request", {}),
    "context": (400, "invalid_request_error", "context_length_exceeded", "maximum context length is 8192 tokens", {}),
    "no-room": (
        400,
        "invalid_request_error",
        None,
        "Could not finish the message because max_tokens or model output "
        "limit was reached. Please try again with higher max_tokens.",
        {},
    ),
    "401": (401, "authentication_error", "invalid_api_key", "Incorrect API key provided: KEY", {}),
    "403": (403, "permission_error", None, "Your key KEY has no access", {}),
    "policy": (403, "content_policy_violation", None, "Blocked by your organization's content policy", {}),
    "404": (404, "not_found_error", "model_not_found", "The model does not exist", {}),
    "400-hostile": (400, "x\x1b[2J", "\u202e", "<script>\x1b[2J\x1b]0;t\x07\0\u202e KEY \ud800" + "(" * 100_000, {}),
    "408": (408, "timeout_error", None, "Timeout", {}),
    "413": (413, "request_too_large", None, "Request too large", {}),
    "500": (500, "api_error", "server_error", "Internal server error", {}),
    "500-final": (500, "api_error", "server_error", "Do not come back", {"x-should-retry": "false"}),
    "501": (501, "api_error", None, "Not implemented", {}),
    "503": (503, "api_error", None, "Unavailable", {}),
    "529": (529, "overloaded_error", None, "Overloaded", {}),
}
SHAPES = (
    *("reset", "reset-mid", "cut", "half", "html", "null", "list", "object", "text", "no-body", "stream"),
    *("error-200", "overloaded-200", "invalid-200", "empty", "blank", "null-content", "no-choices", "no-usage"),
    *("length", "length-empty", "length-blank", "window-empty", "refused", "filtered", "window", "tool"),
    *("strange-finish", "no-finish", "odd-usage"),
    *("echo", "of-chat"),
)


def known(fault: str) -> bool:
    """Whether there is such a fault."""
    return fault in STATUSES or fault in SHAPES or fault.partition(":")[0] in ("stall", "drip", "says")


class Plan:
    """Says for each request what goes wrong with it, "" for nothing."""

    def __init__(self, plan: dict[str, Any] | None = None) -> None:
        self._plan = plan or {}
        named = [*self._plan.get("script", []), *self._plan.get("kinds", []), self._plan.get("always", "")]
        for fault in filter(None, named):
            assert known(fault), f"there is no fault {fault!r}"
        self._script = list(self._plan.get("script", []))
        self._tries: Counter[str] = Counter()

    def next(self, digest: str) -> str:
        """What happens to this request."""
        if self._script:
            return str(self._script.pop(0) or "")
        if "always" in self._plan:
            return str(self._plan["always"])
        if "share" not in self._plan:
            return ""
        self._tries[digest] += 1
        number = self._tries[digest]
        if number > self._plan.get("most", 3):
            return ""
        lot = hashlib.sha256(f"{self._plan.get('seed', 0)}\0{digest}\0{number}".encode()).digest()
        if int.from_bytes(lot[:8], "big") / 2**64 >= self._plan["share"]:
            return ""
        kinds = self._plan["kinds"]
        return str(kinds[int.from_bytes(lot[8:16], "big") % len(kinds)])


def refusal(fault: str, vendor: str, key: str) -> tuple[int, dict[str, Any], dict[str, str]]:
    """(status, body, headers) of a fault of STATUSES in a vendor's shape. The key is repeated, as real servers did."""
    status, kind, code, message, headers = STATUSES[fault]
    headers = {
        name: value.replace("DATE", email.utils.formatdate(time.time() + 2, usegmt=True))
        for name, value in headers.items()
    }
    error: dict[str, Any] = {"message": message.replace("KEY", key), "type": kind}
    if vendor == "anthropic":
        return status, {"type": "error", "error": error, "request_id": "req_1"}, headers
    return status, {"error": {**error, "param": None, "code": code}}, headers
