"""kill -9 while requests are asked in batches: every batch is made once, and in the end everything is answered."""

from __future__ import annotations

import random
import sqlite3
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Scrollwork
from tests.models.hosted_kit import ANTHROPIC_KEY, OPENAI_KEY
from tests.servers.vendor import Vendor, running

VENDORS = {"openai": ("/v1/batches", "content"), "anthropic": ("/v1/messages/batches", "results")}
REQUEST = ("run", "zeroscrolls", "--sample", "--engine", "inline", "--quiet", "--batch", "--model", "m")
TASKS = ("--task", "qmsum", "--task", "space_digest")
ASKED = 15
STAYS = {"looks": 10**6}  # a batch that does not end

Row = dict[str, Any]


@pytest.fixture
def vendor() -> Iterator[Vendor]:
    with running() as served:
        yield served


def work_of(scrollwork: Scrollwork, vendor: Vendor, name: str) -> tuple[Scrollwork, tuple[str, ...]]:
    """The command with keys, and its arguments: one model of the vendor."""
    file = scrollwork.home.parent / "own.toml"
    base = f"{vendor.url}/v1" if name == "openai" else vendor.url
    file.write_text(f'[m]\nprovider = "{name}"\nid = "claude-old"\nbase_url = "{base}"\nserver = "lab"\n')
    keys = {"OPENAI_API_KEY": OPENAI_KEY, "ANTHROPIC_API_KEY": ANTHROPIC_KEY}
    return scrollwork.with_(env=keys), (*REQUEST, *TASKS, "--models", str(file))


def kill_when(work: Scrollwork, arguments: tuple[str, ...], vendor: Vendor, seen: Callable[[Row], bool]) -> None:
    """Run until the server has seen such a request since, then kill -9."""
    start = len(vendor.log.rows)
    process = work.start(*arguments)
    deadline = time.monotonic() + 90
    while not any(seen(row) for row in vendor.log.rows[start:] if row["event"] == "began"):
        assert time.monotonic() < deadline, "it never came so far"
        assert process.poll() is None, process.communicate()
        time.sleep(0.002)
    process.kill()
    process.communicate()


def answers(home: Path) -> dict[str, str]:
    """Stored answers by request key."""
    with sqlite3.connect(home / "responses.db") as store:
        return dict(store.execute("SELECT request_key, text FROM responses"))


def check(work: Scrollwork, arguments: tuple[str, ...], vendor: Vendor, name: str) -> None:
    """One batch was ever made, every request is answered, each is paid once: as in a run that nobody disturbed."""
    made = list(vendor.batches[name].made.values())
    assert [len(batch.requests) for batch in made] == [ASKED]
    found = answers(work.home)
    assert set(found) == {key for key, _ in made[0].requests}
    with sqlite3.connect(work.home / "responses.db") as store:
        assert store.execute("SELECT count(*), count(DISTINCT request_key) FROM attempts").fetchone() == (ASKED, ASKED)
        (left,) = store.execute("SELECT count(*) FROM batches WHERE state IN ('intent', 'submitted')").fetchone()
        assert left == 0
    work("store", "check")  # and its attempts agree with its answers
    undisturbed = work.with_(home=work.home.parent / "undisturbed")
    undisturbed(*arguments)
    assert answers(undisturbed.home) == found


@pytest.mark.slow
# The other two pairs in `make soak`: each vendor and each creation is in one that stays.
@pytest.mark.parametrize(
    ("name", "creation"),
    [
        ("openai", "late:3"),
        ("anthropic", "slow:30"),
        pytest.param("openai", "slow:30", marks=pytest.mark.soak),
        pytest.param("anthropic", "late:3", marks=pytest.mark.soak),
    ],
)
def test_batch_is_made_again_after_a_kill(scrollwork: Scrollwork, vendor: Vendor, name: str, creation: str) -> None:
    work, arguments = work_of(scrollwork, vendor, name)
    path, results = VENDORS[name]
    vendor.set(batch={**STAYS, "create": [creation]})  # made after the kill, or made and not answered before it
    kill_when(work, arguments, vendor, lambda row: row["method"] == "POST" and row["path"] == path)
    kill_when(work, arguments, vendor, lambda row: row["method"] == "GET" and row["path"] == path)
    if name == "openai":  # known by its name while it waits
        kill_when(work, arguments, vendor, lambda row: row["method"] == "GET" and row["path"].startswith(f"{path}/"))
    vendor.set(batch={"results_s": 30.0})
    kill_when(work, arguments, vendor, lambda row: row["method"] == "GET" and row["path"].endswith(f"/{results}"))
    vendor.set(batch={})
    work(*arguments)
    check(work, arguments, vendor, name)


@pytest.mark.slow
def test_kill_during_the_upload_leaves_requests_that_nobody_asks(scrollwork: Scrollwork, vendor: Vendor) -> None:
    work, arguments = work_of(scrollwork, vendor, "openai")
    kill_when(work, arguments, vendor, lambda row: row["path"] == "/v1/files")
    work(*arguments)
    check(work, arguments, vendor, "openai")


@pytest.mark.slow
# Of Anthropic in `make soak`: its batches are killed above at the named moments, and the moments are those of our code.
@pytest.mark.parametrize("name", [pytest.param("anthropic", marks=pytest.mark.soak), "openai"])
def test_kills_at_random_moments_pay_twice(scrollwork: Scrollwork, vendor: Vendor, name: str) -> None:
    work, arguments = work_of(scrollwork, vendor, name)
    rng = random.Random(f"kills of {name}")
    vendor.set(batch={"looks": 2, "create": ["slow:0.3"], "results_s": 0.3})
    first = len(vendor.log.rows)
    for _ in range(3):
        process = work.start(*arguments)
        deadline = time.monotonic() + 60
        while len(vendor.log.rows) == first and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.005)
        time.sleep(rng.uniform(0.0, 1.5))
        process.kill()
        process.communicate()
        first = len(vendor.log.rows)
    work(*arguments)
    check(work, arguments, vendor, name)
