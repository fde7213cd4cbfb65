"""The flow `nightly` on a Prefect server: its states, their messages, and what it leaves in the home."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scrollwork.flows.nights import night_of_run
from scrollwork.suites.request import Request
from tests.conftest import Scrollwork, environment, lend_database, program
from tests.nights.hotels import BAD, ready, rows
from tests.survival.hosted import KEYS, Vendors, twice, vendors

ENDS = """
import json, sys
from scrollwork.flows.nightly import nightly
states = []
for changed in json.loads(sys.argv[2]):
    if changed:
        import urllib.request
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        opener.open(urllib.request.Request(changed[0], json.dumps(changed[1]).encode())).read()
    flow = nightly.with_options(retries=changed[2], retry_delay_seconds=0) if changed else nightly
    state = flow(**json.loads(sys.argv[1]), return_state=True)
    states.append([state.name, state.message])
print(json.dumps(states))
"""


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Vendors]:
    with vendors(tmp_path) as running:
        yield running


def flow_runs(work: Scrollwork, parameters: dict[str, Any], nights: list[Any]) -> tuple[list[list[str]], str]:
    """Run the flow once for each night; returns (name and message of each state, what was said)."""
    lend_database(work.home.parent / "server")
    env = environment(
        **KEYS,
        PYTHONPATH=str(work.root),
        PREFECT_HOME=str(work.home.parent / "server" / "prefect"),
        PREFECT_SERVER_ALLOW_EPHEMERAL_MODE="true",
        PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS="180",
        PREFECT_SERVER_ANALYTICS_ENABLED="false",
    )
    done = program(work.root, ["-c", ENDS, json.dumps(parameters), json.dumps(nights)], env, seconds=420)
    assert done.returncode == 0, done.stderr[-4000:]
    found: list[list[str]] = json.loads(done.stdout.splitlines()[-1])
    return found, done.stderr


@pytest.mark.slow
def test_drop_ends_the_flow_as_completed_or_without_its_sentence(scrollwork: Scrollwork, served: Vendors) -> None:
    work = ready(scrollwork, served, concurrency=1)
    parameters = {
        "home": str(work.home), "raw": str(work.home.parent / "raw"), "sample": False, "models": ["m"],
        "models_file": str(work.home.parent / "own.toml"), "tasks": ["space_digest", "quality"],
    }  # fmt: skip
    control = f"{served.url}/_control"
    # the second night is cut by an error that ends the asking, and its retry goes on
    cut = {"plan": {"script": [*[""] * 10, "500-final"]}}
    nights: list[Any] = [None, [control, cut, 1], [control, {"edition": BAD}, 0]]
    states, said = flow_runs(work, parameters, nights)
    assert len(states) == len(rows(work.home)) == 3, "\n".join(map(str, states)) + said[-6000:]
    first, second, third = sorted(rows(work.home), key=lambda row: row["ended"])
    assert states[0] == ["Completed", "The first night: those that follow are compared with it."]
    assert states[1][0] == "Completed", states
    assert states[1][1].startswith(f"No new drop against the accepted night {first['name']}")
    assert states[2][0] == "Failed"
    assert states[2][1] == third["models"][0]["sentence"]
    assert states[2][1].startswith("space_digest fell by ")
    assert second["models"][0]["epoch"] not in (first["models"][0]["epoch"], third["models"][0]["epoch"])
    asked = [row for row in served.requests() if row["status"] == 200]
    assert len(asked) == 3 * sum(task["expected"] for task in first["models"][0]["tasks"])
    assert set(twice(asked).values()) == {3}, "an answer was paid twice"
    assert work("nights", "--json").document["nights"][2]["run"], "the row does not name the flow run"
    again = Request.of("zeroscrolls", home=str(work.home), sample=True, run=third["run"])
    told = night_of_run(again)
    assert told is not None
    assert told.row is not None
    assert (told.row.sentence, told.new) == (third["models"][0]["sentence"], False), "a retry asks another night"
    assert night_of_run(replace(again, run="another")) is night_of_run(replace(again, run="")) is None


@pytest.mark.slow
def test_a_retry_of_the_flow_asks_another_canary(scrollwork: Scrollwork, served: Vendors) -> None:
    work = ready(scrollwork, served, concurrency=1)
    parameters = {
        "home": str(work.home), "raw": str(work.home.parent / "raw"), "sample": False, "models": ["m"],
        "models_file": str(work.home.parent / "own.toml"), "tasks": ["space_digest"], "full_every": 7,
    }  # fmt: skip
    control = f"{served.url}/_control"
    cut = {
        "version": "g-2",
        "plan": {"script": ["", "", "401"]},
    }  # in the canary; the retry asks the rest, then the full set
    nights: list[Any] = [None, None, [control, cut, 1], [control, {"edition": BAD, "version": "g-3"}, 0]]
    states, said = flow_runs(work, parameters, nights)
    found = sorted(rows(work.home), key=lambda row: row["ended"])
    assert [row["kind"] for row in found] == ["full", "canary", "full", "full"], f"{states}{said[-6000:]}"
    told = [row["why"] for row in found]
    assert [row["causes"] for row in found] == [["first"], [], ["version"], ["version", "texts"]], told
    assert [name for name, _ in states] == ["Completed", "Completed", "Completed", "Failed"]
    assert states[1][1] == "The canary of 5 inputs shows no change."
    assert states[3][1].startswith("space_digest fell by ")
    for row, version in ((found[2], "g-2"), (found[3], "g-3")):
        said = row["models"][0]["sentence"]
        assert f" The reported version is {version}, in {found[0]['name']} it was " in said
    assert " reported version " not in found[0]["models"][0]["sentence"] + found[1]["models"][0]["sentence"]
    inputs = found[0]["models"][0]["tasks"][0]["expected"]
    assert len([row for row in served.requests() if row["status"] == 200]) == 3 * inputs + 5
