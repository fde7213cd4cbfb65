"""gc in a bucket: what it removes, and that it and runs see each other's leases."""

from __future__ import annotations

import json
import shutil
import threading
import time
from pathlib import Path

import pytest

from scrollwork.storage import in_use
from scrollwork.storage.in_use import InUse, alone, at_work
from scrollwork.storage.location import Location
from tests.conftest import PROJECT, Done
from tests.keeping.homes import change
from tests.remote.bucket import BUCKET, Server, with_variables
from tests.remote.bucket import asked as command

pytestmark = pytest.mark.slow


def asked(started: Server, folder: Path, *words: str, status: int = 0) -> Done:
    """The command with a home in the bucket."""
    store = f"sqlite:///{folder / 'answers.db'}"
    return command(f"s3://{BUCKET}/collected/home", store, folder, *words, status=status, **started.variables)


def test_gc_of_a_bucket_removes_what_is_kept(started: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_variables(monkeypatch, started.variables)
    raw, url = tmp_path / "raw", f"s3://{BUCKET}/collected/home"
    shutil.copytree(PROJECT / "sample" / "raw", raw)
    options = ("zeroscrolls", "--raw", str(raw), "--task", "space_digest", "--model", "lead")
    run = ("run", *options, "--engine", "inline", "--quiet")
    asked(started, tmp_path, *run)
    change(raw, 0)
    asked(started, tmp_path, *run)
    assert not [name for name in started.objects("collected/home/plans") if not name.endswith(".try")], (
        "a lease is left"
    )
    kept = json.loads(asked(started, tmp_path, "plan", *options, "--json").out)
    assert {row["state"] for row in kept} == {"reused"}
    page = asked(started, tmp_path, "report", "zeroscrolls", "--out", str(tmp_path / "before.html")).out
    before = started.objects("collected/home")
    told = json.loads(asked(started, tmp_path, "gc", "--keep-days", "0", "--json").out)
    assert started.objects("collected/home") == before, "it was not told to"
    with at_work(url):
        refused = asked(started, tmp_path, "gc", "--keep-days", "0", "--yes", status=1)
    assert "in use by a run (process" in refused.err
    assert started.objects("collected/home") == before
    done = json.loads(asked(started, tmp_path, "gc", "--keep-days", "0", "--yes", "--json").out)
    assert done["removed"] == told["items"]
    assert {row["stage"] for row in done["by_stage"]} >= {"curate", "generate", "score", "report"}
    after = started.objects("collected/home")
    assert len(before) - len(after) > 20
    assert {name: data for name, data in before.items() if name in after} == after
    assert json.loads(asked(started, tmp_path, "plan", *options, "--json").out) == kept
    assert asked(started, tmp_path, "report", "zeroscrolls", "--out", str(tmp_path / "after.html")).out == page
    assert (tmp_path / "before.html").read_bytes() == (tmp_path / "after.html").read_bytes()
    verified = json.loads(asked(started, tmp_path, "verify", "--rebuild", "100%", "--json").out)
    assert verified["broken"] == []
    assert verified["scrub"]["rebuilt"] > 5
    part = next(name for name in sorted(after) if "/score/" in name and name.endswith(".parquet"))
    Location(f"{url}/{part.rpartition('/')[0]}").replace(part.rpartition("/")[2], after[part][:-1] + b"?")
    found = json.loads(asked(started, tmp_path, "verify", "--rebuild", "1%", "--json", status=1).out)
    assert [damage["repaired"] for damage in found["scrub"]["damage"]] == [True]
    now = started.objects("collected/home")
    assert {name for name, data in after.items() if now.get(name) != data} <= {part.rpartition("/")[0] + "/run.json"}


def test_gc_and_runs_in_a_bucket_pass_each_other(started: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    with_variables(monkeypatch, started.variables)
    monkeypatch.setattr(in_use, "PAUSE_S", 0.1)
    url, order = f"s3://{BUCKET}/leases/home", []

    def work() -> None:
        with at_work(url):
            order.append("run")

    with alone(url):
        thread = threading.Thread(target=work)
        thread.start()
        time.sleep(1.5)
        order.append("gc")
    thread.join(timeout=30)
    assert order == ["gc", "run"], "a run does not wait for gc"
    assert started.objects("leases/home/plans") == {}
    with at_work(url), at_work(url), pytest.raises(InUse), alone(url):
        pass
    with at_work(url, busy=False), alone(url):
        pass
    monkeypatch.setattr(in_use, "LEASE_S", -1.0)  # of a process that was killed long ago
    with at_work(url), alone(url):
        assert len(in_use.dead_leases(url)) == 2


def test_lease_of_a_long_run_ends(started: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    with_variables(monkeypatch, started.variables)
    monkeypatch.setattr(in_use, "LEASE_S", 1.5)
    monkeypatch.setattr(in_use, "RENEWED_S", 0.3)
    url = f"s3://{BUCKET}/renewed/home"
    with at_work(url):
        time.sleep(3)
        with pytest.raises(InUse), alone(url):
            pass
