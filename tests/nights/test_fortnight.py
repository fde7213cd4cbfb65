"""A fortnight of nights on a turned clock: what each said, what was asked again, and the money against the least possible.

Night 3 is killed, on night 5 the model changes and nobody says so, on night 8 one task drops by five points, on night 10 the
budget ends, on night 11 a raw file is cut, on night 12 the disk is full. Each such night is taken once more when what was
wrong is mended. `pytest -s` prints the diary. (A concurrency slot of Prefect that is lost: tests/survival/test_heartbeat_lost.py.)
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Done, Scrollwork
from tests.flows.test_fresh_nights import later
from tests.nights.hotels import TASKS, ready, rows
from tests.survival.hosted import Vendors, answered, of_model, vendors

pytestmark = pytest.mark.soak

HOTELS, NIGHTS, FULL_EVERY = 500, 14, 5
OTHER_WORDS = "80% "  # the same share in another text
FIVE_LESS = "75%"  # its score is five points below that of 80%
CALM = (2, 4, 6, 7, 9, 14)


@dataclass
class Diary:
    """The nights as they were taken. lines: night, exit status, kind and causes, requests that were paid, sentence."""

    work: Scrollwork
    served: Vendors
    paid: int = 0
    lines: list[tuple[int, int, str, int, str]] = field(default_factory=list)

    def words(self, *more: str) -> tuple[str, ...]:
        raw = ("--raw", str(self.work.home.parent / "raw"), *TASKS)
        every = ("--full-every", str(FULL_EVERY))
        return ("nights", "run", "zeroscrolls", *raw, "--model", "m", *of_model(self.work), *every, "--json", *more)

    def take(self, number: int, *more: str, status: int = 0) -> Done:
        """Take a night on its day."""
        done = later(self.work, number - 1)(*self.words(*more), status=status)
        document = done.document if done.out.strip() else {}
        asked = self.asked() - self.paid
        self.paid += asked
        kind = " ".join(filter(None, [document.get("kind") or "none", *(document.get("causes") or ())]))
        told = document.get("sentence") or " / ".join(done.err.strip().splitlines())
        self.lines.append((number, done.status, kind, asked, told))
        return done

    def asked(self) -> int:
        return sum(row.get("status") == 200 for row in self.served.requests())

    def of(self, number: int) -> list[tuple[int, str, int, str]]:
        """(exit status, kind, requests, sentence) of each time that a night was taken."""
        return [line[1:] for line in self.lines if line[0] == number]


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Callable[[int], Path]]:
    """A disk of its own for the home: a function that sets its size in KiB."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=512m", "tmpfs", str(place)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("a small disk cannot be mounted here")

    def resize(kib: int) -> Path:
        subprocess.run(["mount", "-o", f"remount,size={kib}k", str(place)], check=True)
        return place

    try:
        yield resize
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


def test_a_fortnight_costs_more_than_one_percent_above_the_least(
    scrollwork: Scrollwork, tmp_path: Path, disk: Callable[[int], Path]
) -> None:
    with vendors(tmp_path, latency_s=0.01) as served:
        place = disk(512 << 10)
        diary = Diary(ready(scrollwork.with_(home=place / "home"), served, hotels=HOTELS, concurrency=1), served)
        raw = place / "raw" / "space" / "space_train.json"
        whole = raw.read_bytes()
        for number in range(1, NIGHTS + 1):
            if number == 3:
                kill(diary, number)
            elif number == 5:
                served.set(wording=OTHER_WORDS)
            elif number == 8:
                served.set(wording=FIVE_LESS)
            elif number == 10:
                diary.take(number, "--budget", "0.002", status=1)
            elif number == 11:
                raw.write_bytes(whole[: len(whole) // 2])
                diary.take(number, status=1)
                raw.write_bytes(whole)
            elif number == 12:
                disk(used(place) + 8)
                diary.take(number, status=1)
                disk(512 << 10)
            diary.take(number, status=1 if number == 8 else 0)
        check(diary, rows(diary.work.home))


def kill(diary: Diary, number: int) -> None:
    """Take a night, and kill it after two answers."""
    stood = len(answered(diary.work.home))
    process = later(diary.work, number - 1).start(*diary.words())
    while len(answered(diary.work.home)) < stood + 2:
        assert process.poll() is None, process.communicate()
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    time.sleep(0.5)
    asked = diary.asked() - diary.paid
    diary.paid += asked
    diary.lines.append((number, -signal.SIGKILL, "none", asked, "killed"))


def used(place: Path) -> int:
    """KiB that are used on a disk."""
    found = os.statvfs(place)
    return (found.f_blocks - found.f_bfree) * found.f_frsize >> 10


def check(diary: Diary, found: list[dict[str, Any]]) -> None:
    by_day = sorted(found, key=lambda row: row["ended"])
    inputs = sum(task["expected"] for task in by_day[0]["models"][0]["tasks"])
    canary = diary.of(2)[0][2]
    for line in diary.lines:
        print("night {:2}  exit {:3}  {:22} {:4} paid  {}".format(*line)[:220])
    assert len(found) == NIGHTS, "a row of each night"
    assert all(diary.of(night)[-1][1:3] == ("canary", canary) for night in CALM), "calm nights ask the canary alone"
    assert diary.of(1)[0][1:3] == ("full first", inputs)
    assert diary.of(3)[1][1] == "canary"
    assert diary.of(5)[0][:3] == (0, "full answers", inputs), "it changed silently, and no score did"
    status, kind, paid, told = diary.of(8)[0]
    assert (status, kind, paid) == (1, "full answers", inputs)
    assert told.startswith("space_digest fell by ")
    assert "budget" in diary.of(10)[0][3]
    assert diary.of(10)[0][2] + diary.of(10)[1][2] == canary
    assert "space_train.json" in diary.of(11)[0][3]
    assert diary.of(11)[0][2] + diary.of(11)[1][2] == canary, "the task with whole files is asked, the other later"
    assert "no space left" in diary.of(12)[0][3]
    assert [night[1] for night in (diary.of(10)[1], diary.of(11)[1], diary.of(12)[1])] == ["canary"] * 3
    assert diary.of(13)[0][1:3] == ("full schedule", inputs)
    kinds = [row["kind"] for row in by_day]
    least = inputs * kinds.count("full") + canary * kinds.count("canary")
    print(f"{diary.paid:,} requests were paid, {least:,} are the least: {diary.paid / least - 1:+.2%}")
    assert diary.paid <= 1.01 * least
    spent = sum(row["models"][0]["cost_usd"] for row in found)
    print(f"{spent:.4f} USD by the rows of the nights")
