"""kill -9 in each way of asking: nothing is lost, and nothing is paid twice beyond what was in flight."""

from __future__ import annotations

import math
import os
import random
import time
from pathlib import Path
from typing import Any

import pytest

from scrollwork.rehearsal.clock import Clock
from scrollwork.rehearsal.server import ASKS, Handler, Rehearsal
from scrollwork.rehearsal.world import DAY
from tests.conftest import Scrollwork, leftovers
from tests.survival.hosted import UNDER_WAY_S, answered, rows

KILLS = int(os.environ.get("SCROLLWORK_KILLS", "3"))  # `make soak` asks for twenty in each way
AT_ONCE = 4
LATENCY_S = 0.12
ANSWERS = 121  # of the bundled sample
KEY = "sk-0123456789abcdefghij"
TABLES = """
[luna]
provider = "openai"
id = "gpt-6-luna"
vendor = "openai"
base_url = "{openai}"
server = "simulated"
concurrency = 4
[sol]
provider = "openai"
id = "gpt-6-sol"
vendor = "openai"
base_url = "{openai}"
server = "simulated"
endpoint = "responses"
concurrency = 4
[fable]
provider = "anthropic"
id = "claude-fable-5-2"
vendor = "anthropic"
base_url = "{anthropic}"
server = "simulated"
reasoning_tokens = 25000
extra = {{ output_config = {{ effort = "low" }} }}
concurrency = 4
[gemini]
provider = "compatible"
id = "gemini-3.8-flash"
vendor = "gemini"
base_url = "{gemini}"
server = "simulated"
key_env = "OPENAI_API_KEY"
concurrency = 4
"""


class Watched(Rehearsal):
    """Vendors that note when each request came and was answered."""

    def __init__(self, *given: Any, **knobs: Any) -> None:
        super().__init__(*given, **knobs)
        self.seen: list[dict[str, Any]] = []
        self.RequestHandlerClass = Noting

    def asked(self, since: int = 0) -> list[dict[str, Any]]:
        """Requests for answers."""
        return [row for row in self.seen[since:] if row["path"].endswith(ASKS)]


class Noting(Handler):
    """A connection whose requests are noted."""

    server: Watched

    def noted(self) -> None:
        row = {"path": f"{self.command} {self.path}", "began": time.time(), "ended": math.inf}
        self.server.seen.append(row)
        try:
            self.handle_one()
        finally:
            row["ended"] = time.time()

    do_GET = do_POST = noted


def at_a_random_moment(vendors: Watched, process: Any, rng: random.Random, most: int, longest_s: float) -> None:
    """Wait until some of up to so many further requests have come, and a while more; or, now and then, while it starts."""
    if rng.random() < 0.1:
        time.sleep(rng.uniform(0.1, 3.0))
        return
    wanted = len(vendors.seen) + rng.randint(1, most)
    deadline = time.monotonic() + 20
    while len(vendors.seen) < wanted and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.002)
    time.sleep(rng.uniform(0, longest_s))


def attempts_hold(home: Path, lines: list[Any], lost: int) -> bool:
    """Whether each answer has the one attempt that gave it, and these count for what the vendor bills, but for lost replies."""
    assert rows(home, "SELECT count(*) FROM failures") == [(0,)]
    assert rows(home, "SELECT count(*) FROM claims") == [(0,)]
    gave = dict(
        rows(home, "SELECT request_key, count(*) FROM attempts WHERE outcome = 'answered' GROUP BY request_key")
    )
    assert gave == dict.fromkeys(answered(home), 1)
    counted = rows(home, "SELECT sum(cost_nano_usd), min(cost_nano_usd) FROM attempts WHERE outcome = 'answered'")
    assert counted == rows(home, "SELECT sum(cost_nano_usd), min(cost_nano_usd) FROM responses")
    assert counted[0][1] > 0
    paid = sorted(line.nano for line in lines)
    assert counted[0][0] >= sum(paid[: len(paid) - lost]) - len(paid), "a nano-dollar a call: each is rounded"
    others = rows(home, "SELECT DISTINCT outcome FROM attempts WHERE cost_nano_usd > 0")
    return others == [("answered",)]


@pytest.mark.slow
@pytest.mark.timeout(200 + 12 * KILLS)
@pytest.mark.parametrize(
    ("model", "way"),
    [
        ("luna", "standard"),
        ("sol", "standard"),
        ("fable", "standard"),
        ("gemini", "standard"),
        ("luna", "flex"),
        ("luna", "batch"),
        ("fable", "batch"),
        pytest.param("gemini", "flex", marks=pytest.mark.soak),  # the endpoint and the tier are each killed above
    ],
)
def test_kill_in_a_way_of_asking_pays_twice_or_loses(
    scrollwork: Scrollwork, tmp_path: Path, model: str, way: str
) -> None:
    """Kills at random moments; flex is refused three times in ten, batches expire half-way. The vendors' own bill is the witness."""
    rng, batch = random.Random(f"{model} {way}"), way == "batch"
    knobs = {"batch_done": 0.5} if batch else {"flex_refused": 0.3, "latency_s": LATENCY_S}
    with Watched(Clock(), **knobs) as vendors:
        tables, ledger = tmp_path / "models.toml", vendors.world.ledger
        tables.write_text(TABLES.format(**{name: vendors.url(name) for name in ("openai", "anthropic", "gemini")}))
        work = scrollwork.with_(
            home=tmp_path / "home", env={"OPENAI_API_KEY": KEY, "ANTHROPIC_API_KEY": KEY, "NO_PROXY": "127.0.0.1"}
        )
        asked = ("run", "zeroscrolls", "--sample", "--engine", "inline", "--model", model, "--models", str(tables))
        asked += ("--way", way, "--json", "--quiet")
        stored, lost, in_flight, running = 0, 0, 0, 0
        for kill in range(KILLS):
            if batch and vendors.world.batches and rng.random() < 0.7:
                vendors.world.clock.turn(DAY)  # what is open has expired half-way, when it is looked at next
            began, paid = len(vendors.seen), len(ledger.lines())
            process = work.start(*asked)
            most = 6 if batch else max(1, (ANSWERS - stored) // (KILLS - kill))  # so that the last kill finds work, too
            at_a_random_moment(vendors, process, rng, most, 0.5 if batch else 2 * LATENCY_S)
            running += process.poll() is None
            process.kill()
            killed = time.time()
            process.communicate()
            time.sleep(2 * LATENCY_S)  # what was in flight is billed
            now = len(answered(work.home))
            lost += len(ledger.lines()) - paid - (now - stored) if not batch else 0
            in_flight += sum(row["ended"] > killed - UNDER_WAY_S for row in vendors.asked(began))
            stored = now
        vendors.world.turn_knobs({"batch_done": 1.0, "batch_s": 0.0})
        done = work(*asked).document
        assert all(row["coverage"]["answered"] == row["coverage"]["expected"] for row in done["tasks"]), done["tasks"]
        lines = ledger.lines()
        lost = len(lines) - ANSWERS if batch else lost  # of what is asked online before the first batch
        assert len(answered(work.home)) == ANSWERS
        assert len(lines) == ANSWERS + lost, "a stored answer is paid again, or one that is paid is lost"
        assert 0 <= lost <= in_flight <= KILLS * AT_ONCE * (1 + UNDER_WAY_S / LATENCY_S)
        assert attempts_hold(work.home, lines, lost), "a reply that was of no use is paid"
        assert rows(work.home, "SELECT count(*) FROM batches WHERE state IN ('intent', 'submitted')") == [(0,)]
        assert leftovers(work.home) == []
        assert work(*asked).document["spent"]["calls"] == 0
        assert len(ledger.lines()) == len(lines)
        if way == "flex":
            assert sum(line.service == "flex" for line in lines) > 0.9 * len(lines)
        made = dict(rows(work.home, "SELECT state, count(*) FROM batches GROUP BY state"))
        print(
            f"\n{model} {way}: {KILLS} kills ({running} of a run at work), {len(vendors.seen)} requests "
            f"({len(vendors.asked())} for answers), {len(lines)} billed, {in_flight} in flight at kills, "
            f"{lost} lost with them and paid twice, {ANSWERS} answers, batches: {made}"
        )
