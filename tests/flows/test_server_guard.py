"""What stands around Prefect's server: hosts, origins, the secret's file, the variables of server and worker, homes."""

from __future__ import annotations

import asyncio
import base64
import http.server
import json
import logging
import os
import socket
import subprocess
import sys
import threading
import time
import tomllib
import urllib.request
from contextlib import ExitStack, nullcontext, suppress
from datetime import UTC, datetime
from importlib.metadata import version
from itertools import pairwise
from stat import S_IMODE
from uuid import uuid4

import pytest
import uvicorn
from packaging.requirements import Requirement
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from scrollwork.flows import parameters
from scrollwork.flows.server import local_server, plugin, processes, recovery, up
from scrollwork.flows.server.busy import BUSY_S, KEPT_BYTES, with_retries
from scrollwork.flows.server.guard import Guard, breaks_prefect, quiet_at_its_end, with_first
from scrollwork.flows.server.variables import SERVER, WORKER, key_names, quiet_log_levels, variables_in
from scrollwork.pipeline.errors import UsageError
from tests.conftest import PROJECT

SECRET = "Basic c2NyYXBl"


async def behind(scope, receive, send):
    """What Prefect would see: answers with the request's headers, takes every websocket."""
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.accept"})
        await send({"type": "websocket.close"})
        return
    seen = {name.decode(): value.decode() for name, value in scope["headers"]}
    body = json.dumps(seen).encode()
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % len(body))]})
    await send({"type": "http.response.body", "body": body})


@pytest.fixture(scope="module")
def port():
    """A guarded application on a real socket, started as `up` starts it."""
    config = uvicorn.Config(
        Guard(behind, ["box.example"], "scrollwork:word"),
        host="127.0.0.1",
        port=0,
        http="h11",
        lifespan="off",
        log_level="error",
    )
    listening = socket.create_server(("127.0.0.1", 0))
    running = uvicorn.Server(config)
    thread = threading.Thread(target=running.run, args=([listening],), daemon=True)
    thread.start()
    while not running.started:
        time.sleep(0.01)
    yield listening.getsockname()[1]
    running.should_exit = True
    thread.join(10)


def raw(port, *lines):
    """(status, body) of a request written byte by byte."""
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        connection.sendall("\r\n".join([*lines, "Connection: close", "", ""]).encode("latin-1"))
        reply = b"".join(iter(lambda: connection.recv(65536), b""))
    head, _, body = reply.partition(b"\r\n\r\n")
    return int(head.split()[1]), body


OWN = ["127.0.0.1", "127.0.0.1:4200", "127.0.0.1:", "localhost", "LOCALHOST:80", "box.example", "Box.Example:4200"]
OTHERS = [
    *("evil.example", "evil.example:4200", "127.0.0.1.evil.example", "localhost.evil.example", "localhost.", "127.1"),
    *("[::1]", "[::1]:4200", "0.0.0.0", "2130706433", "user@127.0.0.1", "127.0.0.1:80@evil.example", "localhost:80:80"),
    *("", " ", "127.0.0.1,evil.example", "127.0.0.1 evil.example", "localhost/evil.example", "*"),
]


@pytest.mark.parametrize("host", OWN)
def test_a_host_of_the_server_is_refused(port, host):
    assert raw(port, "GET /api/flows HTTP/1.1", f"Host: {host}")[0] == 200


@pytest.mark.parametrize("host", OTHERS)
def test_a_name_that_leads_here_is_answered(port, host):
    """DNS rebinding: a page of evil.example, whose name points to 127.0.0.1, is of the server's own origin."""
    for path in ("/api/flows", "/api/health", "/", "/ui-settings"):
        assert raw(port, f"GET {path} HTTP/1.1", f"Host: {host}")[0] == 400


def test_the_pages_may_ask_a_host_of_prefects_analytics(port):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=10) as reply:
        assert reply.headers.get_all("content-security-policy") == ["connect-src 'self'; frame-ancestors 'none'"]


def answered(app, body=b"{}", parts=2):
    """(statuses, body) that a client of `app` sees, whose request comes in parts."""
    size = -(-len(body) // parts)
    coming = [
        {"type": "http.request", "body": body[at * size : (at + 1) * size], "more_body": at < parts - 1}
        for at in range(parts)
    ]
    sent = []

    async def send(message):
        sent.append(message)

    async def receive():
        return coming.pop(0) if coming else {"type": "http.disconnect"}

    asyncio.run(app({"type": "http", "path": "/api/flows/", "headers": []}, receive, send))
    statuses = [message["status"] for message in sent if message["type"] == "http.response.start"]
    return statuses, b"".join(message.get("body", b"") for message in sent)


class Busy:
    """Answers 503 `times` times and raises behind it, as Starlette does; then the request's body."""

    def __init__(self, times, status=503):
        self.times, self.status, self.asked = times, status, 0

    async def __call__(self, scope, receive, send):
        self.asked += 1
        assert "seen" not in scope
        scope["seen"] = True
        body, more = b"", True
        while more:
            message = await receive()
            body, more = body + message["body"], message["more_body"]
        busy = self.asked <= self.times
        await send({"type": "http.response.start", "status": self.status if busy else 200, "headers": []})
        await send({"type": "http.response.body", "body": b"busy" if busy else body})
        if busy:
            raise RuntimeError("database is locked")


@pytest.fixture
def hasty(monkeypatch):
    monkeypatch.setattr("scrollwork.flows.server.busy.BUSY_S", [wait_s / 100 for wait_s in BUSY_S])


@pytest.mark.parametrize("times", [0, 1, len(BUSY_S)])
def test_a_busy_database_is_left_to_the_client(times, hasty):
    app = Busy(times)
    assert answered(with_retries(app), b'{"name": "tag:qmsum"}') == ([200], b'{"name": "tag:qmsum"}')
    assert app.asked == times + 1


def test_a_database_that_stays_busy_is_asked_for_ever(hasty):
    app, sent = Busy(100), []

    async def send(message):
        sent.append(message.get("status"))

    async def receive():
        return {"type": "http.request", "body": b"", "more_body": False}

    with pytest.raises(RuntimeError, match="database is locked"):
        asyncio.run(with_retries(app)({"type": "http", "path": "/", "headers": []}, receive, send))
    assert sent == [503, None]
    assert app.asked == len(BUSY_S) + 1


@pytest.mark.parametrize("status", [500, 502, 423])
def test_another_failure_is_made_twice(status):
    app = Busy(1, status)
    with pytest.raises(RuntimeError):
        answered(with_retries(app))
    assert app.asked == 1


def test_a_large_body_is_kept_to_be_sent_again():
    app = Busy(1)
    with pytest.raises(RuntimeError):
        answered(with_retries(app), bytes(KEPT_BYTES + 1), parts=3)
    assert app.asked == 1


def test_a_server_of_a_command_tells_of_its_own_end(caplog):
    """What it says before, and what it is sent, pass."""
    said = logging.getLogger("prefect.server.services")

    async def application(scope, receive, send):
        for _ in range(2):
            message = await receive()
            said.error(message["type"])

    messages = iter([{"type": "lifespan.startup"}, {"type": "lifespan.shutdown"}])

    async def receive():
        return next(messages)

    with caplog.at_level(logging.ERROR, "prefect.server.services"):
        try:
            asyncio.run(quiet_at_its_end(application)({"type": "lifespan"}, receive, None))
            assert next(messages, None) is None
        finally:
            logging.disable(logging.NOTSET)
    assert [one.getMessage() for one in caplog.records] == ["lifespan.startup"]


def test_a_request_with_no_host_or_two_is_answered(port):
    assert raw(port, "GET /api/flows HTTP/1.0")[0] == 400
    assert raw(port, "GET /api/flows HTTP/1.1", "Host: 127.0.0.1", "Host: evil.example")[0] == 400
    assert raw(port, "GET /api/flows HTTP/1.0", "Host: evil.example", "Host: 127.0.0.1")[0] == 400


def test_the_host_of_a_whole_address_is_not_looked_at(port):
    assert raw(port, "GET http://evil.example/api/flows HTTP/1.1", "Host: 127.0.0.1")[0] == 400
    assert raw(port, "GET http://127.0.0.1/api/flows HTTP/1.1", "Host: evil.example")[0] == 400


FOREIGN = ["http://evil.example", "null", "http://localhost:3000", "http://127.0.0.1", "http://[::1", "evil", "file://"]


@pytest.mark.parametrize("origin", FOREIGN)
def test_a_page_of_another_origin_may_use_the_secret_that_a_browser_knows(port, origin):
    own = f"Host: 127.0.0.1:{port}"
    preflight = ("OPTIONS /api/flows HTTP/1.1", own, "Access-Control-Request-Method: POST")
    assert raw(port, *preflight, f"Origin: {origin}")[0] == 403
    _, body = raw(port, "POST /api/flows HTTP/1.1", own, f"Origin: {origin}", f"Authorization: {SECRET}")
    assert "authorization" not in json.loads(body)
    with pytest.raises(InvalidStatus) as refused:
        connect(f"ws://127.0.0.1:{port}/api/events/out", origin=origin)
    assert refused.value.response.status_code == 403


def test_the_servers_own_page_or_a_program_loses_its_secret(port):
    own = f"Host: 127.0.0.1:{port}"
    for more in ((), (f"Origin: http://127.0.0.1:{port}",), (f"Origin: HTTP://127.0.0.1:{port}",)):
        _, body = raw(port, "POST /api/flows HTTP/1.1", own, *more, f"Authorization: {SECRET}")
        assert json.loads(body)["authorization"] == SECRET
    connect(f"ws://127.0.0.1:{port}/api/events/out").close()
    connect(f"ws://127.0.0.1:{port}/api/events/out", origin=f"http://127.0.0.1:{port}").close()


def test_prefect_fails_on_credentials_that_are_not_ascii(port):
    wrong = base64.b64encode("\u00e9:\u00e9".encode()).decode()
    _, body = raw(port, "POST /api/flows HTTP/1.1", f"Host: 127.0.0.1:{port}", f"Authorization: Basic {wrong}")
    assert "authorization" not in json.loads(body)
    assert not breaks_prefect(SECRET.encode())


@pytest.mark.parametrize(
    "text", ["[1]", '"x"', "null", "{", "[" * 100_000, None, '{"token": 1}', '{"token": "\u00e9"}']
)
def test_prefect_fails_on_the_first_word_of_a_websocket(text):
    said = [{"type": "websocket.connect"}, {"type": "websocket.receive", "text": text, "bytes": b"x"}]
    said.append({"type": "websocket.receive", "text": "[1]"})

    async def heard():
        receive = with_first(FakeReceive(said))
        return [await receive() for _ in range(3)]

    connect_, first, later = asyncio.run(heard())
    assert (connect_, later) == (said[0], said[2])
    assert first == {"type": "websocket.receive", "text": "{}"}


def test_a_right_first_word_is_changed():
    right = {"type": "websocket.receive", "text": '{"type": "auth", "token": "scrollwork:word"}'}
    assert asyncio.run(with_first(FakeReceive([right]))()) == right


class FakeReceive:
    def __init__(self, messages):
        self.messages = iter(messages)

    async def __call__(self):
        return next(self.messages)


def test_the_worker_of_the_last_life_is_taken_for_the_new_one(monkeypatch):
    since = datetime(2026, 5, 1, 12, tzinfo=UTC)
    for seen, new in (("2026-05-01T11:59:59.9Z", False), ("2026-05-01T12:00:00.100000Z", True)):
        worker = {"name": "scrollwork-1", "status": "ONLINE", "last_heartbeat_time": seen}
        monkeypatch.setattr(local_server, "post", lambda *_, worker=worker: [worker, {**worker, "name": "other"}])
        assert local_server.is_online({}, "scrollwork-1", since) == new
        assert not local_server.is_online({}, "scrollwork-2", since)


def test_the_lock_of_up_is_open_to_others(tmp_path, monkeypatch):
    (tmp_path / "prefect").mkdir()
    lock = tmp_path / "prefect" / ".up.lock"
    monkeypatch.setattr(up, "start", stopped)
    for _ in range(2):
        with pytest.raises(up.ServiceError, match="so far"):
            up.up(tmp_path, None, print)
        assert S_IMODE(lock.stat().st_mode) == 0o600
        lock.chmod(0o664)  # as earlier versions left it


def test_a_websocket_for_another_host_is_accepted(port):
    with pytest.raises(InvalidStatus) as refused:
        connect(
            f"ws://localhost:{port}/api/events/out", sock=dialled(port), additional_headers={"Host": "evil.example"}
        )
    assert refused.value.response.status_code == 400


def dialled(port):
    return socket.create_connection(("127.0.0.1", port))


@pytest.mark.parametrize("name", ["evil.example:80", "a b", "a,b", "", "*", "http://a", "*.example"])
def test_an_allowed_host_is_no_name(name, tmp_path):
    with pytest.raises(up.ServiceError, match="--allow-host"):
        up.up(tmp_path, None, print, hosts=[name])
    assert list(tmp_path.iterdir()) == []


# ---- the secret


def test_the_secret_can_be_read_by_others_or_stays_the_same(tmp_path):
    folder = tmp_path / "prefect"
    folder.mkdir(mode=0o755)
    path = local_server.secret_path(tmp_path)
    path.write_text("old")
    path.chmod(0o644)
    before = os.umask(0)
    try:
        local_server.make_private(folder)
        local_server.write_private(path, local_server.new_secret() + "\n")
    finally:
        os.umask(before)
    assert S_IMODE(folder.stat().st_mode) == 0o700
    assert S_IMODE(path.stat().st_mode) == 0o600
    assert [one.name for one in folder.iterdir()] == ["secret"]
    assert len({local_server.new_secret() for _ in range(50)}) == 50
    assert len(local_server.secret_of({"secret_file": str(path)})) > 40


def test_a_link_in_the_secrets_place_is_followed(tmp_path):
    other = tmp_path / "other"
    other.write_text("mine")
    (tmp_path / "prefect").mkdir()
    local_server.secret_path(tmp_path).symlink_to(other)
    local_server.write_private(local_server.secret_path(tmp_path), "secret")
    assert other.read_text() == "mine"


@pytest.fixture
def noted(tmp_path, port):
    """The note of a server that answers, with its secret."""
    home = tmp_path / "it's a home"
    local_server.make_private(home / "prefect")
    local_server.write_private(local_server.secret_path(home), "scrollwork:word\n")
    note = {"url": f"http://127.0.0.1:{port}/api", "ui": "", "server": os.getpid(), "worker": 1, "home": str(home)}
    note |= {"secret_file": str(local_server.secret_path(home)), "hosts": [], "variables": []}
    local_server.write_private(local_server.note_path(home), json.dumps(note))
    return home


def test_the_line_to_paste_holds_the_secret_or_breaks_at_a_quote(noted):
    line = local_server.access_line(local_server.noted_server(noted))
    assert "word" not in line
    asked = f'{line}; echo "$PREFECT_API_URL $PREFECT_API_AUTH_STRING"'
    done = subprocess.run(["sh", "-c", asked], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [local_server.noted_server(noted)["url"], "scrollwork:word"]


@pytest.mark.parametrize("named", [False, True])
def test_the_users_own_auth_string_is_sent_to_our_server(noted, monkeypatch, named):
    monkeypatch.setenv("PREFECT_API_AUTH_STRING", "user:other")
    monkeypatch.delenv("PREFECT_API_URL", raising=False)
    if named:
        monkeypatch.setenv("PREFECT_API_URL", local_server.noted_server(noted)["url"])
    assert local_server.settings(noted)["PREFECT_API_AUTH_STRING"] == "scrollwork:word"


def test_our_secret_is_sent_to_another_server(noted, monkeypatch):
    monkeypatch.setenv("PREFECT_API_URL", "http://prefect.example/api")
    assert "PREFECT_API_AUTH_STRING" not in local_server.settings(noted)


def test_the_secret_is_sent_to_whoever_took_the_port_of_a_dead_server(noted, monkeypatch):
    """A server that says yes to everything, at the noted address: of a dead process, of a living one, of another secret."""
    heard = []

    class Taker(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            heard.append(str(self.headers))
            self.send_response(200)
            self.send_header(
                "X-Scrollwork-Proof", local_server.proof("scrollwork:other", self.headers["X-Scrollwork-Word"])
            )
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"[]")

        do_POST = do_GET

        def log_message(self, *_):
            """Say nothing."""

    monkeypatch.delenv("PREFECT_API_URL", raising=False)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Taker) as taker:
        threading.Thread(target=taker.serve_forever, daemon=True).start()
        note = local_server.noted_server(noted) | {"url": f"http://127.0.0.1:{taker.server_port}/api"}
        local_server.note_path(noted).write_text(json.dumps(note))
        assert local_server.running_server(noted) is None
        assert "PREFECT_API_AUTH_STRING" not in local_server.settings(noted)
        with pytest.raises(OSError, match="not our server"):
            local_server.post(note, "flow_runs/filter", {})
        monkeypatch.setattr(plugin, "project_folder", lambda: noted)
        monkeypatch.setenv("SCROLLWORK_HOME", str(noted))
        assert plugin.point_to_server() is None
        taker.shutdown()
    assert len(heard) == 4
    assert "uthorization" not in "".join(heard)


def test_a_dead_server_is_told_as_running(noted, monkeypatch):
    assert local_server.running_server(noted) is not None
    died = subprocess.Popen([sys.executable, "-c", ""])
    died.wait()
    note = local_server.noted_server(noted) | {"server": died.pid}
    local_server.note_path(noted).write_text(json.dumps(note))
    assert local_server.running_server(noted) is None


CHILD = """
import sys, time
print("began", flush=True)
sys.stdin.read()
for _ in range(3):
    time.sleep(0.3)
    print("goes on", flush=True)
open(sys.argv[1], "w").write("ended")
"""
WORKER_OF_CHILD = """
import subprocess, sys, time
from scrollwork.flows.server.worker import turn_at_end
if len(sys.argv) > 3:
    child = subprocess.Popen([sys.executable, "-c", sys.argv[3], sys.argv[4]], stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE, start_new_session=True)
    child.stdout.read(6)
import threading
threading.Thread(target=turn_at_end, args=(int(sys.argv[1]), sys.argv[2]), daemon=True).start()
print("polls", flush=True)
time.sleep(60)
"""


def test_the_last_words_of_a_flow_run_are_not_in_the_log(tmp_path):
    """It has ended, and all that it said is still in the pipe."""
    code = "import os; from scrollwork.flows.server.worker import keep_port; out, said = os.pipe()\n"
    code += "os.write(said, b'goes on\\nends\\n'); os.close(said); keep_port(0, [out])"
    ended = subprocess.run([sys.executable, "-c", code], cwd=PROJECT, capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stdout) == (0, "goes on\nends\n"), ended.stderr


@pytest.mark.parametrize("busy", [False, True])
def test_a_worker_outlives_its_server_or_takes_paid_answers_along(tmp_path, busy):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    gone, lives = os.pipe()
    command = [sys.executable, "-c", WORKER_OF_CHILD, str(gone), str(port)]
    command += [CHILD, str(tmp_path / "done")] if busy else []
    worker = subprocess.Popen(command, cwd=PROJECT, pass_fds=[gone], stdout=subprocess.PIPE, text=True)
    try:
        assert worker.stdout.readline() == "polls\n"
        began = time.monotonic()
        os.close(lives)
        if busy:
            until_taken(port)
            assert not (tmp_path / "done").exists(), "the port is held while the flow run goes on"
        said, _ = worker.communicate(timeout=20)
    finally:
        worker.kill()
        os.close(gone)
    assert worker.returncode == 0
    assert said == "goes on\n" * 3 * busy
    assert (tmp_path / "done").exists() == busy
    assert busy or time.monotonic() - began < 10


def until_taken(port):
    """Wait until the port is held, by somebody who says nothing."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        with suppress(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port), 5) as connection:
            assert connection.recv(100) == b""
            return
        time.sleep(0.02)
    pytest.fail("nobody holds the port")


# ---- variables

MINE = {
    "PATH": "/bin",
    "HOME": "/h",
    "LANG": "C",
    "LC_ALL": "C",
    "TMPDIR": "/t",
    "PYTHONPATH": "/p",
    "HTTPS_PROXY": "http://u:p@proxy",
    "SSL_CERT_FILE": "/c",
    "SCROLLWORK_STORE": "postgresql://u:p@h/d",
    "OPENAI_API_KEY": "sk-1",
    "ANTHROPIC_API_KEY": "sk-2",
    "GEMINI_API_KEY": "sk-3",
    "MY_KEY": "sk-4",
    "AWS_SECRET_ACCESS_KEY": "s",
    "AWS_PROFILE": "p",
    "PGPASSWORD": "s",
    "GITHUB_TOKEN": "s",
    "HF_TOKEN": "s",
    "PREFECT_API_KEY": "pnu",
    "PREFECT_API_AUTH_STRING": "u:p",
    "PREFECT_SERVER_API_AUTH_STRING": "u:p",
    "PREFECT_PROFILE": "cloud",
    "PREFECT_SERVER_CORS_ALLOWED_ORIGINS": "*",
    "PREFECT_SERVER_API_HOST": "0.0.0.0",
    "PREFECT_SERVER_API_BASE_PATH": "/x",
    "PREFECT_API_DATABASE_CONNECTION_URL": "postgresql+asyncpg://u:p@h/d",
    "PREFECT_SERVER_DATABASE_CONNECTION_URL": "postgresql+asyncpg://u:p@h/d",
    "PREFECT_SERVER_DATABASE_HOST": "h",
    "PREFECT_SERVER_DATABASE_MIGRATE_ON_START": "false",
    "PREFECT_LOGGING_LEVEL": "DEBUG",
}


def test_the_servers_process_holds_a_key():
    assert set(variables_in(MINE, SERVER)) == {
        *("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "PYTHONPATH", "PREFECT_LOGGING_LEVEL")
    }


def test_the_worker_gets_what_nobody_named(tmp_path):
    own = tmp_path / "models.toml"
    own.write_text('[mine]\nprovider = "compatible"\nkey_env = "MY_KEY"\n')
    plain = variables_in(MINE, [*WORKER, *key_names()])
    with_own = variables_in(MINE, [*WORKER, *key_names(str(own)), "AWS_*"])
    keys = {"OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY"}
    runs_with = {*variables_in(MINE, SERVER), "HTTPS_PROXY", "SSL_CERT_FILE", "SCROLLWORK_STORE"}
    assert set(plain) == runs_with | keys
    assert set(with_own) == runs_with | keys | {"MY_KEY", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE"}


def test_levels_at_which_libraries_print_the_secret_reach_server_or_worker(tmp_path, monkeypatch):
    for name in ("ROOT_LEVEL", "SERVER_LEVEL", "LOGGERS_UVICORN_LEVEL", "LEVEL"):
        monkeypatch.setenv(f"PREFECT_LOGGING_{name}", "debug")
    monkeypatch.setenv("PREFECT_LOGGING_EXTRA_LOGGERS", "websockets")
    running = {"home": str(tmp_path), "url": "http://127.0.0.1:1/api", "port": 1, "hosts": []}
    for env in up.environments(running, "s", variables_in(os.environ, WORKER)):
        levels = {name: env[name] for name in env if "LOGG" in name}
        assert levels == {
            "PREFECT_LOGGING_LEVEL": "debug",
            "PREFECT_LOGGING_ROOT_LEVEL": "INFO",
            "PREFECT_SERVER_LOGGING_LEVEL": "INFO",
        }
    assert quiet_log_levels({"PREFECT_LOGGING_ROOT_LEVEL": "error"})["PREFECT_LOGGING_ROOT_LEVEL"] == "ERROR"
    assert set(
        quiet_log_levels({"PREFECT_LOGGING_ROOT_LEVEL": "5", "PREFECT_SERVER_LOGGING_LEVEL": "NOTSET"}).values()
    ) == {"INFO"}


def test_proxies_are_asked_for_this_machine_or_lose_what_is_excepted(tmp_path):
    running = {"home": str(tmp_path), "url": "http://127.0.0.1:1/api", "port": 1, "hosts": []}
    _, worker = up.environments(running, "s", {"NO_PROXY": "corp.example,localhost"})
    assert worker["NO_PROXY"] == worker["no_proxy"] == "corp.example,localhost,127.0.0.1"


ASKED = """
from prefect.settings import get_current_settings as found
server = found().server
print(server.database.connection_url.get_secret_value(), server.api.csrf_protection_enabled, server.api.base_path)
"""


@pytest.mark.slow
def test_the_users_own_database_is_used_by_up(tmp_path, monkeypatch):
    """Its unfinished flow runs were marked as crashed. From the environment, and from each file that Prefect reads."""
    theirs = f"sqlite+aiosqlite:///{tmp_path}/theirs.db"
    for name in ("PREFECT_API_DATABASE_CONNECTION_URL", "PREFECT_SERVER_DATABASE_CONNECTION_URL"):
        monkeypatch.setenv(name, theirs)
    place, folder = tmp_path / "project", tmp_path / "home" / "prefect"
    place.mkdir()
    folder.mkdir(parents=True)
    (place / ".env").write_text(
        f"PREFECT_API_DATABASE_CONNECTION_URL={theirs}\nPREFECT_SERVER_CSRF_PROTECTION_ENABLED=true\n"
        "PREFECT_SERVER_API_BASE_PATH=/theirs\n"
    )
    (place / "prefect.toml").write_text(f'[server.database]\nconnection_url = "{theirs}"\n')
    started = {}
    monkeypatch.setattr(subprocess, "Popen", lambda command, **options: started.update(options) or FakeProcess)
    monkeypatch.setattr(up, "preparing", lambda env, project: nullcontext())
    monkeypatch.setattr(up, "wait_for", stopped)
    with pytest.raises(up.ServiceError, match="so far"):
        up.start(tmp_path / "home", {}, [], print, 1, project=place)
    monkeypatch.undo()
    done = subprocess.run(
        [sys.executable, "-c", ASKED], cwd=started["cwd"], env=started["env"], capture_output=True, text=True
    )
    assert done.stdout.split() == [f"sqlite+aiosqlite:///{folder}/prefect.db", "False", "None"], done.stderr


class FakeProcess:
    pid = 0


def stopped(*_, **__):
    raise up.ServiceError("so far")


@pytest.fixture
def died(tmp_path, monkeypatch):
    """The note of a server that was killed, as `start` is called for another in its place: (home, port, calls)."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    home = tmp_path / "home"
    local_server.make_private(home / "prefect")
    local_server.write_private(local_server.secret_path(home), "scrollwork:word\n")
    note = {"url": f"http://127.0.0.1:{port}/api", "ui": "", "server": 0, "worker": 0, "port": port, "home": str(home)}
    note |= {"secret_file": str(local_server.secret_path(home)), "hosts": ["box.example"], "variables": []}
    local_server.write_private(local_server.note_path(home), json.dumps(note))
    calls = []

    def start(home, variables, hosts, say, port, **more):
        calls.append((port, hosts, more))
        return note

    monkeypatch.setattr(up, "start", start)
    return home, port, calls


def test_up_after_a_crash_serves_at_another_port_or_under_other_names(died):
    home, port, calls = died
    said = []
    up.up(home, None, said.append)
    ((at, hosts, more),) = calls
    assert (at, hosts, more["kept"], more["keepers"]) == (port, ["box.example"], False, [])
    assert not any("taken" in line for line in said)


def test_up_takes_another_port_without_a_word(died):
    home, port, calls = died
    said = []
    with socket.create_server(("127.0.0.1", port)):
        up.up(home, None, said.append)
        ((at, _, _),) = calls
        assert at != port
        assert f"port {port} is taken by another process: serving at {at}" in said
        with pytest.raises(up.ServiceError, match=f"port {port} is taken; name another"):
            up.up(home, port, said.append)


@pytest.mark.parametrize("wanted", [None, 1])
def test_port_that_is_taken_before_the_server_binds_it_ends_up(wanted, monkeypatch):
    """As by an `up` in another project, whose server was begun at the same time."""
    if wanted:
        with socket.create_server(("127.0.0.1", 0)) as free:
            wanted = free.getsockname()[1]
    begun, said, taken = [], [], ExitStack()

    def begin(port):
        begun.append(port)
        if len(begun) <= left:
            taken.enter_context(socket.create_server(("127.0.0.1", port)))
            raise up.ServiceError("in use")
        return {"port": port}

    for left in range(processes.TRIES + 1):
        begun.clear()
        said.clear()
        with taken:
            if left < processes.TRIES:
                found = processes.on_free_port(begin, wanted, said.append, named=False)
                assert found == {"port": begun[-1]}
            else:
                with pytest.raises(up.ServiceError, match="in use"):
                    processes.on_free_port(begin, wanted, said.append, named=False)
            assert len(begun) == len(set(begun)) == min(left + 1, processes.TRIES)
            taken_at = "port {} is taken by another process: serving at {}"
            assert said == [taken_at.format(*pair) for pair in pairwise(begun)]


def test_named_port_or_a_server_that_fails_for_another_reason_is_begun_again(died):
    _, port, _ = died
    begun = []

    def begin(port):
        begun.append(port)
        raise up.ServiceError("no room")

    for named in (True, False):
        with pytest.raises(up.ServiceError, match="no room"):
            processes.on_free_port(begin, port, [].append, named=named)
    assert begun == [port, port]
    with socket.create_server(("127.0.0.1", port)), pytest.raises(up.ServiceError, match=f"port {port} is taken"):
        processes.on_free_port(begin, port, [].append, named=True)
    assert begun == [port, port]


def test_whoever_holds_the_port_of_a_dead_server_is_taken_for_its_keeper(died, tmp_path):
    """The keeper lives and did not get the port: whoever has it may have heard the secret."""
    home, port, calls = died
    command = [sys.executable, "-c", "import sys; print(flush=True); sys.stdin.read()", "prefect", "keep"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, **pipes) as keeper, socket.create_server(("127.0.0.1", port)):
        keeper.stdout.readline()  # a process that has only just begun shows no command line yet
        note = json.loads(local_server.note_path(home).read_text()) | {"worker": keeper.pid}
        local_server.write_private(local_server.note_path(home), json.dumps(note))
        up.up(home, None, [].append)
        ((at, _, more),) = calls
        assert at != port
        assert (more["kept"], more["keepers"]) == (False, [keeper.pid])
        keeper.kill()


LACKS = "import sys; sys.modules[{lacking!r}] = None; from scrollwork.flows.server.{module} import {name}; {name}()"


@pytest.mark.parametrize(
    ("lacking", "module", "name"),
    [
        ("prefect.cli.deploy", "prefect_commands", "main"),
        ("prefect.server.api.server", "guard", "create_app"),
    ],
)
def test_another_prefect_without_what_we_use_is_a_traceback(lacking, module, name):
    code = LACKS.format(lacking=lacking, module=module, name=name)
    done = subprocess.run([sys.executable, "-c", code], cwd=PROJECT, capture_output=True, text=True)
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"Prefect {version('prefect')} is not one that scrollwork knows (import of {lacking} halted")
    assert line.endswith("pip install -c requirements.lock prefect")


def test_prefect_3_9_is_refused_or_prefect_4_let_in():
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
    (range_,) = [wanted for one in project["dependencies"] if (wanted := Requirement(one)).name == "prefect"]
    allowed = [
        release
        for release in ("3.7.8", "3.8.0", "3.8.8", "3.9.0", "3.9.1", "3.9.2", "3.20.0", "4.0.0")
        if release in range_.specifier
    ]
    assert allowed == ["3.8.0", "3.8.8", "3.9.0", "3.9.2", "3.20.0"], "3.9.1 makes no scheduled run"


# ---- runs whose process is gone


@pytest.fixture
def project_runs(tmp_path, monkeypatch):
    """`lost(**run)`: whether `up` takes a flow run for one of this project whose process is gone."""
    died = subprocess.Popen([sys.executable, "-c", ""])
    died.wait()

    def lost(new_worker=True, **changes):
        run = {
            "id": str(uuid4()),
            "deployment_id": "mine",
            "state_type": "RUNNING",
            "infrastructure_pid": str(died.pid),
        }
        run |= {"labels": {"prefect.worker.name": "scrollwork-4200"}, **changes}
        return recovery.is_lost(run, tmp_path, ["mine"], new_worker)

    return lost


def test_a_run_of_another_project_or_worker_is_ended(project_runs):
    assert project_runs()
    assert not project_runs(deployment_id="theirs")
    assert not project_runs(deployment_id=None)
    assert not project_runs(labels={"prefect.worker.name": "remote"}), "its process is on another machine"
    assert not project_runs(labels={})
    assert not project_runs(labels=None)


def test_a_live_run_is_ended_or_a_number_given_to_another_process_is_taken_for_it(project_runs):
    run_id = str(uuid4())
    env = {**os.environ, "PREFECT__FLOW_RUN_ID": run_id}
    with subprocess.Popen([sys.executable, "-c", "input()"], env=env, stdin=subprocess.PIPE) as live:
        assert not project_runs(id=run_id, infrastructure_pid=str(live.pid))
        assert not project_runs(id=run_id, infrastructure_pid=None), "killed before the worker told its number"
        assert project_runs(infrastructure_pid=str(live.pid)), "another process has the number"
        live.kill()
    assert project_runs(id=run_id, infrastructure_pid=None)


def test_a_run_that_the_worker_is_starting_is_ended(project_runs):
    assert not project_runs(state_type="PENDING", new_worker=False)
    assert project_runs(state_type="PENDING")


def test_a_command_in_a_shell_is_ended_or_its_killed_run_goes_on_for_ever(project_runs, tmp_path):
    (tmp_path / "prefect").mkdir()
    run_id = str(uuid4())
    code = "import sys; from pathlib import Path; from scrollwork.flows.server.recovery import mark_run; mark_run(Path(sys.argv[1]), sys.argv[2]); print(flush=True); input()"
    command = [sys.executable, "-c", code, str(tmp_path), run_id]
    with subprocess.Popen(command, cwd=PROJECT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as live:
        live.stdout.readline()
        assert not project_runs(id=run_id, deployment_id=None, labels={})
        live.kill()
    assert project_runs(id=run_id, deployment_id=None, labels={})
    with subprocess.Popen(command, cwd=PROJECT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as ends:
        ends.stdout.readline()
        ends.communicate(b"\n")
    assert project_runs(id=run_id, deployment_id=None, labels={}), "the server may not know that it ended"


def test_down_ends_a_process_whose_run_hears_no_signal(tmp_path):
    """Python gives signals to the main thread, whose default would end the process with its answers in flight."""
    (tmp_path / "prefect").mkdir()
    runs = [str(uuid4()) for _ in range(2)]
    recovery.mark_run(tmp_path, runs[0])
    other = threading.Thread(target=recovery.mark_run, args=(tmp_path, runs[1]))
    other.start()
    other.join()
    assert recovery.in_shells(tmp_path, runs) == {runs[0]: os.getpid(), runs[1]: -os.getpid()}
    recovery.mark_run(tmp_path, runs[0])  # a retry
    assert recovery.in_shells(tmp_path, [runs[0], str(uuid4())]) == {runs[0]: os.getpid()}


# ---- the home of a flow run


@pytest.fixture
def project(tmp_path, monkeypatch):
    """Code in a folder of its own, where nothing is set."""
    for name in ("SCROLLWORK_HOME", "SCROLLWORK_STORE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(parameters, "project_folder", lambda: tmp_path / "pulled")
    monkeypatch.setattr(parameters, "in_deployment", lambda: True)
    return tmp_path / "pulled"


def test_paid_answers_go_into_a_folder_that_is_deleted(project, monkeypatch):
    with pytest.raises(UsageError, match=r"no home: .*export SCROLLWORK_HOME=/path.*--param home=/path"):
        parameters.home_of(None)
    for relative in ("home", "./home", "file://home"):
        with pytest.raises(UsageError, match="home"):
            parameters.home_of(relative)
    with pytest.raises(UsageError, match=r"store 'sqlite:///answers\.db'"):
        parameters.home_of("/kept", "sqlite:///answers.db")
    monkeypatch.setenv("SCROLLWORK_HOME", "here")
    with pytest.raises(UsageError, match="home 'here'"):
        parameters.home_of(None)
    assert not project.exists()


def test_a_home_that_stays_is_refused(project, monkeypatch):
    for kept in ("/kept", "~/kept", "file:///kept", "s3://bucket/kept"):
        assert parameters.home_of(kept, "sqlite:////kept/answers.db") == kept
    assert parameters.home_of("/kept", "postgresql://host/answers") == "/kept"
    monkeypatch.setenv("SCROLLWORK_HOME", "/named")
    assert (parameters.home_of(None), parameters.home_of("/kept")) == ("/named", "/kept")


def test_the_home_of_the_server_that_serves_the_project_is_not_found(project, tmp_path):
    folder = project / ".scrollwork" / "prefect"
    folder.mkdir(parents=True)
    note = {"url": "", "ui": "", "server": 1, "worker": 1, "home": str(tmp_path / "served")}
    (folder / "server.json").write_text(json.dumps(note))
    assert parameters.home_of(None) == str(tmp_path / "served")
    assert parameters.home_of("relative") == "relative"


def test_a_relative_home_of_a_call_in_python_is_refused(project, monkeypatch):
    monkeypatch.setattr(parameters, "in_deployment", lambda: False)
    assert parameters.home_of("relative", "sqlite:///answers.db") == "relative"
    with pytest.raises(UsageError, match="no home"):
        parameters.home_of(None)


def test_a_home_that_cannot_be_written_ends_a_run(tmp_path):
    from scrollwork.flows.server.recovery import mark_run

    (tmp_path / "prefect").mkdir()
    (tmp_path / "prefect" / "runs").write_text("no folder")
    mark_run(tmp_path, "0000")
