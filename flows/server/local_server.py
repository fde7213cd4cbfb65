"""The local Prefect server of a home: its note file, its secret, and the settings that lead Prefect to it.

Imports no Prefect."""

from __future__ import annotations

import base64
import hmac
import http.client
import json
import os
import secrets
import shlex
import subprocess
import sys
import urllib.request
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from scrollwork.flows.server.guard import PROOF, WORD, proof_of_secret
from scrollwork.flows.server.project import CODE, IMPORTED, project_of
from scrollwork.flows.server.variables import quiet_log_levels
from scrollwork.flows.server.worker import KEEP

STARTED = (b"scrollwork.flows.", b"prefect")  # parts of the command lines of processes that `up` (any version) starts
POOL = "local"  # the work pool of prefect.yaml
QUIET = {
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "DO_NOT_TRACK": "1",
    "PREFECT_CLI_PROMPT": "false",
    "PREFECT_EXPERIMENTS_WARN": "false",
}


def note_path(home: Path) -> Path:
    """The file in which a running server is noted."""
    return home / "prefect" / "server.json"


def secret_path(home: Path) -> Path:
    """The file with the secret of a running server, readable by its owner alone."""
    return home / "prefect" / "secret"


def noted_server(home: Path) -> dict[str, Any] | None:
    """What `up` noted about the server of a home (fields: up.start); None where there is no note."""
    try:
        value = json.loads(note_path(home).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return value if isinstance(value, dict) and {"url", "ui", "server", "worker"} <= set(value) else None


def note_server(running: dict[str, Any]) -> None:
    """Note a server where later commands, and `prefect` in its project folder, find it."""
    for place in {Path(running["home"]), project_of(running) / ".scrollwork"}:
        make_private(note_path(place).parent)
        write_private(note_path(place), json.dumps(running))


def forget_server(home: Path) -> None:
    """Remove the secret and the notes of this home's server."""
    standing = noted_server(home)
    secret_path(home).unlink(missing_ok=True)
    for place in {home, project_of(standing or {}) / ".scrollwork"}:
        if noted_server(place) == standing:
            note_path(place).unlink(missing_ok=True)


def is_healthy(url: str, secret: str, timeout_s: float = 2.0) -> bool:
    """Whether the server with this secret answers at `url`.

    The secret is not sent, or another process on the port of a dead server would get it. Instead the guard must answer
    a random challenge with its HMAC. No proxy is used."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    word = secrets.token_urlsafe(16)
    try:
        with opener.open(urllib.request.Request(f"{url}/health", headers={WORD: word}), timeout=timeout_s) as reply:
            return bool(reply.status == 200) and hmac.compare_digest(
                reply.headers.get(PROOF, ""), proof_of_secret(secret, word)
            )
    except (OSError, ValueError, TypeError, http.client.HTTPException):
        return False


def is_running(server: dict[str, Any], timeout_s: float = 2.0) -> bool:
    """Whether a noted server runs and answers at its address."""
    secret = secret_of(server)
    return bool(secret) and is_alive(server["server"]) and is_healthy(str(server["url"]), secret, timeout_s)


def is_alive(pid: Any) -> bool:
    """Whether a process runs. A zombie child is reaped and does not count."""
    if not isinstance(pid, int) or pid <= 0:
        return False
    with suppress(ChildProcessError, OSError):
        os.waitpid(pid, os.WNOHANG)
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def is_ours(pid: Any) -> bool:
    """Whether a pid is still a process that `up` started; pids are reused."""
    if not isinstance(pid, int) or pid <= 0:
        return False
    if not Path("/proc").is_dir():
        return is_alive(pid)
    return any(word in command_of(pid) for word in STARTED)


def is_keeper(pid: int) -> bool:
    """Whether a worker has become the keeper of its flow runs (flows/server/worker.py)."""
    return KEEP.encode() in command_of(pid).split(b"\0")


def worker_lives(server: dict[str, Any]) -> bool:
    """Whether the worker of a noted server runs and has not become a keeper."""
    return is_ours(server["worker"]) and not is_keeper(server["worker"])


def command_of(pid: int) -> bytes:
    """The command line of a process, its arguments separated by NUL; b"" for one that has ended."""
    if Path("/proc").is_dir():
        with suppress(OSError):
            return Path(f"/proc/{pid}/cmdline").read_bytes()
        return b""
    done = subprocess.run(["ps", "-o", "args=", "-p", str(pid)], capture_output=True)
    return done.stdout.strip().replace(b" ", b"\0")


def running_server(home: Path) -> dict[str, Any] | None:
    """The noted server of a home, if it is running; else None."""
    server = noted_server(home)
    return server if server is not None and is_running(server) else None


def post(server: dict[str, Any], path: str, body: dict[str, Any]) -> Any:
    """Send a POST request to the API of a running server, with its secret; returns the JSON. Raises OSError."""
    return json.loads(_asked(server, path, "POST", json.dumps(body).encode("utf-8")))


def delete(server: dict[str, Any], path: str) -> None:
    """Send a DELETE request to the API of a running server. Raises OSError."""
    _asked(server, path, "DELETE", None)


def ask(server: dict[str, Any], method: str, path: str, body: Any = None) -> Any:
    """Send any request to the API of a running server, with its secret; returns the JSON, None where there is none.
    Raises OSError."""
    said = _asked(server, path, method, None if body is None else json.dumps(body).encode("utf-8"))
    return json.loads(said) if said else None


def _asked(server: dict[str, Any], path: str, method: str, body: bytes | None) -> bytes:
    if not is_running(server, timeout_s=10):
        raise ConnectionError(f"not our server at {server['url']}")
    token = base64.b64encode(secret_of(server).encode("utf-8")).decode("ascii")
    headers = {"Content-Type": "application/json", "Authorization": f"Basic {token}"}
    request = urllib.request.Request(f"{server['url']}/{path}", body, headers, method=method)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request, timeout=10) as reply:
        data: bytes = reply.read()
        return data


def is_online(running: dict[str, Any], name: str, since: datetime) -> bool:
    """Whether a worker of this name has reported to the server since then (an earlier one may have had the name)."""
    with suppress(OSError, ValueError):
        workers = post(running, f"work_pools/{POOL}/workers/filter", {})
        seen = [str(worker["last_heartbeat_time"]) for worker in workers if worker["name"] == name]
        return any(datetime.fromisoformat(time.replace("Z", "+00:00")) >= since for time in seen)
    return False


def settings(home: Path) -> dict[str, str]:
    """Environment variables to set for Prefect in this process: the server that `up` started, else a temporary one; no
    telemetry.

    Variables that the user has set are kept, except that a server's address and secret go together.
    """
    wanted = dict(QUIET)
    server = running_server(home)
    named = os.environ.get("PREFECT_API_URL")
    if named is None and server is None:
        wanted["PREFECT_SERVER_ALLOW_EPHEMERAL_MODE"] = "true"
        wanted["PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS"] = "180"
    if named is None:
        wanted["PREFECT_HOME"] = str(home / "prefect")
    unset = {name: value for name, value in wanted.items() if name not in os.environ}
    return unset | (access_env(server) if server is not None and named in (None, server["url"]) else {})


# ---- the secret


def new_secret() -> str:
    """USER:PASSWORD for Prefect's basic authentication."""
    return f"scrollwork:{secrets.token_urlsafe(32)}"


def make_private(folder: Path) -> None:
    """Make a folder that only its owner can enter; an existing one is closed to others."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.chmod(0o700)


def write_private(path: Path, text: str) -> None:
    """Write a file that only its owner can read, at any moment; an existing one is replaced."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.unlink(missing_ok=True)
    with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as stream:
        stream.write(text)
    os.replace(temporary, path)


def secret_of(server: dict[str, Any]) -> str:
    """The secret of a noted server; "" where there is none."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        return Path(server["secret_file"]).read_text(encoding="utf-8").strip()
    return ""


def access_env(server: dict[str, Any]) -> dict[str, str]:
    """The environment variables by which Prefect reaches a noted server."""
    secret = secret_of(server)
    return {"PREFECT_API_URL": str(server["url"])} | ({"PREFECT_API_AUTH_STRING": secret} if secret else {})


def access_line(server: dict[str, Any]) -> str:
    """A shell line after which `prefect` in any folder reaches the server. It reads the secret from its file, so that
    the secret is not in the shell's history."""
    address = f"export PREFECT_API_URL={shlex.quote(str(server['url']))}"
    file = server.get("secret_file")  # missing for a server that an earlier version started
    return f'{address} PREFECT_API_AUTH_STRING="$(cat {shlex.quote(str(file))})"' if file else address


# ---- how it is started


def module_command(module: str, folder: Path) -> list[str]:
    """The command that runs a module of ours in a project folder. Modules in that folder are not imported (-P), because
    one may have the name of a library's; in the checkout our own modules may be found there."""
    return [sys.executable, *([] if folder == CODE else ["-P"]), "-m", module]


def server_command(port: int) -> list[str]:
    """The command of a guarded server on this machine. h11 is used because it passes the request target unchanged."""
    where = ["--host", "127.0.0.1", "--port", str(port), "--http", "h11", "--lifespan", "on", "--log-level", "warning"]
    factory = ["--app-dir", str(IMPORTED), "--factory", "scrollwork.flows.server.guard:create_app"]
    return [sys.executable, "-m", "uvicorn", *factory, *where]


def server_settings(folder: Path, port: int, secret: str) -> dict[str, str]:
    """Environment variables of a guarded server: its folder with the database, its secret, CORS for its own origin
    only.

    It must be started in that folder, because Prefect reads `.env`, prefect.toml and pyproject.toml where it starts.
    """
    own = f"http://127.0.0.1:{port}"
    return {
        **QUIET,
        **quiet_log_levels(os.environ),
        "PREFECT_HOME": str(folder),
        "PREFECT_SERVER_DATABASE_CONNECTION_URL": f"sqlite+aiosqlite:///{folder}/prefect.db",
        "PREFECT_SERVER_CSRF_PROTECTION_ENABLED": "false",  # no cookies, and the guard takes no secret of other origins
        "PREFECT_PLUGINS_ENABLED": "false",  # our plugin would point this process to a server
        "PREFECT_SERVER_UI_API_URL": "/api",  # the UI asks the host that it was loaded from
        "PREFECT_SERVER_CORS_ALLOWED_ORIGINS": own,
        "PREFECT_SERVER_API_AUTH_STRING": secret,
        "PREFECT_API_AUTH_STRING": secret,
    }
