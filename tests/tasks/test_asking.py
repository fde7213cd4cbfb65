"""Results of a hosted model on their way into the store: together where they came together, never lost in our hands."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from models.base import Answer, Ask, Attempt, Call, CallFailed, CallProblem, Reply
from models.budget import Gate
from models.ledger import Ledger
from models.limits import Caps, Limiter
from models.remote import Run, Settings, answer
from models.retry import Policy
from models.sending import Sending
from models.stopping import Stop
from storage.errors import StorageError
from storage.responses import ResponseStore
from tasks import asking
from tasks.asking import Asker
from tasks.calling import Calling
from tasks.calls import chunks
from tests.models.clock import GOOD, Scripted, call


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
        ledger: Ledger | None = None,
    ) -> Run:
        settings = Settings(caps=self.caps, sending=Sending(Policy(first_wait_s=0.01)))
        return answer(lambda: self.client, calls, settings, limiter=Limiter(self.caps), stop=Stop())


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ResponseStore]:
    opened = ResponseStore(tmp_path / "responses.db")
    yield opened
    opened.close()


def ask(client: Any, store: ResponseStore, count: int, at_once: int) -> None:
    """Ask so many calls."""

    def source(keys: Collection[str] | None) -> Iterator[list[Call]]:
        return chunks((call(number) for number in range(count)), 16)

    Asker(Remote(client, at_once), Calling("run", tables={"m": {}}), store, "calls", count).ask(source)


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
    assert max(sizes) <= asking.TOGETHER
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
    monkeypatch.setattr(asking, "LOOK_S", 0.01)
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
