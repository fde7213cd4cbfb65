"""kill -9 while a hosted model is asked, again and again: every answer that is stored was paid once, none is lost, and
the scores are those of an undisturbed run, byte for byte."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.conftest import Scrollwork, files_of, leftovers, shared_data
from tests.survival.hosted import UNDER_WAY_S, Vendors, answered, hosted, of_model, rows, table, twice, vendors

KILLS = int(os.environ.get("SCROLLWORK_KILLS", "7"))  # `make soak` asks for a hundred
AT_ONCE = 8
LATENCY_S = 0.15


@dataclass(frozen=True)
class Prompts:
    """arguments: which 300 prompts are asked."""

    arguments: tuple[str, ...]
    count: int


@pytest.fixture(scope="module")
def prompts() -> Prompts:
    """300 real prompts of QMSum and SQuALITY; where there are no shared data, those of the sample."""
    shared = shared_data()
    if shared is None:
        tasks = ("qmsum", "squality", "qasper", "narrative_qa", "quality", "musique", "gov_report", "summ_screen_fd")
        return Prompts(tuple(word for task in tasks for word in ("--task", task)), 0)
    tasks = ("--task", "qmsum", "--task", "squality", "--limit", "150")
    return Prompts(("--raw", str(shared / "raw"), *tasks), 300)


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Vendors]:
    with vendors(tmp_path, latency_s=LATENCY_S) as running:
        yield running


def scored(home: Path) -> dict[str, str]:
    """Digests of the artifacts behind the answers (these say too what came from a cache, which order decides, and how
    often was tried, and so does the report)."""
    took = ("generate/", "pointers/", "report/")
    return {path: digest for path, digest in files_of(home).items() if not path.startswith(took)}


@pytest.mark.slow
@pytest.mark.timeout(60 + 12 * KILLS)
def test_kill_loses_an_answer_or_pays_it_again(
    scrollwork: Scrollwork, prompts: Prompts, served: Vendors, tmp_path: Path
) -> None:
    tables = table("gpt", served.url, concurrency=AT_ONCE)
    work = hosted(scrollwork, tables)
    command = ("run", "zeroscrolls", "--engine", "inline", "--quiet", "--model", "gpt", *of_model(work))
    command += prompts.arguments if prompts.count else ("--sample", *prompts.arguments)

    served.set(latency_s=0.0)
    alone = hosted(scrollwork.with_(home=tmp_path / "alone" / "home"), tables)
    alone(*command)
    total = len(answered(alone.home))
    before = len(served.requests())
    assert before == total
    assert prompts.count in (0, total)

    served.set(latency_s=LATENCY_S)
    chance = random.Random(KILLS)
    lost, in_flight, stored = 0, 0, 0
    for _ in range(KILLS):
        asked_before = len(served.requests())
        process = work.start(*command)
        if chance.random() < 0.1:
            time.sleep(chance.uniform(0.1, 3.0))  # while it starts, too
        else:
            served.wait_for(asked_before + chance.randrange(1, max(2, 2 * (total - stored) // KILLS)), timeout_s=20)
            time.sleep(chance.uniform(0, 2 * LATENCY_S))
        process.kill()
        killed = time.time()
        process.communicate()
        time.sleep(0.05)
        asked = served.requests()[asked_before:]
        now = len(answered(work.home))
        lost += len(asked) - (now - stored)
        in_flight += sum(row.get("ended", killed) > killed - UNDER_WAY_S for row in asked)
        stored = now

    work(*command)
    requests = served.requests()[before:]
    assert len(answered(work.home)) == total
    assert answered(work.home) == answered(alone.home)
    assert len(requests) == total + lost, "a stored answer was asked again"
    assert lost <= in_flight
    assert sum(count - 1 for count in twice(requests).values()) == lost
    assert rows(work.home, "SELECT count(*) FROM claims") == [(0,)]
    assert scored(work.home) == scored(alone.home)
    assert leftovers(work.home) == []
    print(f"{KILLS} kills, {total} answers, {len(requests)} requests, {lost} lost at kills, {in_flight} under way")
