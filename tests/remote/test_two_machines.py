"""Two machines on one evaluation, with a home in S3 and answers in PostgreSQL, while machines, database and connections
are killed at random moments: the results are those of an undisturbed run, and each answer is paid once, but for those in
flight when a machine was killed."""

from __future__ import annotations

import json
import os
import random
import signal
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from subprocess import DEVNULL, Popen
from threading import Lock

import pytest

from tests import conftest
from tests.conftest import Scrollwork, environment, start
from tests.remote.bucket import BUCKET, Server
from tests.remote.cutting import LOST, REPLY, REQUEST, cutting
from tests.storage.postgres import Server as Postgres
from tests.storage.postgres import serve
from tests.survival.hosted import KEYS, UNDER_WAY_S, Vendors, answered, hosted, of_model, table, twice, vendors
from tests.survival.test_calls_survive import scored

pytestmark = pytest.mark.slow
KILLS = int(os.environ.get("SCROLLWORK_KILLS", "17"))  # `make soak` asks for fifty
MODELS = [f"gpt{number}" for number in range(1, 2 + KILLS // 10)]  # so many that work is left at the last kill
MACHINES = ("one", "two")
AT_ONCE = 4
LATENCY_S = 0.4
LEASE_S = 6.0  # of the claims of a machine that is gone
LONGEST_AWAY_S = 4.0  # of the database, and of cut connections
WAYS = ("machine", "machine", "both", "database", "connections")


@pytest.fixture
def postgres() -> Iterator[Postgres]:
    """A server of this test's own, which it kills."""
    yield from serve()


class Team:
    """The machines, each with a working directory and a cache of its own. command: what each of them calls."""

    def __init__(self, folder: Path, home: str, store: str, command: tuple[str, ...], **variables: str) -> None:
        self._folder, self._own = folder, ("--home", home, "--store", store, *command)
        self._variables = variables
        self.running: dict[str, Popen[str]] = {}
        self.said: list[str] = []
        self.statuses: Counter[int] = Counter()

    def begin(self, machine: str) -> None:
        """Start a machine's command, unless it is at work."""
        if (process := self.running.get(machine)) is not None:
            if process.poll() is None:
                return
            self._note(process)
        folder = self._folder / machine
        folder.mkdir(exist_ok=True)
        own = {"XDG_CACHE_HOME": str(folder / "cache"), "PYTHONPATH": str(conftest.UNCHANGED), **self._variables}
        script = str(Path(__file__).with_name("machine.py"))
        command = [script, machine, str(LEASE_S), *self._own]
        with (folder / "said").open("ab") as said:
            self.running[machine] = start(
                command, cwd=folder, env=environment(**own), stdin=DEVNULL, stdout=said, stderr=said
            )

    def kill(self, machine: str) -> bool:
        """End a machine without a warning; whether it was at work."""
        process = self.running[machine]
        worked = process.poll() is None
        process.kill()
        process.wait()
        return worked

    def once_more(self) -> None:
        """Call the command on both again when it has ended: a stage fails where connections are cut for long."""
        for machine, process in [*self.running.items()]:
            process.wait(180)
            self.begin(machine)

    def end(self) -> None:
        """Wait for both."""
        for machine, process in self.running.items():
            assert process.wait(180) == 0, (self._folder / machine / "said").read_text()[-4000:]

    def _note(self, process: Popen[str]) -> None:
        self.statuses[process.returncode] += 1


class Weather:
    """How connections to the bucket fare: for a while each request is cut in a random way."""

    def __init__(self, rng: random.Random) -> None:
        self._rng, self._until, self._lock = rng, 0.0, Lock()

    def storm(self, seconds: float) -> None:
        self._until = time.monotonic() + seconds

    def cut(self, method: str, path: str) -> str:
        with self._lock:
            stormy = time.monotonic() < self._until
            return self._rng.choice((REQUEST, REPLY, LOST, "")) if stormy else ""


def disturb(way: str, team: Team, postgres: Postgres, weather: Weather, rng: random.Random) -> tuple[int, float]:
    """Do it; how many machines were killed at work, and when."""
    if way in ("machine", "both"):
        victims = MACHINES if way == "both" else (rng.choice(MACHINES),)
        when = time.time()
        return sum([team.kill(machine) for machine in victims]), when
    away_s = rng.uniform(0, LONGEST_AWAY_S)
    if way == "database":
        postgres.stop(rng.choice((signal.SIGQUIT, signal.SIGINT)))
        time.sleep(away_s)
        postgres.start()
    else:
        weather.storm(away_s)
    return 0, 0.0


def scored_in(bucket: Server, home: str) -> dict[str, str]:
    """As `scored`, of a home in a bucket."""
    there = {path: sha256(data).hexdigest() for path, data in bucket.objects(f"{home}/artifacts").items()}
    took = ("generate/", "pointers/", "report/")
    return {path: digest for path, digest in there.items() if not path.startswith(took) and "/run.json" not in path}


def assert_of_failed_runs(bucket: Server, home: str, more: Iterable[str], failed: int) -> None:
    """What a home has more than an undisturbed one is of runs in which a stage failed, as connections were cut for long,
    whether they ended with that status or were killed then: each compared fewer judged tasks than a whole run."""
    folders = {path.rpartition("/")[0] for path in more}
    assert len(folders) <= failed, (folders, failed)
    compared = {
        f"compare/{path.rpartition('/')[0]}": set(json.loads(data)["ingredients"]["inputs"]["judge"])
        for path, data in bucket.objects(f"{home}/artifacts/compare").items()
        if path.endswith("/manifest.json")
    }
    whole = max(compared.values(), key=len)
    assert {folder for folder, judged in compared.items() if judged < whole} >= folders


def wait_for_work(served: Vendors, team: Team, rng: random.Random, more: int) -> None:
    """Until some of so many further requests have come, and a moment more."""
    wanted = len(served.requests()) + rng.randint(1, more)
    deadline = time.monotonic() + 30
    while len(served.requests()) < wanted and time.monotonic() < deadline:
        if all(process.poll() is not None for process in team.running.values()):
            return
        time.sleep(0.02)
    time.sleep(rng.uniform(0, LATENCY_S))


@pytest.mark.timeout(300 + 15 * KILLS)
def test_two_machines_lose_an_answer_or_pay_it_again(
    scrollwork: Scrollwork, started: Server, postgres: Postgres, tmp_path: Path
) -> None:
    rng = random.Random(KILLS)
    with vendors(tmp_path) as served:
        tables = [table(name, served.url, id=name, concurrency=AT_ONCE) for name in MODELS]
        work = hosted(scrollwork, "".join(tables))
        command = ("run", "zeroscrolls", "--sample", "--engine", "inline", "--quiet", *of_model(work, *MODELS))
        work(*command)
        total, before = len(answered(work.home)), len(served.requests())
        assert before == total > 100
        served.set(latency_s=LATENCY_S)

        weather = Weather(rng)
        with cutting(started, weather.cut) as cutter:
            store = postgres.url(postgres.database())
            reached = {**started.variables, "AWS_ENDPOINT_URL": cutter.url, "NO_PROXY": "127.0.0.1,localhost"}
            team = Team(tmp_path, f"s3://{BUCKET}/machines", store, command, **KEYS, **reached)
            killed, in_flight, ways = 0, 0, Counter[str]()
            for number in range(KILLS):
                for machine in MACHINES:
                    team.begin(machine)
                stored = len(served.requests()) - before
                wait_for_work(served, team, rng, max(2, (total - stored) // (KILLS - number)))
                way = rng.choice(WAYS)
                worked, when = disturb(way, team, postgres, weather, rng)
                ways[way] += 1
                killed += worked
                if worked:
                    time.sleep(2 * LATENCY_S)
                    asked = served.requests()[before:]
                    in_flight += sum(
                        row["time"] < when and row.get("ended", when) > when - UNDER_WAY_S for row in asked
                    )
            weather.storm(0)
            team.once_more()
            team.end()
            requests = served.requests()[before:]
            paid_again = sum(count - 1 for count in twice(requests).values())
            print(
                f"\n{dict(ways)}: {killed} machines killed at work, {len(cutter.cuts())} requests cut, ends by themselves "
                f"{dict(team.statuses)}; {total} answers, {len(requests)} requests, {paid_again} paid again, "
                f"{in_flight} in flight at kills of machines"
            )
    assert {row["digest"] for row in requests} == {row["digest"] for row in served.requests()[:before]}
    assert len(requests) == total + paid_again
    assert paid_again <= in_flight
    database = store.rpartition("/")[2]
    assert postgres.execute("SELECT count(*) FROM claims", database) == [(0,)]
    keys = {key for (key,) in postgres.execute("SELECT request_key FROM responses", database)}
    assert keys == answered(work.home)
    there, undisturbed = scored_in(started, "machines"), scored(work.home)
    more = {path: there.pop(path) for path in there.keys() - undisturbed.keys()}
    assert there == undisturbed
    assert_of_failed_runs(started, "machines", more, team.statuses.total() - team.statuses[0])
