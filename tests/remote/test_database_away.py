"""A database of answers that is away for longer than the claims of those who ask last: nothing is sent meanwhile, nothing
is lost, and nothing is paid twice."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen

import pytest

from tests.conftest import PROJECT, Scrollwork, environment, start
from tests.storage.postgres import Server as Postgres
from tests.storage.postgres import serve
from tests.survival.hosted import KEYS, answered, hosted, of_model, table, twice, vendors

pytestmark = pytest.mark.slow
AT_ONCE = 4
LATENCY_S = 0.5
LEASE_S = 4.0
AWAY_S = 9.0


@pytest.fixture
def postgres() -> Iterator[Postgres]:
    """A server of this test's own, which it stops."""
    yield from serve()


def begun(folder: Path, machine: str, *command: str) -> Popen[str]:
    """A command on what looks like another machine."""
    script = str(PROJECT / "tests" / "remote" / "machine.py")
    where = {"PYTHONPATH": str(PROJECT), **KEYS}
    return start(
        [script, machine, str(LEASE_S), *command], cwd=folder, env=environment(**where), stdin=DEVNULL, stderr=PIPE
    )


@pytest.mark.timeout(240)
@pytest.mark.parametrize("machines", [1, 2])
def test_answers_are_lost_or_paid_twice_while_the_database_is_away(
    machines: int, scrollwork: Scrollwork, postgres: Postgres, tmp_path: Path
) -> None:
    with vendors(tmp_path, latency_s=LATENCY_S) as served:
        work = hosted(scrollwork, table("gpt", served.url, concurrency=AT_ONCE))
        store = postgres.url(postgres.database())
        asked = ("run", "zeroscrolls", "--sample", "--engine", "inline", "--quiet", "--model", "gpt", *of_model(work))
        own = ("--home", str(work.home), "--store", store, *asked)
        running = [begun(tmp_path, f"m{number}", *own) for number in range(machines)]
        assert served.wait_for(12)
        postgres.stop(signal.SIGQUIT)  # at once, as a crash
        stopped = time.time()
        time.sleep(AWAY_S)
        started = time.time()
        postgres.start()
        said = [process.communicate(timeout=120)[1] for process in running]
        assert [process.returncode for process in running] == [0] * machines, said
        requests = served.requests()
        keys = {key for (key,) in postgres.execute("SELECT request_key FROM responses", store.rpartition("/")[2])}
    assert len(keys) == len(requests) > 100, "an answer was lost, or paid twice"
    assert not twice(requests)
    sent = [row["time"] - stopped for row in requests if stopped + LATENCY_S + 1.0 < row["time"] < started]
    assert not sent, "requests were sent that could not be stored"
    told = [text for text in said if "Nothing is sent until the database is back, for 15 minutes at most" in text]
    assert told, said
    assert all("the database is back after " in text for text in told)
    assert not answered(work.home)  # they are in PostgreSQL
