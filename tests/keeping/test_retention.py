"""retention against a real Prefect server: what is old goes with its logs and artifacts, what a night is of stays."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Call, Scrollwork, environment, lend_database

# flow runs as the flows leave them, on a server of this process; their ends are put back by the server's own API
RUNS = """
import json, os, sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
home, other = sys.argv[1:3]
from scrollwork.flows.server.in_process import start_server
from scrollwork.flows.server.local_server import make_private, settings
make_private(Path(home) / "prefect")
os.environ.update(settings(Path(home)))
server = start_server(Path(home) / "prefect")
from prefect import flow, get_run_logger
from prefect.artifacts import create_markdown_artifact
from prefect.client.orchestration import get_client
from prefect.states import Completed
server.wait()

def ran(name, **given):
    @flow(name=name)
    def body(home=None):
        get_run_logger().warning("a line of %s", name)
        create_markdown_artifact("text", key="night")
        return Completed()
    return str(body(**given, return_state=True).state_details.flow_run_id)

own = {"night": ran("nightly", home=home), "old": ran("evaluate", home=home), "old_build": ran("build-datasets", home=home),
       "other_home": ran("evaluate", home=other), "other_flow": ran("somebody-elses", home=home),
       "nowhere": ran("evaluate")}
print(json.dumps(own), flush=True)
from scrollwork.cli.main import main

def left():
    with get_client(sync_client=True) as client:
        from prefect.client.schemas.filters import LogFilter
        runs = {str(run.id) for run in client.read_flow_runs()}
        logs = {str(one.flow_run_id) for one in client.read_logs(log_filter=LogFilter(), limit=200)}
        return {"runs": sorted(runs), "logs": sorted(logs), "artifacts": sorted({str(one.flow_run_id) for one in client.read_artifacts(limit=200)})}

for line in sys.stdin:
    words = json.loads(line)
    if words == "left":
        print(json.dumps(left()), flush=True)
        continue
    print("status", main(["--home", home, *words]), flush=True)
"""


class Talking:
    """A process that is told commands, and answers in JSON."""

    def __init__(self, folder: Path, *arguments: str, **env: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", RUNS, *arguments], cwd=folder, env=environment(**env), text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=(folder / "talking.err").open("w"),
        )  # fmt: skip
        self._errors = folder / "talking.err"

    def line(self) -> str:
        assert self._process.stdout is not None
        told = self._process.stdout.readline()
        assert told, self._errors.read_text()[-3000:]
        return told

    def left(self) -> dict[str, list[str]]:
        """Ids of flow runs, and of those that have logs and artifacts."""
        assert self._process.stdin is not None
        self._process.stdin.write('"left"\n')
        self._process.stdin.flush()
        found: dict[str, list[str]] = json.loads(self.line())
        return found

    def __call__(self, *words: str) -> Any:
        """The document that a command prints."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(words) + "\n")
        self._process.stdin.flush()
        text = ""
        while not (line := self.line()).startswith("status "):
            text += line
        assert line == "status 0\n", text
        return json.loads(text)

    def end(self) -> None:
        self._process.communicate("", timeout=60)


@pytest.mark.slow
def test_retention_forgets_a_night_or_what_is_not_ours(finished: Scrollwork, tmp_path: Path) -> None:
    from scrollwork.readings.nights.register import Nights
    from tests.nights.test_register import row

    lend_database(tmp_path / "server")
    home = str(finished.home)
    env = {"PYTHONPATH": str(finished.root), "PREFECT_SERVER_ANALYTICS_ENABLED": "false"}
    talking = Talking(tmp_path, home, str(tmp_path / "other"), **env)
    try:
        own = json.loads(talking.line())
        Nights(home).write(row(1, run=own["night"]))
        deadline = time.monotonic() + 60
        while len(talking.left()["logs"]) < len(own) and time.monotonic() < deadline:
            time.sleep(0.5)  # logs are sent in the background
        before = talking.left()
        assert {*before["runs"]} == {*before["artifacts"]} == {*before["logs"]} == {*own.values()}
        assert talking("retention", "--json")["flow_runs"] == [], "what ended today goes"
        told = talking("retention", "--keep-days", "0", "--json")
        assert talking.left() == before, "it was not told to"
        gone = {own["old"], own["old_build"]}
        assert {run["id"] for run in told["flow_runs"]} == gone
        assert [run["artifacts"] for run in told["flow_runs"]] == [1, 1]
        assert told["kept_of_nights"] == 1
        done = talking("retention", "--keep-days", "0", "--yes", "--json")
        assert done["flow_runs"] == told["flow_runs"]
        after = talking.left()
        assert {*before["runs"]} - {*after["runs"]} == gone
        assert {*before["artifacts"]} - {*after["artifacts"]} == gone, "artifacts of removed runs are left"
        assert {*before["logs"]} - {*after["logs"]} == gone, "logs of removed runs are left"
        assert talking("retention", "--keep-days", "0", "--yes", "--json")["flow_runs"] == []
    finally:
        talking.end()


def test_no_server_is_an_error_or_goes_unsaid(call: Call, finished: Scrollwork) -> None:
    own = call.at(finished.home)
    (finished.home / "prefect").mkdir(exist_ok=True)
    log = finished.home / "prefect" / "server.log"
    log.write_text("old")
    os.utime(log, (1, 1))
    status, out, err = own("retention", "--keep-days", "10")
    assert status == 0
    assert "no Prefect server is running for this home" in err
    assert "would go: 0 flow runs, 1 logs" in out
    assert log.is_file()
    assert own("retention", "--keep-days", "10", "--yes")[0] == 0
    assert not log.exists()
    assert own("retention", "--keep-days", "-3")[0] == 2


@pytest.mark.slow
def test_server_that_does_not_answer_ends_in_a_traceback(finished: Scrollwork) -> None:
    env = {"PREFECT_API_URL": "http://127.0.0.1:9/api", "PREFECT_CLIENT_MAX_RETRIES": "0"}
    done = finished.with_(env={**finished.env, **env})("retention", "--yes", status=1)
    assert "the Prefect server at http://127.0.0.1:9/api did not do what was asked" in done.err
    assert "Traceback" not in done.err
