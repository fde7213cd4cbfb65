"""A reply is read as far as what was asked for can be, whatever its sender announces, compresses or sends on."""

from __future__ import annotations

import asyncio
import gzip
import json
import os
import subprocess
import sys
import threading
import zlib
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from scrollwork.models.base import CallProblem
from scrollwork.models.hosted.inflate import PIECE, CorruptBody, Inflater
from scrollwork.models.hosted.wire import ERROR_BYTES, MOST_BYTES, ROOM_BYTES, TOKEN_BYTES, Raw, Wire, most_bytes
from tests.conftest import PROJECT

MB = 2**20


class Large(BaseHTTPRequestHandler):
    """The path says what comes: /MEGABYTES/STATUS/ENCODING/how its length is told."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        size, status, encoding, length = self.path.strip("/").split("/")
        self.rfile.read(int(self.headers["content-length"]))
        self.server.asked_for = self.headers.get("accept-encoding")  # type: ignore[attr-defined]
        whole = int(size) * MB
        self.send_response(int(status))
        if encoding != "plain":
            self.send_header("content-encoding", encoding)
        pieces: Any = (b"x" * MB for _ in range(int(size)))
        if encoding in ("gzip", "deflate"):
            packing = zlib.compressobj(9, zlib.DEFLATED, 31 if encoding == "gzip" else 15)
            data = b"".join([*(packing.compress(piece) for piece in pieces), packing.flush()])
            pieces, whole = [data], len(data)
        if length == "told":
            self.send_header("content-length", str(whole))
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True
        try:
            for piece in pieces:
                self.wfile.write(piece)
        except OSError:
            pass

    def log_message(self, *_: Any) -> None: ...


@pytest.fixture(scope="module")
def large() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Large)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


def post(url: str, path: str, most: int) -> Raw:
    async def once() -> Raw:
        wire = Wire(url, {})
        try:
            return await wire.post(path, {}, most)
        finally:
            await wire.close()

    return asyncio.run(once())


@pytest.mark.parametrize("encoding", ["plain", "gzip", "deflate"])
@pytest.mark.parametrize("length", ["told", "untold"])
def test_reply_is_read_beyond_what_was_asked(large: str, encoding: str, length: str) -> None:
    with pytest.raises(CallProblem, match="more than what was asked for can be") as caught:
        post(large, f"/64/200/{encoding}/{length}", most_bytes(10))
    assert (caught.value.kind, caught.value.status) == ("transient", 200)
    assert post(large, f"/1/200/{encoding}/{length}", most_bytes(10)).data == b"x" * MB


@pytest.mark.parametrize("encoding", ["plain", "gzip"])
def test_page_of_an_error_is_read_to_its_end_or_loses_its_status(large: str, encoding: str) -> None:
    raw = post(large, f"/64/403/{encoding}/told", most_bytes(10))
    assert (raw.status, len(raw.data)) == (403, ERROR_BYTES)


def test_encoding_that_nobody_asked_for_is_taken_for_text(large: str) -> None:
    with pytest.raises(CallProblem, match="an encoding that was not asked for: 'br'"):
        post(large, "/1/200/br/told", MOST_BYTES)


def test_bytes_of_a_reply_are_bounded_by_what_was_asked() -> None:
    assert most_bytes(10) == ROOM_BYTES + 10 * TOKEN_BYTES
    assert most_bytes(10**9) == most_bytes(None) == MOST_BYTES
    longest = json.dumps({"content": "\n" * 128 * 1000, "reasoning_content": "\u4f60" * 3000})
    assert len(longest) < most_bytes(1000)


def test_bomb_is_unpacked_ahead_of_who_counts() -> None:
    bomb = gzip.compress(b"0" * 10**8)
    pieces = Inflater("GZIP").pieces(bomb)
    assert all(len(next(pieces)) <= PIECE for _ in range(10))
    assert sum(map(len, Inflater("gzip").pieces(bomb))) == 10**8
    with pytest.raises(CorruptBody, match="cannot be unpacked"):
        list(Inflater("gzip").pieces(b"no gzip"))


@pytest.mark.parametrize("step", [1, 7, 10**6])
def test_second_member_of_a_gzip_body_is_lost_or_a_torn_one_passes(step: int) -> None:
    parts = [b"a" * 200_000, b"", b"b" * 3]
    whole = b"".join(map(gzip.compress, parts)) + b"\0" * 9

    def unpacked(data: bytes) -> bytes:
        inflater = Inflater("gzip")
        found = [piece for at in range(0, len(data), step) for piece in inflater.pieces(data[at : at + step])]
        inflater.end()
        return b"".join(found)

    assert unpacked(whole) == b"".join(parts)
    assert unpacked(b"") == b""
    for end in (5, 100, len(whole) - 12):
        with pytest.raises(CorruptBody, match="ends too early"):
            unpacked(whole[:end])
    for after in (b"\n", b"garbage " * 9, b"\x1f", b"\x1f\x1f\x8b", b"\0\0\n\x1f\x8b"):
        assert unpacked(whole + after) == b"".join(parts), "a paid reply is lost for what follows it"
    with pytest.raises(CorruptBody, match="cannot be unpacked"):
        unpacked(whole + b"\x1f\x8b\0no member")


def test_what_follows_a_deflate_body_costs_the_reply() -> None:
    inflater = Inflater("deflate")
    assert b"".join(inflater.pieces(zlib.compress(b"answer") + b"\x1f\x8b\r\n")) == b"answer"
    inflater.end()


PROGRAM = """
import asyncio, resource, sys
from scrollwork.models.base import CallProblem
from scrollwork.models.hosted.wire import Wire, most_bytes

async def main(url, at_once):
    wire = Wire(url, {})
    async def one():
        try:
            await wire.post("/64/200/gzip/told" if at_once % 2 else "/64/200/plain/untold", {}, most_bytes(10))
        except CallProblem:
            return 1
    await asyncio.gather(*(one() for _ in range(2)))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert sum(await asyncio.gather(*(one() for _ in range(at_once)))) == at_once
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
    await wire.close()

asyncio.run(main(sys.argv[1], int(sys.argv[2])))
"""


@pytest.mark.slow
@pytest.mark.parametrize("at_once", [16, 17])
def test_sixteen_replies_of_64_mb_take_a_gigabyte(large: str, at_once: int) -> None:
    env = {**os.environ, "PYTHONPATH": str(PROJECT)}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, large, str(at_once)], cwd=PROJECT, env=env, text=True, capture_output=True, check=True
    )  # fmt: skip
    assert int(done.stdout) < 100 * 1024, "KB more than two at once"
