"""A deployment whose code is pulled from git, run by a worker that no `up` started: its home is named, or nothing runs."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import urllib.request
from datetime import datetime

import pytest

from tests.conftest import environment
from tests.servers.vendor import running

pytestmark = pytest.mark.slow

PREFECT_YAML = """\
name: pulled
pull:
  - prefect.deployments.steps.git_clone: {{repository: "file://{repository}", branch: main}}
deployments:
  - name: pulled
    entrypoint: flows/evaluate.py:evaluate
    work_pool: {{name: own}}
"""
FLOW = {"models": ["compatible:org/tiny"], "tasks": ["space_digest"], "limit": 2}


@pytest.fixture(scope="module")
def vendor():
    with running() as served:
        yield served


@pytest.fixture(scope="module")
def pulled(server, house, tmp_path_factory):
    """The server with a deployment that clones a repository, and a worker of one's own in another folder."""
    place = tmp_path_factory.mktemp("pulled")
    repository = shutil.copytree(house, place / "code", symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
    (repository / "prefect.yaml").write_text(PREFECT_YAML.format(repository=repository))
    for arguments in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-q", "-m", "code"]):
        author = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        subprocess.run(["git", *author, *arguments], cwd=repository, check=True, env=environment())
    access = {"PREFECT_API_URL": server.noted["url"], "PREFECT_API_AUTH_STRING": server.secret}
    env = environment(**access, PREFECT_HOME=str(place / "prefect"), PREFECT_WORKER_QUERY_SECONDS="1")
    for arguments in (["work-pool", "create", "own", "--type", "process"], ["--no-prompt", "deploy", "--all"]):
        subprocess.run(["prefect", *arguments], cwd=repository, check=True, env=env, capture_output=True, timeout=180)
    with (place / "worker.log").open("wb") as log:
        command = ["prefect", "worker", "start", "--pool", "own"]
        worker = subprocess.Popen(
            command, cwd=place, env=env, stdout=log, stderr=log, stdin=subprocess.DEVNULL, start_new_session=True
        )
    try:
        yield server
    finally:
        os.killpg(worker.pid, signal.SIGKILL)
        worker.wait()
        made = server.get("deployments/name/evaluate/pulled")["id"]
        for left in (f"deployments/{made}", "work_pools/own"):  # the session's server serves other tests, too
            server._answer(urllib.request.Request(f"{server.noted['url']}/{left}", method="DELETE"))


def evaluated(server, vendor, **parameters):
    """(flow run when it has ended, prompts that reached the vendor)."""
    before = len(prompts(vendor))
    parameters = {**FLOW, "base_url": f"{vendor.url}/v1", **parameters}
    run = server.wait(server.trigger("evaluate/pulled", "--params", json.dumps(parameters)), timeout_s=240)
    return run, len(prompts(vendor)) - before


def prompts(vendor):
    """Requests but those for the list of models."""
    return [row for row in vendor.log.requests() if row["path"] != "/v1/models"]


@pytest.mark.parametrize("home", [None, "home"])
def test_what_was_paid_for_is_deleted_with_the_pulled_code(pulled, vendor, home):
    run, asked = evaluated(pulled, vendor, home=home)
    assert run["state_name"] == "Failed"
    assert "export SCROLLWORK_HOME=/path/of/home where the worker starts" in run["state"]["message"]
    took = datetime.fromisoformat(run["end_time"]) - datetime.fromisoformat(run["start_time"])
    assert took.total_seconds() < 10
    assert asked == 0


def test_a_second_evaluation_of_pulled_code_pays_again(pulled, vendor, tmp_path):
    home = tmp_path / "home"
    first, asked = evaluated(pulled, vendor, home=str(home))
    assert first["state_name"] == "Completed", first["state"]["message"]
    assert asked > 0
    task = pulled.task_runs(first["id"])["generate space_digest, compatible:org/tiny"]
    logs = pulled.post("logs/filter", logs={"task_run_id": {"any_": [task["id"]]}})
    assert any(f"{asked} of {asked} answered, 0 failed, $0.0000 and {asked} calls" in one["message"] for one in logs)
    assert (home / "responses.db").is_file()
    assert (home / "reports" / "zeroscrolls.html").is_file()
    second, again = evaluated(pulled, vendor, home=str(home))
    assert (second["state_name"], again) == ("Completed", 0)
