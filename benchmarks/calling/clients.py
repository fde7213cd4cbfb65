"""Calls, a client that only waits, and one that is little more than a socket: what benchmarks of the engine need."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator

import orjson

from benchmarks.calling.load import LATENCY_S
from scrollwork.models.base import Ask, Call, CallProblem, Reply, Segment, SharedPrefix, Usage


def calls(numbers: Iterable[int], prompt: str = "", group: int = 0) -> Iterator[Call]:
    """A call for each number; `group`: so many share a document."""
    for number in numbers:
        text = f"{number} {prompt}"
        prefixes = (SharedPrefix(len(text), f"d{number // group}"),) if group else ()
        ask = Ask(
            "task", str(number), (Segment("document", text),), "0" * 64, 1, 100, shared_prefixes=prefixes, tokens=10_000
        )
        body = {"messages": [{"role": "user", "content": text}], "max_tokens": 100}
        yield Call(f"{number:064d}", "model", {"body": body}, ask)


class Null:
    """Answers after LATENCY_S without sending anything."""

    async def send(self, call: Call) -> Reply:
        await asyncio.sleep(LATENCY_S)
        return Reply("text", "complete", "null", Usage(10_000, 0, 0, 10))

    async def close(self) -> None:
        pass


class Connection(asyncio.Protocol):
    """One request at a time over a kept connection."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._came = b""

    def ask(self, data: bytes) -> asyncio.Future[bytes]:
        """The body of the reply."""
        self._reply: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        self._transport.write(data)
        return self._reply

    def data_received(self, data: bytes) -> None:
        self._came += data
        head, found, body = self._came.partition(b"\r\n\r\n")
        if found and len(body) >= int(head.lower().partition(b"content-length:")[2].split(b"\r\n", 1)[0]):
            self._came = b""
            self._reply.set_result(body)

    def connection_lost(self, _: Exception | None) -> None:
        if hasattr(self, "_reply") and not self._reply.done():
            self._reply.set_exception(ConnectionError("lost"))

    def close(self) -> None:
        """Hang up."""
        self._transport.close()


class Raw:
    """HTTP/1.1 over an asyncio protocol, connections kept: the least that sends a prompt and reads a reply."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._idle: list[Connection] = []

    async def send(self, call: Call) -> Reply:
        body = orjson.dumps(call.payload["body"])
        head = b"POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: %d\r\n\r\n" % len(body)
        try:
            if self._idle:
                connection = self._idle.pop()
            else:
                loop = asyncio.get_running_loop()
                _, connection = await loop.create_connection(Connection, "127.0.0.1", self._port)
            found = orjson.loads(await connection.ask(head + body))
        except OSError as error:
            raise CallProblem("transient", type(error).__name__) from error
        self._idle.append(connection)
        text = found["choices"][0]["message"]["content"]
        return Reply(text, "complete", found["model"], Usage(10_000, 0, 0, 10))

    async def close(self) -> None:
        for connection in self._idle:
            connection.close()
