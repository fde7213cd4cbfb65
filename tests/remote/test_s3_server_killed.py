"""A server of `up` whose flow runs have their home in S3 and their answers in PostgreSQL, while run, worker, server and
database are killed: results are those of an undisturbed run, and each answer is paid once, but for those in flight when
the run was killed."""

from __future__ import annotations

import json
import os
import random
import signal
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import Scrollwork, kill, serve
from tests.conftest import Server as Prefect
from tests.remote.bucket import BUCKET, Server
from tests.remote.test_two_machines import scored_in
from tests.storage.postgres import Server as Postgres
from tests.storage.postgres import serve as serve_postgres
from tests.survival.hosted import UNDER_WAY_S, Vendors, answered, hosted, of_model, table, twice, vendors
from tests.survival.test_calls_survive import scored
from tests.survival.test_server_killed import command_of

pytestmark = pytest.mark.slow
KILLS = int(os.environ.get("SCROLLWORK_KILLS", "3"))  # `make soak` asks for twenty
WAYS = ("everything", "database", "run", "server")  # in this order first, then at random
TASKS = ("qmsum", "qasper", "squality")
AT_ONCE = 2
LATENCY_S = 0.8
LONGEST_AWAY_S = 4.0  # of the database
ENDED = ("COMPLETED", "FAILED", "CRASHED", "CANCELLED")


@pytest.fixture
def postgres() -> Iterator[Postgres]:
    """A server of this test's own, which it kills."""
    yield from serve_postgres()


@pytest.fixture
def team(house: Path, started: Server, postgres: Postgres, tmp_path: Path) -> Iterator[Prefect]:
    """Prefect's server and worker, and what they need to reach the bucket and the database."""
    store = postgres.url(postgres.database())
    own = {**started.variables, "SCROLLWORK_STORE": store, "XDG_CACHE_HOME": str(tmp_path / "cache")}
    yield from serve(house, tmp_path / "project", options=("--pass-env", "AWS_*"), **own)


def wait_for_work(served: Vendors, team: Prefect, run: str, wanted: int) -> None:
    """Until so many requests have come in all, or the run has ended."""
    deadline = time.monotonic() + 90
    while len(served.requests()) < wanted and team.get(f"flow_runs/{run}")["state_type"] not in ENDED:
        assert time.monotonic() < deadline, f"{len(served.requests())} requests, {wanted} wanted"
        time.sleep(0.1)


def disturb(way: str, team: Prefect, postgres: Postgres, rng: random.Random) -> bool:
    """Do it; whether flow runs were killed."""
    if way == "database":
        postgres.stop(rng.choice((signal.SIGQUIT, signal.SIGINT)))
        time.sleep(rng.uniform(0, LONGEST_AWAY_S))
        postgres.start()
    elif way == "everything":
        kill(team.processes())
    elif way == "server":
        kill([team.noted["server"]])
    else:
        others = {team.noted["server"], team.noted["worker"]}
        of_runs = [pid for pid in team.processes() if pid not in others and "keep" not in command_of(pid).split()]
        assert of_runs
        kill(of_runs)
    return way in ("everything", "run")


@pytest.mark.timeout(300 + 60 * KILLS)
def test_a_server_with_a_remote_home_loses_an_answer_or_pays_it_again(
    scrollwork: Scrollwork, started: Server, postgres: Postgres, team: Prefect, tmp_path: Path
) -> None:
    rng = random.Random(KILLS)
    with vendors(tmp_path) as served:
        model = table("gpt", served.url, provider="compatible", concurrency=AT_ONCE)
        (team.work.root / "own.toml").write_text(model)
        work = hosted(scrollwork, model)
        tasks = [word for task in TASKS for word in ("--task", task)]
        work(
            "run", "zeroscrolls", "--sample", "--engine", "inline", "--quiet", *tasks, "--model", "gpt", *of_model(work)
        )
        total, before = len(answered(work.home)), len(served.requests())
        assert before == total > 20
        served.set(latency_s=LATENCY_S)

        home = f"s3://{BUCKET}/team"
        parameters = {"home": home, "tasks": [*TASKS], "models": ["gpt"], "models_file": "own.toml"}
        evaluate = ("evaluate", "--params", json.dumps(parameters))
        run, in_flight, ways = "", 0, Counter[str]()
        for number in range(KILLS):
            if not run or team.get(f"flow_runs/{run}")["state_type"] in ENDED:
                run = team.trigger(*evaluate)
            stored = len(served.requests()) - before
            more = max(2, (total - stored) // (KILLS - number + 1))
            wait_for_work(served, team, run, before + stored + rng.randint(1, more))
            time.sleep(rng.uniform(0, LATENCY_S))
            way = WAYS[number] if number < len(WAYS) else rng.choice(WAYS)
            when = time.time()
            killed = disturb(way, team, postgres, rng)
            ways[way] += 1
            if killed:
                time.sleep(2 * LATENCY_S)
                asked = served.requests()[before:]
                in_flight += sum(row["time"] < when and row.get("ended", when) > when - UNDER_WAY_S for row in asked)
            team.work("up", "--quiet", "--pass-env", "AWS_*")
        served.set(latency_s=0.0)
        ended = team.wait(run)
        if ended["state_type"] != "COMPLETED":
            ended = team.wait(team.trigger(*evaluate))
        assert ended["state_type"] == "COMPLETED", ended["state"]["message"]
        requests = served.requests()[before:]
        paid_again = sum(count - 1 for count in twice(requests).values())
        print(
            f"\n{dict(ways)}: {total} answers, {len(requests)} requests, {paid_again} paid again, {in_flight} in flight"
        )
    assert {row["digest"] for row in requests} == {row["digest"] for row in served.requests()[:before]}
    assert len(requests) == total + paid_again
    assert paid_again <= in_flight
    database = team.work.env["SCROLLWORK_STORE"].rpartition("/")[2]
    assert postgres.execute("SELECT count(*) FROM claims", database) == [(0,)]
    keys = {key for (key,) in postgres.execute("SELECT request_key FROM responses", database)}
    assert keys == answered(work.home)
    assert scored_in(started, "team") == scored(work.home)
