"""The iterator over the event loop's thread: slow and stopping callers, faults on either side. Real time, milliseconds."""

from __future__ import annotations

import gc
import os
import signal
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from scrollwork.models.base import Answer, Attempt, Call, CallFailed, CallProblem, Reply, Usage
from scrollwork.models.engine.answers import Run, answer
from scrollwork.models.engine.limits import Caps, Limiter
from scrollwork.models.engine.retry import Policy
from scrollwork.models.engine.sending import Sending
from scrollwork.models.engine.settings import Settings, settings
from scrollwork.models.engine.stopping import Stop
from scrollwork.models.registry import UnknownModel
from tests.models.clock import GOOD, Scripted, call


def run(client: Scripted, calls: Any, caps: Caps | None = None, **more: Any) -> Run:
    caps = caps or Caps(8, 8)
    made = Settings(caps=caps, sending=more.pop("sending", Sending(Policy(first_wait_s=0.01))))
    return answer(lambda: client, calls, made, limiter=more.pop("limiter", Limiter(caps)), **more)


def keys(results: Any, kind: type = Answer) -> list[str]:
    return [result.key for result in results if isinstance(result, kind)]


def take(results: Run, came: list[Any]) -> None:
    """All that comes, kept also if it ends badly."""
    for result in results:
        came.append(result)


def threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "scrollwork-calls"]


@pytest.fixture(autouse=True)
def no_thread_left() -> Iterator[None]:
    """Every test ends with its engine's thread ended."""
    before = set(threads())
    yield
    gc.collect()
    deadline = time.monotonic() + 5
    while set(threads()) - before:
        assert time.monotonic() < deadline, "a thread of an engine is left"
        time.sleep(0.005)


def test_result_is_lost_between_the_threads() -> None:
    client = Scripted(lambda one, _: CallProblem("terminal", "no") if int(one.key) % 7 == 0 else GOOD, latency=0.002)
    results = list(run(client, (call(number, f"d{number // 3}") for number in range(700))))
    assert sorted(map(int, keys(results, CallFailed))) == list(range(0, 700, 7))
    assert sorted(map(int, keys(results) + keys(results, CallFailed))) == list(range(700))
    assert len(keys(results, Attempt)) == 700
    assert client.closed


def test_nothing_to_send_starts_a_thread_or_a_client() -> None:
    client = Scripted()
    assert list(run(client, [])) == []
    assert threads() == []
    assert not client.closed


def test_calls_are_taken_far_ahead_of_a_slow_caller() -> None:
    taken = done = 0

    def calls() -> Iterator[Call]:
        nonlocal taken
        for number in range(300):
            taken += 1
            yield call(number)

    for result in run(Scripted(latency=0.0), calls(), Caps(4, 4)):
        done += isinstance(result, Answer)
        if done < 20:
            time.sleep(0.002)
        assert taken - done <= 8
    assert done == taken == 300


def test_calls_do_not_go_on_while_the_caller_works() -> None:
    client = Scripted(latency=0.01)
    results = run(client, map(call, range(16)), Caps(8, 8))
    next(results)
    time.sleep(0.2)  # a long commit
    assert len(client.ended) == 16
    assert len(keys(results)) == 16


def test_stop_leaves_answers_in_flight_behind() -> None:
    client, stop = Scripted(latency=0.1), Stop()
    results = run(client, map(call, range(1000)), stop=stop)
    first = [next(results) for _ in range(16)]
    stop.set("Ctrl-C")
    rest = list(results)
    assert sorted(keys(first + rest), key=int) == sorted(client.ended, key=int)
    assert len(client.sent) == len(client.ended) <= 24
    assert results.stopped == "Ctrl-C"


def test_second_stop_waits() -> None:
    client, stop = Scripted(latency=lambda one: 60.0 if int(one.key) > 9 else 0.001), Stop()
    results = run(client, map(call, range(1000)), stop=stop)
    first = [next(results) for _ in range(20)]
    began = time.monotonic()
    threading.Timer(0.1, stop.set).start()
    threading.Timer(0.2, stop.set).start()
    rest = list(results)
    assert time.monotonic() - began < 2
    assert len(keys(first + rest)) == 10
    assert {result.outcome for result in rest if isinstance(result, Attempt)} == {"cancelled"}


def test_interrupt_loses_answers_in_flight() -> None:
    """Ctrl-C without a handler: KeyboardInterrupt out of the iterator, which then yields what was in flight."""
    client = Scripted(latency=lambda one: 0.3 if int(one.key) > 3 else 0.001)
    results = run(client, map(call, range(1000)))
    came: list[Any] = []
    threading.Timer(0.1, signal.raise_signal, [signal.SIGINT]).start()
    with pytest.raises(KeyboardInterrupt):
        take(results, came)
    assert len(keys(came)) == 4
    rest = list(results)
    assert sorted(keys(came + rest), key=int) == [str(number) for number in range(len(client.sent))]
    assert results.stopped == "interrupted"


def test_interrupt_at_any_moment_loses_an_answer() -> None:
    """Alarms at arbitrary points of the iterator's code; what was yielded is caught, all else must still come."""

    class Alarm(KeyboardInterrupt):
        pass

    def ring(*_: object) -> None:
        raise Alarm

    before = signal.signal(signal.SIGUSR1, ring)  # pytest-timeout needs SIGALRM
    try:
        for place in range(30):
            client = Scripted(latency=0.001)
            results = run(client, map(call, range(200)), Caps(32, 32))
            came: list[Any] = []
            alarm = threading.Timer(0.003 + place * 0.0005, os.kill, [os.getpid(), signal.SIGUSR1])
            try:
                alarm.start()
                take(results, came)
                alarm.join()
                time.sleep(0.01)
            except Alarm:
                pass
            came += list(results)
            missing = set(client.ended) - set(keys(came))
            assert len(missing) <= 1, place  # the one that the alarm took out of this test's own hands
            assert len(keys(came)) == len(set(keys(came)))
    finally:
        signal.signal(signal.SIGUSR1, before)


def in_flight(client: Scripted, count: int) -> Run:
    """A run of which so many calls are in flight, and one result was taken."""
    results = run(client, map(call, range(100)), Caps(4, 4))
    assert isinstance(next(results), Attempt)
    deadline = time.monotonic() + 5
    while client.in_flight < count:
        assert time.monotonic() < deadline
        time.sleep(0.001)
    return results


def test_interrupt_loses_the_result_that_is_handed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    results = run(Scripted(latency=0.001), map(call, range(20)), Caps(1, 1))
    came = [next(results), next(results)]
    drop_first = results._results.drop_first

    def interrupted(result: Any) -> None:
        drop_first(result)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(results._results, "drop_first", interrupted)
        with pytest.raises(KeyboardInterrupt):
            next(results)
    came += list(results)
    assert keys(came, Attempt) == keys(came) == [str(number) for number in range(len(keys(came)))]
    assert len(keys(came)) >= 2


@pytest.mark.parametrize("how", ["close", "with", "forgotten"])
def test_thread_outlives_a_caller_that_leaves(how: str) -> None:
    client = Scripted(latency=lambda one: 0.001 if one.key == "0" else 60.0)
    results = in_flight(client, 3)
    began = time.monotonic()
    if how == "close":
        results.close()
        assert {result.outcome for result in results if isinstance(result, Attempt)} == {"cancelled"}
    elif how == "with":
        with pytest.raises(ZeroDivisionError), results:
            raise ZeroDivisionError
    del results
    gc.collect()
    assert threads() == []
    assert time.monotonic() - began < 10, "not the 60 s that a reply takes"
    assert client.closed
    assert client.in_flight == 0


def test_fault_of_the_calls_loses_paid_answers() -> None:
    def calls() -> Iterator[Call]:
        yield from map(call, range(10))
        raise OSError("disk")

    results = run(Scripted(latency=0.05), calls())
    came: list[Any] = []
    with pytest.raises(OSError, match="disk"):
        take(results, came)
    assert len(keys(came)) in (8, 9, 10)
    assert list(results) == []


def test_fault_of_the_first_call_hangs() -> None:
    def calls() -> Iterator[Call]:
        raise OSError("disk")
        yield

    with pytest.raises(OSError, match="disk"):
        next(run(Scripted(), calls()))


def test_missing_key_hangs() -> None:
    def factory() -> Scripted:
        raise UnknownModel("set OPENAI_API_KEY")

    results = answer(factory, map(call, range(10)), Settings(), limiter=Limiter(Caps()))
    with pytest.raises(UnknownModel, match="set OPENAI_API_KEY"):
        list(results)


def test_fault_of_a_client_is_lost_in_its_thread() -> None:
    client = Scripted(lambda one, _: ValueError("shape") if one.key == "20" else GOOD, latency=0.001)
    came: list[Any] = []
    with pytest.raises(ValueError, match="shape"):
        take(run(client, map(call, range(1000))), came)
    assert sorted(keys(came), key=int) == sorted(set(client.ended) - {"20"}, key=int)


def test_quota_is_not_told() -> None:
    client = Scripted(lambda one, _: CallProblem("quota", "no money left") if one.key == "30" else GOOD, latency=0.001)
    results = run(client, map(call, range(1000)))
    came = list(results)
    assert results.stopped == "no money left"
    assert keys(came, CallFailed) == []
    assert 30 <= len(keys(came)) < 60


def test_run_that_answered_all_is_told_as_stopped() -> None:
    stop = Stop()
    results = run(Scripted(latency=0.001), map(call, range(5)), stop=stop)
    assert len(keys(results)) == 5
    stop.set()
    assert results.stopped == ""


def test_stages_pass_their_common_limit() -> None:
    limiter = Limiter(Caps(6, 6))
    clients = [Scripted(latency=0.002) for _ in range(3)]
    flying, most = 0, 0

    class Counted(Scripted):
        async def send(self, call: Call) -> Reply:
            nonlocal flying, most
            flying += 1
            most = max(most, flying)
            try:
                return await super().send(call)
            finally:
                flying -= 1

    clients = [Counted(latency=0.002) for _ in range(3)]
    found: dict[int, list[str]] = {}

    def work(number: int) -> None:
        found[number] = keys(run(clients[number], map(call, range(100)), Caps(6, 6), limiter=limiter))

    stages = [threading.Thread(target=work, args=(number,)) for number in range(3)]
    for stage in stages:
        stage.start()
    for stage in stages:
        stage.join(20)
    assert [len(found[number]) for number in range(3)] == [100] * 3
    assert most <= 6
    assert limiter.in_flight == 0


def test_one_stage_starves_another() -> None:
    limiter = Limiter(Caps(rpm=30_000, concurrency=4, start=4))
    ends = {}

    def work(number: int) -> None:
        list(run(Scripted(latency=0.001), map(call, range(200)), Caps(4, 4), limiter=limiter))
        ends[number] = time.monotonic()

    began = time.monotonic()
    stages = [threading.Thread(target=work, args=(number,)) for number in range(2)]
    for stage in stages:
        stage.start()
    for stage in stages:
        stage.join(20)
    took = sorted(end - began for end in ends.values())
    assert took[0] > 0.6 * took[1]


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({"concurrency": 0}, "model 'gpt': concurrency = 0 must be a positive number (whole)"),
        ({"concurrency": 2.5}, "concurrency = 2.5 must be"),
        ({"rpm": "500"}, "rpm = '500' must be a positive number"),
        ({"tpm": -1}, "tpm = -1"),
        ({"timeout_s": False}, "timeout_s = False"),
        ({"retry": {"attempts": 0}}, "model 'gpt': retry.attempts = 0"),
    ],
)
def test_wrong_limit_is_taken(table: dict[str, Any], said: str) -> None:
    with pytest.raises(UnknownModel) as caught:
        settings("gpt", table, key_name="KEY")
    assert said in str(caught.value)


def test_limits_of_the_table_are_not_read() -> None:
    table = {
        "provider": "openai",
        "id": "gpt-x",
        "concurrency": 4,
        "rpm": 60,
        "tpm": 9000,
        "retry": {"attempts": 2},
        "timeout_s": 30,
    }
    found = settings("gpt", table, key_name="KEY")
    assert found.caps == Caps(4, 4, 60, 9000, admits_by_limit=True), "as OpenAI lets in"
    assert (found.sending.policy.attempts, found.sending.timeout_s) == (2, 30)
    assert (found.provider, found.model_id, found.key_name) == ("openai", "gpt-x", "KEY")
    assert settings("gpt", {}, key_name="KEY").caps == Caps(32, 8, None, None)


def test_usage_of_an_unusable_reply_is_lost() -> None:
    paid = Usage(100, 0, 0, 7)
    empty = CallProblem("transient", "empty", status=200, paid=paid)
    results = list(run(Scripted(lambda _, attempt: empty if attempt == 1 else GOOD, latency=0.001), [call(1)]))
    assert [result.usage for result in results if isinstance(result, Attempt)] == [paid, GOOD.usage]


def test_what_came_meanwhile_is_lost_or_given_twice() -> None:
    came: list[Any] = []
    with run(Scripted(latency=0.001), (call(number, f"d{number // 3}") for number in range(400))) as results:
        for result in results:
            together = [result]
            results.came(together, 7)
            assert len(together) <= 7
            came += together
            time.sleep(0.001)
        assert results.stopped == ""
    assert sorted(map(int, keys(came))) == list(range(400))
    assert sorted(map(int, keys(came, Attempt))) == list(range(400))


def test_whoever_takes_results_together_starves_the_engine() -> None:
    """Each time eight results were taken eight calls are: the engine never has fewer than it may send."""
    taken: list[int] = []

    def calls() -> Iterator[Call]:
        for number in range(400):
            taken.append(number)
            yield call(number)

    least, ended = 16, 0
    with run(Scripted(latency=0.004), calls()) as results:
        for result in results:
            if 0 < ended < 380:
                least = min(least, len(taken) - ended)
            together = [result]
            results.came(together, 16)
            ended += len(keys(together))
            time.sleep(0.006)
    assert ended == 400
    assert least >= 8, "calls were not taken though there was room"
