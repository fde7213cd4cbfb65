"""One POST of bytes that we made, straight through aiohttp: 0.2 ms of CPU for a prompt of 40 KB. Files for batches too.

The SDKs take 0.6 (raw `post`) to 1.5 ms for the same request over the same aiohttp, which costs a tenth to a quarter
of the throughput at 200 calls in flight (docs/providers.md). They say with which headers to ask.
"""

from __future__ import annotations

import urllib.request
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO
from urllib.parse import urlsplit

import aiohttp
import orjson

from scrollwork.models.addresses import is_loopback
from scrollwork.models.base import CallProblem, Usage
from scrollwork.models.hosted.error_replies import message_line
from scrollwork.models.hosted.inflate import Inflater, Strange, TooLarge

CONNECT_S = 10.0
CHUNK = 2**16
ROOM_BYTES = 2**20  # of a reply beside the tokens that were asked for, and of one that holds none
TOKEN_BYTES = 256  # of a token in JSON; real ones take 4 to 24, the longest (128 line ends, escaped) this
LOGPROBS_BYTES = 4096  # more, with 20 alternatives
MOST_BYTES = 64 * 2**20  # whatever was asked
ERROR_BYTES = 2**16  # of a body whose status is not 2xx; what follows is not read
PAGE_BYTES = 2**23  # of what a provider says of its batches, a hundred a page
LARGEST = 2**30  # bytes of a file of results, to know how long to wait for it
SLOW_BYTES_S = 200_000  # of a line on which files still come through
NOTHING = Usage(0, 0, 0, 0, 0)  # what a request costs that was never sent


@dataclass(frozen=True)
class Raw:
    """A reply as it came; names of headers in lower case."""

    status: int
    headers: Mapping[str, str]
    data: bytes


class Wire:
    """Connections to one address with one set of headers; made in the event loop that uses it.

    secrets: what no message may hold. timeout_s: for a whole reply. ssl: as of aiohttp.
    """

    def __init__(
        self,
        base_url: str,
        headers: Mapping[str, str],
        *,
        secrets: Sequence[str] = (),
        timeout_s: float = 600.0,
        ssl: Any = True,
    ) -> None:
        self.secrets = tuple(secrets)
        self.address = base_url.rstrip("/")
        self._headers = {**headers, "Accept": "application/json", "Content-Type": "application/json"}
        self._headers |= {"User-Agent": "scrollwork", "Accept-Encoding": "identity"}
        self._proxy = proxy_for(base_url)
        self._timeout = aiohttp.ClientTimeout(total=timeout_s, sock_connect=CONNECT_S)
        self._ssl = ssl
        self._session: aiohttp.ClientSession | None = None

    def session(self) -> aiohttp.ClientSession:
        """The session, opened by its first use."""
        if self._session is None:
            # the engine bounds what is in flight; cookies of one answer must not reach the next request
            connector = aiohttp.TCPConnector(limit=0, ssl=self._ssl, keepalive_timeout=30)
            self._session = aiohttp.ClientSession(
                connector=connector,
                cookie_jar=aiohttp.DummyCookieJar(),
                auto_decompress=False,  # we bound what a few bytes may become
                read_bufsize=CHUNK,
            )
        return self._session

    async def post(self, path: str, body: Any, most: int = PAGE_BYTES, headers: Mapping[str, str] | None = None) -> Raw:
        """POST a JSON body, once. most: bytes of the reply. headers: beside those of every request. Raises CallProblem
        where no whole reply came."""
        try:
            data = orjson.dumps(body)
        except TypeError as error:  # half a surrogate: no JSON text can carry it
            raise CallProblem(
                "terminal", f"the request is no JSON: {message_line(error, self.secrets)}", own=True
            ) from None
        own = {**self._headers, **headers} if headers else None
        return await self._exchange("POST", path, self._timeout, data=data, most=most, headers=own)

    async def get(self, path: str) -> Raw:
        """GET, once. Raises CallProblem where no whole reply came."""
        return await self._exchange("GET", path, self._timeout)

    async def upload(self, path: str, pieces: AsyncIterator[bytes], size: int, content_type: str) -> Raw:
        """POST `size` bytes as they come, once: memory does not depend on them. Raises CallProblem."""
        headers = {**self._headers, "Content-Type": content_type, "Content-Length": str(size)}
        return await self._exchange("POST", path, self._patience(size), data=pieces, headers=headers)

    async def download(self, path: str, into: BinaryIO) -> Raw:
        """GET a body of any size into a file, once; only what is no 2xx is in Raw.data. Raises CallProblem."""
        return await self._exchange("GET", path, self._patience(LARGEST), into=into)

    def _patience(self, size: int) -> aiohttp.ClientTimeout:
        """The time that so many bytes may take on a slow line."""
        total = (self._timeout.total or 0.0) + size / SLOW_BYTES_S
        return aiohttp.ClientTimeout(total=total, sock_connect=CONNECT_S, sock_read=self._timeout.total)

    async def _exchange(
        self,
        method: str,
        path: str,
        timeout: aiohttp.ClientTimeout,
        *,
        data: Any = None,
        headers: Mapping[str, str] | None = None,
        into: BinaryIO | None = None,
        most: int = PAGE_BYTES,
    ) -> Raw:
        try:
            async with self.session().request(
                method,
                self.address + path,
                data=data,
                headers=headers or self._headers,
                allow_redirects=False,  # the key goes nowhere else
                timeout=timeout,
                proxy=self._proxy,
            ) as response:
                named = {name.lower(): value for name, value in response.headers.items()}
                good = 200 <= response.status < 300
                inflater = Inflater(named.get("content-encoding", ""))
                if into is not None and good:
                    async for chunk in response.content.iter_chunked(CHUNK):
                        for piece in inflater.pieces(chunk):
                            write_chunk(into, piece)
                    return Raw(response.status, named, b"")
                length = response.content_length or 0
                return Raw(
                    response.status, named, await read_whole(response.content, length, inflater, most, cut=not good)
                )
        except CallProblem:
            raise
        except (TooLarge, Strange) as error:
            raise CallProblem("transient", f"HTTP {response.status} with {error}", status=response.status) from None
        except aiohttp.ConnectionTimeoutError:
            raise CallProblem("transient", f"no connection within {CONNECT_S:g} s", paid=NOTHING) from None
        except aiohttp.SocketTimeoutError:
            raise CallProblem("transient", f"not a byte of the reply came for {timeout.sock_read or 0:g} s") from None
        except TimeoutError:
            raise CallProblem("transient", f"no whole reply within {timeout.total:g} s") from None
        except (aiohttp.ClientSSLError, aiohttp.InvalidURL) as error:
            raise CallProblem("terminal", self._words(error)) from None
        except aiohttp.ClientConnectorError as error:
            message = f"cannot connect to {self.address}: {error.strerror or error}"
            raise CallProblem("transient", message_line(message, self.secrets), paid=NOTHING) from None
        except aiohttp.ServerDisconnectedError:
            raise CallProblem("transient", "the server closed the connection before it answered") from None
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise CallProblem("transient", self._words(error)) from None

    def _words(self, error: Exception) -> str:
        """What happened to the connection, without the key."""
        return message_line(f"{type(error).__name__}: {error}".rstrip(": "), self.secrets)

    async def close(self) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None


async def read_whole(content: aiohttp.StreamReader, length: int, inflater: Inflater, most: int, *, cut: bool) -> bytes:
    """The bytes of a reply, at most so many. length: as announced. cut: of a body that tells of an error its beginning
    is enough. Raises TooLarge, Strange."""
    if length > most and not cut:
        raise TooLarge(most)
    left = min(most, ERROR_BYTES) if cut else most
    parts: list[bytes] = []
    async for chunk in content.iter_chunked(CHUNK):
        for piece in inflater.pieces(chunk):
            parts.append(piece[:left])
            left -= len(piece)
            if left < 0 and cut:
                return b"".join(parts)
            if left < 0:
                raise TooLarge(most)
    return b"".join(parts)


def most_bytes(tokens: int | None, logprobs: bool = False) -> int:
    """Bytes of a reply to a request that allows so many new tokens, None where nobody knows."""
    if tokens is None:
        return MOST_BYTES
    return min(MOST_BYTES, ROOM_BYTES + tokens * (TOKEN_BYTES + logprobs * LOGPROBS_BYTES))


def write_chunk(into: BinaryIO, chunk: bytes) -> None:
    """Write to a file of ours. Raises CallProblem: a full disk is no fault of the connection."""
    try:
        into.write(chunk)
    except OSError as error:
        raise CallProblem("terminal", f"what came could not be written to disk: {error.strerror}") from None


def proxy_for(url: str) -> str | None:
    """The proxy that the environment names for an address, as the SDKs honour it; looked up once, not per request.

    None for plain http to this machine, unless the proxy is there too: the key would travel to it unencrypted.
    """
    parts = urlsplit(url)
    host = parts.hostname or ""
    if urllib.request.proxy_bypass(host):
        return None
    proxies = urllib.request.getproxies()
    found = proxies.get(parts.scheme) or proxies.get("all")
    return None if found and parts.scheme == "http" and is_loopback(url) and not is_loopback(found) else found
