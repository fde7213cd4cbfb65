"""A server that answers every POST with the same chat completion after LATENCY_S, or about that: a process of its own.

An asyncio protocol that reads as much as Content-Length says and looks at nothing else, so that what is measured is who
asks. 1 KB of answer.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random

from benchmarks.calling.load import LATENCY_S, MODEL
from benchmarks.kit.measure import ROOT

ANSWER = "word " * 200
COMPLETION = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 1_700_000_000,
    "model": MODEL,
    "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": ANSWER}}],
    "usage": {"prompt_tokens": 10_000, "completion_tokens": 200, "total_tokens": 10_200},
}


class Slow(asyncio.Protocol):
    """A connection: each request is answered after LATENCY_S, give or take `spread` of it."""

    def __init__(self, rng: Random, spread: float) -> None:
        self._rng, self._spread = rng, spread
        body = json.dumps(COMPLETION).encode()
        head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body)
        self._reply = head + body
        self._left = 0  # bytes of the request's body that have not come
        self._head = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        if not self._left:
            self._head += data
            head, found, data = self._head.partition(b"\r\n\r\n")
            if not found:
                return
            self._head = b""
            self._left = int(head.lower().partition(b"content-length:")[2].split(b"\r\n", 1)[0])
        self._left -= len(data)
        if self._left == 0:
            latency = LATENCY_S * self._rng.uniform(1 - self._spread, 1 + self._spread)
            asyncio.get_running_loop().call_later(latency, self._transport.write, self._reply)


@contextmanager
def server(spread: float = 0.0) -> Iterator[int]:
    """The port of a server in a process of its own."""
    process = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.calling.slow_server", str(spread)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        yield int(process.stdout.readline())
    finally:
        process.kill()
        process.wait()


async def serve(spread: float) -> None:
    """Serve until killed; tells the port first."""
    rng = Random(1)
    loop = asyncio.get_running_loop()
    listening = await loop.create_server(lambda: Slow(rng, spread), "127.0.0.1", 0, backlog=1024)
    print(listening.sockets[0].getsockname()[1], flush=True)
    await listening.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve(float(sys.argv[1])))
