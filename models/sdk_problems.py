"""From an exception of a vendor's SDK to a CallProblem: for what the SDKs send (files, batches)."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence

import aiohttp

from models.base import CallProblem
from models.problems import problem_of_status, shown

SDKS = ("openai", "anthropic")


def problem_of_sdk(error: Exception, secrets: Sequence[str] = ()) -> CallProblem:
    """The same problem as if we had sent the request. Raises the error itself where it is no provider's.

    The SDKs let a broken JSON body through as a bare JSONDecodeError; openai's aiohttp transport tells a reset
    connection as a timeout, and lets bytes that are no HTTP through as an error of aiohttp. All are transient.
    """
    response = getattr(error, "response", None)
    status = getattr(response, "status_code", None)
    if response is not None and isinstance(status, int):
        if 200 <= status < 300:
            return CallProblem("transient", f"HTTP {status} with {shown(type(error).__name__)}", status=status)
        headers = {str(name).lower(): str(value) for name, value in response.headers.items()}
        text = response.content[:20_000].decode("utf-8", "replace")
        try:
            body = json.loads(response.content)
        except (ValueError, RecursionError):
            body = None
        return problem_of_status(status, headers, body, text, secrets)
    if isinstance(error, json.JSONDecodeError):
        return CallProblem("transient", "a reply that is broken JSON")
    known = [sys.modules[name].APIConnectionError for name in SDKS if name in sys.modules]
    if isinstance(error, (aiohttp.ClientError, *known)):
        cause = error.__cause__ or error
        return CallProblem("transient", shown(f"{type(cause).__name__}: {cause}".rstrip(": "), secrets))
    raise error
