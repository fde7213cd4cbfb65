"""A disk without room for another run, and a budget that is nearly used, are told of before they end a night."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from scrollwork.readings.room import warnings
from scrollwork.storage.home import Home
from tests.conftest import FINISHED, Scrollwork
from tests.nights.hotels import night, ready, words
from tests.survival.hosted import vendors


def row_of(home: Path) -> tuple[Path, dict[str, Any]]:
    path = max((home / "runs").iterdir())
    return path, json.loads(path.read_text())


def test_disk_without_room_for_another_run_is_not_told_of(finished: Scrollwork) -> None:
    path, row = row_of(finished.home)
    manifests = [json.loads(one.read_text()) for one in finished.home.glob("artifacts/*/*/*/manifest.json")]
    assert row["wrote"] == sum(part["bytes"] for one in manifests for part in one["files"])
    assert warnings(Home.at(str(finished.home))) == []
    assert finished("status", "--json").document["warnings"] == []
    path.write_text(json.dumps({**row, "wrote": 10**16}))
    (line,) = finished("status", "--json").document["warnings"]
    assert "GB free at" in line
    assert "less than the last run wrote (10,000,000.00 GB)" in line
    told = finished("status").out
    assert "warning: disk: " in told
    assert "less than the last run wrote (10,000,000.00 GB); `scrollwork gc` says what may go\n" in told
    again = finished.run(*FINISHED, "--limit", "1", status=None)
    assert "less than the last run wrote" in again.err, "the run does not say it before it begins"
    assert row_of(finished.home)[1]["wrote"] > 0
    idle = finished.run(*FINISHED, "--limit", "1", status=None)
    assert "GB free at" not in idle.err
    for garbage in ("x", None, True, {}, []):
        path.write_text(json.dumps({**row, "wrote": garbage}))
        assert warnings(Home.at(str(finished.home))) == []


@pytest.mark.slow
def test_budget_that_is_nearly_used_is_not_told_of(scrollwork: Scrollwork, tmp_path: Path) -> None:
    with vendors(tmp_path) as served:
        work = ready(scrollwork, served)
        cost = night(work, "--budget", "5")["models"][0]["cost_usd"]
        assert work("status", "--json").document["warnings"] == []
        done = work(*words(work, "--budget", f"{cost * 1.05:.6f}"), status=None)
        (line,) = work("status", "--json").document["warnings"]
        assert line.startswith("budget: $")
        assert line in done.err
        _, row = row_of(work.home)
        for garbage in ("x", None, [], {}):
            row["request"]["budget"] = garbage
            row_of(work.home)[0].write_text(json.dumps(row))
            assert work("status", "--json").document["warnings"] == []
