"""A server below HTTP: it does what it is told with the bytes of the connection, one behaviour a connection, in order."""

from __future__ import annotations

import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

OK = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n"


def linger_zero(connection: socket.socket) -> None:
    """RST instead of FIN at the end."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def asked(connection: socket.socket) -> None:
    """Read what comes, until it pauses."""
    connection.settimeout(0.1)
    try:
        while connection.recv(65536):
            pass
    except TimeoutError:
        pass


def reset_before(connection: socket.socket) -> None:
    """Reset when the request came."""
    asked(connection)
    linger_zero(connection)


def reset_at_once(connection: socket.socket) -> None:
    """Reset before the request was read."""
    linger_zero(connection)


def early_end(connection: socket.socket) -> None:
    """Close without a word."""
    asked(connection)


def half_head(connection: socket.socket) -> None:
    """Half of the head of a reply."""
    asked(connection)
    connection.sendall(OK[:30])


def half_body(connection: socket.socket) -> None:
    """A body shorter than promised."""
    asked(connection)
    connection.sendall(OK + b'{"choices": [')


def reset_in_body(connection: socket.socket) -> None:
    """A reset in the body."""
    asked(connection)
    connection.sendall(OK + b'{"choices": [')
    time.sleep(0.05)
    linger_zero(connection)


def garbage(connection: socket.socket) -> None:
    """Bytes that are no HTTP."""
    asked(connection)
    connection.sendall(bytes(range(256)) * 4)


def endless_head(connection: socket.socket) -> None:
    """A header without an end."""
    asked(connection)
    try:
        for _ in range(64):
            connection.sendall(b"HTTP/1.1 200 OK\r\nx: " + b"a" * 65536)
    except OSError:
        pass


def drip(connection: socket.socket) -> None:
    """A byte now and then, for ever."""
    asked(connection)
    try:
        for byte in OK + b" " * 1000:
            connection.sendall(bytes([byte]))
            time.sleep(0.02)
    except OSError:
        pass


def big_promise(connection: socket.socket) -> None:
    """A reply that says it has a terabyte."""
    asked(connection)
    connection.sendall(OK.replace(b"1000", b"1000000000000") + b'{"a": "')


def redirect(connection: socket.socket) -> None:
    """Send the client, and its key, elsewhere."""
    asked(connection)
    connection.sendall(b"HTTP/1.1 307 Go\r\nlocation: http://127.0.0.1:1/steal\r\ncontent-length: 0\r\n\r\n")


def bad_gzip(connection: socket.socket) -> None:
    """A body that is not what its encoding says."""
    asked(connection)
    connection.sendall(OK.replace(b"1000", b"4\r\ncontent-encoding: gzip") + b"{}{}")


FAULTS: tuple[Callable[[socket.socket], None], ...] = (
    *(reset_before, reset_at_once, early_end, half_head, half_body, reset_in_body, garbage, endless_head, drip),
    *(big_promise, bad_gzip),
)


@contextmanager
def running(*behaviours: Callable[[socket.socket], None]) -> Iterator[str]:
    """The address of a server that behaves so on its first, second, ... connection, and as the last one from then on."""
    listening = socket.create_server(("127.0.0.1", 0))
    listening.settimeout(0.1)
    over = threading.Event()

    def serve() -> None:
        number = 0
        while not over.is_set():
            try:
                connection, _ = listening.accept()
            except TimeoutError:
                continue
            behaviour = behaviours[min(number, len(behaviours) - 1)]
            number += 1
            with connection:
                try:
                    behaviour(connection)
                except OSError:
                    pass

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/v1"
    finally:
        over.set()
        thread.join(timeout=10)
        listening.close()
