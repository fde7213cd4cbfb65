"""Nights against a vendor: equal ones are quiet, a drop is found, and a killed night goes on without paying twice."""

from __future__ import annotations

import re
import signal
import time
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import pytest

from scrollwork.readings.nights.code import commit_of, libraries_digest
from tests.conftest import Scrollwork
from tests.nights.hotels import BAD, GOOD, HOTELS, night, ready, rows, states, words
from tests.survival.hosted import Vendors, answered, twice, vendors

FULL_DISK = """
import runpy
from scrollwork.flows import nights
from scrollwork.storage.errors import StorageError

def full(*_: object) -> None:
    raise StorageError("the disk is full")

nights.FUNCTION = full
runpy.run_module("scrollwork.cli.main", run_name="__main__", alter_sys=True)
"""
MINUTES_OF_A_SECOND = """
import runpy
from scrollwork.suites import model_tables
model_tables.MINUTE_S = 1.0
runpy.run_module("scrollwork.cli.main", run_name="__main__", alter_sys=True)
"""


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Vendors]:
    with vendors(tmp_path) as running:
        yield running


@pytest.fixture
def work(scrollwork: Scrollwork, served: Vendors) -> Scrollwork:
    return ready(scrollwork, served)


def test_equal_nights_raise_an_alarm_or_a_drop_raises_none(work: Scrollwork, served: Vendors) -> None:
    first = night(work)
    inputs = len(served.requests())
    assert inputs > HOTELS
    (model,) = first["models"]
    assert model["sentence"] == "The first night: those that follow are compared with it."
    assert model["versions"] == [f"g-2026-01-01-{GOOD}"]
    assert model["cost_usd"] > 0
    assert model["cost_unknown"] == 0
    by_task = {task["task"]: task for task in model["tasks"]}
    assert by_task["space_digest"]["answered"] == by_task["space_digest"]["expected"] == HOTELS
    assert by_task["space_digest"]["low"] < by_task["space_digest"]["value"] < by_task["space_digest"]["high"]
    assert first["version"] == version("scrollwork")

    second = night(work)
    assert len(served.requests()) == 2 * inputs, "the second night asked nothing anew"
    assert second["name"] != first["name"]
    assert second["models"][0]["reference"] == first["name"]
    assert not second["failed"]
    assert "regressed" not in states(second).values()
    assert second["sentence"].startswith(f"No new drop against the accepted night {first['name']}")

    served.set(edition=BAD)
    third = work(*words(work, "--json"), status=1)
    row = third.document
    assert states(row)["space_digest"] == "regressed"
    assert states(row)["quality"] != "regressed"
    assert row["failed"]
    assert row["models"][0]["versions"] == [f"g-2026-01-01-{BAD}"]
    assert row["sentence"].startswith("space_digest fell by ")
    assert f"against the accepted night {first['name']} and 1 night after it" in row["sentence"]
    assert f"night {row['name']}: FAILED: {row['sentence'][:80]}" in third.err

    fourth = night(work)
    assert states(fourth)["space_digest"] == "still down", "a drop that stands is reported each night"
    assert not fourth["failed"]

    assert len(rows(work.home)) == 4
    listed = work("nights").out.splitlines()
    assert [line.split("  ")[0] for line in listed] == [one["name"] for one in (first, second, row, fourth)]
    assert "FAILED: space_digest fell by" in listed[2]
    shown = work("nights", "show", row["name"]).out
    assert "regressed" in shown
    assert f"g-2026-01-01-{BAD}" in shown
    assert work("nights", "--json").document["nights"][2]["sentence"] == row["sentence"]


@pytest.mark.slow
def test_accepted_night_is_not_what_later_ones_are_compared_with(work: Scrollwork, served: Vendors) -> None:
    night(work)
    served.set(edition=BAD)
    second = night(work, status=1)
    assert work("nights", "accept", second["name"][:14], "--by", "ana", "--json").document["new"]
    assert "is the accepted night already, by ana" in work("nights", "accept", second["name"]).out
    third = night(work)
    assert third["models"][0]["reference"] == second["name"]
    assert states(third)["space_digest"] in ("unchanged", "cannot tell")
    served.set(edition=GOOD)
    fourth = night(work)
    assert states(fourth)["space_digest"] == "improved"
    by = {one["name"]: [who["by"] for who in one["accepted"]] for one in work("nights", "--json").document["nights"]}
    assert by[second["name"]] == ["ana"]
    assert len(list((work.home / "nights").glob("*.accepted.json"))) == 1
    assert "no night 'x'" in work("nights", "accept", "x", status=2).err
    assert "4 nights begin with" in work("nights", "show", second["name"][:10], status=2).err


@pytest.mark.slow
def test_muted_task_raises_an_alarm_or_stays_muted_for_ever(work: Scrollwork, served: Vendors) -> None:
    night(work)
    assert "there are: quality, space_digest" in work("nights", "mute", "space", "--until", "2999-01-01", status=2).err
    assert "write a day" in work("nights", "mute", "space_digest", "--until", "2999-13-01", status=2).err
    work("nights", "mute", "space_digest", "--until", "2999-01-01", "--by", "ana")
    served.set(edition=BAD)
    second = night(work)
    assert states(second)["space_digest"] == "regressed"
    assert "Muted: space_digest until 2999-01-01." in second["sentence"]
    assert not second["failed"]
    work("nights", "mute", "space_digest", "--until", "2020-01-01")
    third = night(work, status=1)
    assert states(third)["space_digest"] == "regressed", "a drop that stood when its mute ended is never reported"
    assert third["sentence"].startswith("space_digest fell by ")


@pytest.mark.slow
def test_models_of_one_night_share_a_verdict(work: Scrollwork, served: Vendors) -> None:
    night(work, "--model", "lead")
    served.set(edition=BAD)
    second = night(work, "--model", "lead", status=1)
    failed = {one["model"]: one["failed"] for one in second["models"]}
    assert failed == {"m": True, "lead": False}
    assert second["sentence"].startswith("m: space_digest fell by ")


@pytest.mark.slow
def test_answers_that_are_missing_pass_or_end_the_night(work: Scrollwork, served: Vendors) -> None:
    night(work)
    served.set(plan={"script": ["400"] * 10})
    second = night(work, status=1)
    assert "incomplete" in states(second).values()
    assert "are missing" in second["sentence"]
    assert len(rows(work.home)) == 2


@pytest.mark.slow
def test_killed_night_is_begun_anew(scrollwork: Scrollwork, tmp_path: Path) -> None:
    with vendors(tmp_path, latency_s=0.2) as served:
        work = ready(scrollwork, served, concurrency=2)
        process = work.start(*words(work, "--json"))
        while len(answered(work.home)) < 5:
            assert process.poll() is None, process.communicate()
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        stored = len(answered(work.home))
        assert rows(work.home) == []
        (left,) = work("nights", "--json").document["unfinished"]
        assert left["why"] == ["it began, and has not ended: it runs, or was killed"]
        time.sleep(0.5)
        before = len(served.requests())
        row = night(work)
        inputs = sum(task["expected"] for task in row["models"][0]["tasks"])
        assert len(served.requests()) - before == inputs - stored
        assert rows(work.home)[0]["name"] == row["name"]
        assert len(list((work.home / "epochs").glob("*.opened.json"))) == 1
        assert work("nights", "--json").document["unfinished"] == []


@pytest.mark.slow
def test_night_killed_after_its_last_answer_is_paid_again(work: Scrollwork, served: Vendors) -> None:
    first = night(work)
    inputs = len(served.requests())
    (row,) = (work.home / "nights").glob("*.night.json")
    (ended,) = (work.home / "nights").glob("*.ended.json")
    row.unlink()  # as if it was killed before it wrote the row
    ended.unlink()
    second = night(work)
    assert len(served.requests()) == inputs
    assert second["name"] == first["name"]
    assert second["models"] == first["models"]
    night(work)
    assert len(served.requests()) == 2 * inputs


@pytest.mark.slow
def test_two_at_once_leave_two_rows(scrollwork: Scrollwork, tmp_path: Path) -> None:
    with vendors(tmp_path, latency_s=0.2) as served:
        work = ready(scrollwork, served, concurrency=2)
        both = [work.start(*words(work, "--json")) for _ in range(2)]
        ended = [process.communicate(timeout=280) for process in both]
        assert [process.returncode for process in both] == [0, 0], ended
        assert len(rows(work.home)) == 1
        assert twice(served.requests()) == {}


def test_budget_that_ends_stores_half_a_night(work: Scrollwork, served: Vendors) -> None:
    part = night(work, "--budget", "0.001", status=1)
    assert part["night"] is None
    assert rows(work.home) == []
    (left,) = work("nights", "--json").document["unfinished"]
    assert left["why"] == part["unfinished"]
    assert "m: NOT WHOLE, not stored: m: " in work("nights").out
    assert "the budget of $0.0010" in (told := work("status").out)
    assert "with m is NOT WHOLE since" in told
    before = len(served.requests())
    row = night(work)
    inputs = sum(task["expected"] for task in row["models"][0]["tasks"])
    assert len(served.requests()) == inputs
    assert before < inputs
    assert len(rows(work.home)) == 1
    assert work("status", "--json").document["unfinished_nights"] == []
    assert work("nights", "--json").document["unfinished"] == []


@pytest.mark.slow
@pytest.mark.parametrize(("function", "told"), [("write_night", True), ("scrub_lines", False)])
def test_an_error_that_ends_a_night_is_told_nowhere_or_of_a_stored_one(
    work: Scrollwork, function: str, told: bool
) -> None:
    failing = work.with_(prefix=("-c", FULL_DISK.replace("FUNCTION", function)), warm=True)
    assert "the disk is full" in failing(*words(work), status=1).err
    assert len(rows(work.home)) == (not told)
    left = work("nights", "--json").document["unfinished"]
    assert [one["why"] for one in left] == [["the disk is full"]] * told
    assert ("NOT WHOLE" in work("status").out) is told


@pytest.mark.slow
def test_damaged_night_stops_the_next_or_is_passed_over_silently(work: Scrollwork, served: Vendors) -> None:
    first, second = night(work), night(work)
    inputs = len(served.requests()) // 2
    path = work.home / "nights" / f"{first['digest']}.night.json"
    whole = path.read_bytes()
    path.write_bytes(whole[:100])
    done = work(*words(work, "--json"))
    assert done.document["models"][0]["reference"] == second["name"]
    assert f"note: {path}: is not as a night is written" in done.err
    assert len(served.requests()) == 3 * inputs
    listed = work("nights")
    assert f"note: {path}" in listed.err
    assert len(listed.out.splitlines()) == 2
    path.write_bytes(whole)
    assert work("nights", "--json").document["nights"][0]["name"] == first["name"]

    scores = work.home / "nights" / first["scores"]
    assert first["scores"] == second["scores"], "equal scores are stored twice"
    scores.write_bytes(b"torn")
    served.set(edition=BAD)
    last = night(work, status=1)
    assert last["sentence"].startswith(f"Not compared with {first['name']}: {scores}: cannot be read")
    assert last["failed"]
    assert set(states(last).values()) == {"not compared"}


def test_commit_of_another_repository_is_told(tmp_path: Path) -> None:
    assert commit_of(tmp_path) == ""
    (tmp_path / ".git").mkdir()
    assert commit_of(tmp_path) == ""
    assert len(libraries_digest()) == 64


@pytest.mark.slow
def test_a_night_over_its_time_limit_is_whole_or_pays_twice(work: Scrollwork, served: Vendors) -> None:
    served.set(latency_s=0.3)
    hasty = work.with_(prefix=("-c", MINUTES_OF_A_SECOND), warm=True)
    cut = hasty(*words(work, "--time-limit", "3", "--concurrency", "2"), status=1)
    missing = HOTELS + 4 - len(served.requests())
    assert 0 < missing < HOTELS + 4
    assert re.search(
        r"not finished: m: \d+ answers are missing\n.*not finished: the time limit of 0.05 min is over", cut.err
    )
    assert rows(work.home) == []
    served.set(latency_s=0.02)
    assert night(work)["models"][0]["tasks"][0]["state"] == "not compared"
    assert not twice(served.requests())
    assert len(rows(work.home)) == 1


def test_a_night_that_no_vendor_answers_does_not_say_why(work: Scrollwork, served: Vendors) -> None:
    served.set(plan={"script": ["401"] * 100})
    cut = work(*words(work), status=1).err
    assert re.search(r"not finished: m: \d+ answers are missing\n", cut)
    assert re.search(r"not finished: m: .*401", cut), cut
    assert rows(work.home) == []
