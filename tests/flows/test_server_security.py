"""Who may use the server of `up`: its owner, with the secret, and nobody else. On a real server with a real worker."""

from __future__ import annotations

import base64
import http.server
import json
import os
import re
import shutil
import sqlite3
import subprocess
import threading
import time
import urllib.error
import urllib.request
from contextlib import closing
from pathlib import Path
from stat import S_IMODE

import pytest
from starlette.routing import WebSocketRoute
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from tests.conftest import Scrollwork, Server, environment, processes_of
from tests.reporting.browser import CHROMIUM, NONE, browser

pytestmark = pytest.mark.slow


def ask(url, method="GET", body=None, **headers):
    """(status, headers, text) of a request, as curl sends it."""
    headers = {name.replace("_", "-"): value for name, value in headers.items()}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"} | headers, method=method)
    try:
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=150) as reply:
            return reply.status, dict(reply.headers), reply.read().decode(errors="replace")
    except urllib.error.HTTPError as error:
        return error.code, dict(error.headers), error.read().decode(errors="replace")


def basic(secret):
    return "Basic " + base64.b64encode(secret.encode()).decode()


def test_a_part_of_the_api_answers_without_the_secret(server):
    """Every path and method that Prefect has, as another user of this machine asks it."""
    schema = server.get("openapi.json")
    places = [(path.removeprefix("/api"), method) for path, methods in schema["paths"].items() for method in methods]
    assert len(places) > 150
    answered = []
    for path, method in places:
        url = server.noted["url"] + re.sub(r"\{[^}]*\}", "00000000-0000-0000-0000-000000000000", path)
        status, _, _ = ask(url, method.upper(), {} if method != "get" else None)
        if status != 401:
            answered.append((method, path, status))
    assert sorted(answered) == [("get", "/health", 200), ("get", "/ready", 200)]
    for path in ("openapi.json", "docs", "static/prefect-logo-mark-gradient.png", "csrf-token?client=1", "", "no/such"):
        assert ask(f"{server.noted['url']}/{path}")[0] == 401, path
    for method in ("OPTIONS", "HEAD", "PUT", "PATCH"):
        assert ask(f"{server.noted['url']}/flows/filter", method)[0] == 401


def test_another_secret_is_as_good(server):
    url = f"{server.noted['url']}/flows/filter"
    secret = server.secret
    wrong = ["", secret[:-1], secret + "x", secret.upper(), secret.partition(":")[2], "scrollwork:", "admin:pass"]
    for header in [
        *map(basic, wrong),
        f"Bearer {secret}",
        secret,
        "Basic",
        "Basic \u00e9",
        basic(secret) + " x",
        basic("\u00e9:\u00e9"),
    ]:
        assert ask(url, "POST", {}, Authorization=header)[0] == 401, header
    assert ask(url, "POST", {}, Authorization=basic(secret))[0] == 200


def websockets(routes, before=""):
    """The paths of all websockets that Prefect's server has."""
    for route in routes:
        if isinstance(route, WebSocketRoute):
            yield re.sub(r"\{[^}]*\}", "local", before + route.path)
        else:
            inner = getattr(route, "original_router", route)  # of a router that FastAPI includes as it is
            yield from websockets(getattr(inner, "routes", None) or [], before + (getattr(route, "path", None) or ""))


def test_a_websocket_tells_or_takes_something_without_the_secret(server, monkeypatch, tmp_path):
    monkeypatch.setenv("PREFECT_HOME", str(tmp_path))
    from prefect.server.api.server import create_app

    paths = set(websockets(create_app(final=True).routes))
    assert {"/api/events/in", "/api/logs/out", "/api/work_pools/local/workers/connect"} <= paths
    log = server.work.home / "prefect" / "server.log"
    before = log.stat().st_size
    for path in paths:
        refuses(server, path)
    said = log.read_bytes()[before:].decode(errors="replace")
    # Prefect's own services may trip over a busy disk at any time; what fails here passes through our guard.
    assert "flows/server/guard.py" not in said
    assert "Exception in ASGI application" not in said


STRANGE = ([1], "x", None, {"type": "auth", "token": 1}, {"type": "auth", "token": "\u00e9"}, {"type": 1})


def refuses(server, path):
    url = server.noted["ui"].replace("http", "ws", 1) + path
    for first in ({"type": "auth"}, {"type": "auth", "token": "x"}, {"type": "subscribe", "keys": []}, *STRANGE):
        assert said_to(url, first, subprotocols=["prefect"]) == "refused"
    assert said_to(url, {"type": "subscribe", "keys": []}) == "refused"
    with pytest.raises(InvalidStatus):
        connect(url, subprotocols=["prefect"], origin="http://evil.example", proxy=None)
    right = {"type": "auth", "token": server.secret}
    assert said_to(url, right, subprotocols=["prefect"]) == {"type": "auth_success"}


def said_to(url, first, **options):
    """The answer to a first message on a websocket; "refused" where it is closed in place of one."""
    try:
        with connect(url, proxy=None, **options) as talk:
            talk.send(json.dumps(first))
            return json.loads(talk.recv(timeout=60))
    except (ConnectionClosed, InvalidStatus):
        return "refused"


def test_another_host_or_origin_is_answered(server):
    url, secret = f"{server.noted['url']}/flows/filter", basic(server.secret)
    for host in ("evil.example", f"evil.example:{server.noted['port']}", f"[::1]:{server.noted['port']}"):
        assert ask(url, "POST", {}, Host=host, Authorization=secret)[0] == 400
        assert ask(server.noted["ui"] + "/", Host=host)[0] == 400
    for host in ("127.0.0.1", "localhost", f"localhost:{server.noted['port']}"):
        assert ask(url, "POST", {}, Host=host, Authorization=secret)[0] == 200
    status, headers, _ = ask(url, "OPTIONS", Origin="http://evil.example", Access_Control_Request_Method="POST")
    assert status == 403
    assert not [name for name in headers if name.lower().startswith("access-control")]
    status, headers, _ = ask(url, "POST", {}, Origin="http://evil.example", Authorization=secret)
    assert status == 401
    assert not [name for name in headers if name.lower().startswith("access-control")]
    own = server.noted["ui"]
    status, headers, _ = ask(url, "POST", {}, Origin=own, Authorization=secret)
    assert (status, headers.get("Access-Control-Allow-Origin") or headers.get("access-control-allow-origin")) == (
        200,
        own,
    )


ATTACK = """
const api = '%s';
const attempt = async (path, body, how) => {
  try {
    const reply = await fetch(api + path, {method: 'POST', body: JSON.stringify(body), ...how});
    return reply.type + ' ' + reply.status;
  } catch (error) { return 'refused'; }
};
window.attack = async () => {
  const flow = {name: 'stolen'};
  const plain = {mode: 'no-cors', credentials: 'include', headers: {'Content-Type': 'text/plain'}};
  const open = {headers: {'Content-Type': 'application/json'}};
  const socket = await new Promise(done => {
    const talk = new WebSocket(api.replace('http', 'ws') + '/events/in', 'prefect');
    talk.onopen = () => done('open');
    talk.onerror = () => done('refused');
  });
  return [await attempt('/flows/', flow, open), await attempt('/flows/', flow, plain), socket];
};
"""


@pytest.mark.skipif(CHROMIUM is None, reason=NONE)
def test_a_page_of_another_origin_registers_a_deployment_with_a_shell_step(server):
    """In a real browser: the first step of the attack, a flow of the attacker's, is refused in each way there is."""

    class Page(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            body = f"<html><script>{ATTACK % server.noted['url']}</script>".encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            """Say nothing."""

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page) as evil:
        threading.Thread(target=evil.serve_forever, daemon=True).start()
        with browser("--host-resolver-rules=MAP evil.example 127.0.0.1") as tab:
            tab.open(f"http://evil.example:{evil.server_port}/", "typeof window.attack === 'function'")
            found = tab.run("window.attack()")
            assert found == ["refused", "opaque 0", "refused"]
            # its name now leads to the server (DNS rebinding): one origin with it, but no host of it
            tab.open(f"http://evil.example:{server.noted['port']}/", "document.readyState === 'complete'")
            assert "not a name of this server" in tab.run("document.body.innerText")
        evil.shutdown()
    assert "stolen" not in [flow["name"] for flow in server.post("flows/filter")]


def test_another_user_starts_a_shell_with_curl(server):
    """What the attack was, step by step, without the secret; with it each step is what `prefect deploy` does."""
    flow = {"name": "stolen"}
    deployment = {
        "name": "stolen",
        "flow_id": "00000000-0000-0000-0000-000000000000",
        "work_pool_name": "local",
        "pull_steps": [{"prefect.deployments.steps.run_shell_script": {"script": "touch stolen"}}],
    }
    for path, body in (("flows/", flow), ("deployments/", deployment), ("deployments/filter", {})):
        assert ask(f"{server.noted['url']}/{path}", "POST", body)[0] == 401
    assert "stolen" not in [flow["name"] for flow in server.post("flows/filter")]


ASK_ELSEWHERE = """new Promise(done => {
  document.addEventListener('securitypolicyviolation', () => done('refused'));
  fetch('http://127.0.0.1:9/').catch(() => setTimeout(() => done('went'), 2000));
})"""


@pytest.mark.skipif(CHROMIUM is None, reason=NONE)
def test_the_ui_does_not_open_for_its_owner(server):
    with browser() as tab:
        for host in ("127.0.0.1", "localhost"):
            tab.open(f"http://{host}:{server.noted['port']}/deployments", "document.querySelector('input') !== null")
            assert "nightly-eval" not in tab.run("document.body.innerText")
            tab.run("document.querySelector('input').focus()")
            tab.call("Input.insertText", text=server.secret)
            tab.press("Enter", 13)
            tab.wait("!location.href.includes('login')", 30)
            tab.open(
                f"http://{host}:{server.noted['port']}/deployments",
                "(document.body?.innerText ?? '').includes('nightly-eval')",
            )
            assert tab.run(ASK_ELSEWHERE) == "refused", "the pages reach a host of Prefect's analytics"


def test_up_or_status_do_not_say_how_another_folder_reaches_the_server(server, tmp_path):
    """The line is pasted in a shell in another folder; the flow run that it starts comes to an end."""
    lines = {server.work("up", "--json").document["access"], server.work("status", "--json").document["access"]}
    (line,) = lines
    assert line in server.work("up").out
    assert line in server.work("status").out
    known = {run["id"] for run in server.flow_runs()}
    command = ["sh", "-c", f"{line}\nprefect deployment run build-datasets/build-datasets"]
    env = environment(PYTHONPATH=str(server.work.root))
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=180)
    assert done.returncode == 0, done.stdout + done.stderr
    (new,) = {run["id"] for run in server.flow_runs()} - known
    assert server.wait(new)["state_name"] == "Completed"


def test_the_secret_is_where_others_can_read_it(server):
    """Not in what is printed, logged, stored or shown by `ps`, after flows have run; and the files are their owner's."""
    secret = server.secret
    word = secret.partition(":")[2]
    server.wait(server.trigger("build-datasets"))
    printed = [server.work(*call) for call in (("up",), ("up", "--json"), ("status",), ("status", "--json"))]
    printed += [server.prefect("config", "view"), server.prefect("plugins", "diagnose", status=None)]
    assert not [done for done in printed if word[:6] in done.out + done.err]
    holding = [
        path
        for path in [*server.work.home.rglob("*"), *Path(server.work.root).rglob("*")]
        if path.is_file() and (word.encode() in path.read_bytes() or basic(secret)[6:].encode() in path.read_bytes())
    ]
    assert {path.resolve() for path in holding} == {Path(server.noted["secret_file"]).resolve()}
    with closing(sqlite3.connect(server.work.home / "prefect" / "prefect.db")) as database:
        assert word not in "".join(database.iterdump())
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            assert word.encode() not in entry.read_bytes()
        except OSError:
            continue
    assert S_IMODE((server.work.home / "prefect").stat().st_mode) == 0o700
    assert S_IMODE(Path(server.noted["secret_file"]).stat().st_mode) == 0o600
    open_to_others = [p for p in (server.work.home / "prefect").iterdir() if p.is_file() and p.stat().st_mode & 0o077]
    assert [path.name for path in open_to_others] == []


OF_THE_USER = {
    "PREFECT_SERVER_API_AUTH_STRING": "user:one",
    "PREFECT_API_AUTH_STRING": "user:two",
    "PREFECT_API_KEY": "pnu_key",
    "PREFECT_PROFILE": "theirs",
    "OPENAI_API_KEY": "sk-of-the-vendor",
    "MY_MODEL_KEY": "my-key",
    "AWS_SECRET_ACCESS_KEY": "aws-secret",
    "PASSED_ON": "passed",
    "UNNAMED_TOKEN": "unnamed",
}


DEBUG = {
    "PREFECT_DEBUG_MODE": "1",
    "PREFECT_LOGGING_LEVEL": "DEBUG",
    "PREFECT_LOGGING_ROOT_LEVEL": "DEBUG",
    "PREFECT_LOGGING_SERVER_LEVEL": "DEBUG",
    "PREFECT_LOGGING_LOGGERS_UVICORN_LEVEL": "DEBUG",
    "PREFECT_LOGGING_EXTRA_LOGGERS": "websockets,httpcore,hpack",
}


@pytest.fixture(scope="module")
def served_for(house, tmp_path_factory):
    """(work, what `up` said, the note): `up` for a user with auth strings, a profile and many variables."""
    place = tmp_path_factory.mktemp("user")
    root = shutil.copytree(house, place / "project", symlinks=True)
    profiles = place / ".prefect" / "profiles.toml"
    profiles.parent.mkdir()
    profiles.write_text(
        'active = "theirs"\n[profiles.theirs]\nPREFECT_API_AUTH_STRING = "user:three"\n'
        'PREFECT_SERVER_API_AUTH_STRING = "user:four"\nPREFECT_API_URL = "http://127.0.0.1:9/api"\n'
    )
    theirs = f"sqlite+aiosqlite:///{place}/theirs.db"
    (root / ".env").write_text(
        f"PREFECT_SERVER_CSRF_PROTECTION_ENABLED=true\nPREFECT_API_DATABASE_CONNECTION_URL={theirs}\n"
    )
    broken = root / "broken-1.0.dist-info"  # a package with a plugin of Prefect that cannot be loaded
    broken.mkdir()
    (broken / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n")
    (broken / "entry_points.txt").write_text("[prefect.plugins]\nbroken = no_such_module\n")
    (place / "models.toml").write_text('[mine]\nprovider = "compatible"\nkey_env = "MY_MODEL_KEY"\n')
    work = Scrollwork(
        root,
        place / "home",
        {**OF_THE_USER, **DEBUG, "HOME": str(place), "PREFECT_SERVER_DATABASE_CONNECTION_URL": theirs},
    )
    options = ("--models", str(place / "models.toml"), "--pass-env", "PASSED_*", "--allow-host", "box.example")
    try:
        said = work("up", "--json", *options, umask=0o022)
        yield work, said, json.loads((work.home / "prefect" / "server.json").read_text())
    finally:
        work("down", "--quiet", status=None)
        for pid in processes_of(work.home):
            os.kill(pid, 9)


def environment_of(pid):
    settings = Path(f"/proc/{pid}/environ").read_bytes().decode().split("\0")
    return dict(setting.split("=", 1) for setting in settings if "=" in setting)


def test_prefects_own_auth_strings_end_up_in_401(served_for):
    work, _, note = served_for
    secret = basic(Path(note["secret_file"]).read_text().strip())
    assert ask(f"{note['url']}/deployments/count", "POST", {}, Authorization=secret)[2] == "4"
    for theirs in ("user:one", "user:two", "user:three", "user:four"):
        assert ask(f"{note['url']}/deployments/count", "POST", {}, Authorization=basic(theirs))[0] == 401
    done = subprocess.run(
        ["prefect", "deployment", "ls"],
        cwd=work.root,
        env=environment(PYTHONPATH=str(work.root), **work.env),
        capture_output=True,
        text=True,
        timeout=180,
    )
    assert "nightly-eval" in done.stdout, done.stderr
    ran = work("run", "zeroscrolls", "--sample", "--model", "naive:seed=0", "--task", "space_digest", "--json")
    assert len(ran.document["tasks"]) == 1


def test_the_database_of_the_user_is_used(served_for):
    work, _, _ = served_for  # has run a flow, above
    alone = work.with_(home=work.home.parent / "alone")
    alone("run", "zeroscrolls", "--sample", "--model", "naive:seed=1", "--task", "space_digest", "--quiet")
    assert [path.name for path in work.home.parent.glob("theirs.db*")] == []
    assert (alone.home / "prefect" / "prefect.db").is_file()


def test_keys_reach_the_server_or_more_than_the_named_ones_the_worker(served_for):
    _, said, note = served_for
    of_server, of_worker = environment_of(note["server"]), environment_of(note["worker"])
    mine = [name for name in OF_THE_USER if not name.startswith("PREFECT_")]
    assert [name for name in mine if name in of_server] == []
    assert {name for name in mine if name in of_worker} == {"OPENAI_API_KEY", "MY_MODEL_KEY", "PASSED_ON"}
    for value in ("pnu_key", "user:one", "user:two"):
        assert value not in {*of_server.values(), *of_worker.values()}
    assert {"OPENAI_API_KEY", "MY_MODEL_KEY", "PASSED_ON", "PATH"} <= set(said.document["variables"])
    assert set(said.document["variables"]) <= set(of_worker)
    assert not [value for value in ("sk-of-the-vendor", "my-key", "passed") if value in said.out + said.err]


def test_the_secret_is_in_a_log_with_all_settings_for_debugging(served_for):
    work, _, note = served_for
    word = Path(note["secret_file"]).read_text().strip().partition(":")[2]
    served = Server(work)
    run = served.trigger("build-datasets")
    assert served.wait(run)["state_name"] == "Completed"
    assert said_to(
        note["url"].replace("http", "ws", 1) + "/events/in",
        {"type": "auth", "token": served.secret},
        subprotocols=["prefect"],
    ) == {"type": "auth_success"}
    for name in ("server.log", "worker.log"):
        text = (work.home / "prefect" / name).read_text(errors="replace")
        assert [part for part in (word[:12], word[-12:], basic(served.secret)[6:30], "Basic ") if part in text] == []
    assert " | DEBUG " in text, "what the user asked for is there"


def test_a_plugin_of_another_package_leaves_tracebacks_in_the_logs(served_for):
    """Of server, worker and flow runs, of which one has run, above; and of `prefect` in the project folder."""
    work, _, _ = served_for
    for name in ("server.log", "worker.log"):
        text = (work.home / "prefect" / name).read_text(errors="replace")
        assert "Flow run" in text or name == "server.log"
        assert [word for word in ("no_such_module", "prefect.plugins", "Failed to load") if word in text] == []
    done = Server(work).prefect("version")
    assert "no_such_module" not in done.out + done.err


def test_an_allowed_host_is_refused(served_for):
    _, _, note = served_for
    assert ask(f"{note['url']}/health", Host="box.example")[0] == 200
    assert ask(f"{note['url']}/health", Host="other.example")[0] == 400


def test_down_keeps_the_secret_or_a_second_up_uses_it_again(served_for):
    work, _, note = served_for
    first = Path(note["secret_file"]).read_text()
    assert work("up", "--quiet").status == 0
    assert Path(note["secret_file"]).read_text() == first, "a server that stands keeps it"
    told = work("up", "--allow-host", "late.example").err
    assert "what runs does not know late.example: scrollwork down, then up" in told
    os.kill(note["server"], 9)
    deadline = time.monotonic() + 2
    while "worker\0start" in command_of(note["worker"]):
        assert time.monotonic() < deadline, "the worker polls whoever takes the port"
        time.sleep(0.05)
    assert "server: ended without scrollwork down, its worker too (scrollwork up)" in work("status").out
    assert work("status", "--json").document["server"] is None
    assert work("down", "--json").document == {"stopped": True}
    left = {path.name for path in (work.home / "prefect").iterdir()}
    assert not {"secret", "server.json"} & left
    work("up", "--quiet")
    again = json.loads((work.home / "prefect" / "server.json").read_text())
    assert Path(again["secret_file"]).read_text() != first
    assert ask(f"{again['url']}/flows/filter", "POST", {}, Authorization=basic(first.strip()))[0] == 401


def command_of(pid):
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""


def test_the_server_in_process_is_open_or_holds_keys(scrollwork):
    """`run` without `up` has a server of its own beside it, which is found and asked while it stands."""
    work = scrollwork.with_(env={"OPENAI_API_KEY": "sk-of-the-vendor", "PREFECT_API_AUTH_STRING": "user:one"})
    run = work.start("run", "zeroscrolls", "--sample", "--model", "naive", "--task", "qmsum", "--task", "space_digest")
    try:
        found = None
        while found is None and run.poll() is None:
            found = next(filter(None, map(listening, processes_of(work.home))), None)
        assert found is not None, run.communicate()
        pid, port = found
        assert "sk-of-the-vendor" not in environment_of(pid).values()
        while run.poll() is None:
            try:
                if ask(f"http://127.0.0.1:{port}/api/health")[0] == 200:
                    break
            except OSError:
                continue
        assert ask(f"http://127.0.0.1:{port}/api/flows/filter", "POST", {})[0] == 401
        assert ask(f"http://127.0.0.1:{port}/api/health", Host="evil.example")[0] == 400
    finally:
        out, err = run.communicate(timeout=300)
    assert run.returncode == 0, out + err
    assert S_IMODE((work.home / "prefect").stat().st_mode) == 0o700


def test_the_server_in_process_goes_on_when_its_run_is_killed(scrollwork):
    run = scrollwork.start("run", "zeroscrolls", "--sample", "--model", "naive", "--task", "qmsum")
    found = None
    while found is None and run.poll() is None:
        found = next(filter(None, map(listening, processes_of(scrollwork.home))), None)
    assert found is not None, run.communicate()
    pid, port = found
    while run.poll() is None:
        try:
            if ask(f"http://127.0.0.1:{port}/api/health")[0] == 200:
                break
        except OSError:
            continue
    run.kill()
    run.communicate()
    deadline = time.monotonic() + 30
    while "--port" in command_of(pid) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert "--port" not in command_of(pid)


def listening(pid):
    """(pid, port) of a process that is a Prefect server."""
    try:
        command = Path(f"/proc/{pid}/cmdline").read_bytes().decode().split("\0")
    except OSError:
        return None
    return (pid, int(command[command.index("--port") + 1])) if "--port" in command else None
