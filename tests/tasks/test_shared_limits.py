"""Limits a minute that processes share: together never more than allowed, evenly, whoever comes, goes or has more to do.

The first part runs several limiters on one real schedule (SQLite) in made-up time; the second (slow) real processes.
"""

from __future__ import annotations

import logging
import random
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from math import inf
from pathlib import Path

import pytest
import sqlalchemy as sa

from scrollwork.models.base import Limits, Usage
from scrollwork.models.engine import limits_ledger as ledgers
from scrollwork.models.engine.limits import Caps, Ended, Lane, Limiter
from scrollwork.models.engine.limits_ledger import LedgerAway
from scrollwork.storage.answers import database
from scrollwork.storage.answers.shared_limits import Paces
from scrollwork.storage.answers.store import ResponseStore
from tests.tasks.limits_kit import most_in_a_second


class World:
    """Made-up time, the same for a store and all processes that use it."""

    def __init__(self, path: Path) -> None:
        self.now = 100.0
        self.place = f"sqlite:///{path / 'responses.db'}"
        ResponseStore(self.place).close()
        self.ledger = Timed(self)
        self.takes = 0

    def limiter(self, caps: Caps) -> Limiter:
        """A process's limiter; what it asks of the ledger happens at once."""
        made = Limiter(caps, run=lambda work: work(), clock=lambda: self.now)
        made.share(self.ledger, "account")
        return made


class Timed(Paces):
    """The store's schedule in a world's time. The clock of the store is not that of the processes."""

    def __init__(self, world: World) -> None:
        super().__init__(world.place)
        self._world = world

    def _now(self, connection: sa.Connection) -> tuple[float, float]:
        self._world.takes += 1
        return 1_700_000_000.0 + self._world.now, self._world.now


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path)
    yield made
    made.ledger.close()


class Sender:
    """A process. wants: how many requests it would have sent by now; tokens: of the next; used: share of them that is
    really used; latency_s: to an answer; late_s: of its timers."""

    def __init__(
        self,
        world: World,
        caps: Caps,
        *,
        wants: Callable[[float], float] = lambda now: inf,
        tokens: Callable[[], int] = lambda: 1,
        used: float = 1.0,
        latency_s: float = 0.0,
        late_s: float = 0.0,
    ) -> None:
        self.world, self.limiter, self.wants, self.tokens = world, world.limiter(caps), wants, tokens
        self.used, self.latency_s, self.late_s = used, latency_s, late_s
        self.lane = Lane(lambda: None)
        self.times: list[float] = []
        self.spent: list[float] = []
        self.next = tokens()
        self.look = 0.0  # when it looks again
        self.under_way: list[tuple[float, float, int]] = []  # end, sent, reserved

    def step(self) -> None:
        """Do what is to be done now."""
        now = self.world.now
        for one in [one for one in self.under_way if one[0] <= now]:
            self.under_way.remove(one)
            usage = Usage(input_tokens=int(one[2] * self.used), output_tokens=0)
            self.limiter.ended(self.lane, Ended(one[1], one[2], True, usage=usage), now)
        if now < self.look:
            return
        while self.wants(now) > len(self.times):
            waiting = int(min(256, self.wants(now) - len(self.times)))
            due = self.limiter.ask(self.lane, now, self.next, waiting)
            if due is None:
                due = self.limiter.ask(self.lane, now, self.next, waiting)  # it was woken meanwhile
            if due is None:
                return
            if due > now:
                self.look = due + self.late_s
                return
            self.limiter.take(self.lane, self.next, now)
            self.times.append(now)
            self.spent.append(self.next * self.used)
            self.under_way.append((now + self.latency_s, now, self.next))
            self.next = self.tokens()
        self.limiter.leave(self.lane)


def run(world: World, senders: list[Sender], seconds: float, step_s: float = 0.002) -> list[float]:
    """All sends, in order, from the beginning of the world."""
    end = world.now + seconds
    order = list(senders)
    shuffle = random.Random(1).shuffle
    while world.now < end:
        shuffle(order)
        for sender in order:
            sender.step()
        world.now += step_s
    return sorted(moment for sender in senders for moment in sender.times)


@pytest.mark.parametrize("rpm", [50, 600, 6000])
@pytest.mark.parametrize("number", [1, 2, 4, 9])
def test_processes_together_pass_the_limit_or_lose_some_of_it(world: World, rpm: int, number: int) -> None:
    seconds = 600 / rpm + 8
    senders = [Sender(world, Caps(256, 256, rpm=rpm), late_s=0.004) for _ in range(number)]
    found = run(world, senders, seconds)
    allowed = 1 + rpm * seconds / 60
    assert 0.97 * allowed - 1 <= len(found) <= allowed + 1
    assert most_in_a_second(found) <= max(2, 1.25 * rpm / 60)


@pytest.mark.parametrize("rpm", [600, 6000])
def test_one_of_several_starves(world: World, rpm: int) -> None:
    senders = [Sender(world, Caps(256, 256, rpm=rpm)) for _ in range(4)]
    even = len(run(world, senders, 24.0)) / 4
    assert [len(sender.times) for sender in senders] == pytest.approx([even] * 4, rel=0.25)


def test_busy_process_waits_for_idle_ones(world: World) -> None:
    """One has much to send, the others one request every two seconds: what they leave is its own."""
    caps = Caps(256, 256, rpm=6000)
    busy = Sender(world, caps)
    idle = [Sender(world, caps, wants=lambda now: (now - 100.0) // 2) for _ in range(3)]
    found = run(world, [busy, *idle], 11.0)
    assert len(busy.times) > 0.95 * 1100
    assert [len(one.times) for one in idle] == [5, 5, 5]
    waited = [moment - 102.0 - 2.0 * n for one in idle for n, moment in enumerate(one.times)]
    assert max(waited) <= 1.1
    assert most_in_a_second(found) <= 120


def test_process_that_comes_late_waits_long_for_its_share(world: World) -> None:
    caps = Caps(256, 256, rpm=6000)
    first = [Sender(world, caps) for _ in range(3)]
    run(world, first, 5.0)
    late, came = Sender(world, caps), world.now
    run(world, [*first, late], 10.0)
    assert len(late.times) >= 0.75 * 250
    assert late.times[0] <= came + 3.0


def test_process_that_starts_or_dies_makes_a_burst_or_keeps_its_share(world: World) -> None:
    caps = Caps(256, 256, rpm=6000)
    first, second = Sender(world, caps), Sender(world, caps)
    run(world, [first], 5.0)
    both = run(world, [first, second], 10.0)
    assert most_in_a_second(both) <= 120
    died = world.now
    found = run(world, [first], 10.0)  # the second does not even leave
    assert most_in_a_second(sorted(found + second.times)) <= 120
    after = [moment for moment in first.times if moment >= died + 2.0]
    assert len(after) == pytest.approx(800, rel=0.02)
    lost = 1000 - sum(moment >= died for moment in first.times)
    assert lost <= 110, "a second at most goes with it"


def test_pause_of_all_is_caught_up_at_once(world: World) -> None:
    senders = [
        Sender(world, Caps(256, 256, rpm=6000), wants=lambda now: inf if not 104 < now < 108 else 0) for _ in range(4)
    ]
    found = run(world, senders, 12.0)
    assert most_in_a_second(found) <= 125


@pytest.mark.parametrize("used", [0.5, 0.8, 1.3])
def test_tokens_of_several_processes_pass_their_limit_or_lose_some_of_it(world: World, used: float) -> None:
    """60,000 tokens a minute, prompts of 200 to 1,800; usage differs from what was reserved."""
    numbers = random.Random(3)
    senders = [
        Sender(
            world,
            Caps(256, 256, rpm=6000, tpm=600_000),
            tokens=lambda: numbers.randint(200, 1800),
            used=used,
            latency_s=0.7,
        )
        for _ in range(3)
    ]
    run(world, senders, 30.0)
    spent = sum(sum(sender.spent) for sender in senders)
    assert 0.93 <= spent / 300_000 <= 1.05
    seconds = [0.0] * 31
    for sender in senders:
        for moment, amount in zip(sender.times, sender.spent, strict=True):
            seconds[int(moment - 100.0)] += amount
    assert max(seconds) <= 2 * 10_000


def test_prompt_larger_than_a_stretch_never_goes_or_is_free(world: World) -> None:
    """20 s of tokens each: one after the other, whoever sends it."""
    senders = [Sender(world, Caps(8, 8, tpm=30_000), tokens=lambda: 10_000) for _ in range(3)]
    found = run(world, senders, 130.0, step_s=0.05)
    assert found == pytest.approx([100.0 + 20.0 * n for n in range(7)], abs=0.2)
    assert {len(sender.times) for sender in senders} == {2, 3}


def test_database_is_asked_for_every_request(world: World) -> None:
    senders = [Sender(world, Caps(256, 256, rpm=6000)) for _ in range(4)]
    assert len(run(world, senders, 20.0)) >= 1950
    assert world.takes <= 4 * 20


# ---- what one process hears


def send(limiter: Limiter, world: World, how: Callable[[float], Ended]) -> None:
    """One request that goes as soon as it may, and ends so."""
    here = Lane(lambda: None)
    deadline = world.now + 100
    while True:
        due = limiter.ask(here, world.now) or limiter.ask(here, world.now)
        assert due is not None
        if due <= world.now:
            break
        assert due < deadline
        world.now = due
    limiter.take(here, 1, world.now)
    limiter.ended(here, how(world.now), world.now)
    limiter.leave(here)


def test_only_who_was_told_to_wait_waits(world: World) -> None:
    first, second = (world.limiter(Caps(rpm=6000)) for _ in range(2))
    nothing_left = Limits(requests_limit=6000, requests_remaining=0, requests_reset_s=12.0)
    send(second, world, lambda now: Ended(now, 1, True))
    send(first, world, lambda now: Ended(now, 1, True, limits=nothing_left))
    told = world.now
    send(second, world, lambda now: Ended(now, 1, True))
    assert world.now >= told + 11.9


def test_lower_limit_is_learnt_by_each_process_anew(world: World) -> None:
    first, second = (world.limiter(Caps(rpm=6000)) for _ in range(2))
    low = Limits(requests_limit=60, requests_remaining=59, requests_reset_s=1.0)
    for _ in range(3):  # the next request takes what was heard with it
        send(first, world, lambda now: Ended(now, 1, True, limits=low))
    assert second.gap_s(1) == 0.01
    send(second, world, lambda now: Ended(now, 1, True))
    assert second.gap_s(1) == 1.0
    high = Limits(requests_limit=600, requests_remaining=599, requests_reset_s=0.1)
    send(second, world, lambda now: Ended(now, 1, True, limits=high))
    assert second.gap_s(1) == 0.1, "its own headers say it better"


# ---- a ledger that is away


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Patience in tenths of seconds."""
    monkeypatch.setattr(database, "PASSING_S", 0.1)
    monkeypatch.setattr(ledgers, "AGAIN_S", 0.05)
    monkeypatch.setattr(ledgers, "PATIENCE_S", 1.0)


def blocked(place: str) -> sqlite3.Connection:
    """Somebody who writes to the store and does not end."""
    other = sqlite3.connect(place.removeprefix("sqlite:///"), isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    return other


def test_store_that_is_locked_for_a_moment_ends_the_run_or_lets_it_send_unpaced(
    world: World, hurried: None, caplog: pytest.LogCaptureFixture
) -> None:
    from tests.models.clock import Scripted, call

    other = blocked(world.place)
    limiter = Limiter(Caps(rpm=60_000))
    limiter.share(Paces(world.place), "account")
    client = Scripted(latency=0.0)
    released: list[float] = []

    def release() -> None:
        released.append(time.monotonic())
        other.rollback()

    threading.Timer(0.5, release).start()
    with caplog.at_level(logging.WARNING, "scrollwork"):
        from scrollwork.models.engine.answers import answer
        from scrollwork.models.engine.settings import Settings

        run = answer(lambda: client, map(call, range(20)), Settings(), limiter=limiter)
        assert sum(1 for _ in run) == 40
    assert run.stopped == ""
    assert min(sent for sent, _, _ in client.sent) >= released[0]
    assert [record.levelname for record in caplog.records] == ["WARNING", "WARNING"]
    assert "Nothing is sent" in caplog.text
    assert "again" in caplog.text
    other.close()


def test_store_that_stays_away_stops_calls_for_ever(world: World, hurried: None) -> None:
    from scrollwork.models.engine.answers import answer
    from scrollwork.models.engine.settings import Settings
    from tests.models.clock import Scripted, call

    other = blocked(world.place)
    limiter = Limiter(Caps(rpm=60_000))
    limiter.share(Paces(world.place), "account")
    client = Scripted(latency=0.0)
    began = time.monotonic()
    run = answer(lambda: client, map(call, range(20)), Settings(), limiter=limiter)
    assert list(run) == []
    assert "limits are shared through sqlite" in run.stopped
    assert "Another process has been writing" in run.stopped
    assert client.sent == []
    assert time.monotonic() - began < 5
    other.rollback()
    other.close()


def test_ledger_is_asked_on_for_nobody(hurried: None) -> None:
    class Gone:
        place = name = "nowhere"
        asked = 0

        def take(self, *_: object, **__: object) -> object:
            self.asked += 1
            raise OSError("no route")

    gone = Gone()
    with pytest.raises(LedgerAway, match=r"nowhere.*no route"):
        ledgers.take_from_ledger(gone, "a", ledgers.Want(1, 1, 0, 0, None), lambda: False, time.monotonic)  # type: ignore[arg-type]
    assert gone.asked == 1
