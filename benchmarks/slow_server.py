"""A server that answers every POST with the same chat completion after LATENCY_S: a process of its own.

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

from benchmarks.load import LATENCY_S, MODEL
from benchmarks.measure import ROOT

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
    """A connection: each request is answered after LATENCY_S."""

    def __init__(self) -> None:
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
            asyncio.get_running_loop().call_later(LATENCY_S, self._transport.write, self._reply)


@contextmanager
def server() -> Iterator[int]:
    """The port of a server in a process of its own."""
    process = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.slow_server"], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        yield int(process.stdout.readline())
    finally:
        process.kill()
        process.wait()


async def serve() -> None:
    """Serve until killed; tells the port first."""
    listening = await asyncio.get_running_loop().create_server(Slow, "127.0.0.1", 0, backlog=1024)
    print(listening.sockets[0].getsockname()[1], flush=True)
    await listening.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve())
