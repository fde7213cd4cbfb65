"""Both vendors on one loopback port, misbehaving as told. Also a program, which outlives a client that is killed:

    python -m tests.servers.vendor --port 8123 --log requests.jsonl --plan '{"share": 0.3, "kinds": ["429", "reset"]}'

POST /_control changes settings while it runs ({"plan", "rpm", "tpm", "burst_s", "latency_s", "ahead_s", "key", "batch",
"edition", "wording", "version", "fingerprint", "root"});
GET /_log gives the rows of the log, GET /_stats counts.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn

from tests.servers import endpoints, texts
from tests.servers.accounts import Clock, PrefixCache, RateLimits
from tests.servers.batches import Batch, Batches, jsonl
from tests.servers.faults import STATUSES, Plan, refusal
from tests.servers.log import Log, headers_of
from tests.servers.shapes import damaged
from tests.servers.texts import tokens

HANGS_UP = ("reset", "reset-mid", "cut")


class Vendor:
    """The ASGI application."""

    def __init__(self, log_file: str = "", **settings: Any) -> None:
        self.log = Log(log_file)
        self.clock = Clock()
        self.limits = RateLimits(self.clock)
        self.openai_cache, self.anthropic_cache = PrefixCache(self.clock), PrefixCache(self.clock)
        self.batches = {name: Batches(self.batch_answer) for name in ("openai", "anthropic")}
        self.plan, self.latency_s, self.key, self.port = Plan(), 0.0, "", 0
        self.usage: dict[str, int] = {}
        self.edition = ""  # of the model: it begins every chat's answer, and ends the reported name
        self.wording = ""  # in place of the edition before a chat's answer
        self.version = ""  # in place of the reported name of the model
        self.fingerprint = ""
        self.root = ""  # of the weights, as GET /v1/models lists them
        self.reported: Any = ...  # in place of every count of tokens that replies tell; ... for the truth
        self.set(**settings)

    def set(self, **settings: Any) -> None:
        """Change settings, as of POST /_control."""
        if "plan" in settings:
            self.plan = Plan(settings["plan"])
        self.latency_s = settings.get("latency_s", self.latency_s)
        self.reported = settings.get("reported", self.reported)
        for name in ("edition", "wording", "version", "fingerprint", "root"):
            setattr(self, name, settings.get(name, getattr(self, name)))
        self.key = settings.get("key", self.key)
        self.clock.ahead_s += settings.get("ahead_s", 0.0)
        burst_s = settings.get("burst_s", 60.0)
        if "rpm" in settings:
            self.limits.requests.set(settings["rpm"], burst_s)
        if "tpm" in settings:
            self.limits.tokens.set(settings["tpm"], burst_s)
        for batches in self.batches.values():
            batches.plan = settings.get("batch", batches.plan)

    def batch_answer(self, path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """What a batch's request is answered: the same as it would be alone."""
        if path == "/v1/messages":
            status, reply, _ = endpoints.messages(body, self.anthropic_cache)
        else:
            status, reply, _ = endpoints.OPENAI[path](body, self.openai_cache)
        reply = self.edited(status, reply)
        return status, {**reply, "usage": self.told(reply["usage"])} if "usage" in reply else reply

    def edited(self, status: int, reply: dict[str, Any]) -> dict[str, Any]:
        """The reply of this edition of the model."""
        if not self.edition or status != 200 or "choices" not in reply:
            return reply
        message = reply["choices"][0]["message"]
        message["content"] = f"{self.wording or self.edition} {message['content']}"
        told = {"system_fingerprint": self.fingerprint} if self.fingerprint else {}
        return {**reply, "model": self.version or f"{reply['model']}-{self.edition}", **told}

    def told(self, usage: dict[str, Any]) -> dict[str, Any]:
        """The usage that a reply tells."""
        if self.reported is ...:
            return usage
        return {name: self.told(one) if isinstance(one, dict) else self.reported for name, one in usage.items()}

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        assert scope["type"] == "http"
        data = b""
        while True:
            message = await receive()
            data += message.get("body", b"")
            if message["type"] == "http.disconnect":
                return
            if not message.get("more_body"):
                break
        path, method = scope["path"], scope["method"]
        out = Out(send, receive)
        if path.startswith("/_"):
            await self.control(path, data, out)
            return
        given = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        key = (given.get("authorization", "").partition(" ")[2] or given.get("x-api-key", "")).strip()
        asks = path in endpoints.NAMES and method == "POST"
        body = json.loads(data) if asks else {}
        digest = texts.digest(body) if asks else hashlib.sha256(data).hexdigest()  # whatever the order of its fields
        number = self.log.began(
            method=method,
            path=path,
            digest=digest,
            bytes=len(data),
            key=bool(key),
            headers=headers_of(scope["headers"]),
        )
        fault = ""
        try:
            vendor = "anthropic" if path.startswith("/v1/messages") else "openai"
            if self.key and key != self.key:
                await out.json(*refusal("401", vendor, key))
            elif asks:
                fault = self.plan.next(digest)
                await self.generate(path, vendor, body, fault, key, out)
            else:
                await self.other(path, method, vendor, data, given, scope, out)
        finally:
            self.log.ended(number, out.status, fault)

    async def generate(self, path: str, vendor: str, body: dict[str, Any], fault: str, key: str, out: Out) -> None:
        """A request for an answer: limits, then faults, then the answer."""
        anthropic = vendor == "anthropic"
        most = max((v for n, v in body.items() if n.startswith("max_") and isinstance(v, int)), default=0)
        wait = self.limits.refused(tokens(json.dumps(body)) + most)
        headers = self.limits.anthropic_headers() if anthropic else self.limits.openai_headers()
        if wait > 0:
            status, error, _ = refusal("429", vendor, key)
            await out.json(status, error, {**headers, "retry-after": str(int(wait) + 1)})
            return
        kind, _, seconds = fault.partition(":")
        await asyncio.sleep(self.latency_s + (float(seconds) if kind == "stall" else 0.0))
        if fault in STATUSES:
            status, error, more = refusal(fault, vendor, key)
            await out.json(status, error, {**headers, **more})
            return
        if fault == "reset":
            out.reset()
            return
        cache = self.anthropic_cache if anthropic else self.openai_cache
        status, reply, names = (endpoints.messages if anthropic else endpoints.OPENAI[path])(body, cache)
        if status == 200:
            cache.keep(names)
            reply = self.edited(status, reply)
            self.count(reply["usage"])
            reply["usage"] = self.told(reply["usage"])
        content_type, content = "application/json", json.dumps(reply).encode()
        if fault and kind not in ("stall", "drip", *HANGS_UP) and status == 200:
            content_type, content = damaged(fault, endpoints.NAMES[path], reply)
            content = content.replace(b"KEY", key.encode()) if fault == "echo" else content
        if fault in HANGS_UP:
            await out.torn(status, content, reset=fault == "reset-mid")
        elif kind == "drip":
            await out.drip(status, content, float(seconds))
        else:
            await out.send(status, content, {**headers, "content-type": content_type})

    def count(self, usage: dict[str, Any]) -> None:
        """Sum up what was charged."""
        for name, value in usage.items():
            if isinstance(value, int):
                self.usage[name] = self.usage.get(name, 0) + value
            elif isinstance(value, dict):
                self.count(value)

    async def other(
        self, path: str, method: str, vendor: str, data: bytes, given: dict[str, str], scope: Any, out: Out
    ) -> None:
        """Files, batches, models, token counts."""
        batches = self.batches[vendor]
        parts = path.strip("/").split("/")
        query = dict(pair.split("=", 1) for pair in scope["query_string"].decode().split("&") if "=" in pair)
        try:
            if path == "/v1/models":
                weights = {"root": self.root, "created": int(self.clock.now())} if self.root else {}
                models = [{"id": name, "object": "model", **weights} for name in ("gpt-test", "g")]
                await out.json(200, {"object": "list", "data": models if self.root else models[:1]}, {})
            elif path == "/v1/messages/count_tokens":
                await out.json(*endpoints.count_tokens(json.loads(data))[:2], {})
            elif path == "/v1/files" and method == "POST":
                await out.json(200, batches.openai_file(given["content-type"], data), {})
            elif parts[1] == "files" and parts[-1] == "content":
                await asyncio.sleep(batches.plan.get("results_s", 0.0))
                await out.send(200, batches.files[parts[2]], {"content-type": "application/jsonl"})
            elif path in ("/v1/batches", "/v1/messages/batches") and method == "POST":
                await self.create(batches, vendor, json.loads(data), out)
            elif path in ("/v1/batches", "/v1/messages/batches"):
                await out.json(200, self.listed(batches, vendor, query), {})
            elif "batches" not in parts:
                raise KeyError(path)
            else:
                await self.of_batch(parts[parts.index("batches") + 1 :], batches, vendor, out)
        except (KeyError, ValueError) as error:
            await out.json(
                *endpoints.bad(vendor, str(error), status=404 if isinstance(error, KeyError) else 400)[:2], {}
            )

    async def create(self, batches: Batches, vendor: str, body: dict[str, Any], out: Out) -> None:
        """Make a batch; its creator may never hear of it."""
        script = batches.plan.get("create", [])
        fault = str(script.pop(0)) if script else "lost" if batches.plan.get("lost_reply") else ""
        kind, _, more = fault.partition(":")
        if fault in STATUSES:
            status, error, headers = refusal(fault, vendor, "")
            await out.json(status, error, headers)
            return
        await asyncio.sleep(float(more) if kind == "late" else 0.0)
        make = batches.anthropic_create if vendor == "anthropic" else batches.openai_create
        batch = make(body, self.clock.now())
        await asyncio.sleep(float(more) if kind == "slow" else 0.0)
        if kind == "lost":
            out.reset()
        elif kind == "made":
            await out.json(*refusal(more, vendor, "")[:2], {})
        else:
            await out.json(200, self.view(batches, vendor, batch, "waiting"), {})

    def listed(self, batches: Batches, vendor: str, query: dict[str, str]) -> dict[str, Any]:
        """A page of the list, the latest first."""
        latest = list(reversed(batches.made.values()))
        after = query.get("after_id" if vendor == "anthropic" else "after")
        start = next((n + 1 for n, one in enumerate(latest) if one.name == after), 0)
        page = latest[start : start + int(query.get("limit", 20))]
        data = [self.view(batches, vendor, one, batches.look(one)) for one in page]
        ids = {"first_id": page[0].name if page else None, "last_id": page[-1].name if page else None}
        return {"object": "list", "data": data, "has_more": start + len(page) < len(latest), **ids}

    def view(self, batches: Batches, vendor: str, batch: Batch, state: str) -> dict[str, Any]:
        """A batch as its vendor shows it."""
        if vendor == "anthropic":
            return batches.anthropic_view(batch, state, self.url)
        return batches.openai_view(batch, state)

    async def of_batch(self, rest: list[str], batches: Batches, vendor: str, out: Out) -> None:
        """GET a batch or its results, POST its end."""
        batch = batches.made[rest[0]]
        if rest[1:] == ["results"]:
            if not batch.lines:
                raise ValueError("results are not there yet")
            await asyncio.sleep(batches.plan.get("results_s", 0.0))
            lines = [batches.anthropic_line(line) for line in batch.lines]
            await out.send(200, jsonl(lines, batches.plan.get("rubbish", False)), {})
            return
        if rest[1:] == ["cancel"]:
            batches.plan = {**batches.plan, "end": "cancelled"}
            batches.end(batch)
            batch.cancelled = True
        await out.json(200, self.view(batches, vendor, batch, batches.look(batch)), {})

    async def control(self, path: str, data: bytes, out: Out) -> None:
        """What tests say to a server in another process."""
        if path == "/_control":
            self.set(**json.loads(data))
            await out.json(200, {}, {})
        elif path == "/_log":
            await out.json(200, {"rows": self.log.rows}, {})
        else:
            batches = {name: len(one.made) for name, one in self.batches.items()}
            stats = {"most_in_flight": self.log.most_in_flight, "usage": self.usage, "batches": batches}
            await out.json(200, {**stats, "requests": len(self.log.requests())}, {})

    @property
    def url(self) -> str:
        """Address without /v1."""
        return f"http://127.0.0.1:{self.port}"


class Out:
    """The way back to a client, with the rude ones."""

    def __init__(self, send: Any, receive: Any) -> None:
        self._send = send
        self._transport = receive.__self__.transport  # uvicorn's own: ASGI knows no reset
        self.status = 0

    async def start(self, status: int, headers: dict[str, str]) -> None:
        self.status = status
        pairs = [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]
        await self._send({"type": "http.response.start", "status": status, "headers": pairs})

    async def send(self, status: int, content: bytes, headers: dict[str, str]) -> None:
        """A whole reply."""
        await self.start(status, {"x-request-id": "req_1", **headers, "content-length": str(len(content))})
        await self._send({"type": "http.response.body", "body": content})

    async def json(self, status: int, body: Any, headers: dict[str, str]) -> None:
        """A whole reply in JSON."""
        await self.send(status, json.dumps(body).encode(), {**headers, "content-type": "application/json"})

    async def torn(self, status: int, content: bytes, *, reset: bool) -> None:
        """Half of a reply, then the end of the connection."""
        await self.start(status, {"content-type": "application/json", "content-length": str(len(content))})
        await self._send({"type": "http.response.body", "body": content[: len(content) // 2], "more_body": True})
        await asyncio.sleep(0.02)
        if reset:
            self.reset()
        else:
            self._transport.close()

    async def drip(self, status: int, content: bytes, seconds: float) -> None:
        """A whole reply in twenty pieces."""
        await self.start(status, {"content-type": "application/json", "content-length": str(len(content))})
        size = max(1, len(content) // 20)
        for start in range(0, len(content), size):
            await asyncio.sleep(seconds / 20)
            piece = {"body": content[start : start + size], "more_body": start + size < len(content)}
            await self._send({"type": "http.response.body", **piece})

    def reset(self) -> None:
        """RST in place of an answer."""
        connection = self._transport.get_extra_info("socket")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._transport.abort()


def configured(app: Vendor, port: int) -> tuple[uvicorn.Server, socket.socket]:
    """A server on a bound socket; port 0 for a free one."""
    listening = socket.socket()
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listening.bind(("127.0.0.1", port))
    listening.listen(2048)  # now: who reads the address may come before uvicorn is ready
    app.port = listening.getsockname()[1]
    config = uvicorn.Config(app, lifespan="off", log_level="critical", access_log=False, timeout_keep_alive=60)
    return uvicorn.Server(config), listening


@contextmanager
def running(kind: type[Vendor] = Vendor, **settings: Any) -> Iterator[Vendor]:
    """The vendors in a thread, on a free port. kind: another vendor."""
    app = kind(**settings)
    server, listening = configured(app, 0)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    try:
        yield app
    finally:
        server.should_exit = server.force_exit = True
        thread.join(timeout=10)
        listening.close()


def main() -> None:
    """Serve until killed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--log", default="")
    parser.add_argument("--plan", default="{}")
    parser.add_argument("--settings", default="{}", help="JSON, as of POST /_control")
    chosen = parser.parse_args()
    app = Vendor(chosen.log, plan=json.loads(chosen.plan), **json.loads(chosen.settings))
    server, listening = configured(app, chosen.port)
    print(app.url, flush=True)
    server.run(sockets=[listening])


if __name__ == "__main__":
    main()
