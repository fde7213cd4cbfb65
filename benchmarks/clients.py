"""Calls, a client without an SDK, and a server that answers after a while: what benchmarks of the engine need.

The server is a process of its own: an asyncio protocol that reads as much as Content-Length says and answers after
LATENCY_S.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from benchmarks.measure import ROOT
from models.base import Ask, Call, CallProblem, Reply, Segment, Usage

LATENCY_S = 0.5
PROMPT = "A line of forty characters, with newline.\n"[:40] * 1000  # 40 KB


def calls(numbers: Iterable[int], prompt: str = "", group: int = 0) -> Iterator[Call]:
    """A call for each number; `group`: so many share a document."""
    for number in numbers:
        text = f"{number} {prompt}"
        prefix = f"d{number // group}" if group else ""
        ask = Ask("task", str(number), (Segment("document", text),), "0" * 64, 1, 100, prefix=prefix, tokens=10_000)
        yield Call(f"{number:064d}", "model", {"body": {"prompt": text, "max_tokens": 100}}, ask)


class Null:
    """Answers after LATENCY_S without sending anything."""

    async def send(self, call: Call) -> Reply:
        await asyncio.sleep(LATENCY_S)
        return Reply("text", "complete", "null", Usage(10_000, 0, 0, 10))

    async def close(self) -> None:
        pass


class Raw:
    """HTTP/1.1 over asyncio streams, connections kept: the least that sends a prompt and reads a reply."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._idle: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = []

    async def send(self, call: Call) -> Reply:
        body = json.dumps(call.payload["body"]).encode()
        head = f"POST /v1/chat HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {len(body)}\r\n\r\n".encode()
        try:
            reader, writer = self._idle.pop() if self._idle else await asyncio.open_connection("127.0.0.1", self._port)
            writer.write(head + body)
            answered = await reader.readuntil(b"\r\n\r\n")
            length = int(answered.lower().partition(b"content-length:")[2].split(b"\r\n", 1)[0])
            found = json.loads(await reader.readexactly(length))
        except (OSError, asyncio.IncompleteReadError) as error:
            raise CallProblem("transient", type(error).__name__) from error
        self._idle.append((reader, writer))
        return Reply(found["text"], "complete", "raw", Usage(10_000, 0, 0, 10))

    async def close(self) -> None:
        for _, writer in self._idle:
            writer.close()


class Slow(asyncio.Protocol):
    """A connection of the server: each request is answered after LATENCY_S."""

    def __init__(self) -> None:
        body = json.dumps({"text": "word " * 200}).encode()
        self._reply = (
            b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body
        )
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
        [sys.executable, "-m", "benchmarks.clients"], cwd=ROOT, stdout=subprocess.PIPE, text=True
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
