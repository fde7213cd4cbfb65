"""A clock that ticks only in a process's own stretches of time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrollwork.models.engine.shared_schedule import CREDIT_S, OwnTime, Share, Taken, Want

times = st.floats(0.01, 100.0)


@given(st.lists(st.tuples(times, times, times), min_size=1, max_size=8), st.floats(0.0, 1.0))
def test_moment_of_a_position_is_another_moment_s(stretches: list[tuple[float, float, float]], share: float) -> None:
    clock, moment = OwnTime(), 1000.0
    for pause, seconds, owned in stretches:
        moment += pause
        clock.add(moment, seconds, owned)
        moment += seconds
    position = share * clock.end
    found = clock.when(position)
    if found is None:
        assert position == pytest.approx(clock.end, abs=1e-5)
    else:
        assert clock.at(found) == pytest.approx(position, abs=1e-5)
    assert clock.at(moment + 1) == pytest.approx(clock.end)
    assert clock.at(999.0) == 0.0


def test_clock_goes_back_when_the_past_is_forgotten() -> None:
    clock = OwnTime()
    clock.add(10.0, 1.0, 1.0)
    clock.add(20.0, 1.0, 2.0)
    clock.forget(15.0)
    assert clock.at(15.0) == clock.at(20.0) == 1.0
    assert clock.at(20.5) == 2.0
    clock.forget(30.0)
    assert clock.at(30.0) == clock.end == 3.0
    assert clock.when(3.0) is None


class Empty:
    """A ledger that is never asked."""

    place = name = "nowhere"

    def take(self, *_: object, **__: object) -> Taken:
        raise AssertionError


def wanted(share: Share, waiting: int = 1, gap_s: float = 1.0, requests_s: float = 0.0) -> Want:
    found = share.want(share.clock.end, waiting, gap_s, requests_s, 0.0)
    assert found is not None
    return found


def test_reservations_in_vain_make_a_burst_or_are_lost() -> None:
    share = Share(Empty(), "account")
    assert share.correct(-100.0, 0.0) == 0.0, "its time has passed"
    taken = [wanted(share).seconds for _ in range(200)]
    assert min(taken) == 0.5, "at most twice the rate"
    assert sum(1.0 - seconds for seconds in taken) == pytest.approx(CREDIT_S)


def test_reservations_in_vain_pass_the_requests_a_minute() -> None:
    share = Share(Empty(), "account")
    share.correct(-10.0, 0.0)
    assert wanted(share, waiting=4, gap_s=0.1, requests_s=0.09).seconds == pytest.approx(0.36)


def test_use_beyond_the_reservation_is_free() -> None:
    share = Share(Empty(), "account")
    assert share.correct(3.0, 0.5) == 3.0, "the schedule of what is reserved stands before it"
    assert share.correct(3.0, 0.0) == 0.0
    assert wanted(share).seconds == pytest.approx(4.0)


def test_slow_ledger_is_asked_too_late() -> None:
    share = Share(Empty(), "account")
    share.took(wanted(share), Begin(0.0), began=0.0, now=2.0)
    later = wanted(share, waiting=1000, gap_s=0.01)
    assert later.lead_s >= 1.9
    assert later.seconds == pytest.approx(8.0), "half of it must last until the next one comes"


class Begin:
    """A stretch that was taken."""

    requests_limit = tokens_limit = None

    def __init__(self, begin: float) -> None:
        self.begin = begin
