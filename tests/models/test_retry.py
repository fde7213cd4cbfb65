"""One policy: what is tried again, after how long, and when it ends."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrollwork.models.base import LONGEST_MESSAGE, CallProblem
from scrollwork.models.engine.retry import Policy, ends_the_run, maybe_charged, retry_policy


def waits(bounds: Policy, retry_after_s: float | None = None, took_s: float = 0.0) -> list[float]:
    """The waits of a call that never succeeds."""
    found: list[float] = []
    spent, attempts = 0.0, 0
    while True:
        attempts += 1
        spent += took_s
        wait = bounds.wait(attempts, spent, retry_after_s, Random(attempts))
        if wait is None:
            return found
        found.append(wait)
        spent += wait


@given(
    st.builds(
        Policy,
        attempts=st.integers(1, 50),
        seconds=st.floats(1, 5000),
        longest_wait_s=st.floats(0.1, 600),
        first_wait_s=st.floats(0.01, 10),
    ),
    st.none() | st.floats(-10, 1e9),
    st.floats(0, 700),
)
def test_call_is_tried_beyond_its_bounds(bounds: Policy, retry_after_s: float | None, took_s: float) -> None:
    found = waits(bounds, retry_after_s, took_s)
    assert len(found) <= bounds.attempts - 1
    assert sum(found) + took_s * len(found) <= bounds.seconds * (1 + 1e-9)
    assert all(0 < wait <= bounds.longest_wait_s for wait in found)


def test_waits_do_not_grow() -> None:
    found = waits(Policy())
    assert len(found) == 7
    for number, wait in enumerate(found):
        assert 0.5 * 2**number <= wait <= 2**number


def test_calls_that_failed_together_come_back_together() -> None:
    found = {Policy().wait(3, 0.0, None, Random(seed)) for seed in range(50)}
    assert len(found) == 50


def test_retry_after_is_cut_short() -> None:
    for seed in range(50):
        wait = Policy().wait(1, 0.0, 30.0, Random(seed))
        assert wait is not None
        assert 30.0 <= wait <= 33.0


def test_retry_after_of_hours_is_waited_for() -> None:
    wait = Policy().wait(1, 0.0, 7 * 3600.0, Random(0))
    assert wait == 120.0


def test_retry_after_beyond_the_time_left_is_waited_for() -> None:
    assert Policy(seconds=100.0).wait(1, 80.0, 30.0, Random(0)) is None


def test_huge_number_of_attempts_overflows() -> None:
    assert Policy(attempts=10**9, seconds=1e12).wait(10**6, 0.0, None, Random(0)) is not None


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({"tries": 3}, "retry.tries is not known; there are: attempts, seconds, longest_wait_s"),
        ({"attempts": 0}, "retry.attempts = 0 must be a positive number (whole)"),
        ({"attempts": 1.5}, "retry.attempts = 1.5 must be"),
        ({"seconds": "60"}, "retry.seconds = '60' must be a positive number"),
        ({"seconds": True}, "retry.seconds = True must be"),
    ],
)
def test_wrong_bound_is_taken(table: dict[str, object], said: str) -> None:
    with pytest.raises(ValueError) as caught:
        retry_policy(table)
    assert said in str(caught.value)


def test_table_is_not_read() -> None:
    assert retry_policy({"attempts": 3, "seconds": 60}) == Policy(attempts=3, seconds=60)
    assert retry_policy({}) == Policy()


@pytest.mark.parametrize(
    ("problem", "ends"),
    [
        (CallProblem("quota", "used up", status=429), True),
        (CallProblem("terminal", "bad key", status=401), True),
        (CallProblem("terminal", "no money", status=402), True),
        (CallProblem("terminal", "no access", status=403), False),
        (CallProblem("terminal", "no such model", status=404), True),
        (CallProblem("transient", "slow down", status=429), False),
    ],
)
def test_refused_key_marks_every_call_as_failed(problem: CallProblem, ends: bool) -> None:
    assert ends_the_run(problem) is ends


def test_lost_reply_counts_as_free() -> None:
    assert maybe_charged(CallProblem("transient", "reset"))
    assert maybe_charged(CallProblem("transient", "half a body", status=200))
    assert not maybe_charged(CallProblem("transient", "overloaded", status=529))
    assert not maybe_charged(CallProblem("terminal", "sent elsewhere", status=302))


def test_page_in_place_of_a_message_is_kept_whole() -> None:
    problem = CallProblem("transient", "<html>" * 100_000)
    assert len(problem.message) == LONGEST_MESSAGE
    assert str(problem) == problem.message
