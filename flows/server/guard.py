"""Prefect's server application behind a guard. uvicorn is started with `create_app` (local_server.py).

Prefect checks the secret (PREFECT_SERVER_API_AUTH_STRING). The guard adds what Prefect has no setting for: it answers
only to the server's own host names (against DNS rebinding), and takes no secret from pages of another origin. What it
does where SQLite is busy is in busy.py.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
import logging
import os
import re
import signal
import socket
import threading
import time
from collections.abc import Iterable, MutableMapping
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from scrollwork.flows.server.busy import (
    App,
    Receive,
    Scope,
    Send,
    with_patient_transactions,
    with_retries,
    with_webhooks_apart,
)

ALLOWED_HOSTS = "SCROLLWORK_ALLOWED_HOSTS"  # further host names, separated by commas
WORD, PROOF = "X-Scrollwork-Word", "X-Scrollwork-Proof"  # headers: a challenge to /api/health, and its answer
LIFELINE = "SCROLLWORK_LIFELINE"  # an inherited pipe: the server ends when its other end is closed
OF_A_COMMAND = "PREFECT__SERVER_EPHEMERAL"  # set for the server of one command, which ends with it
KEEPER = "SCROLLWORK_KEEPER"  # PID:PORT of a process that holds our port until we take it (flows/server/worker.py)
END_S = 10.0
TAKE_S = 5.0
OWN_HOSTS = ("127.0.0.1", "localhost")
# Sent with every reply: Prefect's pages would contact analytics hosts, and could be put into a frame of any site.
POLICY = (b"content-security-policy", b"connect-src 'self'; frame-ancestors 'none'")
HOST = re.compile(r"(\[[0-9a-f:.]+\]|[^\s:/?#@\[\],]+)(:[0-9]*)?")


def create_app() -> App:
    """Prefect's application, guarded. Settings come from the environment, as for `prefect server start`."""
    try:
        from prefect.server.api.server import create_app as prefect_app

        with_patient_transactions()
        with_webhooks_apart()
        application = prefect_app(final=True)
    except (AttributeError, ImportError, TypeError) as error:
        raise SystemExit(unfit_prefect(error)) from None
    logging.getLogger("httpx").setLevel(logging.WARNING)  # at INFO it logs the secret addresses that alerts go to
    if watched := os.environ.get(LIFELINE):
        threading.Thread(target=end_with, args=(int(watched),), name="scrollwork-lifeline", daemon=True).start()

    hosts = filter(None, os.environ.get(ALLOWED_HOSTS, "").split(","))
    app: App = Guard(with_retries(application), hosts, os.environ.get("PREFECT_SERVER_API_AUTH_STRING", ""))
    if os.environ.get(OF_A_COMMAND):
        app = quiet_at_its_end(app)
    if keeper := os.environ.get(KEEPER):
        pid, _, port = keeper.partition(":")
        return with_port_from_keeper(app, int(pid), int(port))
    return app


def unfit_prefect(error: Exception) -> str:
    """The message for a version of Prefect that lacks something we use."""
    from importlib.metadata import version

    return (
        f"Prefect {version('prefect')} is not one that scrollwork knows ({error}): it is tested with the one that "
        "requirements.lock names; pip install -c requirements.lock prefect"
    )


def with_port_from_keeper(app: App, keeper: int, port: int) -> App:
    """Wrap an application so that, when it is ready, it asks the keeper for its port; uvicorn binds it right after.

    The keeper holds the port until then because flow runs send their secret to whoever has it."""

    async def taken(message: MutableMapping[str, Any], send: Send) -> None:
        if message["type"] == "lifespan.startup.complete":
            os.kill(keeper, signal.SIGUSR1)
            deadline = time.monotonic() + TAKE_S
            while not probe_port(port) and time.monotonic() < deadline:
                await asyncio.sleep(0.02)
        await send(message)

    async def asked(scope: Scope, receive: Receive, send: Send) -> None:
        await app(scope, receive, send if scope["type"] != "lifespan" else lambda message: taken(message, send))

    return asked


def quiet_at_its_end(app: App) -> App:
    """Wrap an application so that it logs nothing while it is stopped: Prefect cancels its services in the middle of
    what they do, and would say so with tracebacks after the last words of the command."""

    async def heard(receive: Receive) -> MutableMapping[str, Any]:
        message: MutableMapping[str, Any] = await receive()
        if message["type"] == "lifespan.shutdown":
            logging.disable(logging.CRITICAL)
        return message

    async def asked(scope: Scope, receive: Receive, send: Send) -> None:
        await app(scope, receive if scope["type"] != "lifespan" else lambda: heard(receive), send)

    return asked


def end_with(watched: int) -> None:
    """End this process when the other end of a pipe is closed, because the process that held it has ended."""
    os.read(watched, 1)  # nothing is ever written there
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(END_S)
    os._exit(1)


def probe_port(port: int) -> int:
    """The port if it is free (for port 0, some free port); 0 if it is taken."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # a server stopped just now frees its port
        with suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return int(probe.getsockname()[1])
    return 0


def proof_of_secret(secret: str, word: str) -> str:
    """HMAC of a challenge, which only a holder of the secret can compute."""
    return hmac.new(secret.encode("utf-8"), word.encode("utf-8"), hashlib.sha256).hexdigest()


def host_of(authority: str) -> str:
    """The host of HOST or HOST:PORT in lower case; "" for anything else."""
    found = HOST.fullmatch(authority.lower())
    return found[1] if found else ""


def place_of(origin: str) -> str:
    """HOST or HOST:PORT of an origin in lower case; "" for "null" and anything that is not an origin."""
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return ""


class Guard:
    """An ASGI application that answers only to its own host names, and takes no secret from pages of another origin."""

    def __init__(self, app: App, more_hosts: Iterable[str] = (), secret: str = "") -> None:
        self.app, self.hosts, self.secret = app, {*OWN_HOSTS, *more_hosts}, secret

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it: 400 for another host; 403 for a preflight (OPTIONS) or websocket from another
        origin. From other requests of another origin the secret is removed."""
        if scope["type"] not in ("http", "websocket"):  # start and end of the application
            await self.app(scope, receive, send)
            return
        hosts = values(scope, b"host")
        foreign = any(place_of(origin) != "".join(hosts).lower() for origin in values(scope, b"origin"))
        if len(hosts) != 1 or host_of(hosts[0]) not in self.hosts or not scope["path"].startswith("/"):
            await refuse(scope, send, 400, "not a name of this server; scrollwork up --allow-host NAME adds one")
        elif foreign and (scope["type"] == "websocket" or scope["method"] == "OPTIONS"):
            await refuse(scope, send, 403, "pages of another origin have no access")
        else:
            kept = [
                (name, value)
                for name, value in scope["headers"]
                if name != b"authorization" or not (foreign or breaks_prefect(value))
            ]
            words = values(scope, WORD.lower().encode()) if self.secret and scope["path"] == "/api/health" else []
            proofs = [(PROOF.lower().encode(), proof_of_secret(self.secret, word).encode()) for word in words[:1]]
            heard = receive if scope["type"] == "http" else with_first(receive)
            await self.app({**scope, "headers": kept}, heard, with_headers(send, [POLICY, *proofs]))


def breaks_prefect(credentials: bytes) -> bool:
    """Whether Prefect would fail with 500 on these credentials instead of 401: its comparison takes ASCII only."""
    try:
        return not base64.b64decode(credentials.split()[-1]).isascii()
    except (ValueError, IndexError):
        return False


def with_first(receive: Receive) -> Receive:
    """Wrap `receive` so that a websocket's first message on which Prefect would fail becomes one that it refuses."""
    first = True

    async def receiving() -> Any:
        nonlocal first
        message = await receive()
        if first and message["type"] == "websocket.receive":
            first = False
            if not is_word(message.get("text")):
                return {"type": "websocket.receive", "text": "{}"}
        return message

    return receiving


def is_word(text: Any) -> bool:
    """Whether a text is a JSON object whose token, if it has one, is ASCII."""
    try:
        found = json.loads(text)
    except (ValueError, TypeError, RecursionError):
        return False
    token = found.get("token", "") if isinstance(found, dict) else None
    return isinstance(token, str) and token.isascii()


def with_headers(send: Send, more: list[tuple[bytes, bytes]]) -> Send:
    """Wrap `send` so that replies have further headers."""

    async def sending(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message.get("headers", ()), *more]}
        await send(message)

    return sending


def values(scope: Scope, name: bytes) -> list[str]:
    """All values of a header."""
    return [value.decode("latin-1").strip() for key, value in scope["headers"] if key == name]


async def refuse(scope: Scope, send: Send, status: int, text: str) -> None:
    """Answer a request, or a websocket before it is accepted, with this status and text."""
    kind = "http" if scope["type"] == "http" else "websocket.http"
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"connection", b"close")]
    await send({"type": f"{kind}.response.start", "status": status, "headers": headers})
    await send({"type": f"{kind}.response.body", "body": text.encode("utf-8")})
