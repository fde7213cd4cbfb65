"""What alerts are sent to in tests: an HTTP server and a mail server on loopback ports, which keep what came."""

from __future__ import annotations

import json
import socketserver
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from email import message_from_string, policy
from email.message import EmailMessage
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Web:
    """Receives webhooks and pings. got: (path, body as JSON or None) in order. On paths below /hang it never answers."""

    def __init__(self) -> None:
        self.got: list[tuple[str, Any]] = []
        self.refuses = False
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def answer(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                if not receiver.refuses:
                    receiver.got.append((self.path, json.loads(body) if body else None))
                if self.path.startswith("/hang"):
                    time.sleep(60)
                if self.path.startswith("/moved"):
                    self.send_response(302)
                    self.send_header("Location", "/elsewhere")
                else:
                    self.send_response(500 if receiver.refuses or self.path.startswith("/broken") else 200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            do_GET = do_POST = answer

            def log_message(self, *_: Any) -> None:
                return

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    @contextmanager
    def refusing(self) -> Iterator[None]:
        """Answer everything with 500 for a while; what comes then is not in `got`."""
        self.refuses = True
        try:
            yield
        finally:
            self.refuses = False

    def at(self, path: str) -> list[Any]:
        """Bodies that came at a path."""
        return [body for where, body in self.got if where == path]


class Mail:
    """A mail server without encryption. got: the messages."""

    def __init__(self) -> None:
        self.got: list[EmailMessage] = []
        receiver = self

        class Handler(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                self.say("220 loopback")
                while line := self.rfile.readline().decode().strip():
                    word = line.split()[0].upper()
                    if word == "DATA":
                        self.say("354 go on")
                        lines = []
                        while (row := self.rfile.readline().decode().rstrip("\r\n")) != ".":
                            lines.append(row.removeprefix("."))
                        found = message_from_string("\n".join(lines), policy=policy.default)
                        assert isinstance(found, EmailMessage)
                        receiver.got.append(found)
                    self.say("221 bye" if word == "QUIT" else "250 ok")
                    if word == "QUIT":
                        return

            def say(self, line: str) -> None:
                self.wfile.write(f"{line}\r\n".encode())

        self.server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.port = self.server.server_address[1]


def until(found: Callable[[], Any], what: str, timeout_s: float = 60) -> Any:
    """What is found, once it is something."""
    deadline = time.monotonic() + timeout_s
    while not (value := found()):
        assert time.monotonic() < deadline, f"not after {timeout_s} s: {what}"
        time.sleep(0.3)
    return value
