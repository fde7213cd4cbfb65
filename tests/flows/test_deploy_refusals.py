"""What `scrollwork deploy` refuses before it asks a server for anything, and what it makes of a server that lies."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from scrollwork.flows.deploy.apply import deploy
from scrollwork.flows.deploy.asked import Asked, has_password, host_of, is_loopback, pairs_of, refuse, shown
from scrollwork.flows.deploy.project_file import Declared, declared
from scrollwork.flows.deploy.server import opened
from scrollwork.flows.server.processes import ServiceError
from scrollwork.pipeline.errors import UsageError
from tests.some_slow import one_in

HERE, THERE = "http://127.0.0.1:4200/api", "https://prefect.example.org/api"
POSTGRES = "postgresql://evals@db.example.org/evals"
TEAM = Asked("team", "s3://bucket/evals", POSTGRES, git="https://git.example.org/evals.git")
ONE = Declared("evaluate", "scrollwork.flows.evaluate.evaluate")


def refusal(asked: Asked, *wanted: Declared, kind: str = "process", api: str = THERE) -> str:
    """What is said against a call; "" for nothing."""
    try:
        refuse(asked, wanted or (ONE,), kind, api)
    except UsageError as error:
        return str(error)
    return ""


@pytest.mark.parametrize(
    "asked",
    [
        TEAM,
        replace(TEAM, git="git@git.example.org:team/evals.git"),
        replace(TEAM, git="", folder="/srv/evals"),
        replace(TEAM, home="/shared/evals", mounted=True),
        replace(TEAM, plain={"AWS_ENDPOINT_URL": "https://minio.example.org", "TOKENIZERS_PARALLELISM": "false"}),
        replace(TEAM, secrets={"OPENAI_API_KEY": "openai-key", "PGPASSWORD": "store"}, token="git-token"),
        replace(TEAM, store="", secrets={"SCROLLWORK_STORE": "store-url"}),
    ],
)
def test_what_a_team_can_share_is_refused(asked: Asked) -> None:
    assert refusal(asked) == ""
    image = replace(asked, image="evals:1")
    assert refusal(image, kind="kubernetes") == ""


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"home": "/home/me/evals"}, "--home /home/me/evals is a folder of this machine"),
        ({"home": "evals"}, "its whole path is wanted"),
        ({"home": "s3://key:secret@bucket/evals"}, "--home: credentials in the URL"),
        ({"home": "http://localhost:9000/evals"}, "is on this machine"),
        ({"store": ""}, "its store would be a file: add --store postgresql://"),
        ({"store": "sqlite:////srv/answers.db"}, "a SQLite file is for one machine"),
        ({"store": "mysql://db.example.org/evals"}, "answers are kept in postgresql://"),
        ({"store": "postgresql://evals:hush@db.example.org/evals"}, "--secret PGPASSWORD=BLOCK"),
        ({"store": "postgresql://db.example.org/evals?password=hush"}, "--secret PGPASSWORD=BLOCK"),
        (
            {"store": "postgresql://evals@localhost/evals"},
            "--store postgresql://***@localhost/evals is on this machine",
        ),
        ({"store": "postgresql:///evals"}, "is on this machine"),
        ({"store": "postgresql:///evals?host=/run/postgresql"}, "is on this machine"),
        ({"store": "postgresql://evals@[::1]/evals"}, "is on this machine"),
        ({"git": "https://me:hush@git.example.org/evals.git"}, "--git-token BLOCK"),
        ({"git": "https://hush@git.example.org/evals.git"}, "--git-token BLOCK"),
        ({"git": "/srv/evals.git"}, "--git /srv/evals.git is on this machine"),
        ({"git": "file:///srv/evals.git"}, "is on this machine"),
        ({"git": "http://127.0.0.2:8000/evals.git"}, "is on this machine"),
        ({"git": ""}, "the project is a folder of this machine"),
        ({"git": "", "folder": "evals"}, "--folder evals: its whole path"),
        ({"git": "", "folder": "/srv/evals", "branch": "main"}, "--branch: of which repository?"),
        ({"folder": "/srv/evals"}, "name one"),
        ({"image": "evals:1"}, "is of type process, whose workers run no images"),
        ({"plain": {"OPENAI_API_KEY": "hush"}}, "--secret OPENAI_API_KEY=BLOCK"),
        ({"plain": {"PROXY": "http://me:hush@proxy.example.org"}}, "a password in its URL"),
        (
            {"plain": {"AWS_ENDPOINT_URL": "http://127.0.0.1:9000"}},
            "--env AWS_ENDPOINT_URL names an address of this machine",
        ),
        ({"plain": {"SCROLLWORK_HOME": "s3://b/c"}}, "say --home"),
        ({"plain": {"A": "1"}, "secrets": {"A": "b"}}, "A is given by --env and by --secret"),
        ({"store": "postgresql://evals:hu/sh@db.example.org/evals"}, "--secret PGPASSWORD=BLOCK"),
        ({"store": "postgresql://evals:hush#1@db.example.org/evals"}, "--secret PGPASSWORD=BLOCK"),
        ({"store": "postgresql://evals@127.1/evals"}, "is on this machine"),
        ({"plain": {"DSN": "postgresql://evals:hush,1@db.example.org/x"}}, "a password in its URL"),
        ({"secrets": {"A": "No Block"}}, "'No Block' is no name of a block"),
        ({"secrets": {"SCROLLWORK_STORE": "store-url"}}, "name the store once"),
    ],
)
def test_what_a_worker_cannot_use_is_deployed_or_a_secret_is_told(changes: dict[str, Any], said: str) -> None:
    found = refusal(replace(TEAM, **changes))
    assert said in found
    assert "hush" not in found
    assert "secret@" not in found


def test_only_the_first_thing_wrong_is_said() -> None:
    found = refusal(Asked("team", "/home/me", "sqlite:////a.db", git="/b.git", plain={"A_TOKEN": "x"}))
    assert [word for word in ("--home", "--store", "--git", "A_TOKEN") if word not in found] == []


def test_one_machine_is_taken_for_several_or_several_for_one() -> None:
    asked = Asked("local", "/home/me", git="/srv/evals.git", plain={"AWS_ENDPOINT_URL": "http://localhost:9000"})
    assert refusal(asked, api=HERE) == ""
    assert refusal(replace(asked, git="", store="postgresql:///evals"), api=HERE) == ""
    assert "is a folder of this machine" in refusal(asked, api=THERE)
    assert "is a folder of this machine" in refusal(asked, kind="docker", api=HERE), "a container has other folders"


@pytest.mark.parametrize(
    ("one", "said"),
    [
        (replace(ONE, parameters={"home": "/home/me"}), "its parameter home"),
        (replace(ONE, parameters={"store": "postgresql://a:hush@h/d"}), "its parameter store has a password"),
        (
            replace(ONE, parameters={"store": "sqlite:////a.db"}),
            "its parameter store (sqlite:////a.db) is on this machine",
        ),
        (replace(ONE, parameters={"base_url": "http://127.0.0.1:8000/v1"}), "its parameter base_url"),
        (replace(ONE, variables={"env": {"MY_KEY": "hush"}}), "--secret MY_KEY=BLOCK"),
        (replace(ONE, variables={"env": ["MY_KEY"]}), "names with values"),
        (replace(ONE, variables={"registry": {"password": "hush"}}), "job_variables, registry, password"),
        (replace(ONE, parameters={"options": {"a.b": "https://u:hush@h"}}), "parameters, options, a.b: a password"),
        (
            replace(ONE, schedules=[{"cron": "1 1 1 1 1", "parameters": {"x": "https://u:hush@h"}}]),
            "schedules, parameters, x",
        ),
        (replace(ONE, pull=[{"git_clone": {"access_token": "hush"}}]), "pull, git_clone, access_token"),
        (replace(ONE, pull=[{"git_clone": {"repository": "https://u:hush@h/x"}}]), "a password in its URL"),
        (replace(ONE, pull=[{"step": {}}]), "prefect.yaml has pull steps of its own"),
    ],
)
def test_what_the_file_says_is_not_checked(one: Declared, said: str) -> None:
    found = refusal(TEAM, one)
    assert said in found
    assert "hush" not in found


def test_a_reference_to_a_block_is_taken_for_a_secret() -> None:
    env = {"MY_KEY": "{{ prefect.blocks.secret.my-key }}"}
    assert refusal(TEAM, replace(ONE, variables={"env": env})) == ""
    assert "MY_KEY" in refusal(TEAM, replace(ONE, variables={"env": {"MY_KEY": "{{ prefect.blocks.secret.k }} hush"}}))


@pytest.mark.parametrize(
    ("url", "host", "loopback"),
    [
        ("postgresql://a@db.example.org/x", "db.example.org", False),
        ("http://LOCALHOST:1/", "localhost", True),
        ("http://a.localhost./", "a.localhost.", True),
        ("http://[::ffff:127.0.0.1]/", "::ffff:127.0.0.1", True),
        ("http://0.0.0.0:8000", "0.0.0.0", True),
        ("git@host.example.org:a/b.git", "host.example.org", False),
        ("/srv/a:b.git", "", True),
        ("http://[broken", "", True),
        ("http://127.0.0.1.example.org/", "127.0.0.1.example.org", False),
    ],
)
def test_an_address_of_this_machine_is_missed(url: str, host: str, loopback: bool) -> None:
    assert (host_of(url), is_loopback(host_of(url))) == (host, loopback)


def test_a_password_is_shown() -> None:
    for url in ("postgresql://u:hu/sh@h/d", "https://u:hush@h/a@b", "postgresql://h/d?password=hush"):
        assert "hush" not in shown(url)
        assert "sh@" not in shown(url)
    assert has_password("postgresql://h/d?sslpassword=x")
    with pytest.raises(UsageError) as caught:
        pairs_of("--secret", ["hush"])
    assert "write NAME=VALUE" in str(caught.value)
    assert "hush" not in str(caught.value), "a value that was given without a name"
    with pytest.raises(UsageError, match="A is given twice"):
        pairs_of("--env", ["A=1", "A=2"])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the file: keys with values"),
        ("- a", "the file: keys with values"),
        ("a: [", "no YAML"),
        ("deployments: []", "a list is wanted, with a deployment"),
        ("deployments: {a: 1}", "a list is wanted"),
        ("deployments: [1]", "deployment 1: keys with values"),
        ("deployments: [{name: a}]", "deployment 'a', entrypoint"),
        ("deployments: [{name: a/b, entrypoint: c}]", "without /"),
        ("deployments: [{name: a, entrypoint: c, triggers: []}]", "key 'triggers' is not one that"),
        ("build: []\ndeployments: [{name: a, entrypoint: c}]", "key 'build'"),
        ("deployments: [{name: a, entrypoint: c}, {name: a, entrypoint: d}]", "'a' stands there twice"),
        ("deployments: [{name: a, entrypoint: c, tags: b}]", "tags: a list of texts"),
        ("deployments: [{name: a, entrypoint: c, parameters: []}]", ""),
        ("deployments: [{name: a, entrypoint: c, parameters: [1]}]", "parameters: keys with values"),
        ("deployments: [{name: a, entrypoint: c, parameters: {x: 2026-11-28}}]", "quote a date"),
        ("deployments: [{name: a, entrypoint: c, parameters: {x: .nan}}]", "only texts, numbers"),
        ("deployments: [{name: a, entrypoint: c, concurrency_limit: 0}]", "1 or more"),
        ("deployments: [{name: a, entrypoint: c, concurrency_limit: true}]", "1 or more"),
        ("deployments: [{name: a, entrypoint: c, schedules: [{}]}]", "schedule 1: one of cron"),
        ("deployments: [{name: a, entrypoint: c, schedules: [{cron: x, interval: 1}]}]", "schedule 1: one of cron"),
        ("deployments: [{name: a, entrypoint: c, pull: {x: 1}}]", "pull: a list of steps"),
        ("deployments: [{name: '{{ $A }}', entrypoint: c}]", "name: a template in double braces"),
        ("deployments: [{name: a, entrypoint: c, parameters: {x: [{y: '{{ z }}'}]}}]", "parameters: a template"),
        ('deployments: [{name: "\\u001b[31m", entrypoint: c, x: 1}]', "deployment '\\\\x1b[31m'"),
    ],
)
def test_a_wrong_file_is_a_traceback(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "prefect.yaml").write_text(text)
    if not said:
        assert declared(tmp_path)[0].name == "a"
        return
    with pytest.raises(UsageError) as caught:
        declared(tmp_path)
    assert said in str(caught.value)
    assert str(tmp_path / "prefect.yaml") in str(caught.value)


def test_a_misspelt_deployment_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "prefect.yaml").write_text("deployments: [{name: a, entrypoint: c}, {name: b, entrypoint: c}]")
    assert [one.name for one in declared(tmp_path, ["b"])] == ["b"]
    with pytest.raises(UsageError, match="no deployment 'x'; it has a, b"):
        declared(tmp_path, ["x"])


# ---- a server that lies


@contextmanager
def answering(answers: dict[str, tuple[int, Any]]) -> Iterator[str]:
    """The URL of a server with these answers by path; bytes are sent as they are."""

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, body = answers.get(self.path.partition("?")[0], (404, {"detail": "none"}))
            data = body if isinstance(body, bytes) else json.dumps(body).encode()
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            self.send_response(status)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_POST = do_GET

        def log_message(self, *_: Any) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/api"
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture
def own_variables() -> Iterator[None]:
    """What a command sets for Prefect in its process ends with the test."""
    before = dict(os.environ)
    yield
    for name in set(os.environ) - set(before):
        del os.environ[name]
    os.environ.update(before)


@pytest.mark.parametrize(
    ("answers", "said"),
    one_in(
        3,
        [
            ({}, "not as the API of a Prefect server; its address ends in /api"),
            ({"/api/admin/version": (200, b"<html>")}, "no JSON"),
            ({"/api/admin/version": (200, {"a": 1})}, "not as the API of a Prefect server"),
            ({"/api/admin/version": (200, "2.20.1")}, "is Prefect 2.20.1, and this is 3."),
            ({"/api/admin/version": (200, "\x1b[31m")}, "is Prefect \\x1b[31m, and this is 3."),
            (
                {"/api/admin/version": (403, {})},
                "these credentials may not do this (403 for /admin/version: no reason given)",
            ),
            ({"/api/admin/version": (500, b"oops")}, "500 for /admin/version: no reason given"),
            (
                {"/api/admin/version": (200, "3.8.8"), "/api/work_pools/team": (200, [])},
                "not the answer of a Prefect server",
            ),
            ({"/api/admin/version": (200, "3.8.8"), "/api/work_pools/team": (200, {"type": 3})}, "without a type"),
        ],
    ),
)
def test_a_lying_server_is_believed_or_a_traceback(
    answers: dict[str, tuple[int, Any]], said: str, tmp_path: Path, own_variables: None
) -> None:
    (tmp_path / "prefect.yaml").write_text("deployments: [{name: a, entrypoint: scrollwork.flows.evaluate.evaluate}]")
    with answering(answers) as url, pytest.raises(ServiceError) as caught:
        deploy(Asked("team", str(tmp_path)), tmp_path, api=url)
    assert said in str(caught.value)
    assert "\x1b" not in str(caught.value)


def test_what_was_applied_before_a_refusal_is_not_said(tmp_path: Path, own_variables: None) -> None:
    """A server that takes the pool and may not make deployments."""
    (tmp_path / "prefect.yaml").write_text("deployments: [{name: a, entrypoint: scrollwork.flows.evaluate.evaluate}]")
    answers = {
        "/api/admin/version": (200, "3.8.8"),
        "/api/work_pools/": (201, {"type": "process"}),
        "/api/flows/": (200, {"id": "f"}),
        "/api/deployments/": (403, {"detail": "no"}),
    }
    with answering(answers) as url, pytest.raises(ServiceError) as caught:
        deploy(Asked("team", str(tmp_path)), tmp_path, api=url)
    assert "(403 for /deployments/: no)" in str(caught.value)
    assert "(work pool team stand; the same call goes on)" in str(caught.value)


@pytest.mark.slow
def test_a_server_that_is_away_is_waited_for(tmp_path: Path) -> None:
    with answering({}) as url:
        pass
    with pytest.raises(ServiceError, match="is it up, is the address right"), opened(url):
        pass


@pytest.mark.parametrize("answer", [(403, {"detail": "not in this plan"}), (200, [1]), (200, b"<html>")])
def test_a_server_without_automations_fails_the_call(
    answer: tuple[int, Any], tmp_path: Path, own_variables: None
) -> None:
    """What is deployed stands, and it is said that nothing will tell of a night."""
    (tmp_path / "prefect.yaml").write_text("deployments: [{name: a, entrypoint: scrollwork.flows.evaluate.evaluate}]")
    answers = {
        "/api/admin/version": (200, "3.8.8"),
        "/api/work_pools/team": (200, {"type": "process"}),
        "/api/flows/": (200, {"id": "f"}),
        "/api/deployments/": (201, {"id": "d"}),
        "/api/block_documents/filter": answer,
    }
    told: list[str] = []
    with answering(answers) as url:
        done = deploy(Asked("team", str(tmp_path)), tmp_path, api=url, say=told.append)
    assert [one.state for one in done.changes] == ["made"]
    assert done.alerts is None
    assert [line for line in told if line.startswith("alerts: the server did not take the automations")]
