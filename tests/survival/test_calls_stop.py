"""Ctrl-C while a hosted model is asked: once sends no more and keeps what is paid, twice ends at once; and two runs that
share a store."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Scrollwork, files_of
from tests.survival.hosted import Vendors, answered, hosted, of_model, rows, table, twice, vendors

TASKS = ("--task", "qasper", "--task", "qmsum")
AT_ONCE = 4
HEARD_S = 0.5  # within which an interrupt is heard
ENDED_S = {"inline": 15, "prefect": 100}  # a Prefect server on SQLite now and then waits for itself for a minute
ENGINES = [pytest.param("inline"), pytest.param("prefect", marks=pytest.mark.slow)]


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Vendors]:
    with vendors(tmp_path, latency_s=1.0) as running:
        yield running


def asking(scrollwork: Scrollwork, served: Vendors, engine: str) -> tuple[Scrollwork, tuple[str, ...]]:
    """The command with a home where the prompts stand, and its arguments."""
    work = hosted(scrollwork, table("gpt", served.url, concurrency=AT_ONCE))
    work("build", "zeroscrolls", "--sample", "--engine", "inline", "--quiet", *TASKS)
    return work, ("run", "zeroscrolls", "--sample", "--engine", engine, *TASKS, "--model", "gpt", *of_model(work))


def interrupted(process: subprocess.Popen[str]) -> float:
    """Send an interrupt as a terminal does, to all processes of the command; when."""
    os.killpg(process.pid, signal.SIGINT)
    return time.time()


def asked_until(
    at: float, work: Scrollwork, served: Vendors, process: subprocess.Popen[str], traceback: bool = False
) -> tuple[int, str]:
    """Wait for the end of a command that was stopped then; how many requests came, all of which are answered and stored,
    and what it said. traceback: one may be in that."""
    _, err = process.communicate(timeout=150)
    assert process.returncode == 130, err
    assert traceback or "Traceback" not in err
    assert "answers in flight are waited for" in err
    assert "run the same command to go on" in err
    asked = served.requests()
    assert max(row["time"] for row in asked) < at + HEARD_S
    assert {row["status"] for row in asked} == {200}, "none was given up"
    assert len(answered(work.home)) == len(asked)
    return len(asked), err


@pytest.mark.parametrize("engine", ENGINES)
def test_control_c_sends_more_or_drops_what_is_paid(scrollwork: Scrollwork, served: Vendors, engine: str) -> None:
    work, command = asking(scrollwork, served, engine)
    process = work.start(*command, start_new_session=True)
    assert served.wait_for(6)
    at = interrupted(process)
    asked, err = asked_until(at, work, served, process)
    took = time.time() - at
    assert rows(work.home, "SELECT count(*) FROM claims") == [(0,)]
    assert took < ENDED_S[engine]
    assert f" on {asked:,} calls, " in next(line for line in err.splitlines() if line.startswith("spent: $"))
    served.set(latency_s=0.0)
    done = work(*command)
    assert "Traceback" not in done.err
    assert len(served.requests()) == len(answered(work.home)) == 36
    assert twice(served.requests()) == {}


@pytest.mark.slow
def test_a_night_that_is_stopped_does_not_say_what_it_spent(scrollwork: Scrollwork, served: Vendors) -> None:
    work, command = asking(scrollwork, served, "inline")
    process = work.start("nights", "run", *command[1:3], *command[5:], start_new_session=True)
    assert served.wait_for(2)
    asked, err = asked_until(interrupted(process), work, served, process)
    assert f" on {asked:,} calls, " in next(line for line in err.splitlines() if line.startswith("spent: $"))


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_sigterm_sends_more_or_drops_what_is_paid(scrollwork: Scrollwork, served: Vendors, engine: str) -> None:
    work, command = asking(scrollwork, served, engine)
    process = work.start(*command)
    assert served.wait_for(6)
    process.send_signal(signal.SIGTERM)
    at = time.time()
    time.sleep(0.3)
    process.send_signal(signal.SIGTERM)
    asked_until(at, work, served, process)


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_sigterm_after_a_control_c_drops_what_is_paid(scrollwork: Scrollwork, served: Vendors, engine: str) -> None:
    work, command = asking(scrollwork, served, engine)
    served.set(latency_s=3.0)
    process = work.start(*command, start_new_session=True)
    assert served.wait_for(2)
    at = interrupted(process)
    time.sleep(0.5)
    os.killpg(process.pid, signal.SIGTERM)
    # Prefect's server in the process may say that its database was locked; the first test here looks for other tracebacks
    asked_until(at, work, served, process, traceback=engine == "prefect")


@pytest.mark.slow
def test_a_closed_terminal_drops_what_is_paid(scrollwork: Scrollwork, served: Vendors) -> None:
    work, command = asking(scrollwork, served, "inline")
    terminal, theirs = os.openpty()
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)  # the tests may run under nohup
    process = work.with_(forked=False).start(*command, start_new_session=True, stdout=theirs, stderr=theirs)
    signal.signal(signal.SIGHUP, before)
    os.close(theirs)
    assert served.wait_for(2)
    os.close(terminal)
    os.killpg(process.pid, signal.SIGHUP)  # as the kernel, were it the controlling terminal
    assert process.wait(60) != 0  # Python says 120 where its last words go nowhere
    asked = served.requests()
    assert {row["status"] for row in asked} == {200}, "none was given up"
    assert 0 < len(answered(work.home)) == len(asked) < 36


@pytest.mark.slow
@pytest.mark.parametrize("kind", [signal.SIGTERM, signal.SIGINT])
def test_answers_that_wait_for_the_store_are_lost(
    scrollwork: Scrollwork, served: Vendors, kind: signal.Signals
) -> None:
    """The engine of calls has ended, and somebody else holds the store: nothing is in flight, and nothing is stored."""
    work, command = asking(scrollwork, served, "inline")
    served.set(latency_s=0.0)
    (work.home.parent / "own.toml").write_text(table("gpt", served.url, concurrency=40))
    process = work.start(*command)
    assert served.wait_for(2)
    with closing(sqlite3.connect(work.home / "responses.db", timeout=30, isolation_level=None)) as store:
        store.execute("BEGIN IMMEDIATE")
        count = -1
        while (now := len(ended(served))) != count or len(served.requests()) != now:  # until nothing comes any more
            count = now
            time.sleep(0.7)
        stored = len(answered(work.home))
        assert stored < count
        process.send_signal(kind)
        time.sleep(0.3)
        assert process.poll() is None
        store.execute("COMMIT")
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert len(answered(work.home)) == count
    assert rows(work.home, "SELECT count(*) FROM claims") == [(0,)]


def ended(served: Vendors) -> list[dict[str, Any]]:
    return [row for row in served.requests() if row.get("status") == 200]


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_the_probe_of_a_batch_is_lost(scrollwork: Scrollwork, served: Vendors, engine: str) -> None:
    work, command = asking(scrollwork, served, engine)
    served.set(latency_s=4.0)
    process = work.start(*command, "--task", "squality", "--batch")  # enough requests for a probe
    assert served.wait_for(1)
    process.send_signal(signal.SIGTERM)
    time.sleep(0.3)
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=150)
    assert process.returncode == 130, err
    assert "Traceback" not in err
    assert "answers in flight are waited for" in err
    assert [row["status"] for row in served.requests()] == [200]
    assert len(answered(work.home)) == 1
    assert rows(work.home, "SELECT count(*) FROM claims") == [(0,)]


@pytest.mark.slow
# Through Prefect in `make soak`: that a signal reaches the calls there, the first Ctrl-C above shows.
@pytest.mark.parametrize("engine", ["inline", pytest.param("prefect", marks=pytest.mark.soak)])
def test_second_control_c_waits_for_answers(scrollwork: Scrollwork, served: Vendors, engine: str) -> None:
    work, command = asking(scrollwork, served, engine)
    process = work.start(*command, start_new_session=True)
    assert served.wait_for(AT_ONCE + 1)  # the first go one by one
    served.set(latency_s=100.0)
    time.sleep(2.0)  # what began with the old latency has ended
    until = time.monotonic() + 60
    while len([row for row in served.requests() if "ended" not in row]) < AT_ONCE and time.monotonic() < until:
        time.sleep(0.02)
    interrupted(process)
    assert process.stderr is not None
    for line in process.stderr:
        if "stopping" in line:
            break
    at = interrupted(process)
    _, err = process.communicate(timeout=60)
    assert time.time() - at < 10
    assert process.returncode == 130
    assert "Traceback" not in err
    assert len(answered(work.home)) == len([row for row in served.requests() if row.get("status") == 200]) < 36
    others = "SELECT outcome, cost_nano_usd FROM attempts WHERE outcome <> 'answered'"
    assert rows(work.home, others) == [("cancelled", None)] * AT_ONCE
    assert rows(work.home, "SELECT count(*) FROM failures") == [(0,)]
    served.set(latency_s=0.0)
    work(*command)
    assert len(answered(work.home)) == 36


@pytest.mark.slow
def test_two_runs_with_one_store_ask_one_request_twice(scrollwork: Scrollwork, served: Vendors, tmp_path: Path) -> None:
    """The second has the last two tasks of the first, and so begins with another one."""
    served.set(latency_s=3.0)
    store = ("--store", f"sqlite:///{tmp_path / 'both.db'}")
    homes = [tmp_path / name / "home" for name in ("one", "two")]
    works = [hosted(scrollwork.with_(home=home), table("gpt", served.url, concurrency=AT_ONCE)) for home in homes]
    command = ("run", "zeroscrolls", "--sample", "--engine", "inline", "--json", "--model", "gpt", *store)
    asked = (("--task", "squality", *TASKS), ("--task", "squality", *TASKS[:2]))
    processes = [work.start(*command, *tasks, *of_model(work)) for work, tasks in zip(works, asked, strict=True)]
    until = time.monotonic() + 90
    while not any(row["in_flight"] > AT_ONCE for row in served.requests()) and time.monotonic() < until:
        time.sleep(0.05)  # until both ask
    served.set(latency_s=0.0)
    ended = [(process.communicate(timeout=120), process.returncode) for process in processes]
    assert [status for _, status in ended] == [0, 0], [err for (_, err), _ in ended]
    assert twice(served.requests()) == {}
    both = [
        {path: digest for path, digest in files_of(home).items() if ".squality." in path or ".qasper." in path}
        for home in homes
    ]
    assert both[0] == both[1] != {}
    askers = {row[0].partition(".")[0] for row in rows(tmp_path, "SELECT DISTINCT owner FROM attempts", "both.db")}
    assert len(askers) == 2, "both asked"
