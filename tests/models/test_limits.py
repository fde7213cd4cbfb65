"""Even pacing, adaptive concurrency, limits of headers, and stages that share them; times are made up."""

from __future__ import annotations

import threading
from bisect import bisect_left
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrollwork.models.base import Limits, Usage
from scrollwork.models.engine.limits import LONGEST_HOLD_S, Caps, Ended, Lane, Limiter, limiter_of
from scrollwork.models.engine.limits_ledger import Taken
from scrollwork.models.engine.pacing import LATE_S, Concurrency, Pace


def lane() -> Lane:
    return Lane(lambda: None)


def sends(
    limiter: Limiter, seconds: float, *, late_s: float = 0.0, tokens: int = 1, used: int | None = None
) -> list[float]:
    """When requests go if one stage always has some, each timer is `late_s` late and replies come at once."""
    here, now, found = lane(), 0.0, []
    while now < seconds:
        due = limiter.ask(here, now)
        assert due is not None
        if due > now:
            now = due + late_s
            continue
        limiter.take(here, tokens, now)
        found.append(now)
        usage = Usage(input_tokens=used, output_tokens=0) if used is not None else None
        limiter.ended(here, Ended(now, tokens, True, usage=usage), now)
    limiter.leave(here)
    return found


def most_in_a_second(times: list[float]) -> int:
    return max(place - bisect_left(times, time - 1.0 + 1e-9) + 1 for place, time in enumerate(times))


@pytest.mark.parametrize("rpm", [50, 500, 5_000, 60_000])
@pytest.mark.parametrize("late_s", [0.0, 0.001, 0.05])
def test_pace_loses_to_late_timers_or_bursts(rpm: int, late_s: float) -> None:
    seconds = 12.0
    found = sends(Limiter(Caps(rpm=rpm)), seconds, late_s=late_s)
    allowed = rpm * seconds / 60
    assert 0.98 * allowed <= len(found) <= allowed + 1
    assert most_in_a_second(found) <= max(1, 2 * rpm / 60)


def test_bucket_is_fired_at_once_after_a_pause() -> None:
    limiter = Limiter(Caps(rpm=6000))
    sends(limiter, 1.0)
    here, now, sent = lane(), 3600.0, 0
    while (due := limiter.ask(here, now)) is not None and due <= now:
        limiter.take(here, 1, now)
        limiter.ended(here, Ended(now, 1, True), now)
        sent += 1
    assert sent == pytest.approx(1 + LATE_S * 100, abs=1)


def test_tokens_are_not_counted() -> None:
    found = sends(Limiter(Caps(tpm=60_000)), 60.0, tokens=5_000)
    assert len(found) == 12
    assert found[1] - found[0] == pytest.approx(5.0)


def test_reservation_is_not_corrected_by_what_was_used() -> None:
    found = sends(Limiter(Caps(tpm=60_000)), 60.0, tokens=5_000, used=1_000)
    assert len(found) == 60
    assert len(sends(Limiter(Caps(tpm=60_000)), 60.0, tokens=1_000, used=5_000)) == 12


def test_refused_request_uses_up_tokens() -> None:
    limiter, here = Limiter(Caps(tpm=60_000)), lane()
    limiter.ask(here, 0.0)
    limiter.take(here, 50_000, 0.0)
    assert limiter.ask(here, 0.0) == pytest.approx(50.0)
    limiter.ended(here, Ended(0.0, 50_000, charged=False), 1.0)
    assert limiter.ask(here, 1.0) <= 1.0  # type: ignore[operator]


def test_prompt_larger_than_a_minute_never_goes() -> None:
    found = sends(Limiter(Caps(tpm=10_000)), 600.0, tokens=30_000)
    assert found == pytest.approx([0.0, 180.0, 360.0, 540.0])


def test_output_is_reserved_in_full_after_short_answers() -> None:
    limiter, here = Limiter(Caps()), lane()
    assert limiter.expected(1000, 1024) == 2024
    limiter.ask(here, 0.0)
    limiter.take(here, 2024, 0.0)
    limiter.ended(here, Ended(0.0, 2024, True, usage=Usage(1000, 0, 0, 8)), 1.0)
    assert limiter.expected(1000, 1024) == 1011
    assert limiter.expected(1000, 4) == 1004


# ---- what headers say


def heard(limiter: Limiter, said: Limits, now: float = 0.0) -> None:
    here = lane()
    assert limiter.ask(here, now) is not None
    limiter.take(here, 1, now)
    limiter.ended(here, Ended(now, 1, True, limits=said), now)


def test_lower_limit_of_headers_is_ignored() -> None:
    limiter = Limiter(Caps(rpm=6000))
    heard(limiter, Limits(requests_limit=60, requests_remaining=59, requests_reset_s=1.0))
    assert limiter.gap_s(1) == 1.0


def test_higher_limit_of_headers_passes_the_tables() -> None:
    limiter = Limiter(Caps(rpm=60))
    heard(limiter, Limits(requests_limit=6000, requests_remaining=5999, requests_reset_s=0.01))
    assert limiter.gap_s(1) == 1.0


def test_limit_of_headers_is_ignored_where_the_table_has_none() -> None:
    limiter = Limiter(Caps())
    heard(limiter, Limits(tokens_limit=60_000, tokens_remaining=59_000, tokens_reset_s=1.0))
    assert limiter.gap_s(1000) == 1.0


def test_limit_a_day_is_taken_for_one_a_minute() -> None:
    limiter = Limiter(Caps())
    heard(limiter, Limits(requests_limit=200, requests_remaining=100, requests_reset_s=43_200.0))
    assert limiter.gap_s(1) == 0.0
    heard(limiter, Limits(requests_limit=200, requests_remaining=0, requests_reset_s=43_200.0))
    assert limiter.ask(lane(), 1.0) <= 1.0  # type: ignore[operator]


def test_nothing_left_is_sent_into() -> None:
    limiter = Limiter(Caps())
    heard(limiter, Limits(tokens_limit=60_000, tokens_remaining=0, tokens_reset_s=12.0), now=5.0)
    assert limiter.ask(lane(), 6.0) == 17.0


def test_refusals_in_a_row_do_not_hold_the_account_back() -> None:
    limiter = Limiter(Caps(8, 8))
    for number in (1, 2):
        here = lane()
        limiter.ask(here, 0.0)
        limiter.take(here, 1, 0.0)
        limiter.ended(here, Ended(0.0, 1, slow_down=True, charged=False, retry_after_s=900.0), 1.0)
        now = lane()
        due = limiter.ask(now, 1.0)
        limiter.leave(now)
        assert due is not None
        assert (due > 1.0) == (number == 2)
        assert due <= 1.0 + LONGEST_HOLD_S


# ---- concurrency


def answered_round(concurrency: Concurrency, count: int) -> None:
    for _ in range(count):
        concurrency.sent()
    for _ in range(count):
        concurrency.answered()
        concurrency.sent()
    concurrency.in_flight -= count


def test_limit_does_not_double_a_clean_round() -> None:
    concurrency = Concurrency(32, 4)
    for expected in (8, 16, 32, 32):
        answered_round(concurrency, concurrency.limit)
        assert concurrency.limit == expected


def test_unused_limit_grows() -> None:
    concurrency = Concurrency(32, 8)
    answered_round(concurrency, 6)
    for _ in range(50):
        answered_round(concurrency, 5)
    assert concurrency.limit == 8


def test_one_episode_cuts_more_than_once() -> None:
    concurrency = Concurrency(100, 100)
    for _ in range(100):
        concurrency.sent()
    for number in range(100):  # all sent at 0, refused one after the other
        concurrency.refused(0.0, 1.0 + number / 100)
    assert concurrency.limit == 70
    concurrency.sent()
    concurrency.refused(2.0, 2.5)
    assert concurrency.limit == 49


def test_limit_falls_to_nothing_or_does_not_recover() -> None:
    concurrency = Concurrency(32, 32)
    for number in range(50):
        concurrency.sent()
        concurrency.refused(float(number), number + 0.5)
    assert concurrency.limit == 1
    rounds = 0
    while concurrency.limit < 32:
        before = concurrency.limit
        answered_round(concurrency, concurrency.limit)
        assert concurrency.limit == before + 1  # not doubled: the refusals were here
        rounds += 1
    assert rounds == 31


@given(st.lists(st.sampled_from(["sent", "answered", "refused", "failed"]), max_size=300))
def test_limit_leaves_its_bounds(events: list[str]) -> None:
    concurrency = Concurrency(20, 4)
    for now, event in enumerate(events):
        if event == "sent":
            concurrency.sent()
        elif concurrency.in_flight == 0:
            continue
        elif event == "refused":
            concurrency.refused(now - 1.5, float(now))
        else:
            getattr(concurrency, event)()
        assert 1 <= concurrency.limit <= 20
        assert concurrency.in_flight >= 0


# ---- shared by stages


def test_stage_waits_longer_than_its_turn() -> None:
    limiter = Limiter(Caps(rpm=60, concurrency=100, start=100))
    lanes = [lane() for _ in range(3)]
    order, now = [], 0.0
    while len(order) < 30:
        for number, one in enumerate(lanes):  # the first asks first, and always again
            due = limiter.ask(one, now)
            if due is not None and due <= now:
                limiter.take(one, 1, now)
                order.append(number)
        now += 0.1
    assert [order.count(number) for number in range(3)] == [10, 10, 10]
    assert all(order[place : place + 3] in ([0, 1, 2], [1, 2, 0], [2, 0, 1]) for place in range(28))


def test_free_place_wakes_nobody() -> None:
    woken: list[str] = []
    limiter = Limiter(Caps(concurrency=1, start=1))
    first, second = Lane(lambda: woken.append("first")), Lane(lambda: woken.append("second"))
    limiter.ask(first, 0.0)
    limiter.take(first, 1, 0.0)
    assert limiter.ask(second, 0.0) is None
    limiter.ended(first, Ended(0.0, 1, True), 1.0)
    assert woken == ["second"]
    assert limiter.ask(second, 1.0) == 1.0


def test_stage_that_left_blocks_the_others() -> None:
    limiter = Limiter(Caps(rpm=60))
    woken: list[str] = []
    first, second = lane(), Lane(lambda: woken.append("second"))
    limiter.ask(first, 0.0)
    assert limiter.ask(second, 0.0) is None
    limiter.leave(first)
    assert woken == ["second"]
    assert limiter.ask(second, 0.0) == 0.0


def test_places_are_lost_between_threads() -> None:
    limiter = Limiter(Caps(concurrency=4, start=4))
    most: list[int] = []

    def work() -> None:
        turn = threading.Event()
        here = Lane(turn.set)
        for _ in range(300):
            while (due := limiter.ask(here, 0.0)) is None or due > 0.0:
                turn.wait(5)
                turn.clear()
            limiter.take(here, 1, 0.0)
            most.append(limiter.in_flight)
            limiter.ended(here, Ended(0.0, 1, True), 0.0)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
        assert not thread.is_alive()
    assert limiter.in_flight == 0
    assert max(most) <= 4
    assert len(most) == 2400


def test_two_accounts_share_a_limiter_or_one_has_two() -> None:
    caps = Caps(rpm=60)
    mine = limiter_of("openai", "", "gpt-x", "OPENAI_API_KEY", caps)
    assert limiter_of("openai", "", "gpt-x", "OPENAI_API_KEY", caps) is mine
    assert limiter_of("openai", "", "gpt-x", "OTHER_KEY", caps) is not mine
    assert limiter_of("openai", "http://127.0.0.1:1", "gpt-x", "OPENAI_API_KEY", caps) is not mine
    assert limiter_of("openai", "", "gpt-x", "OPENAI_API_KEY", Caps(rpm=120)) is mine
    assert mine.gap_s(1) == 0.5


def test_pace_without_a_limit_waits() -> None:
    pace = Pace()
    pace.take(1e9, 0.0)
    pace.correct(1e9)
    assert pace.due(0.0) == 0.0


class LimitsLedger:
    """A schedule that others take from too; `now` is everybody's clock."""

    place = name = "here"

    def __init__(self) -> None:
        self.now = self.free = 1000.0

    def take(
        self, name: str, seconds: float, *, lead_s: float, hold_s: float, heard: tuple[int | None, int | None] | None
    ) -> Taken:
        begin = max(self.free, self.now + lead_s, self.now + hold_s)
        self.free = begin + seconds
        return Stretch(begin, None, None)


@dataclass(frozen=True)
class Stretch:
    begin: float
    requests_limit: int | None
    tokens_limit: int | None
    asked: float = 0.0


def shared(ledger: LimitsLedger, caps: Caps) -> Limiter:
    """A limiter of one process at this ledger."""
    limiter = Limiter(caps, run=lambda work: work(), clock=lambda: ledger.now)
    limiter.share(ledger, "account")
    return limiter


def sent_at(ledger: LimitsLedger, limiter: Limiter, own: Lane, tokens: int, waiting: int = 1) -> float:
    """When the next request goes."""
    for _ in range(1000):
        due = limiter.ask(own, ledger.now, tokens, waiting)
        if due is not None and due <= ledger.now:
            limiter.take(own, tokens, ledger.now)
            limiter.ended(own, Ended(ledger.now, tokens), ledger.now)
            return ledger.now
        ledger.now = ledger.now if due is None else due
    raise AssertionError("it never goes")


@pytest.mark.parametrize("tpm", [None, 1e6])
def test_request_after_a_pause_goes_in_time_that_others_have(tpm: float | None) -> None:
    ledger = LimitsLedger()
    limiter, own = shared(ledger, Caps(8, 8, rpm=600.0, tpm=tpm)), lane()
    sent_at(ledger, limiter, own, 100, waiting=5)
    assert ledger.free == 1000.5, "it has taken more than it used"
    ledger.now += 30.0
    ledger.free = ledger.now + 7.0
    assert sent_at(ledger, limiter, own, 100) == 1037.0


def test_prompt_that_needs_hours_leaves_them_to_whoever_comes_next() -> None:
    """A limit that was mistyped, put right, and the command run again."""
    ledger = LimitsLedger()
    limiter, own = shared(ledger, Caps(8, 8, tpm=10.0)), lane()
    assert sent_at(ledger, limiter, own, 10_000) == 1000.0
    for _ in range(10):
        limiter.ask(own, ledger.now, 10_000)
    assert sent_at(ledger, shared(ledger, Caps(8, 8, tpm=1e6)), lane(), 10_000) <= 1120.0


def test_prompt_that_needs_more_than_a_minute_goes_early_or_never() -> None:
    ledger = LimitsLedger()
    limiter, own = shared(ledger, Caps(8, 8, tpm=60.0)), lane()
    times = [sent_at(ledger, limiter, own, 300) for _ in range(4)]
    assert times == pytest.approx([1000.0, 1300.0, 1600.0, 1900.0], abs=0.5)
