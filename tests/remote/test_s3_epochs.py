"""The register of epochs in a bucket: one epoch for all who open it, and a run that reads it."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from scrollwork.storage.epochs import Register
from tests.remote.bucket import BUCKET, Server, asked, with_variables
from tests.survival.hosted import KEYS, table, vendors

pytestmark = pytest.mark.slow


def test_two_commands_open_two_epochs_in_a_bucket(started: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    with_variables(monkeypatch, started.variables)
    registers = [Register(f"s3://{BUCKET}/epochs-at-once") for _ in range(8)]
    assert [register.entries() for register in registers] == [[]] * 8
    with ThreadPoolExecutor(8) as threads:
        made = list(threads.map(lambda one: one.open("m", "a", {}, now=time.time()), registers))
    assert len({one.name for one in made}) == 1
    registers[0].close(made[0], {"d": 0}, "")
    (entry,) = registers[1].complete("m") or Register(f"s3://{BUCKET}/epochs-at-once").complete("m")
    assert registers[1].read(entry).name == made[0].name
    assert next(iter(started.objects("epochs-at-once/epochs"))).endswith(".complete.json")


def test_home_in_a_bucket_is_never_asked_anew(started: Server, tmp_path: Path) -> None:
    with vendors(tmp_path) as served:
        (tmp_path / "own.toml").write_text(table("m", served.url))
        home, store, env = (
            f"s3://{BUCKET}/fresh/home",
            f"sqlite:///{tmp_path / 'answers.db'}",
            {**KEYS, **started.variables},
        )
        whole = [
            *("run", "zeroscrolls", "--sample", "--task", "space_digest", "--engine", "inline"),
            *("--models", str(tmp_path / "own.toml"), "--model", "m"),
        ]
        counts = []
        for more in ((), ("--fresh", "run"), (), ("--fresh", "7"), ("--fresh", "run")):
            asked(home, store, tmp_path, *whole, *more, **env)
            counts.append(len(served.requests()))
    assert counts == [6, 12, 12, 12, 18]
    assert len(started.objects("fresh/home/epochs")) == 4
