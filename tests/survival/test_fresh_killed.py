"""kill -9 while a model is asked anew: the same command goes on, nothing is paid twice, and the results are the same."""

from __future__ import annotations

import json
import math
import os
import random
import shutil
import sqlite3
import time
from pathlib import Path
from typing import Any

import pytest

from scrollwork.records.response import Response
from scrollwork.storage.home import Home
from tests.conftest import Scrollwork, leftovers
from tests.survival.hosted import Vendors, answered, hosted, of_model, rows, table, twice, vendors

KILLS = int(os.environ.get("SCROLLWORK_KILLS", "3"))  # `make soak` asks for twenty in each way
TASKS = ("--task", "qasper", "--task", "space_digest")
INPUTS = 33  # of these in the sample
LATENCY_S = 0.3
AT_ONCE = 2
UNDER_WAY_S = 5.0  # before a kill: what the vendor has finished then may be on its way into the store
ANSWERED_TWICE = "SELECT request_key FROM attempts WHERE outcome = 'answered' GROUP BY request_key HAVING count(*) > 1"
DAY_S = 86_400


def command(work: Scrollwork, *arguments: str) -> tuple[str, ...]:
    plain = ("run", "zeroscrolls", "--sample", "--engine", "inline", "--json", "--quiet", "--model", "m")
    return (*plain, *TASKS, *of_model(work), *arguments)


def make_older(home: Path) -> int:
    """Make every second answer three days older; return how many."""
    older = sorted(answered(home))[::2]
    with sqlite3.connect(home / "responses.db", timeout=30) as store:
        marks = ", ".join("?" * len(older))
        change = f"UPDATE responses SET created = created - 3 * {DAY_S} WHERE request_key IN ({marks})"
        store.execute(change, older)
    return len(older)


def results(home: Path) -> dict[tuple[str, str], str]:
    """Text of each answer that the last run read, by task and example."""
    at = Home.at(str(home))
    found: dict[tuple[str, str], str] = {}
    for name in [name for name in at.runs()[-1]["keys"] if name.startswith("score/")]:
        stage, _, slot = name.partition("/")
        scored = at.artifacts.find(stage, slot, at.runs()[-1]["keys"][name])
        assert scored is not None
        (content,) = scored.manifest.ingredients.each("answers")
        (answers,) = [one for one in at.artifacts.everything() if one.content == content]
        found |= {(row.task, row.example_id): row.text for row in answers.rows("responses", Response)}
    return found


def in_flight(row: dict[str, Any], kills: list[float]) -> bool:
    """Whether a request was at the vendor, or its answer was on its way into the store, at one of the kills."""
    return any(row["time"] <= kill <= row.get("ended", math.inf) + UNDER_WAY_S for kill in kills)


def killed_at_random(work: Scrollwork, served: Vendors, how: str, left: int, rng: random.Random) -> list[float]:
    """Kill the command KILLS times; return when. left: requests that it has to send."""
    kills: list[float] = []
    stored = len(answered(work.home))
    for number in range(KILLS):
        asked, done = len(served.requests()), len(answered(work.home)) - stored
        process = work.start(*command(work, "--fresh", how))
        wanted = asked + rng.randint(1, max(1, (left - done) // (KILLS - number)))
        early = rng.uniform(0.5, 4.0) if rng.random() < 0.15 else 20.0
        deadline = time.monotonic() + early
        while len(served.requests()) < wanted and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(rng.uniform(0, 2 * LATENCY_S))
        kills += [time.time()] if process.poll() is None else []
        process.kill()
        process.communicate()
    time.sleep(2 * LATENCY_S)
    return kills


@pytest.mark.slow
@pytest.mark.timeout(240 + 25 * KILLS)
@pytest.mark.parametrize("how", ["run", "2"])
def test_killed_epoch_pays_twice_or_has_other_results(scrollwork: Scrollwork, tmp_path: Path, how: str) -> None:
    """The vendor's log is the witness. `make soak` kills twenty times."""
    rng = random.Random(f"{how} {KILLS}")
    with vendors(tmp_path) as served:
        work = hosted(scrollwork, table("m", served.url, concurrency=AT_ONCE))
        work(*command(work))
        assert len(served.requests()) == INPUTS
        assert twice(served.requests()) == {}
        older = make_older(work.home)
        served.set(edition="second", latency_s=LATENCY_S)
        left = INPUTS if how == "run" else older
        whole = work.with_(home=tmp_path / "whole" / "home")
        shutil.copytree(work.home, whole.home)
        shutil.copy(work.home.parent / "own.toml", whole.home.parent)
        unkilled = whole(*command(whole, "--fresh", how)).document
        before = len(served.requests())
        assert before == INPUTS + left

        kills = killed_at_random(work, served, how, left, rng)
        assert kills, "each command ended before it was killed"
        done = work(*command(work, "--fresh", how)).document
        asked = served.requests()[before:]
        again = twice(asked)
        for digest in again:
            *lost, _ = [row for row in asked if row["digest"] == digest]
            early = [(row["time"], row.get("ended")) for row in lost if not in_flight(row, kills)]
            assert early == [], f"a stored answer was asked again; kills: {kills}"
        assert rows(work.home, ANSWERED_TWICE) == [], "an answer that was in the store was paid again"
        assert len(asked) - left == sum(again.values()) - len(again) <= len(kills) * (AT_ONCE + 2)
        assert {row["digest"] for row in asked} == {row["digest"] for row in served.requests()[INPUTS:before]}

        assert done["tasks"] == unkilled["tasks"]
        assert done["averages"] == unkilled["averages"]
        assert results(work.home) == results(whole.home)
        assert sum(text.startswith("second") for text in results(work.home).values()) == left
        kinds = [path.name.rsplit(".", 2)[1] for path in sorted((work.home / "epochs").iterdir())]
        assert sorted(kinds) == ["complete", "opened"], "the epoch is not gone on with"
        assert len(answered(work.home)) == INPUTS + left
        assert rows(work.home, "SELECT count(*) FROM claims") == [(0,)]
        assert leftovers(work.home) == []
        sent = len(served.requests())
        work(*command(work))
        assert len(served.requests()) == sent
        assert results(work.home) == results(whole.home)
        print(f"\n--fresh {how}: {json.dumps({'kills': len(kills), 'asked': len(asked), 'of': left})}")
