"""A proxy on a loopback port between scrollwork and the S3 server, which cuts connections where a test says so."""

from __future__ import annotations

import http.client
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread

from tests.remote.bucket import Server

# how a request is cut: half of its body is read and nothing is passed on; half of the reply is sent; none of it is
REQUEST, REPLY, LOST = "request", "reply", "lost"
Cut = Callable[[str, str], str]  # method and path with query -> one of these, "" to let it pass


class Cutter:
    """The proxy. url: of the endpoint. cut: decides on each request. seen: (method, path, how it was cut)."""

    def __init__(self, server: Server, cut: Cut) -> None:
        self.cut, self.seen = cut, list[tuple[str, str, str]]()
        self._lock, behind = Lock(), server.port
        cutter = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: object) -> None:
                pass

            def do(self) -> None:
                with cutter._lock:
                    how = cutter.cut(self.command, self.path)
                    cutter.seen.append((self.command, self.path, how))
                size = int(self.headers.get("Content-Length", 0))
                body = self.rfile.read(size // 2 if how == REQUEST else size)
                if how == REQUEST:
                    return self.hang_up()
                link = http.client.HTTPConnection("127.0.0.1", behind, timeout=60)
                link.request(self.command, self.path, body, dict(self.headers))
                reply = link.getresponse()
                data = reply.read()
                link.close()
                if how == LOST:
                    return self.hang_up()
                self.send_response_only(reply.status)
                for name, value in reply.getheaders():
                    if name.lower() not in ("connection", "transfer-encoding", "content-length"):
                        self.send_header(name, value)
                length = reply.getheader("Content-Length") if self.command == "HEAD" else str(len(data))
                if reply.status != 204:
                    self.send_header("Content-Length", length or "0")
                self.end_headers()
                self.wfile.write(data[: len(data) // 2] if how == REPLY else data)
                if how == REPLY:
                    self.hang_up()
                return None

            do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = do

            def hang_up(self) -> None:
                self.close_connection = True
                self.wfile.flush()
                self.connection.shutdown(socket.SHUT_RDWR)

        class Listener(ThreadingHTTPServer):
            def handle_error(self, *_: object) -> None:
                """A client that was killed in the middle says nothing of us."""

        self._listener = Listener(("127.0.0.1", 0), Handler)
        self._listener.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._listener.server_address[1]}"
        Thread(target=self._listener.serve_forever, args=(0.05,), daemon=True).start()

    def cuts(self) -> list[tuple[str, str, str]]:
        """The requests that were cut."""
        return [one for one in self.seen if one[2]]

    def stop(self) -> None:
        """End the proxy."""
        self._listener.shutdown()
        self._listener.server_close()


@contextmanager
def cutting(server: Server, cut: Cut) -> Iterator[Cutter]:
    """A proxy before the server for the block."""
    made = Cutter(server, cut)
    try:
        yield made
    finally:
        made.stop()
