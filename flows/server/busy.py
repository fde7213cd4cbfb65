"""What Prefect's server does where its SQLite file is busy: with ours, requests are retried and automations wait.

SQLite refuses at once, whatever its timeout, to write in a transaction that began by reading and that another one has
overtaken. Prefect does this in many places.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

BUSY_S = (0.02, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2)  # waits before retries of a request, +/- 50 % at random
LOCK_MS = 10_000  # how long a statement waits for its turn
KEPT_BYTES = 1 << 20  # largest request body that is retried

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Any]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Any], Awaitable[None]]


def with_patient_transactions() -> None:
    """Let each transaction of Prefect in this process take SQLite's lock before it reads, and so wait for it.

    Otherwise one in four tasks is refused, and so are events: Prefect's automations try an event four times without a
    pause and drop it, so that an alert is lost, or comes twice after a success in part. Worse, what a refused statement
    leaves behind is freed by the garbage collector, on the thread of the server's event loop, and waits there for
    whatever its connection does by then: where that waits for a lock which only the loop can give back, the whole
    server stands still for SQLite's timeout (Prefect's: 60 s), and calls of webhooks are cut. So a statement waits for
    LOCK_MS alone. With 3 s, Prefect dropped parts of its feed of events under load.
    """
    from prefect.server.database.configurations import AioSqliteConfiguration

    patched: Any = AioSqliteConfiguration
    begin, connect = patched.begin_transaction, patched.setup_sqlite

    def begin_with_lock(self: Any, session: Any, with_for_update: bool = False) -> Any:
        return begin(self, session, with_for_update=True)

    def connected(self: Any, connection: Any, record: Any) -> None:
        connect(self, connection, record)
        cursor = connection.cursor()
        cursor.execute(f"PRAGMA busy_timeout = {LOCK_MS}")
        cursor.close()

    patched.begin_transaction, patched.setup_sqlite = begin_with_lock, connected


def with_webhooks_apart() -> None:
    """Let a webhook that is done leave the connections of others open.

    All webhooks of Prefect's automations share one transport, which each closes when it is done: of two alerts at the
    same moment, the second was cut before its body was sent ("Webhook call failed: ReadError"), and never sent again.
    """
    from prefect.blocks import webhook

    async def stay_open(*_: object) -> None:
        return

    for name in (
        "_http_transport",
        "_insecure_http_transport",
        "_safe_http_transport",
        "_safe_insecure_http_transport",
    ):
        getattr(webhook, name).__aexit__ = stay_open  # as httpx's client calls it


def with_retries(app: App) -> App:
    """Wrap an application so that a request answered by 503 is retried.

    Prefect answers 503 when nothing was written because SQLite was busy: two transactions that began by reading. About
    one task in four meets this: it asks for the limits of its tags while events of other tasks are written.
    """

    async def asked(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        kept: list[Any] = []
        for wait_s in BUSY_S:
            attempt = _Attempt(kept, receive, send)
            try:
                await app(dict(scope), attempt.receive, attempt.send)
            except Exception:  # raised by Starlette behind its own 503 too
                if not attempt.busy:
                    raise
            if not attempt.busy:
                return
            await asyncio.sleep(wait_s * random.uniform(0.5, 1.5))
        await app(scope, _Attempt(kept, receive, send).receive, send)

    return asked


class _Attempt:
    """One attempt to answer a request. It replays what was received before, and does not send a 503."""

    def __init__(self, kept: list[Any], receive: Receive, send: Send) -> None:
        self._kept, self._receive, self._send = kept, receive, send
        self._again = iter(tuple(kept))
        self._size = sum(len(part.get("body", b"")) for part in kept)
        self.busy = False

    async def receive(self) -> Any:
        if (message := next(self._again, None)) is None:
            message = await self._receive()
            if message["type"] == "http.request" and self._size <= KEPT_BYTES:
                self._size += len(message.get("body", b""))
                self._kept.append(message)
        return message

    async def send(self, message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            self.busy = message["status"] == 503 and self._size <= KEPT_BYTES
        if not self.busy:
            await self._send(message)
