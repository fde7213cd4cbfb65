"""No wait for a pace is longer than a quarter of an hour, and its reason is told after a minute."""

from __future__ import annotations

import asyncio
from itertools import pairwise

import pytest

from scrollwork.models.base import Call, CallProblem, Limits, Reply, Usage
from scrollwork.models.engine.breaker import Breaker
from scrollwork.models.engine.limits import Caps, Limiter
from scrollwork.models.engine.retry import LONGEST_S, Policy
from scrollwork.models.engine.sending import Sending
from scrollwork.models.hosted.error_replies import limits_of, retry_after
from tests.models.clock import GOOD, Driven, Scripted, call, drive, in_time


def driven(client: Scripted, limiter: Limiter, **more: object) -> Driven:
    calls = [call(number) for number in range(50)]
    found: Driven = in_time(drive(client, calls, limiter=limiter, sending=Sending(name="gpt"), **more))  # type: ignore[arg-type]
    return found


def test_one_usage_of_10_to_the_15_stops_the_run_for_ever_without_a_word() -> None:
    """Whatever a client lets through: the wait ends, and who comes next begins anew."""
    limiter = Limiter(Caps(4, 4, tpm=10**6))
    huge = Reply("text", "complete", "m", Usage(10**15, 0, 0, 10))
    found = driven(Scripted(lambda *_: huge), limiter)
    assert found.seconds <= LONGEST_S + 60
    assert "nothing could be sent for" in found.stopped
    assert "1,000,000 tokens a minute are allowed" in found.stopped
    assert len(driven(Scripted(), limiter).answers) == 50


@pytest.mark.parametrize("said", [Limits(tokens_limit=1), Limits(requests_limit=1, tokens_limit=1)])
def test_hostile_limit_in_headers_stops_the_run_for_ever(said: Limits) -> None:
    limiter = Limiter(Caps(4, 4))
    found = driven(Scripted(lambda *_: Reply("text", "complete", "m", Usage(100, 0, 0, 10), said)), limiter)
    assert found.seconds <= LONGEST_S + 60
    assert "1 tokens a minute are allowed" in found.stopped
    assert len(driven(Scripted(), limiter).answers) == 50


def test_reason_of_a_wait_is_told_late_or_again_and_again(caplog: pytest.LogCaptureFixture) -> None:
    limiter = Limiter(Caps(4, 4, rpm=0.2))
    found = driven(Scripted(), limiter)
    assert len(found.answers) == 50, "five minutes between two requests are no reason to stop"
    assert caplog.text.count("gpt: nothing was sent for 60 s, 240 more are to come: 0 requests a minute") == 1


def test_stage_that_waits_for_its_turn_is_stopped() -> None:
    """Other stages go on: fifty requests, five minutes each, of which this one gets every second."""

    async def both() -> list[Driven]:
        limiter, breaker = Limiter(Caps(4, 4, rpm=0.2)), Breaker()
        stages = [
            drive(Scripted(), [call(one) for one in range(20)], limiter=limiter, breaker=breaker) for _ in range(5)
        ]
        return list(await asyncio.gather(*stages))

    assert [(len(one.answers), one.stopped) for one in in_time(both())] == [(20, "")] * 5


@pytest.mark.parametrize("value", ["1000000000", "999999999999.9", "Fri, 31 Dec 9999 23:59:59 GMT", "nan", "-1", "inf"])
@pytest.mark.parametrize("status", [429, 500])
def test_retry_after_is_heeded_for_years(value: str, status: int, caplog: pytest.LogCaptureFixture) -> None:
    after = retry_after({"retry-after": value, "date": "Sun, 22 Nov 2026 15:00:00 GMT"})
    problem = CallProblem(
        "transient", f"HTTP {status}", status=status, retry_after_s=after, slow_down=status == 429,
        limits=limits_of({"x-ratelimit-limit-requests": "5", "x-ratelimit-remaining-requests": "0",
                          "x-ratelimit-reset-requests": value}),
    )  # fmt: skip
    client = Scripted(lambda *_: problem)
    found = driven(client, Limiter(Caps(8, 8)))
    times = [time for time, _, _ in client.sent]
    assert max(later - earlier for earlier, later in pairwise(times)) <= LONGEST_S
    assert found.seconds < 2.5 * LONGEST_S
    assert f"HTTP {status}" in found.stopped
    if after and after > 120 and status == 500:  # of 429 one request a minute tries
        assert "nothing was sent for 60 s" in caplog.text


def test_table_asks_for_days_between_two_tries() -> None:
    came = iter(range(99))

    def script(one: Call, attempt: int) -> Reply | CallProblem:
        return GOOD if next(came) else CallProblem("transient", "HTTP 500", status=500, retry_after_s=10.0**9)

    long = Sending(Policy(seconds=10.0**9, longest_wait_s=10.0**9))
    found = in_time(drive(Scripted(script), [call(1)], sending=long))
    assert len(found.answers) == 1
    assert found.seconds <= LONGEST_S + 60
