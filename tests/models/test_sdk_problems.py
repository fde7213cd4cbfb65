"""What the SDKs raise over real HTTP has the kind that our own requests would have."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from models.anthropic import sdk as anthropic_sdk
from models.base import CallProblem
from models.openai import sdk as openai_sdk
from models.sdk_problems import problem_of_sdk
from tests.models.hosted_kit import (
    ANTHROPIC_KEY,
    OPENAI_KEY,
    SPECS,
    ask,
    body_of,
    one_vendor,
    problem_of,
    table_of,
    vendor,
)
from tests.servers import raw
from tests.servers.vendor import Vendor

__all__ = ["one_vendor", "vendor"]
KEYS = {"chat": OPENAI_KEY, "messages": ANTHROPIC_KEY}


def told(endpoint: str, base: str) -> CallProblem:
    """The problem that the SDK's exception is turned into."""
    spec, given = SPECS[endpoint]
    body = body_of(spec, ask(), **given)

    async def sent() -> None:
        table = {**table_of(spec, given, base), "timeout_s": 1.0}
        if endpoint == "messages":
            client: Any = anthropic_sdk(ANTHROPIC_KEY, table)
        else:
            client = openai_sdk(OPENAI_KEY, table)
        try:
            await (client.messages if endpoint == "messages" else client.chat.completions).create(**body)
        finally:
            await client.close()

    try:
        asyncio.run(sent())
    except Exception as error:
        return problem_of_sdk(error, [KEYS[endpoint]])
    raise AssertionError("the SDK took it for an answer")


@pytest.mark.parametrize("endpoint", ["chat", "messages"])
@pytest.mark.parametrize(
    "fault", ["400", "401", "404", "413", "429-after", "429-day", "quota", "500", "500-final", "503", "529", "context"]
)
def test_refusal_has_another_kind_by_the_sdk(fault: str, endpoint: str, vendor: Vendor) -> None:
    vendor.set(plan={"always": fault})
    theirs = told(endpoint, vendor.url)
    spec, given = SPECS[endpoint]
    ours = problem_of(spec, vendor.url, **given)
    said = ours.message.partition(" (asked: ")[0]  # we tell the address beside a 404
    assert vars(theirs) == {**vars(ours), "message": said}
    assert KEYS[endpoint] not in repr(vars(theirs))


@pytest.mark.parametrize("endpoint", ["chat", "messages"])
@pytest.mark.parametrize("fault", ["half", "no-body", "reset", "reset-mid", "cut", "stall:5"])
def test_broken_reply_escapes_or_is_terminal(fault: str, endpoint: str, vendor: Vendor) -> None:
    vendor.set(plan={"always": fault})
    assert told(endpoint, vendor.url).kind == "transient"


@pytest.mark.parametrize("endpoint", ["chat", "messages"])
@pytest.mark.parametrize("fault", [raw.reset_at_once, raw.early_end, raw.garbage], ids=lambda fault: fault.__name__)
def test_broken_connection_escapes_or_is_terminal(fault: Any, endpoint: str, vendor: Vendor) -> None:
    with raw.running(fault) as url:
        problem = told(endpoint, url.removesuffix("/v1"))
    assert (problem.kind, problem.status) == ("transient", None)


def test_mistake_of_ours_is_taken_for_the_providers() -> None:
    with pytest.raises(KeyError):
        problem_of_sdk(KeyError("x"))
