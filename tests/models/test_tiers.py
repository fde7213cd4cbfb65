"""Tiers of service: flex is asked for, given up where it has no room, and counted only where it was asked for and served."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from scrollwork.models.base import Call, CallProblem, Reply, Usage
from scrollwork.models.engine.budget import Budget, Meter
from scrollwork.models.engine.limits import Caps
from scrollwork.models.engine.prices import NANO, price_of
from scrollwork.models.engine.sending import Sending
from scrollwork.models.engine.settings import settings
from scrollwork.models.hosted.endpoint import Endpoint
from scrollwork.models.hosted.error_replies import problem_of_status
from scrollwork.models.hosted.replies import read
from scrollwork.models.hosted.tables import BadTable, answer_relevant, checked_table
from scrollwork.models.vendors.tiers import FLEX, flex_refused, served_tier, tier_refused, with_flex
from tests.models.clock import Scripted, call, drive, in_time

USAGE = Usage(100, 0, 0, 10, 0)
LUNA = {"provider": "openai", "id": "gpt-6-luna"}
UNAVAILABLE = {
    "error": {"message": "Resource Unavailable", "code": "resource_unavailable", "type": "resource_unavailable"}
}


def no_room() -> CallProblem:
    """What flex says where it is full (its exact body is not known)."""
    return problem_of_status(429, {}, UNAVAILABLE)


def tier_of(one: Call) -> str:
    return one.service or "default"


class Tiers(Scripted):
    """Serves the tier that is asked for. refuses: whether a request for flex meets 429, by call and attempt."""

    def __init__(self, refuses: Any) -> None:
        self.tiers: list[str] = []

        def script(one: Call, number: int) -> Reply | CallProblem:
            self.tiers.append(tier_of(one))
            if one.service == FLEX and (problem := refuses(one, number)):
                return problem
            return Reply("text", "complete", "m", USAGE, service_tier=tier_of(one))

        super().__init__(script)


def run(client: Scripted, count: int, **more: Any) -> Any:
    return in_time(drive(client, [call(n) for n in range(count)], sending=Sending(service=FLEX), **more))


def test_a_call_that_flex_refuses_three_times_waits_for_it_for_ever() -> None:
    client = Tiers(lambda *_: no_room())
    driven = run(client, 1)
    assert client.tiers == [FLEX] * 3 + ["default"]
    assert [one.outcome for one in driven.attempts] == ["transient"] * 3 + ["answered"]
    assert [one.service for one in driven.attempts] == [""] * 4
    assert driven.answers["0"].service_tier == "default"


def test_refusals_of_flex_cut_concurrency_or_stop_the_run() -> None:
    """A third of the requests is refused: all is answered, most of it by flex, as fast as without a cut."""
    often = Tiers(lambda one, number: no_room() if (int(one.key) + number) % 3 == 0 else None)
    driven = run(often, 200, caps=Caps(32, 32))
    assert len(driven.answers) == 200
    assert not driven.stopped
    assert Counter(one.service_tier for one in driven.answers.values()) == {FLEX: 200}
    assert often.most_in_flight == 32
    never = run(Tiers(lambda *_: None), 200, caps=Caps(32, 32))
    assert driven.seconds < 3 * never.seconds + 4, "a cut would cost a round for each twentieth"
    nothing_else = run(Tiers(lambda *_: no_room()), 100)
    assert len(nothing_else.answers) == 100, "the breaker takes a full tier for a broken endpoint"


def test_limit_of_the_account_is_taken_for_a_full_tier() -> None:
    """A rate limit slows down, whatever tier was asked for."""
    limit = problem_of_status(429, {}, {"error": {"message": "Rate limit reached", "code": "rate_limit_exceeded"}})
    assert not flex_refused(limit)
    assert limit.slow_down
    quota = problem_of_status(429, {}, {"error": {"message": "no money", "code": "insufficient_quota"}})
    assert not flex_refused(quota)
    client = Tiers(lambda _, number: limit if number < 5 else None)
    driven = run(client, 1)
    assert client.tiers == [FLEX] * 5
    assert len(driven.answers) == 1


def test_tier_that_a_model_does_not_take_fails_every_call() -> None:
    refused = problem_of_status(400, {}, {"error": {"message": "service_tier flex is not available for this model"}})
    assert tier_refused(refused)
    client = Tiers(lambda *_: refused)
    driven = run(client, 60, caps=Caps(4, 4))
    assert len(driven.answers) == 60
    assert client.tiers.count(FLEX) <= 8, "it is asked for no more once that is known"
    for said, refuses in (
        ("too long", False),
        ("your prompt 'a flexible plan' is against our policy", False),
        ("flex is not available for gpt-4o", True),
        ("Unsupported value: 'flex' for tier", True),
    ):
        assert tier_refused(problem_of_status(400, {}, {"error": {"message": said}})) == refuses, said


def test_refusals_of_flex_use_up_the_tries_of_a_call() -> None:
    """Three refusals, then a server that fails seven times at the standard tier: eight tries are left for that."""
    overloaded = problem_of_status(500, {}, {"error": {"message": "server error"}})
    client = Tiers(lambda *_: no_room())
    script = client.script
    failing: list[str] = []

    def fails(one: Call, number: int) -> Reply | BaseException:
        if one.service == "" and len(failing) < 7:
            failing.append(one.key)
            return overloaded
        return script(one, number)

    client.script = fails
    driven = run(client, 1)
    assert len(driven.answers) == 1
    assert len(failing) == 7


@pytest.mark.parametrize(
    ("asked", "said", "counts"),
    [
        (FLEX, "flex", "flex"),
        ("", "flex", ""),
        (FLEX, "default", ""),
        (FLEX, None, ""),
        ("", "priority", "priority"),
        ("", "ultrafast", "ultrafast"),
        (FLEX, "priority", "priority"),
        ("", "batch", ""),
        ("", "x" * 200, ""),
    ],
)
def test_vendor_names_a_cheaper_tier_and_is_believed(asked: str, said: str | None, counts: str) -> None:
    assert served_tier(asked, said) == counts


@pytest.mark.parametrize(("said", "share"), [("default", 2), ("flex", 1), ("priority", 4)])
def test_rows_and_budget_count_another_tier_than_was_served(said: str, share: int) -> None:
    """Luna: $0.10 and $0.50 a million tokens; flex half, priority twice of it."""
    price = price_of("m", checked_table("m", LUNA))
    budget = Budget(NANO)
    client = Scripted(lambda *_: Reply("text", "complete", "m", USAGE, service_tier=said))
    driven = run(client, 10, gate=Meter(budget, price))
    half = (100 * 100 + 10 * 500) // 2
    assert budget.spent == 10 * share * half
    assert sum(price.counted(one.usage, call(0).ask, None, one.service) for one in driven.attempts) == budget.spent


def test_fastest_tier_counts_as_standard() -> None:
    price = price_of("m", checked_table("m", {"provider": "openai", "id": "gpt-6.2-astra"}))
    standard, fastest = (price.counted(USAGE, call(0).ask, None, tier) for tier in ("", "ultrafast"))
    assert fastest == 6 * standard > 0


def test_a_reply_without_room_counts_at_another_tier_than_served_it() -> None:
    """It is paid like an answer: half, where flex gave it."""
    price = price_of("m", checked_table("m", LUNA))
    budget = Budget(NANO)
    empty = {"choices": [{"message": {"content": ""}, "finish_reason": "length"}], "service_tier": FLEX}
    usage = {"prompt_tokens": 100, "completion_tokens": 10, "prompt_tokens_details": {"cached_tokens": 0}}

    def script(one: Call, number: int) -> Reply | CallProblem:
        if one.room is not None:
            return Reply("text", "complete", "m", USAGE, service_tier=FLEX)
        try:
            return read("chat", 200, {}, json.dumps({**empty, "usage": usage}).encode(), json.loads)
        except CallProblem as problem:
            return problem

    calls = [replace(call(n, new=10), payload={"number": n, "body": {"max_tokens": 10}}) for n in range(5)]
    driven = in_time(drive(Scripted(script), calls, sending=Sending(service=FLEX), gate=Meter(budget, price)))
    half = (100 * 100 + 10 * 500) // 2
    assert budget.spent == 10 * half
    assert sum(price.counted(one.usage, call(0).ask, None, one.service) for one in driven.attempts) == budget.spent


def test_budget_is_passed_by_more_than_a_call_where_an_account_is_set_to_priority() -> None:
    price = price_of("m", checked_table("m", LUNA))
    one = price.most(100, 100)
    budget = Budget(20 * one)
    calls = [call(number, text="w" * 300) for number in range(100)]
    client = Scripted(lambda *_: Reply("text", "complete", "m", Usage(100, 0, 0, 100, 0), service_tier="priority"))
    in_time(drive(client, calls, gate=Meter(budget, price), caps=Caps(1, 1)))
    assert budget.spent <= budget.limit + 2 * one
    assert len(client.sent) > 5


def test_flex_is_asked_for_in_the_key_or_by_a_model_that_has_none() -> None:
    plain, flex = checked_table("m", LUNA), checked_table("m", {**LUNA, "service": FLEX})
    assert answer_relevant(plain) == answer_relevant(flex)
    assert (flex["timeout_s"], flex["retry"]["seconds"]) == (900.0, 2700.0)
    assert checked_table("m", {**LUNA, "service": FLEX, "timeout_s": 30.0})["timeout_s"] == 30.0
    assert settings("m", flex, key_name="K").sending.service == FLEX
    assert settings("m", {**plain, "service": "standard"}, key_name="K").sending.service == ""
    one = replace(call(1), payload={"body": {"model": "m"}})
    sender = Endpoint(None, "chat")  # type: ignore[arg-type]
    assert sender.prepared(one) == {"model": "m"}
    assert sender.prepared(replace(one, service=FLEX)) == {"model": "m", "service_tier": "flex"}
    for wrong, says in (
        ({**LUNA, "service": "cheap"}, "service 'cheap' is none of standard, flex"),
        ({**LUNA, "id": "gpt-6.2-sol", "service": FLEX}, "service 'flex' is none of standard"),
        ({"provider": "anthropic", "id": "claude-opus-5-5", "service": FLEX}, "service 'flex' is none of standard"),
        ({**LUNA, "service": FLEX, "extra": {"service_tier": "auto"}}, "give one"),
    ):
        with pytest.raises(BadTable, match=says):
            checked_table("m", wrong)
    assert with_flex({"retry": {"attempts": 3}})["retry"] == {"seconds": 2700.0, "attempts": 3}
