"""The engine on a clock that jumps: each call ends exactly once, within bounds, whatever a provider does."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from random import Random

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from scrollwork.models.base import Attempt, Call, CallProblem, Reply, Usage
from scrollwork.models.engine.breaker import AT_ONCE, FIRST, Breaker
from scrollwork.models.engine.budget import Budget, Meter
from scrollwork.models.engine.event_loop import Engine
from scrollwork.models.engine.limits import Caps, Limiter
from scrollwork.models.engine.prices import NANO, price_of
from scrollwork.models.engine.retry import Policy
from scrollwork.models.engine.sending import Sending
from scrollwork.models.engine.stopping import Stop
from tests.models.clock import GOOD, Driven, Hangs, Scripted, call, drive, in_time

DOWN = CallProblem("transient", "no server", status=None)
BUSY = CallProblem("transient", "slow down", status=429, slow_down=True)


def fails(problem: CallProblem, times: int) -> Scripted:
    """Each call fails so often before it is answered."""
    return Scripted(lambda _, attempt: problem if attempt <= times else GOOD)


def calls(count: int, group: int = 0) -> list[Call]:
    return [call(number, f"d{number // group}" if group else "") for number in range(count)]


def test_clock_hides_a_hang() -> None:
    with pytest.raises(Hangs):
        in_time(asyncio.Event().wait())


def test_answer_or_its_attempt_is_missing() -> None:
    reply = Reply("yes", "length", "m-2", Usage(100, 60, 20, 10, 4))
    driven = in_time(drive(Scripted(lambda *_: reply), calls(3)))
    assert [type(result).__name__ for result in driven.results] == ["Attempt", "Answer"] * 3
    answer = driven.answers["1"]
    assert (answer.text, answer.finish_reason, answer.reported_model) == ("yes", "length", "m-2")
    assert (answer.usage.input_tokens, answer.usage.cached_tokens, answer.usage.cache_write_tokens) == (100, 60, 20)
    assert (answer.usage.output_tokens, answer.usage.reasoning_tokens) == (10, 4)
    assert (answer.attempts, answer.latency_s) == (1, pytest.approx(0.5))
    (tried,) = (tried for tried in driven.attempts if tried.key == "1")
    assert (tried.key, tried.number, tried.outcome, tried.usage) == ("1", 1, "answered", reply.usage)
    assert tried.seconds == pytest.approx(0.5)
    assert driven.stopped == ""


def test_transient_problem_is_not_tried_again() -> None:
    driven = in_time(drive(fails(DOWN, 2), calls(1)))
    assert [(tried.number, tried.outcome) for tried in driven.attempts] == [
        (1, "transient"),
        (2, "transient"),
        (3, "answered"),
    ]
    assert driven.answers["0"].attempts == 3
    assert driven.answers["0"].latency_s == pytest.approx(0.5)


def test_terminal_problem_is_tried_again() -> None:
    driven = in_time(drive(fails(CallProblem("terminal", "too long", status=400), 99), calls(5)))
    assert {lost.attempts for lost in driven.failures.values()} == {1}
    assert {(lost.kind, lost.status, lost.message) for lost in driven.failures.values()} == {
        ("terminal", 400, "too long")
    }


REFUSED = CallProblem("transient", "HTTP 429: come back", status=429, slow_down=True, retry_after_s=60.0)


def test_account_that_is_refused_all_day_is_asked_for_days() -> None:
    """One request a minute may go: 4,000 calls would fail one by one for three days."""
    driven = in_time(drive(fails(REFUSED, 10**6), calls(4000, group=5)))
    assert driven.seconds < 1200
    assert driven.stopped == "nothing but refusals for 15 minutes, try again later: HTTP 429: come back"
    assert driven.answers == {}
    assert set(driven.failures) < {attempt.key for attempt in driven.attempts}, "what was tried last is left missing"
    assert len(driven.attempts) < 200
    assert {failure.status for failure in driven.failures.values()} <= {429}


@pytest.mark.parametrize("retry_after_s", [None, 1.0])
def test_calls_that_are_all_refused_end_the_run_early(retry_after_s: float | None) -> None:
    """However short the bound of one call is: it is no bound of the run."""
    refused = CallProblem("transient", "HTTP 429", status=429, slow_down=True, retry_after_s=retry_after_s)
    policy = Policy(attempts=3, seconds=5.0)
    sending = replace(Sending(), policy=policy)
    driven = in_time(drive(fails(refused, 10**6), calls(40, group=5), sending=sending))
    assert driven.stopped == ""
    assert len(driven.failures) == 40
    assert {attempt.outcome for attempt in driven.attempts} == {"transient"}


def test_account_that_answers_now_and_then_is_given_up() -> None:
    came = iter(range(10**6))
    client = Scripted(lambda *_: GOOD if next(came) % 5 == 4 else REFUSED)
    driven = in_time(drive(client, calls(40)))
    assert driven.stopped == ""
    assert driven.seconds > 1200
    assert len(driven.answers) + len(driven.failures) == 40
    assert len(driven.answers) > 30


MOST = 60  # requests that may have been sent to an endpoint that answers none
ALIKE = {
    "down": DOWN,
    "500": CallProblem("transient", "HTTP 500", status=500),
    "a page": CallProblem("transient", "HTTP 200 with a page of HTML", status=200),
    "302": CallProblem("terminal", "HTTP 302: sent elsewhere", status=302),
    "403": CallProblem("terminal", "HTTP 403", status=403),
    "400": CallProblem("terminal", "HTTP 400: Unsupported parameter: 'temperature'", status=400),
}


@pytest.mark.parametrize("at_once", [8, 32, 200])
@pytest.mark.parametrize("kind", ALIKE)
def test_endpoint_that_always_fails_is_asked_on(kind: str, at_once: int) -> None:
    """Each problem names its request: what it says does not tell whether they are alike."""
    problem = ALIKE[kind]

    def script(one: Call, attempt: int) -> CallProblem:
        return CallProblem(problem.kind, f"{problem.message} (request {one.key}-{attempt})", status=problem.status)

    client = Scripted(script)
    driven = in_time(drive(client, calls(2000, group=5), caps=Caps(at_once, at_once)))
    assert len(client.sent) <= MOST
    assert driven.seconds < 200
    assert "requests in a row were not answered, all alike" in driven.stopped
    assert problem.message in driven.stopped
    assert driven.answers == {}


def test_failures_that_are_not_alike_are_borne_for_ever() -> None:
    kinds = list(ALIKE.values())[:3]
    came = iter(range(10**6))
    client = Scripted(lambda *_: kinds[next(came) % 3])
    driven = in_time(drive(client, calls(2000)))
    assert len(client.sent) <= MOST
    assert "the last one so" in driven.stopped


def test_endpoint_that_blames_every_prompt_is_believed() -> None:
    for said in ("maximum context length is 8192 tokens", "Blocked by your organization's content policy"):
        client = fails(CallProblem("terminal", said, status=400), 99)
        driven = in_time(drive(client, calls(500, group=5)))
        assert len(client.sent) <= MOST
        assert said in driven.stopped


@pytest.mark.parametrize("at_once", [8, 32])
def test_answer_that_was_under_way_before_an_outage_hides_it(at_once: int) -> None:
    """From the 30th on all are refused at once, while slow answers to earlier ones come in between."""
    client = Scripted(
        lambda one, _: GOOD if int(one.key) < 30 else ALIKE["400"],
        latency=lambda one: 0.5 + int(one.key) % 7 if int(one.key) < 30 else 0.1,
    )
    breaker = Breaker()
    driven = in_time(drive(client, calls(2000), caps=Caps(at_once, at_once), breaker=breaker))
    assert len(client.sent) <= 30 + MOST + at_once
    assert "requests in a row were not answered" in driven.stopped
    assert breaker.proven <= 30
    assert all(lost.sent >= breaker.proven for lost in driven.failures.values())


def test_model_that_refuses_half_of_the_prompts_is_stopped() -> None:
    rng = Random(3)
    client = Scripted(lambda *_: ALIKE["400"] if rng.random() < 1 / 2 else GOOD, latency=lambda _: 4 * rng.random())
    driven = in_time(drive(client, calls(2000)))
    assert driven.stopped == ""
    assert len(driven.answers) + len(driven.failures) == 2000


@pytest.mark.parametrize("problem", [ALIKE["500"], ALIKE["403"], ALIKE["400"]])
def test_model_of_which_every_third_fails_is_stopped(problem: CallProblem) -> None:
    rng = Random(3)
    driven = in_time(drive(Scripted(lambda *_: problem if rng.random() < 1 / 3 else GOOD), calls(2000, group=3)))
    assert driven.stopped == ""
    assert len(driven.answers) + len(driven.failures) == 2000


def test_stages_that_share_a_breaker_each_find_out_for_themselves() -> None:
    breaker, client, limiter = Breaker(), fails(ALIKE["302"], 99), Limiter(Caps(32, 32))

    async def both() -> list[Driven]:
        stages = [drive(client, calls(50), caps=Caps(32, 32), limiter=limiter, breaker=breaker) for _ in range(4)]
        return list(await asyncio.gather(*stages))

    stages = in_time(both())
    assert len(client.sent) <= MOST
    assert {one.stopped for one in stages} == {breaker.tripped}
    assert [in_time(drive(client, calls(5), breaker=breaker)).stopped] == [breaker.tripped], "a stage that comes later"
    assert len(client.sent) <= MOST


def test_request_that_hangs_while_one_alone_tries_keeps_all_others_back() -> None:
    """A stop ends the wait; the place of a request that was cancelled is free."""
    breaker = Breaker()
    stop = Stop()
    came = iter(range(10**6))
    client = Scripted(
        lambda *_: DOWN if next(came) < 47 else GOOD, latency=lambda _: 0.5 if len(client.sent) < 45 else 100.0
    )

    async def work() -> Driven:
        running = asyncio.ensure_future(drive(client, calls(100), breaker=breaker, stop=stop))
        await asyncio.sleep(30)
        stop.set()
        stop.set()
        return await running

    in_time(work())
    client.latency = 0.5
    assert len(in_time(drive(client, calls(100), breaker=breaker)).answers) == 100


def test_outage_that_ends_fails_what_comes_after() -> None:
    began: list[float] = []

    def script(_: Call, __: int) -> Reply | CallProblem:
        now = asyncio.get_running_loop().time()
        began.append(now)
        return DOWN if now - began[0] < 60 else GOOD

    driven = in_time(drive(Scripted(script), calls(300)))
    assert len(driven.answers) == 300


def test_endpoint_that_recovered_is_still_held_back() -> None:
    """One answer is enough for all to go again, each with all of its tries."""
    client = fails(DOWN, 3)
    driven = in_time(drive(client, calls(300)))
    assert len(driven.answers) == 300
    assert client.most_in_flight == 32
    assert driven.seconds < 120


def test_more_go_at_once_than_may_fail_before_the_first_answer() -> None:
    first = Scripted(latency=5.0)
    in_time(drive(first, calls(500), caps=Caps(200, 200)))
    assert sum(time == first.sent[0][0] for time, _, _ in first.sent) == AT_ONCE
    assert first.most_in_flight == 200
    assert FIRST + AT_ONCE + Policy().attempts < MOST


def test_stalled_reply_blocks_its_place_for_good() -> None:
    client = Scripted(lambda *_: GOOD, latency=lambda one: 1e9 if one.key == "3" else 0.5)
    driven = in_time(drive(client, calls(10), sending=Sending(Policy(attempts=2), timeout_s=30.0)))
    assert len(driven.answers) == 9
    assert driven.failures["3"].message == "no reply within 30 s"
    assert driven.failures["3"].attempts == 2
    assert driven.seconds < 70


def test_group_waits_for_a_leader_that_stalls() -> None:
    client = Scripted(lambda *_: GOOD, latency=lambda one: 500.0 if one.key == "0" else 0.5)
    driven = in_time(drive(client, calls(10, group=10), sending=Sending(warmup_s=20.0)))
    assert sorted(time for time, _, _ in client.sent)[1] == pytest.approx(1020.0)
    assert len(driven.answers) == 10


def test_followers_are_sent_with_their_leader() -> None:
    client = Scripted()
    in_time(drive(client, calls(60, group=6)))
    times = {key: time for time, key, _ in client.sent}
    for number in range(60):
        leader = str(number - number % 6)
        if str(number) != leader:
            assert times[str(number)] >= client.ended[leader]


def test_quota_fails_the_calls_that_are_left() -> None:
    quota = CallProblem("quota", "insufficient_quota: see your plan", status=429)
    client = Scripted(
        lambda one, _: quota if int(one.key) >= 100 else GOOD, latency=lambda one: 0.5 + int(one.key) / 1000
    )
    driven = in_time(drive(client, calls(1000)))
    assert driven.stopped == "insufficient_quota: see your plan"
    assert driven.failures == {}
    assert set(driven.answers) == {str(number) for number in range(100)}
    assert len(client.sent) <= 132
    assert client.closed


def test_refused_key_is_tried_on_every_call() -> None:
    client = fails(CallProblem("terminal", "Incorrect API key provided", status=401), 99)
    driven = in_time(drive(client, calls(1000), caps=Caps(32, 8)))
    assert len(client.sent) <= 8
    assert driven.failures == {}
    assert driven.stopped == "Incorrect API key provided"
    assert {tried.outcome for tried in driven.attempts} == {"terminal"}


@pytest.mark.parametrize("level", [1, 2])
def test_stop_loses_or_sends_more(level: int) -> None:
    stop = Stop()
    client = Scripted(latency=5.0)

    async def work() -> Driven:
        running = asyncio.ensure_future(drive(client, calls(500), stop=stop))
        await asyncio.sleep(12)
        for _ in range(level):
            stop.set("interrupted")
        return await running

    driven = in_time(work())
    assert driven.stopped == "interrupted"
    assert len(client.sent) == 96
    assert len(driven.answers) == (96 if level == 1 else 64)
    assert Counter(tried.outcome for tried in driven.attempts) == (
        {"answered": 96} if level == 1 else {"answered": 64, "cancelled": 32}
    )
    assert driven.seconds == pytest.approx(15 if level == 1 else 12)
    assert client.closed


def test_call_that_rests_is_sent_after_a_stop() -> None:
    stop = Stop()
    client = fails(DOWN, 99)

    async def work() -> Driven:
        running = asyncio.ensure_future(drive(client, calls(3), stop=stop))
        await asyncio.sleep(0.6)
        stop.set("interrupted")
        return await running

    driven = in_time(work())
    assert (len(client.sent), driven.failures, driven.answers) == (3, {}, {})
    assert driven.seconds == pytest.approx(0.6)


def test_refusals_do_not_lower_concurrency() -> None:
    """A server that takes eight at once: refusals end, though 64 are allowed."""
    client = Scripted()
    client.script = lambda *_: BUSY if client.in_flight >= 8 else GOOD
    driven = in_time(drive(client, calls(1200), caps=Caps(64, 64), sending=Sending(Policy(attempts=30))))
    assert len(driven.answers) == 1200
    late = [tried for tried in driven.attempts[-600:] if tried.outcome == "transient"]
    assert len(late) < 60


def test_pace_of_a_minute_is_passed() -> None:
    client = Scripted(latency=3.0)
    driven = in_time(drive(client, calls(100), caps=Caps(32, 32, rpm=60)))
    times = [time for time, _, _ in client.sent]
    assert all(later - earlier == pytest.approx(1.0) for earlier, later in pairwise(times))
    assert driven.seconds == pytest.approx(102.0)


def test_memory_grows_with_the_number_of_calls() -> None:
    for count in (400, 1600):
        singles = in_time(drive(Scripted(), calls(count), caps=Caps(8, 8)))
        grouped = in_time(drive(Scripted(), calls(count, group=50), caps=Caps(8, 8)))
        assert singles.most_open == 16
        assert grouped.most_open <= 24


def test_fault_of_a_client_hangs_or_is_swallowed() -> None:
    client = Scripted(lambda one, _: KeyError("usage") if one.key == "5" else GOOD)
    with pytest.raises(KeyError, match="usage"):
        in_time(drive(client, calls(100)))
    assert client.closed
    assert client.in_flight == 0


def test_fault_of_the_budget_hangs() -> None:
    class Broken:
        reason = ""

        def reserve(self, call: Call) -> bool:
            return True

        def settle(self, call: Call, usage: Usage | None, *, maybe: bool = False, service: str = "") -> None:
            raise ArithmeticError("budget")

        def pending(self) -> bool:
            return False

    limiter = Limiter(Caps(4, 4))
    with pytest.raises(ArithmeticError, match="budget"):
        in_time(drive(Scripted(), calls(20), caps=Caps(4, 4), limiter=limiter, gate=Broken()))
    assert limiter.in_flight == 0


def test_client_that_cannot_be_cancelled_hangs_the_run() -> None:
    class Stubborn(Scripted):
        async def send(self, call: Call) -> Reply:
            while True:
                try:
                    await asyncio.sleep(100)
                    return GOOD
                except asyncio.CancelledError:
                    pass

    stop = Stop()
    limiter = Limiter(Caps(4, 4))

    async def work() -> Driven:
        running = asyncio.ensure_future(drive(Stubborn(), calls(20), caps=Caps(4, 4), limiter=limiter, stop=stop))
        await asyncio.sleep(1)
        stop.set()
        stop.set()
        return await running

    assert in_time(work()).seconds < 15
    assert limiter.in_flight == 0


def test_request_that_was_cancelled_before_it_began_keeps_its_place() -> None:
    client, limiter, budget = Scripted(), Limiter(Caps(4, 4)), Budget(NANO)

    async def work() -> float:
        gate = Meter(budget, price_of("m", {"price": {"input": 1, "output": 1}}))
        engine = Engine(lambda: client, Sending(), limiter, lambda _: None, gate=gate, stop=Stop(), rng=Random(0))
        running = asyncio.ensure_future(engine.run())
        await asyncio.sleep(0)
        began = asyncio.get_running_loop().time()
        engine.feed(calls(4))
        engine.cancel("closed")
        await running
        return asyncio.get_running_loop().time() - began

    assert in_time(work()) == 0.0
    assert (client.sent, limiter.in_flight, budget.reserved, budget.spent) == ([], 0, 0, 0)


KINDS = st.sampled_from(["good", "empty", "down", "busy", "wait", "terminal", "stall"])
PROBLEMS = {
    "empty": CallProblem("transient", "empty", status=200, paid=Usage(100, 0, 0, 5)),
    "down": DOWN,
    "busy": CallProblem("transient", "overloaded", status=529, slow_down=True),
    "wait": CallProblem("transient", "wait", status=429, slow_down=True, retry_after_s=20.0),
    "terminal": CallProblem("terminal", "no", status=400),
}


@hypothesis_settings(max_examples=200, suppress_health_check=[HealthCheck.too_slow])
@given(
    plan=st.lists(st.lists(KINDS, max_size=6), min_size=1, max_size=40),
    group=st.integers(0, 7),
    concurrency=st.integers(1, 12),
    rpm=st.sampled_from([None, 30, 600]),
    attempts=st.integers(1, 5),
    seed=st.integers(0, 9),
)
def test_call_is_lost_answered_twice_or_tried_beyond_its_bound(
    plan: list[list[str]], group: int, concurrency: int, rpm: int | None, attempts: int, seed: int
) -> None:
    """Any faults, call by call and attempt by attempt."""
    rng = Random(seed)

    def kind(one: Call, attempt: int) -> str:
        own = plan[int(one.key)]
        return own[attempt - 1] if attempt <= len(own) else "good"

    class Faulty(Scripted):
        async def send(self, call: Call) -> Reply:
            attempt = 1 + sum(key == call.key for _, key, _ in self.sent)
            self.latency = 1e6 if kind(call, attempt) == "stall" else rng.uniform(0.1, 2.0)
            return await super().send(call)

    client = Faulty(lambda one, attempt: PROBLEMS.get(kind(one, attempt), GOOD))
    limiter = Limiter(Caps(concurrency, min(4, concurrency), rpm))
    bounds = Policy(attempts=attempts, seconds=1e6, longest_wait_s=30.0)
    driven = in_time(
        drive(
            client,
            calls(len(plan), group),
            caps=Caps(concurrency),
            limiter=limiter,
            sending=Sending(bounds, 60.0, 20.0),
            breaker=Breaker(bounds, first=10**6, later=10**6),
            seed=seed,
        )
    )
    results = Counter(result.key for result in driven.results if not isinstance(result, Attempt))
    assert results == {str(number): 1 for number in range(len(plan))}
    tries = Counter(tried.key for tried in driven.attempts)
    assert tries == Counter(key for _, key, _ in client.sent)
    for number, own in enumerate(plan):
        key, course = str(number), [*own, "good"]
        last = next(place for place, what in enumerate(course) if what in ("good", "terminal"))
        assert tries[key] == min(last + 1, attempts)
        if last >= attempts:
            assert driven.failures[key].kind == "transient"
        else:
            assert (key in driven.answers) == (course[last] == "good")
    assert limiter.in_flight == 0
    assert client.in_flight == 0
    assert client.most_in_flight <= concurrency
    assert driven.stopped == ""
