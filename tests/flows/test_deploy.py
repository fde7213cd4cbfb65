"""`scrollwork deploy` to a Prefect server that `up` did not start: with credentials, its own database, a worker elsewhere."""

from __future__ import annotations

import base64
import json
import os
import shutil
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import BIN, Done, answer_of, environment, lend_database, program
from tests.remote.bucket import BUCKET
from tests.remote.bucket import Server as S3
from tests.servers.vendor import running
from tests.storage.postgres import PASSWORD, serve
from tests.storage.postgres import Server as Postgres

pytestmark = pytest.mark.slow

ACCESS = "team:of the test"
NAMES = {"build-datasets/build-datasets", "evaluate/evaluate", "evaluate/nightly-eval", "nightly/nightly"}
FLOW = {"models": ["compatible:org/tiny"], "tasks": ["space_digest"], "limit": 2}


@dataclass(frozen=True)
class Team:
    """A Prefect server with access control. place: a folder of its own, with a project and its repository."""

    url: str
    place: Path
    house: Path

    @property
    def project(self) -> Path:
        """A folder of `scrollwork init`."""
        return self.place / "evals"

    @property
    def repository(self) -> str:
        """The bare repository of the project."""
        return f"file://{self.place}/evals.git"

    def environment(self, **more: str) -> dict[str, str]:
        """Of programs that use the server."""
        own = {"PREFECT_API_URL": self.url, "PREFECT_API_AUTH_STRING": ACCESS, "PYTHONPATH": str(self.house)}
        return environment(**{**own, "PREFECT_HOME": str(self.place / "client"), **more})

    def call(self, *arguments: str, status: int = 0, cwd: Path | None = None, **more: str) -> Done:
        """The command in the project folder."""
        began = time.monotonic()
        words = ["-m", "scrollwork.cli.main", *arguments]
        done = program(self.house, words, self.environment(**more), cwd or self.project)
        assert done.returncode == status, f"{done.returncode}\n{done.stdout}\n{done.stderr}"
        return Done(done.returncode, done.stdout, done.stderr, time.monotonic() - began)

    def deploy(self, home: str, *arguments: str, status: int = 0, **more: str) -> Any:
        """What `deploy --json` prints."""
        return self.call("--home", home, "deploy", "--json", *arguments, status=status, **more).document

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """An answer of the API."""
        data = None if body is None else json.dumps(body).encode()
        token = base64.b64encode(ACCESS.encode()).decode()
        headers = {"Content-Type": "application/json", "Authorization": f"Basic {token}"}
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        request = urllib.request.Request(f"{self.url}/{path}", data, headers, method=method)
        return json.loads(answer_of(opener, request) or b"null")

    def deployment(self, name: str) -> Any:
        """A deployment by FLOW/NAME."""
        return self.ask("GET", f"deployments/name/{name}")

    def everything(self) -> Any:
        """All deployments with the times of their last changes, and pools."""
        made = self.ask("POST", "deployments/filter", {})
        automations = self.ask("POST", "automations/filter", {})
        told = sorted((one["name"], one["updated"]) for one in [*made, *automations])
        return told, self.ask("POST", "work_pools/filter", {})

    def artifacts(self, run: str) -> dict[str, Any]:
        """The artifacts of a flow run by key."""
        found = self.ask("POST", "artifacts/filter", {"flow_runs": {"id": {"any_": [run]}}})
        return {one["key"]: one for one in found}

    def run(self, name: str, **parameters: Any) -> Any:
        """The flow run of a deployment, when it has ended."""
        made = self.ask(
            "POST", f"deployments/{self.deployment(name)['id']}/create_flow_run", {"parameters": parameters}
        )
        deadline = time.monotonic() + 240
        while made["state_type"] not in ("COMPLETED", "FAILED", "CRASHED", "CANCELLED"):
            assert time.monotonic() < deadline, f"{made['state_name']} after four minutes"
            time.sleep(0.5)
            made = self.ask("GET", f"flow_runs/{made['id']}")
        return made


@contextmanager
def started(command: list[str], place: Path, log: Path, env: dict[str, str]) -> Iterator[None]:
    """A program in the background, ended with all that it started."""
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, cwd=place, env=env, stdout=output, stderr=output, stdin=subprocess.DEVNULL, start_new_session=True
        )
    try:
        yield
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def git(folder: Path, *arguments: str) -> None:
    """A command of git."""
    author = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run(["git", *author, *arguments], cwd=folder, check=True, env=environment(), capture_output=True)


@pytest.fixture(scope="module")
def team(house: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Team]:
    """The server, and a project with a bare repository."""
    place = tmp_path_factory.mktemp("team")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    made = Team(f"http://127.0.0.1:{port}/api", place, house)
    made.call("init", str(made.project), cwd=place)
    git(made.project, "init", "-q", "-b", "main")
    git(made.project, "add", ".")
    git(made.project, "commit", "-q", "-m", "project")
    git(place, "clone", "-q", "--bare", str(made.project), str(place / "evals.git"))
    lend_database(place / "server")
    of_server = {"PREFECT_HOME": str(place / "server" / "prefect"), "PREFECT_SERVER_API_AUTH_STRING": ACCESS}
    env = environment(**of_server, PREFECT_SERVER_ANALYTICS_ENABLED="false", DO_NOT_TRACK="1")
    command = [str(BIN / "prefect"), "server", "start", "--host", "127.0.0.1", "--port", str(port)]
    with started(command, place, place / "server.log", env):
        deadline = time.monotonic() + 120
        while True:
            try:
                made.ask("GET", "health")
                break
            except OSError:
                assert time.monotonic() < deadline, (place / "server.log").read_text()
                time.sleep(0.3)
        yield made


def test_deploying_twice_changes_what_a_person_changed_or_what_nobody_changed(team: Team, tmp_path: Path) -> None:
    home = str(tmp_path / "home")
    dry = team.deploy(home, "--pool", "twice", "--dry-run")
    assert (dry["applied"], dry["pool"]["state"]) == (False, "made")
    assert team.everything() == ([], []), "dry"
    first = team.deploy(home, "--pool", "twice")
    assert {one["name"]: one["state"] for one in first["deployments"]} == dict.fromkeys(NAMES, "made")
    before = team.everything()
    second = team.deploy(home, "--pool", "twice")
    assert {one["state"] for one in [second["pool"], *second["deployments"]]} == {"unchanged"}
    assert "scrollwork: regression" in first["alerts"]["made"]
    assert second["alerts"] == {"standing": first["alerts"]["made"]}
    assert team.everything() == before
    nightly = team.deployment("evaluate/nightly-eval")
    steps = nightly["pull_steps"]
    assert steps == [{"prefect.deployments.steps.set_working_directory": {"directory": str(team.project)}}]
    assert nightly["job_variables"] == {"env": {"SCROLLWORK_HOME": home}}
    assert nightly["global_concurrency_limit"]["limit"] == 1
    assert nightly["parameters"]["models_file"] == "models.toml"
    schedules = f"deployments/{nightly['id']}/schedules/{nightly['schedules'][0]['id']}"
    team.ask("PATCH", schedules, {"active": False})
    team.ask(
        "POST",
        f"deployments/{team.deployment('evaluate/evaluate')['id']}/schedules",
        [{"schedule": {"interval": 9999}}],
    )
    assert team.deploy(home, "--pool", "twice")["deployments"] == second["deployments"], "what a person changed stays"
    other = team.deploy(
        str(tmp_path / "other"),
        "--pool",
        "twice",
        "--queue",
        "slow",
        "--deployment",
        "nightly-eval",
        "--deployment",
        "evaluate",
    )
    fields = ["work_queue_name", "job_variables"]
    assert [(one["state"], one["fields"]) for one in other["deployments"]] == [("changed", fields)] * 2
    changed = team.deployment("evaluate/nightly-eval")
    assert changed["work_queue_name"] == "slow"
    assert [(one["slug"], one["active"]) for one in changed["schedules"]] == [("nightly", False)], "it fires again"
    assert [one["schedule"]["interval"] for one in team.deployment("evaluate/evaluate")["schedules"]] == [9999.0]


@pytest.fixture
def postgres() -> Iterator[Postgres]:
    yield from serve()


def test_pulled_from_git_a_second_run_pays_again(team: Team, tmp_path: Path, postgres: Postgres) -> None:
    """The project from a bare repository, the home in a bucket, the store in PostgreSQL, a worker in another folder."""
    s3 = S3(tmp_path / "s3")
    store, worker = postgres.url(postgres.database()).replace(f":{PASSWORD}@", "@"), tmp_path / "worker"
    worker.mkdir()
    names = ("AWS_ENDPOINT_URL", "AWS_DEFAULT_REGION")
    plain = [word for name in names for word in ("--env", f"{name}={s3.variables[name]}")]
    keys = {name: value for name, value in s3.variables.items() if name not in names} | {"PGPASSWORD": PASSWORD}
    block_type = team.ask("GET", "block_types/slug/secret")["id"]
    schema = team.ask("POST", "block_schemas/filter", {"block_schemas": {"block_type_id": {"any_": [block_type]}}})[0][
        "id"
    ]
    secrets: list[str] = []
    for name, value in keys.items():
        block = name.lower().replace("_", "-")
        secrets += ["--secret", f"{name}={block}"]
        refused = team.call(
            "--home", f"s3://{BUCKET}/team", "--store", store, "deploy", "--pool", "team", *secrets, status=2
        )
        assert f"no Secret block {block!r}" in refused.err
        document = {"name": block, "data": {"value": value}, "block_type_id": block_type, "block_schema_id": schema}
        team.ask("POST", "block_documents/", document)
    arguments = ["--pool", "team", "--git", team.repository, "--branch", "main", *plain, *secrets]
    try:
        with running() as vendor:
            of_worker = team.environment(PREFECT_HOME=str(worker / "prefect"), PREFECT_WORKER_QUERY_SECONDS="1")
            command = [str(BIN / "prefect"), "worker", "start", "--pool", "team"]
            made = team.deploy(f"s3://{BUCKET}/team", "--store", store, *arguments)
            assert made["pool"] == {"name": "team", "state": "made"}
            asked, ended = [], []
            with started(command, worker, tmp_path / "worker.log", of_worker):
                for _ in range(2):
                    before = len(vendor.log.requests())
                    run = team.run("evaluate/evaluate", **FLOW, base_url=f"{vendor.url}/v1", models_file="models.toml")
                    assert run["state_name"] == "Completed", (
                        run["state"]["message"],
                        (tmp_path / "worker.log").read_text(),
                    )
                    ended.append(run)
                    asked.append(len([row for row in vendor.log.requests()[before:] if row["path"] != "/v1/models"]))
        first, second = ended
        assert asked[0] > 0
        assert asked[1] == 0
        objects = s3.objects("team")
        assert any(name.startswith("artifacts/score/") for name in objects)
        shown = team.artifacts(first["id"])
        assert shown["report-zeroscrolls"]["data"] == f"[zeroscrolls.html](s3://{BUCKET}/team/reports/zeroscrolls.html)"
        assert b"compatible:org/tiny" in objects["reports/zeroscrolls.html"]
        rows = json.loads(shown["results-zeroscrolls"]["data"])
        assert (rows[0]["task"], rows[0]["calls"]) == ("all tasks", asked[0])
        assert [row["answered"] for row in rows if row["task"] == "space\\_digest"] == ["2 of 2"]
        progress = shown["generate-space-digest-compatible-org-tiny"]
        assert (progress["type"], progress["data"]) == ("progress", 100.0)
        assert "2 of 2 answered, 0 failed" in progress["description"]
        again = team.artifacts(second["id"])
        assert set(again) == {"leaderboard-zeroscrolls", "results-zeroscrolls", "report-zeroscrolls"}, (
            "it asked nothing"
        )
        assert not [path for path in worker.rglob("*") if path.name.startswith("evals")], "the clone stays"
        told = json.dumps([team.deployment(name) for name in sorted(NAMES)])
        assert not [value for value in (keys["AWS_SECRET_ACCESS_KEY"], PASSWORD) if value in told]
        assert "{{ prefect.blocks.secret.aws-secret-access-key }}" in told
    finally:
        s3.stop()


def test_a_written_file_is_another_deployment(team: Team, tmp_path: Path) -> None:
    """`--out` applies nothing; what `prefect deploy` makes of it is what `deploy` would have made."""
    out = tmp_path / "out.yaml"
    arguments = ("--pool", "written", "--git", team.repository)
    before = team.everything()
    made = team.deploy(str(tmp_path / "home"), *arguments, "--out", str(out))
    assert (made["applied"], made["out"]) == (False, str(out))
    assert team.everything() == before
    assert {one["name"] for one in yaml.safe_load(out.read_text())["deployments"]} == {
        name.partition("/")[2] for name in NAMES
    }
    again = team.call("--home", str(tmp_path / "home"), "deploy", *arguments, "--out", str(out), status=2)
    assert "is there already" in again.err
    for words in (
        ["work-pool", "create", "written", "--type", "process"],
        ["--no-prompt", "deploy", "--all", "--prefect-file", str(out)],
    ):
        done = subprocess.run(
            [str(BIN / "prefect"), *words], cwd=team.project, env=team.environment(), capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr
    after = team.deploy(str(tmp_path / "home"), *arguments)
    assert {one["name"]: one["fields"] for one in after["deployments"] if one["state"] != "unchanged"} == {}


def test_wrong_credentials_are_a_traceback(team: Team, tmp_path: Path) -> None:
    for access in ("team:wrong", ""):
        done = team.call("--home", str(tmp_path), "deploy", "--pool", "x", status=1, PREFECT_API_AUTH_STRING=access)
        assert len(done.err.splitlines()) == 1, done.err
        assert "wants credentials (401): set PREFECT_API_AUTH_STRING" in done.err


def test_an_image_is_deployed_to_a_pool_that_runs_none(team: Team, tmp_path: Path) -> None:
    """A real template of a Docker pool; what it cannot take or reach is refused, the rest is there without a pull step."""
    remote = ("--store", "postgresql://evals@db.example.org/evals")
    missing = team.call("--home", "s3://b/evals", *remote, "deploy", "--pool", "ships", "--image", "evals:1", status=2)
    assert "prefect work-pool create ships --type docker" in missing.err
    subprocess.run(
        [str(BIN / "prefect"), "work-pool", "create", "ships", "--type", "docker"],
        cwd=team.project,
        env=team.environment(),
        check=True,
        capture_output=True,
    )
    here = team.call("--home", str(tmp_path), "deploy", "--pool", "ships", "--image", "evals:1", status=2)
    assert "is a folder of this machine" in here.err
    assert "SQLite file of each machine" in here.err
    none = team.call("--home", "s3://b/evals", *remote, "deploy", "--pool", "ships", status=2)
    assert "--image NAME" in none.err
    made = team.deploy("s3://b/evals", *remote, "--pool", "ships", "--image", "evals:1", "--deployment", "evaluate")
    assert [one["name"] for one in made["deployments"]] == ["evaluate/evaluate"]
    found = team.deployment("evaluate/evaluate")
    env = {
        "SCROLLWORK_HOME": "s3://b/evals",
        "SCROLLWORK_STORE": "postgresql://evals@db.example.org/evals",
    }
    assert (found["job_variables"], found["pull_steps"] or []) == ({"env": env, "image": "evals:1"}, [])
    assert found["entrypoint"] == "scrollwork.flows.evaluate.evaluate"
    unknown = tmp_path / "project"
    shutil.copytree(team.project, unknown)
    text = (unknown / "prefect.yaml").read_text().replace("{name: local}", "{name: local, job_variables: {sails: 3}}")
    (unknown / "prefect.yaml").write_text(text)
    done = team.call(
        "--home", "s3://b/evals", *remote, "deploy", "--pool", "ships", "--image", "evals:1", cwd=unknown, status=2
    )
    assert "takes no job variable 'sails'" in done.err


def test_a_parameter_that_the_flow_refuses_fails_every_night(team: Team, tmp_path: Path) -> None:
    """The server takes such a parameter: it is refused before anything is made."""
    project = tmp_path / "project"
    shutil.copytree(team.project, project)
    whole = (project / "prefect.yaml").read_text()
    arguments = ("--home", str(tmp_path / "home"), "deploy", "--pool", "half")
    for wrong, said in (
        ("limit: many}", "'limit'"),
        ("modells: [naive]}", "no parameter 'modells'; did you mean 'models'?"),
    ):
        (project / "prefect.yaml").write_text(whole.replace("models: [naive]}", wrong, 1))
        done = team.call(*arguments, cwd=project, status=2)
        assert "deployment 'evaluate'" in done.err
        assert said in done.err
    with pytest.raises(urllib.error.HTTPError):
        team.ask("GET", "work_pools/half")
