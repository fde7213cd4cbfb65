"""Nights in a bucket: one row of two who write it at once, and a night that is compared with the one before."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

from scrollwork.readings.nights.register import Nights
from scrollwork.records.nights.decisions import Mute
from tests.nights.hotels import BAD, GOOD, TASKS, raw_of_hotels
from tests.nights.test_register import row
from tests.remote.bucket import BUCKET, Server, asked, with_variables
from tests.survival.hosted import KEYS, table, vendors

pytestmark = pytest.mark.slow
CANARY = 5 + 2  # of five hotels, and of each of the two stories


def test_two_at_once_leave_two_nights_in_a_bucket(started: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    with_variables(monkeypatch, started.variables)
    url = f"s3://{BUCKET}/nights-at-once"
    nights = [Nights(url) for _ in range(8)]
    with ThreadPoolExecutor(8) as threads:
        runs = [f"run {number}" for number in range(8)]
        stored = list(threads.map(lambda one, name: one.write(row(1, run=name)), nights, runs))
        list(threads.map(lambda one: one.mute(Mute("a", "2999-01-01", "", 0)), nights))
    assert len({one.run for one in stored}) == 1
    assert Nights(url).rows() == stored[:1]
    kept = started.objects("nights-at-once/nights")
    assert sum(name.endswith(".muted.json") for name in kept) == 8


def test_night_in_a_bucket_is_not_compared(started: Server, tmp_path: Path) -> None:
    with vendors(tmp_path, edition=GOOD) as served:
        (tmp_path / "own.toml").write_text(table("m", served.url))
        env = {**KEYS, **started.variables}
        nights = partial(
            asked, f"s3://{BUCKET}/nightly/home", f"sqlite:///{tmp_path / 'answers.db'}", tmp_path, "nights"
        )
        asks = ["run", "zeroscrolls", "--raw", str(raw_of_hotels(tmp_path / "raw")), *TASKS, "--model", "m"]
        ended = []
        for edition in (GOOD, GOOD, BAD):
            served.set(edition=edition)
            before = len(served.requests())
            more = ["--models", str(tmp_path / "own.toml"), "--full-every", "7", "--json"]
            done = nights(*asks, *more, status=None, **env)
            told = done.document
            ended.append((done.status, told["kind"], told["sentence"], len(served.requests()) - before))
        listed = nights("--json", **env).document
    statuses, kinds, sentences, counts = map(list, zip(*ended, strict=True))
    assert statuses == [0, 0, 1]
    assert kinds == ["full", "canary", "full"], "the canary of a home in a bucket"
    assert counts == [counts[0], CANARY, counts[0]], "the canary is another one, or is paid twice"
    assert sentences[2].startswith("space_digest fell by ")
    assert [one["sentence"] for one in listed["nights"]] == sentences
