"""The simulated vendors on one loopback address: `Rehearsal()` starts them, PATHS has each one's path."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

from scrollwork.rehearsal import (
    anthropic_batches,
    anthropic_messages,
    compatible,
    gemini,
    openai_batches,
    openai_chat,
    openai_responses,
    openai_rules,
)
from scrollwork.rehearsal.clock import Clock, iso
from scrollwork.rehearsal.families import find
from scrollwork.rehearsal.faulty import faults
from scrollwork.rehearsal.faulty.batches import step_of
from scrollwork.rehearsal.fields import beyond
from scrollwork.rehearsal.world import Call, Refusal, Reply, World

PATHS: Mapping[str, str] = {  # path of each vendor's base_url
    "openai": "/openai/v1",
    "anthropic": "/anthropic",
    "gemini": "/gemini/v1beta/openai",
    "deepseek": "/deepseek",
    "xai": "/xai/v1",
    "groq": "/groq/openai/v1",
    "mistral": "/mistral/v1",
    "together": "/together/v1",
    "openrouter": "/openrouter/api/v1",
    "vllm": "/vllm/v1",
    "llamacpp": "/llamacpp/v1",
    "ollama": "/ollama/v1",
}
ASKS = ("/chat/completions", "/responses", "/messages")


def openai(world: World, call: Call) -> Reply:
    """Answer a request to OpenAI, by path."""
    openai_rules.signed(call)
    if call.path == "/v1/chat/completions":
        return openai_chat.chat(world, call)
    if call.path == "/v1/responses":
        return openai_responses.responses(world, call)
    if call.path.startswith(("/v1/files", "/v1/batches")):
        return openai_batches.route(world, call)
    return listing(world, call, "openai")


def listing(world: World, call: Call, vendor: str) -> Reply:
    """GET .../models and .../models/ID."""
    _, found, name = call.path.partition("/models")
    if not found:
        raise openai_rules.error(404, f"Unknown request URL: {call.method} {call.path}.", code="unknown_url")
    rows: Any = openai_rules.models(world, vendor)
    if not name:
        return Reply(200, rows)
    one = [row for row in rows["data"] if row["id"] == name[1:]]
    if not one:
        raise openai_rules.error(404, f"The model '{name[1:]}' does not exist", code="model_not_found")
    return Reply(200, one[0])


def anthropic(world: World, call: Call, base: str) -> Reply:
    """Answer a request to Anthropic, by path. base: see anthropic_batches.route."""
    anthropic_messages.signed(call)
    if call.path == "/v1/messages":
        return anthropic_messages.messages(world, call)
    if call.path == "/v1/messages/count_tokens":
        return anthropic_messages.count_tokens(world, call)
    if call.path.startswith("/v1/messages/batches"):
        return anthropic_batches.route(world, call, base)
    if call.path == "/v1/models":
        return anthropic_messages.models(world)
    if call.path.startswith("/v1/models/"):
        name = call.path.removeprefix("/v1/models/")
        one = find("anthropic", name)  # retired models stay listed
        if one is not None:
            return Reply(200, anthropic_messages.model(world, one, name))
    raise anthropic_messages.error(404, f"Not found: {call.path}", "not_found_error")


def others(world: World, call: Call, vendor: str) -> Reply:
    """Answer a request to Gemini or a server that speaks OpenAI's chat protocol, by path."""
    asked = call.path.endswith("/chat/completions")
    if vendor == "gemini":
        gemini.signed(call)
        return gemini.chat(world, call) if asked else listing(world, call, vendor)
    if vendor not in ("vllm", "llamacpp", "ollama"):
        openai_rules.signed(call)
    return compatible.chat(world, call, vendor) if asked else listing(world, call, vendor)


def control(world: World, call: Call) -> Reply:
    """GET /__bill, GET /__met (faults so far), GET and POST /__clock, GET and POST /__knobs."""
    try:
        if call.path == "/__bill":
            return Reply(200, world.ledger.export())
        if call.path == "/__met":
            with world.lock:
                return Reply(200, {name: dict(kinds) for name, kinds in world.met.items()})
        if call.path == "/__clock":
            if call.method == "POST":
                world.clock.turn(**call.body)
            return Reply(200, {"now": iso(world.clock.now()), "seconds": world.clock.now()})
        if call.path == "/__knobs":
            if call.method == "POST":
                faults.check(call.body, PATHS)
                world.turn_knobs(call.body)
            return Reply(200, world.knobs)
    except (TypeError, ValueError) as wrong:
        return Reply(400, {"error": str(wrong)})
    return Reply(404, {"error": f"no such path; vendors: {', '.join(PATHS.values())}"})


def answer(world: World, call: Call, address: str) -> Reply:
    """Answer a request to any vendor, with its fault, or to the paths of `control`."""
    if call.path.startswith("/__"):
        return control(world, call)
    vendor, _, rest = call.path[1:].partition("/")
    if vendor not in PATHS:
        return control(world, call)
    inner = Call(call.method, f"/{rest}", call.headers, call.body, call.raw)

    asked = call.method == "POST" and call.path.endswith(ASKS)

    def work() -> Reply:
        if asked and (name := beyond(call.body)):
            return openai_rules.error(400, f"The rehearsal does not simulate '{name}'.", param=name).reply
        try:
            if vendor == "openai":
                return openai(world, inner)
            if vendor == "anthropic":
                return anthropic(world, inner, f"{address}/anthropic")
            return others(world, inner, vendor)
        except Refusal as refusal:
            return refusal.reply
        except (AttributeError, KeyError, TypeError) as wrong:  # a body of another shape than the vendor's
            return openai_rules.error(400, f"Invalid request body: {wrong!r}").reply

    if step := step_of(vendor, inner):
        return faults.of_step(world, inner, vendor, step, work)
    return faults.applied(faults.drawn(world, inner, vendor) if asked else None, work, faults.key_of(inner))


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Rehearsal

    def handle_one(self) -> None:
        """Read a request, answer it."""
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        body: Any = {}
        if raw and "json" in self.headers.get("content-type", ""):
            try:
                body = json.loads(raw)
            except ValueError:
                body = None
        headers = {name.lower(): value for name, value in self.headers.items()}
        path = self.path.partition("?")[0]
        if isinstance(body, dict):
            reply = answer(self.server.world, Call(self.command, path, headers, body, raw), self.server.address)
        else:
            reply = openai_rules.error(400, "We could not parse the JSON body of your request.").reply
        if reply.drop:
            time.sleep(reply.stall_s)
            self.close_connection = True
            return
        data = json.dumps(reply.body).encode() if reply.raw is None else reply.raw
        self.send_response(reply.status)
        for name, value in {"content-type": "application/json", **reply.headers}.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data[: reply.part])
        if reply.part is not None:
            self.wfile.flush()
            time.sleep(reply.stall_s)
            self.close_connection = True

    do_GET = do_POST = do_DELETE = handle_one

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


class Rehearsal(ThreadingHTTPServer):
    """The HTTP server of the simulated vendors; use it in a `with` block, which starts and stops it."""

    daemon_threads = True
    request_queue_size = 256

    def __init__(self, clock: Clock | None = None, port: int = 0, **knobs: Any) -> None:
        """Listen on the loopback address. Raises ValueError for an unknown knob, OSError where the port is taken."""
        self.world = World(clock, **knobs)
        faults.check(self.world.knobs, PATHS)
        super().__init__(("127.0.0.1", port), Handler)
        self.address = f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Do not report a client that closed its connection, such as one that gave up on a stalled reply."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)

    def url(self, vendor: str) -> str:
        """The base_url of a vendor for its SDK."""
        return self.address + PATHS[vendor]

    def __enter__(self) -> Rehearsal:
        """Start to answer."""
        threading.Thread(target=self.serve_forever, daemon=True, kwargs={"poll_interval": 0.05}).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop."""
        self.shutdown()
        self.server_close()
