"""Results of a hosted model on their way into the store: together where they came together, never lost in our hands."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scrollwork.models.base import Answer, Ask, Attempt, Call, CallFailed, CallProblem, Reply, Usage
from scrollwork.models.engine.answers import Run, answer
from scrollwork.models.engine.breaker import Breaker
from scrollwork.models.engine.budget import Gate
from scrollwork.models.engine.limits import Caps, Limiter
from scrollwork.models.engine.limits_ledger import LimitsLedger
from scrollwork.models.engine.retry import LONGEST_S, Policy
from scrollwork.models.engine.sending import Sending
from scrollwork.models.engine.settings import Settings
from scrollwork.models.engine.stopping import Stop
from scrollwork.pipeline import calling, progress
from scrollwork.pipeline.calling import CallSettings
from scrollwork.storage.answers.store import ResponseStore
from scrollwork.storage.errors import StorageError
from scrollwork.tasks.generate import asker, stored_answers, while_asking
from scrollwork.tasks.generate.asker import Asker
from scrollwork.tasks.generate.pending import chunks
from tests.models.clock import GOOD, Scripted, call
from tests.some_slow import one_in

QUICK = Policy(attempts=4, first_wait_s=0.01)


class Remote:
    """A model whose client is given, in the real engine."""

    def __init__(self, client: Any, at_once: int) -> None:
        self.name = self.provider = "m"
        self.members = ("m",)
        self.client, self.caps = client, Caps(at_once, at_once)

    def payload(self, ask: Ask, member: str) -> dict[str, Any]:
        return {}

    def answer(self, calls: Iterable[Call]) -> Iterator[Answer | CallFailed | Attempt]:
        return self.run(calls)

    def run(
        self,
        calls: Iterable[Call],
        *,
        gate: Gate | None = None,
        stop: Stop | None = None,
        ledger: LimitsLedger | None = None,
        breaker: Breaker | None = None,
    ) -> Run:
        settings = Settings(caps=self.caps, sending=Sending(QUICK))
        return answer(
            lambda: self.client, calls, settings, limiter=Limiter(self.caps), gate=gate, stop=stop, breaker=breaker
        )


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ResponseStore]:
    opened = ResponseStore(tmp_path / "responses.db")
    yield opened
    opened.close()


def ask(
    client: Any, store: ResponseStore, count: int, at_once: int, *, first: int = 0, begin: bool = True, **given: Any
) -> None:
    """Ask so many calls, from the number `first` on. begin: as a new run does."""

    of, more = given.pop("prefix", lambda _: ""), {"body": given.pop("body")} if "body" in given else {}

    def source(keys: Collection[str] | None) -> Iterator[list[Call]]:
        texts = ((number, document(of(number))) for number in range(first, count))
        made = (call(number, text=text, tokens=1500 if of(number) else 100) for number, text in texts)
        return chunks((replace(one, payload={**one.payload, **more}) for one in made), 16)

    if begin:
        calling.begin_run("run")
        calling._breakers["run", "m"] = Breaker(QUICK)
    how = CallSettings("run", tables={"m": given.pop("table", {})}, **given)
    Asker(Remote(client, at_once), how, store, "calls", count).ask(source)


def document(name: str) -> str:
    """Documents of two names differ from their first sign on."""
    return (chr(0x100 + int(name)) if name.isdigit() else "") + "word " * 1500


def stored(store: ResponseStore, count: int) -> set[str]:
    return set(store.answers([str(number) for number in range(count)]))


def watched(store: ResponseStore, monkeypatch: pytest.MonkeyPatch, before: Callable[[int], None]) -> list[int]:
    """`before` runs ahead of each commit, with its number; how many answers each commit that was begun had."""
    real, sizes = store.add, list[int]()

    def add(answers: Any, *rest: Any, **more: Any) -> None:
        sizes.append(len(answers))
        before(len(sizes))
        real(answers, *rest, **more)

    monkeypatch.setattr(store, "add", add)
    return sizes


def test_what_came_together_waits_for_the_disk_one_by_one(
    store: ResponseStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = watched(store, monkeypatch, lambda _: time.sleep(0.01))
    ask(Scripted(latency=0.005), store, 300, at_once=50)
    assert sum(sizes) == 300
    assert max(sizes) <= asker.TOGETHER
    assert len(sizes) <= 100
    held = store.holdings()
    assert (held.answers, held.attempts, held.claimed) == ({"m": 300}, {"m": {"answered": 300}}, 0)


def test_answer_that_came_alone_waits_for_others(store: ResponseStore) -> None:
    """The others are answered only once the first is in the store."""

    class Patient:
        async def send(self, one: Call) -> Reply:
            while one.key != "0" and not stored(store, 1):
                if time.monotonic() > deadline:
                    raise CallProblem("terminal", "the first answer was not stored")
                await asyncio.sleep(0.005)
            return GOOD

        async def close(self) -> None:
            pass

    deadline = time.monotonic() + 10
    ask(Patient(), store, 20, at_once=8)
    assert stored(store, 20) == {str(number) for number in range(20)}


@pytest.mark.parametrize("problem", [StorageError("no space left"), KeyboardInterrupt()])
@pytest.mark.parametrize("fails", [1, 3])
def test_answers_in_hand_are_lost_when_a_commit_fails_once(
    store: ResponseStore, monkeypatch: pytest.MonkeyPatch, problem: BaseException, fails: int
) -> None:
    def fail(number: int) -> None:
        time.sleep(0.02)  # so that several come meanwhile
        if number == fails:
            raise problem

    client = Scripted(latency=0.01)
    sizes = watched(store, monkeypatch, fail)
    monkeypatch.setattr(asker, "LOOK_S", 0.01)
    with pytest.raises(type(problem)):
        ask(client, store, 500, at_once=8)
    sent = {key for _, key, _ in client.sent}
    assert sizes[fails - 1] > 0, "no answer was in hand"
    assert 0 < len(sent) < 500
    assert stored(store, 500) == sent, "what was paid is not stored"
    assert store.holdings().claimed == 0


@pytest.mark.parametrize("problem", [StorageError("no space left"), KeyboardInterrupt()])
def test_last_answer_is_lost_when_its_commit_fails(
    store: ResponseStore, monkeypatch: pytest.MonkeyPatch, problem: BaseException
) -> None:
    def fail(number: int) -> None:
        if number == 1:
            raise problem

    watched(store, monkeypatch, fail)
    with pytest.raises(type(problem)):
        ask(Scripted(latency=0.01), store, 1, at_once=1)
    assert stored(store, 1) == {"0"}


def test_interrupt_after_a_commit_stores_it_again_or_fails(
    store: ResponseStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, calls = store.add, list[int]()

    def add(*rest: Any, **more: Any) -> None:
        real(*rest, **more)
        calls.append(1)
        if len(calls) == 2:
            raise KeyboardInterrupt

    client = Scripted(latency=0.01)
    monkeypatch.setattr(store, "add", add)
    with pytest.raises(KeyboardInterrupt):
        ask(client, store, 300, at_once=8)
    sent = {key for _, key, _ in client.sent}
    held = store.holdings()
    assert stored(store, 300) == sent
    assert held.attempts == {"m": {"answered": len(sent)}}


ELSEWHERE = CallProblem("terminal", "HTTP 302: sent elsewhere: https://login.hotel", status=302)
FORBIDDEN = CallProblem("terminal", "HTTP 403: a page of HTML: is a proxy or a firewall between?", status=403)
UNSUPPORTED = CallProblem("terminal", "HTTP 400: Unsupported parameter: 'temperature'", status=400)
BROKEN = CallProblem("transient", "HTTP 500: Internal server error", status=500)
SHAPE = CallProblem(
    "transient", "HTTP 200 with no status, but it has message.content: is the endpoint chat?", status=200
)
NO_SERVER = CallProblem("transient", "cannot connect", paid=Usage(0, 0, 0, 0, 0))
TOO_LONG = CallProblem("terminal", "maximum context length is 8192 tokens", status=400)
BLOCKED = CallProblem("terminal", "HTTP 403: Blocked by your organization's content policy", status=403)
PAGE = CallProblem("terminal", "HTTP 400: a page of HTML: is a proxy or a firewall between?", status=400, foreign=True)


def failed(store: ResponseStore) -> int:
    return sum(store.holdings().failures.values())


@pytest.mark.parametrize("count", [9, 121])
@pytest.mark.parametrize(
    "problem", one_in(3, [ELSEWHERE, FORBIDDEN, UNSUPPORTED, BROKEN, SHAPE, NO_SERVER, TOO_LONG, BLOCKED, PAGE])
)
def test_hotel_network_marks_every_request_as_failed_for_good(
    store: ResponseStore, caplog: pytest.LogCaptureFixture, problem: CallProblem, count: int
) -> None:
    client = Scripted(lambda *_: problem, latency=0.001)
    ask(client, store, count, at_once=32)
    assert 0 < len(client.sent) <= 60
    held = store.holdings()
    assert (held.failures, held.answers, held.claimed) == ({}, {}, 0), "missing, not failed"
    assert problem.message in caplog.text
    assert "the same command asks the rest" in caplog.text
    before = len(client.sent)
    ask(client, store, 2 * count, at_once=32, first=count, begin=False)
    assert len(client.sent) == before, "no other stage of the run asks"
    well = Scripted(latency=0.001)
    ask(well, store, count, at_once=32)
    assert len(stored(store, count)) == len(well.sent) == count


def test_prompts_own_faults_are_asked_again_or_excuse_others(store: ResponseStore) -> None:
    for first, problem in ((0, TOO_LONG), (50, UNSUPPORTED)):
        client = Scripted(lambda one, _, said=problem: GOOD if int(one.key) % 7 else said, latency=0.001)  # type: ignore[misc]
        ask(client, store, first + 40, at_once=8, first=first)
    assert failed(store) == 6 + 5
    client = Scripted(lambda *_: GOOD, latency=0.001)
    ask(client, store, 100, at_once=8)
    assert len(client.sent) == 20, "only what was never asked"


@pytest.mark.parametrize("problem", one_in(3, [FORBIDDEN, UNSUPPORTED, TOO_LONG, BLOCKED, PAGE]))
@pytest.mark.parametrize("count", [11, 21])
def test_answer_that_was_under_way_makes_an_outage_the_fault_of_prompts(
    store: ResponseStore, problem: CallProblem, count: int
) -> None:
    """Seven are answered, the eighth takes long, and all later ones are refused meanwhile."""
    client = Scripted(
        lambda one, _: GOOD if int(one.key) < 8 else problem, latency=lambda one: 0.3 if one.key == "7" else 0.001
    )
    ask(client, store, count, at_once=4)
    assert (len(stored(store, count)), failed(store)) == (8, 0)
    well = Scripted(latency=0.001)
    ask(well, store, count, at_once=4)
    assert (len(stored(store, count)), len(well.sent)) == (count, count - 8)


@pytest.mark.parametrize("count", [3, 21])
def test_proxys_pages_after_two_answers_are_the_fault_of_prompts(store: ResponseStore, count: int) -> None:
    ask(Scripted(lambda one, _: GOOD if int(one.key) < 2 else PAGE, latency=0.001), store, count, at_once=1)
    assert (len(stored(store, count)), failed(store)) == (2, 0)


@pytest.mark.parametrize(("group", "plain"), [(1, 20), (5, 4)])
def test_vendor_that_says_all_was_cached_is_paid_ten_times_what_is_counted(
    store: ResponseStore, group: int, plain: int
) -> None:
    """A discount counts only behind a call that begins alike, in the budget as in the rows; what was said is kept."""
    client = Scripted(lambda *_: Reply("text", "complete", "m", Usage(1500, 1500, 0, 10, 0)), latency=0.001)
    table = {"price": {"input": 1.0, "cached": 0.1, "output": 4.0}, "provider": "openai", "retry": {}}
    calling._budgets.clear()
    ask(client, store, 20, at_once=4, table=table, budget_usd="1", prefix=lambda number: str(number // group))
    spent = store.spent("run")["m"]
    assert spent.cost_nano_usd == calling._budgets["run"].spent
    assert spent.cost_nano_usd == plain * 1500 * 1000 + (20 - plain) * 1500 * 100 + 20 * 10 * 4000
    assert (
        sum(one.cost_nano_usd or 0 for one in store.answers([str(n) for n in range(20)]).values())
        == spent.cost_nano_usd
    )
    assert spent.cached_tokens == 20 * 1500


@pytest.mark.parametrize(("provider", "hours", "plain"), [("openai", 1, 1), ("anthropic", 1, 1), ("openai", 25, 2)])
def test_what_an_earlier_run_left_in_the_cache_is_counted_as_plain_input(
    store: ResponseStore, monkeypatch: pytest.MonkeyPatch, provider: str, hours: int, plain: int
) -> None:
    """The second run's calls share their document with answers of the first, of an hour ago or of more than a day ago."""
    client = Scripted(lambda *_: Reply("text", "complete", "m", Usage(1500, 1500, 0, 10, 0)), latency=0.001)
    table = {"price": {"input": 1.0, "cached": 0.1, "output": 4.0}, "provider": provider, "retry": {}}
    given: Any = {"at_once": 1, "table": table, "prefix": lambda _: "0"}
    ask(client, store, 5, **given)
    now = time.time() + 3600 * hours
    monkeypatch.setattr(stored_answers.time, "time", lambda: now)
    ask(client, store, 10, **given)
    assert len(client.sent) == 10
    spent = store.spent("run")["m"]
    assert spent.cost_nano_usd == plain * 1500 * 1000 + (10 - plain) * 1500 * 100 + 10 * 10 * 4000


def test_what_was_in_flight_when_a_run_was_killed_is_counted_as_plain_input(store: ResponseStore) -> None:
    """The vendor read such prompts, or was charged for them, though no answer is stored."""
    table = {"price": {"input": 1.0, "cached": 0.1, "output": 4.0}, "provider": "openai", "retry": {}}
    given: Any = {"at_once": 1, "table": table, "prefix": lambda _: "0"}
    client = Scripted(lambda *_: Reply("text", "complete", "m", Usage(1500, 1500, 0, 10, 0)), latency=0.001)
    assert store.claim(["3"], "of the killed run", 0.0) == {"3"}  # a lease that is over: nobody is waited for
    ask(client, store, 5, **given)
    assert store.spent("run")["m"].cost_nano_usd == 5 * (1500 * 100 + 10 * 4000)


@pytest.mark.parametrize("paid", [None, Usage(100, 0, 0, 10, 10)])
def test_thoughts_without_an_answer_are_paid_prompt_after_prompt(store: ResponseStore, paid: Usage | None) -> None:
    """They are stopped as an endpoint is that answers nothing; but what was paid stands as failed and is not paid again."""
    problem = CallProblem("terminal", "no room to answer", status=200, own=True, paid=paid)
    client = Scripted(lambda *_: problem, latency=0.001)
    ask(client, store, 121, at_once=32)
    assert failed(store) == len(client.sent) <= 60
    assert store.holdings().claimed == 0
    well = Scripted(latency=0.001)
    ask(well, store, 121, at_once=32)
    assert len(well.sent) == 121 - len(client.sent)


def test_second_asking_without_usage_counts_in_the_rows_for_less_than_in_the_budget(store: ResponseStore) -> None:
    roomless = CallProblem("terminal", "no room", status=200, own=True, no_room=True, paid=Usage(100, 0, 0, 5, 5))
    untold = Reply("text", "complete", "m", doubt="usage not believed: 0 input tokens")
    client = Scripted(lambda one, _: untold if one.room else roomless, latency=0.001)
    table = {"price": {"input": 2.5, "output": 10.0}, "provider": "openai", "retry": {}, "max_output": 5_000}
    calling._budgets.clear()
    ask(client, store, 4, at_once=2, table=table, budget_usd="5", body={"max_tokens": 5})
    spent = store.spent("run")["m"]
    assert spent.cost_nano_usd == calling._budgets["run"].spent
    assert spent.cost_assumed_nano_usd >= 4 * 5_000 * 10_000, "all the room that it had"


def test_time_left_is_shown_while_requests_go_one_by_one(store: ResponseStore) -> None:
    heard: list[tuple[int, bool]] = []

    class Listener:
        def said(self, text: str) -> None: ...
        def started(self, title: str) -> None: ...
        def ended(self, title: str, how: str) -> None: ...

        def moved(self, title: str, done: int, total: int, steady: bool) -> None:
            heard.append((done, steady))

    calling.begin_run("run")
    progress.listen(Listener())
    try:
        ask(Scripted(latency=0.2), store, 20, at_once=8, begin=False)  # longer than it takes to commit the first
    finally:
        progress.listen(None)
    assert {done for done, steady in heard if not steady} == {0, 1}
    assert (20, True) in heard


def test_one_bad_prompt_is_no_endless_request(store: ResponseStore) -> None:
    ask(Scripted(lambda *_: UNSUPPORTED, latency=0.001), store, 2, at_once=8)
    assert failed(store) == 2


def test_last_calls_of_a_stage_are_lost_to_a_network_that_closes(store: ResponseStore) -> None:
    """Five of a hundred, after answers: too few to be sure, but a 302 is no fault of a prompt."""
    ask(Scripted(lambda one, _: GOOD if int(one.key) < 95 else ELSEWHERE, latency=0.001), store, 100, at_once=4)
    assert (len(stored(store, 100)), failed(store)) == (95, 0)


def test_call_without_usage_is_free_in_the_store_and_not_in_the_budget(store: ResponseStore) -> None:
    replies = [GOOD, Reply("text", "complete", "m", doubt="usage not believed: 0 input tokens")]
    client = Scripted(lambda one, _: replies[int(one.key) % 2], latency=0.001)
    table = {"price": {"input": 2.5, "output": 10.0}, "provider": "openai", "retry": {}}
    calling._budgets.clear()
    ask(client, store, 20, at_once=4, table=table, budget_usd="1")
    spent = store.spent("run")["m"]
    assert spent.cost_nano_usd == calling._budgets["run"].spent
    assert spent.cost_assumed_nano_usd == calling._budgets["run"].uncertain > 0
    assert (spent.cost_assumed_calls, spent.cost_unknown_calls, spent.calls) == (10, 0, 20)
    (answer_of,) = store.answers(["1"]).values()
    assert (answer_of.input_tokens, answer_of.output_tokens) == (None, None)
    assert answer_of.cost_nano_usd == spent.cost_assumed_nano_usd // 10
    calling._budgets.clear()
    assert calling.budget_of(CallSettings("run", "1", tables={"m": table}), store).spent == spent.cost_nano_usd  # type: ignore[union-attr]


def test_process_that_answers_nothing_is_waited_for_in_silence_for_ever(
    store: ResponseStore, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """It lives, renews its claims and stores nothing of them: 3 of 5 requests are its."""
    monkeypatch.setattr(asker, "LOOK_S", 0.01)
    monkeypatch.setattr(asker, "TOLD_S", 0.1)
    monkeypatch.setattr(asker, "LONGEST_S", 0.3)
    calling._told.clear()
    assert store.claim(["1", "2", "3"], "other", 300) == {"1", "2", "3"}
    began = time.monotonic()
    ask(Scripted(latency=0.001), store, 5, at_once=4)
    assert 0.3 < time.monotonic() - began < 30
    assert stored(store, 5) == {"0", "4"}
    said = [record.getMessage() for record in caplog.records]
    told, stopped = (line for line in said if "another process" in line)
    assert "3 requests are asked by another process" in told
    assert "stored none of them" in stopped
    assert "the same command asks the rest" in stopped
    assert store.claim(["1"], "third", 1) == set(), "they are still the other's"


def test_a_long_stage_says_nothing_of_answers_failures_or_money(store: ResponseStore) -> None:
    """What the log of a Prefect task run is told, every 30 seconds there: also while nothing comes, and of a second run."""
    from scrollwork.pipeline.engines.prefect import ProgressLog

    def script(one: Call, _: int) -> Reply | BaseException:
        return CallProblem("terminal", "too long", status=400) if int(one.key) % 5 == 0 else GOOD

    table = {"price": {"input": 1.0, "output": 10.0}}
    lines: list[str] = []
    with ProgressLog("calls", lines.append, every_s=0.02):
        ask(Scripted(script, latency=0.1), store, 20, at_once=5, table=table)
    assert len(lines) >= 8
    assert lines[-1] == "calls: 16 of 20 answered, 4 failed, $0.0032 spent", "16 of 100 tokens in and 10 out"
    assert any(0 < int(line.split()[1]) < 16 for line in lines)
    lines.clear()
    with ProgressLog("calls", lines.append):
        ask(Scripted(), store, 20, at_once=5, table=table)
    assert lines == ["calls: 16 of 20 answered, 4 failed, $0.0000 spent"], "all of it stood"
    assert progress.standing("calls") is None


def test_the_log_of_a_task_run_is_told_less_often_than_every_30_seconds() -> None:
    from scrollwork.pipeline.engines.prefect import TOLD_EVERY_S

    assert TOLD_EVERY_S <= 30


def test_run_sends_on_after_its_time_limit_or_loses_what_is_in_flight(
    store: ResponseStore, caplog: pytest.LogCaptureFixture
) -> None:
    calling._limits.clear()
    client = Scripted(latency=0.05)
    with calling.within_time(CallSettings("run", time_limit_s=0.3)):
        began = time.monotonic()
        ask(client, store, 400, at_once=4)
        assert time.monotonic() - began < 10
        part = len(stored(store, 400))
        assert 4 <= part < 300
        assert len(client.sent) == part, "what was in flight is lost"
        ask(client, store, 400, at_once=4, begin=False)
        assert len(client.sent) == part, "another stage of the run sends on"
    with calling.within_time(limited := CallSettings("run", time_limit_s=0.3)):
        time.sleep(0.1)
        assert calling.stop_of(limited).level == 1, "a second part of the run cancels what is in flight"
    said = [record.getMessage() for record in caplog.records]
    assert "calls: the time limit of 0.005 min is over. What is stored stands; the same command asks the rest" in said
    assert store.holdings().claimed == 0
    calling._limits.clear()
    ask(client, store, 400, at_once=50)
    assert len(stored(store, 400)) == 400
    assert len(client.sent) == 400, "paid twice"
    assert not calling.STOP.level


def test_requests_of_others_are_waited_for_beyond_the_time_limit(store: ResponseStore) -> None:
    calling._limits.clear()
    assert store.claim(["1"], "other", 300) == {"1"}
    began = time.monotonic()
    with calling.within_time(CallSettings("run", time_limit_s=0.3)):
        ask(Scripted(latency=0.001), store, 3, at_once=4)
    assert 0.3 <= time.monotonic() - began < 10
    assert stored(store, 3) == {"0", "2"}
    calling._limits.clear()


def test_an_interrupt_is_lost_on_a_run_with_a_time_limit() -> None:
    every, woken = Stop(), list[str]()
    own = Stop(of=every)
    own.tell(lambda: woken.append("wake"))
    every.set("stopped by Ctrl-C")
    assert (own.level, own.reason, len(woken)) == (1, "stopped by Ctrl-C", 1)
    own.set("the time limit of 5 min is over")
    assert (own.level, every.level) == (1, 1)
    every.set()
    assert (own.level, own.reason) == (2, "stopped by Ctrl-C")
    every.clear()
    assert (own.level, own.reason) == (1, "the time limit of 5 min is over")
    assert every.heard


def test_calls_go_on_while_answers_cannot_be_stored(
    store: ResponseStore, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    client = Scripted(latency=0.01)
    sent: list[int] = []

    def before(commit: int) -> None:
        if commit != 3:
            return
        (watch,) = store.database.watches._all
        for waited_s in (0.0, while_asking.TOLD_S + 1.0):  # the database tries again and again
            watch.away(waited_s, StorageError("it is gone"))
            time.sleep(0.2)
            sent.append(len(client.sent))
        assert watch.patience_s(60.0) == LONGEST_S
        watch.back()

    watched(store, monkeypatch, before)
    ask(client, store, 300, at_once=10)
    assert sent[0] == sent[1] < 100, "requests went out whose answers could not be kept"
    assert len(client.sent) == 300
    assert stored(store, 300) == {str(number) for number in range(300)}
    said = [record.getMessage() for record in caplog.records]
    assert sum("Nothing is sent until the database is back, for 15 minutes at most" in one for one in said) == 1
    assert store.database.watches.patience_s(60.0) == 60.0, "others wait as long as those who hold paid answers"


def test_every_stage_waits_a_quarter_of_an_hour_or_one_that_is_stopped_does() -> None:
    stop = Stop()
    held = while_asking.Held("postgresql://***@gone", stop, "calls")
    assert held.patience_s(60.0) == LONGEST_S
    held.away(0.0, StorageError("gone"))
    assert stop.held
    assert Stop(stop).held
    stop.set()
    assert held.patience_s(60.0) == 60.0
    stop.clear()
    later = while_asking.Held("postgresql://***@gone", Stop(), "other calls")
    held.back()
    held.away(LONGEST_S, StorageError("gone"))
    assert later.patience_s(60.0) == 60.0, "the next stage waits as long again"
    held.back()
    assert not stop.held
    assert later.patience_s(60.0) == LONGEST_S
