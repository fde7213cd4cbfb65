"""A web server on the loopback that misbehaves as told: tests say what each path answers, attempt by attempt."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = Callable[["Handler"], None]


@dataclass
class Asked:
    """One request as it came."""

    path: str
    headers: dict[str, str]
    at: float

    @property
    def range(self) -> str:
        return self.headers.get("range", "")


@dataclass
class FileServer:
    """answers: {path: list of answers}; the last one is repeated."""

    url: str
    answers: dict[str, list[Answer]] = field(default_factory=dict)
    asked: list[Asked] = field(default_factory=list)
    most_at_once: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)
    running: int = 0

    def on(self, path: str, *answers: Answer) -> str:
        """Let the path answer so; its URL."""
        self.answers[path] = list(answers)
        return self.url + path

    def count(self, path: str) -> int:
        return sum(asked.path == path for asked in self.asked)

    def of(self, path: str) -> list[Asked]:
        return [asked for asked in self.asked if asked.path == path]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    files: FileServer

    def do_GET(self) -> None:
        asked = Asked(self.path, {name.lower(): value for name, value in self.headers.items()}, time.monotonic())
        with self.files.lock:
            self.files.asked.append(asked)
            self.files.running += 1
            self.files.most_at_once = max(self.files.most_at_once, self.files.running)
            answers = self.files.answers.get(self.path, [status(404)])
            answer = answers.pop(0) if len(answers) > 1 else answers[0]
        try:
            answer(self)
        except (BrokenPipeError, ConnectionResetError):
            pass
        finally:
            with self.files.lock:
                self.files.running -= 1

    def head(self, code: int, **headers: Any) -> None:
        self.send_response(code)
        for name, value in headers.items():
            if value is not None:
                self.send_header(name.replace("_", "-"), str(value))
        self.end_headers()

    def cut(self) -> None:
        """Drop the connection in the middle."""
        self.wfile.flush()
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def log_message(self, *_: Any) -> None:
        pass


def status(code: int, **headers: Any) -> Answer:
    return lambda handler: handler.head(code, Content_Length=0, **headers)


def redirect(to: str, code: int = 302) -> Answer:
    return status(code, Location=to)


def body(
    data: bytes,
    *,
    etag: str | None = '"v1"',
    ranges: bool = True,
    cut_after: int | None = None,
    stall_after: int | None = None,
    stall_s: float = 3.0,
    drip: tuple[int, float] | None = None,
    length: int | None = -1,
    chunked: bool = False,
    **headers: Any,
) -> Answer:
    """Serve data; cut_after, stall_after: bytes of this answer after which the connection is dropped or goes silent.

    drip: (bytes, pause) a time. length: what Content-Length claims (-1: the truth, None: nothing is said).
    """

    def answer(handler: Handler) -> None:
        begin, code = 0, 200
        asked = handler.headers.get("Range", "")
        same = handler.headers.get("If-Range") in (None, etag)
        more = dict(headers)
        if ranges and asked and same:
            begin = int(asked.removeprefix("bytes=").rstrip("-"))
            if begin >= len(data):
                handler.head(416, Content_Length=0, Content_Range=f"bytes */{len(data)}")
                return
            code, more["Content_Range"] = 206, f"bytes {begin}-{len(data) - 1}/{len(data)}"
        content = data[begin:]
        more["Content_Length"] = None if chunked or length is None else len(content) if length == -1 else length
        if chunked:
            more["Transfer_Encoding"] = "chunked"
        handler.head(code, ETag=etag, **more)
        out = handler.wfile
        if drip:
            for at in range(0, len(content), drip[0]):
                out.write(content[at : at + drip[0]])
                time.sleep(drip[1])
        elif cut_after is not None:
            piece = content[:cut_after]
            out.write(b"%x\r\n%s\r\n" % (len(piece), piece) if chunked else piece)
            handler.cut()
        elif stall_after is not None:
            out.write(content[:stall_after])
            out.flush()
            time.sleep(stall_s)
            handler.close_connection = True
        elif chunked:
            out.write(b"%x\r\n%s\r\n0\r\n\r\n" % (len(content), content))
        else:
            out.write(content)
            handler.close_connection = handler.close_connection or length is None

    return answer


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, *_: Any) -> None:
        """Clients that go away in the middle are what we test."""


@contextmanager
def serving() -> Iterator[FileServer]:
    """A running server."""
    server = Server(("127.0.0.1", 0), Handler)
    files = FileServer(f"http://127.0.0.1:{server.server_port}")
    server.RequestHandlerClass = type("Bound", (Handler,), {"files": files})
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield files
    finally:
        server.shutdown()
        server.server_close()
