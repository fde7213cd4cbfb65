"""The engine holds the calls that are open, not those that ended; large sizes: `python -m benchmarks scale_calls`."""

from __future__ import annotations

import tracemalloc

import pytest

from benchmarks.scale.calls import asked
from tests.models.clock import in_time

FEW, MANY = 1_000, 4_000
MOST = 300  # bytes a request: 100 are of digests of prompts, of which the engine keeps 400,000; a call takes 1,500


def peak(count: int) -> int:
    tracemalloc.start()
    try:
        found = in_time(asked(count))
        assert found["answers"] + found["failures"] == count
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.slow
def test_calls_that_ended_are_held() -> None:
    peak(100)  # what is imported late
    assert peak(MANY) - peak(FEW) < MOST * (MANY - FEW)
