"""What is shown of how far a run is."""

from __future__ import annotations

import time

import pytest

from scrollwork.cli.terminal import progress


def test_time_left_is_reckoned_from_requests_that_went_one_by_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "LONG_S", -1.0)
    with progress.Lines(1) as lines:
        lines.started("a")
        time.sleep(0.3)
        lines.moved("a", 1, 1000, steady=False)
        lines.moved("a", 2, 1000, steady=True)
        time.sleep(0.01)
        lines.moved("a", 502, 1000, steady=True)
    told = capsys.readouterr().err.splitlines()
    assert told == ["a: 1 of 1,000", "a: 2 of 1,000", "a: 502 of 1,000, about 0 s left"], "300 s by the first"


def test_bars_keep_the_pace_of_requests_that_went_one_by_one() -> None:
    bars = progress.Bars(1)
    with bars:
        bars.started("a")
        for done, steady in ((0, True), (1, False), (2, True)):
            time.sleep(0.05)
            bars.moved("a", done, 1000, steady=steady)
            (row,) = (task for task in bars._progress.tasks if task.description == "a")
            assert (row.completed, row.total, row.time_remaining) == (done, 1000, None)
        for done in (200, 400, 600):
            time.sleep(0.02)
            bars.moved("a", done, 1000, steady=True)
        assert row.time_remaining is not None
        assert row.time_remaining < 3
