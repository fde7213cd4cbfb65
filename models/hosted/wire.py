"""Requests straight through aiohttp: 0.2 ms of CPU for a prompt of 40 KB. Also the files of batches.

The SDKs take 0.6 (raw `post`) to 1.5 ms for the same request over the same aiohttp, which costs a tenth to a quarter of
the throughput at 200 calls in flight (docs/providers.md). The SDKs say which headers to send.
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
from scrollwork.models.base import CallProblem, Trouble, Usage
from scrollwork.models.hosted.error_replies import message_line
from scrollwork.models.hosted.inflate import CorruptBody, Inflater, TooLarge
from scrollwork.models.hosted.tables import BadTable

CONNECT_S = 10.0
CHUNK = 2**16
ROOM_BYTES = 2**20  # of a reply in addition to its tokens, and of one that has none
TOKEN_BYTES = 256  # of a token in JSON: usual ones take 4 to 24, the longest (128 line ends, escaped) 256
LOGPROBS_BYTES = 4096  # added for each token, with 20 alternatives
MOST_BYTES = 64 * 2**20  # of any reply
ERROR_BYTES = 2**16  # of a body whose status is not 2xx; the rest is not read
PAGE_BYTES = 2**23  # of a page about batches, which lists a hundred
LARGEST = 2**30  # bytes of a file of results, from which its timeout follows
MOST_UNPACKED = 4 * LARGEST  # bytes of such a file on disk, if it was compressed too
SLOW_BYTES_S = 200_000  # the slowest connection that transfers a file in time
NO_COST = Usage(0, 0, 0, 0, 0)  # cost of a request that was never sent


@dataclass(frozen=True)
class Raw:
    """A reply as it came. headers: with names in lower case."""

    status: int
    headers: Mapping[str, str]
    data: bytes


class Wire:
    """Connections to one address with one set of headers. Made in the event loop that uses it.

    secrets: texts that no message may contain. timeout_s: for a whole reply. ssl: as in aiohttp.
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
        """Return the session, which is opened when it is first used."""
        if self._session is None:
            # the engine limits what is in flight; cookies of one answer must not reach the next request
            connector = aiohttp.TCPConnector(limit=0, ssl=self._ssl, keepalive_timeout=30)
            self._session = aiohttp.ClientSession(
                connector=connector,
                cookie_jar=aiohttp.DummyCookieJar(),
                auto_decompress=False,  # we limit what a few bytes may become
                read_bufsize=CHUNK,
            )
        return self._session

    async def post(self, path: str, body: Any, most: int = PAGE_BYTES, headers: Mapping[str, str] | None = None) -> Raw:
        """POST a JSON body once and return the reply. most: bytes of the reply.

        headers: added to those of every request. Raises CallProblem if the body cannot be JSON, or if no complete reply
        comes.
        """
        try:
            data = orjson.dumps(body)
        except TypeError as error:  # half a surrogate pair: no JSON text can contain it
            raise CallProblem(
                "terminal", f"the request is no JSON: {message_line(error, self.secrets)}", own=True
            ) from None
        own = {**self._headers, **headers} if headers else None
        return await self._exchange("POST", path, self._timeout, data=data, most=most, headers=own)

    async def get(self, path: str) -> Raw:
        """GET once and return the reply. Raises CallProblem if no complete reply comes."""
        return await self._exchange("GET", path, self._timeout)

    async def upload(self, path: str, pieces: AsyncIterator[bytes], size: int, content_type: str) -> Raw:
        """POST `size` bytes once, as the pieces come: memory does not depend on the size. Raises CallProblem."""
        headers = {**self._headers, "Content-Type": content_type, "Content-Length": str(size)}
        return await self._exchange("POST", path, self._patience(size), data=pieces, headers=headers)

    async def download(self, path: str, into: BinaryIO) -> Raw:
        """GET a body of any size into a file, once. Raises CallProblem.

        Raw.data is empty, except for a status that is not 2xx.
        """
        return await self._exchange("GET", path, self._patience(LARGEST), into=into)

    def _patience(self, size: int) -> aiohttp.ClientTimeout:
        """Return the timeout for a transfer of this many bytes over a slow connection."""
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
                allow_redirects=False,  # no other server may get the key
                timeout=timeout,
                proxy=self._proxy,
            ) as response:
                named = {name.lower(): value for name, value in response.headers.items()}
                good = 200 <= response.status < 300
                inflater = Inflater(named.get("content-encoding", ""))
                if into is not None and good:
                    left = MOST_UNPACKED
                    async for chunk in response.content.iter_chunked(CHUNK):
                        for piece in inflater.pieces(chunk):
                            left -= len(piece)
                            if left < 0:
                                raise TooLarge(MOST_UNPACKED)
                            write_chunk(into, piece)
                    inflater.end()
                    return Raw(response.status, named, b"")
                length = response.content_length or 0
                return Raw(
                    response.status, named, await read_whole(response.content, length, inflater, most, cut=not good)
                )
        except CallProblem:
            raise
        except (TooLarge, CorruptBody) as error:
            raise CallProblem("transient", f"HTTP {response.status} with {error}", status=response.status) from None
        except aiohttp.ConnectionTimeoutError:
            raise CallProblem("transient", f"no connection within {CONNECT_S:g} s", paid=NO_COST) from None
        except aiohttp.SocketTimeoutError:
            raise CallProblem("transient", f"not a byte of the reply came for {timeout.sock_read or 0:g} s") from None
        except TimeoutError:
            raise CallProblem("transient", f"no whole reply within {timeout.total:g} s") from None
        except (aiohttp.ClientSSLError, aiohttp.InvalidURL) as error:
            raise CallProblem("terminal", self._words(error), paid=NO_COST) from None
        except aiohttp.ClientHttpProxyError as error:  # of CONNECT: the vendor saw nothing
            kind: Trouble = "terminal" if error.status == 407 else "transient"
            message = f"the proxy answered HTTP {error.status}: {error.message}"
            raise CallProblem(kind, message_line(message, self.secrets), paid=NO_COST) from None
        except aiohttp.ClientConnectorError as error:
            message = f"cannot connect to {self.address}: {error.strerror or error}"
            raise CallProblem("transient", message_line(message, self.secrets), paid=NO_COST) from None
        except aiohttp.ServerDisconnectedError:
            raise CallProblem("transient", "the server closed the connection before it answered") from None
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise CallProblem("transient", self._words(error)) from None

    def _words(self, error: Exception) -> str:
        """Return what happened to the connection, without the key."""
        return message_line(f"{type(error).__name__}: {error}".rstrip(": "), self.secrets)

    async def close(self) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None


async def read_whole(content: aiohttp.StreamReader, length: int, inflater: Inflater, most: int, *, cut: bool) -> bytes:
    """Return the bytes of a reply, unpacked. length: as announced, 0 if unknown. most: bytes that are accepted.

    cut: return only the beginning of a longer body, which is enough for an error. Raises TooLarge, CorruptBody.
    """
    if length > most and not cut:
        raise TooLarge(most)
    left = min(most, ERROR_BYTES) if cut else most
    whole = bytearray()  # pieces may be a byte long
    async for chunk in content.iter_chunked(CHUNK):
        for piece in inflater.pieces(chunk):
            whole += piece[:left]
            left -= len(piece)
            if left < 0 and cut:
                return bytes(whole)
            if left < 0:
                raise TooLarge(most)
    if not cut:
        inflater.end()
    return bytes(whole)


def most_bytes(tokens: int | None, logprobs: bool = False) -> int:
    """Return the most bytes that a reply can have. tokens: new tokens that the request allows, None if unknown."""
    if tokens is None:
        return MOST_BYTES
    return min(MOST_BYTES, ROOM_BYTES + tokens * (TOKEN_BYTES + logprobs * LOGPROBS_BYTES))


def write_chunk(into: BinaryIO, chunk: bytes) -> None:
    """Write to a file of ours. Raises CallProblem: a full disk is not a fault of the connection."""
    try:
        into.write(chunk)
    except OSError as error:
        raise CallProblem("terminal", f"what came could not be written to disk: {error.strerror}") from None


def proxy_for(url: str) -> str | None:
    """Return the proxy that the environment names for an address, as the SDKs use it.

    It is looked up once for a connection. None for plain http to this machine, unless the proxy is on it too: the key
    would reach the proxy unencrypted. Raises BadTable for a proxy that is not asked by http or https.
    """
    parts = urlsplit(url)
    host, place = parts.hostname or "", parts.netloc.rpartition("@")[2]  # NO_PROXY may name a port
    if urllib.request.proxy_bypass(host) or urllib.request.proxy_bypass(place):
        return None
    proxies = {name: value.strip() for name, value in urllib.request.getproxies().items()}
    found = proxies.get(parts.scheme) or proxies.get("all")
    if found and "://" not in found:
        found = f"http://{found}"
    if not found:
        return None
    asked = _is_http(found)
    if parts.scheme == "http" and is_loopback(url) and not (asked and is_loopback(found)):
        return None
    if not asked:
        named = f"{parts.scheme.upper()}_PROXY or ALL_PROXY"
        raise BadTable(
            f"the proxy that {named} names cannot be asked: it must be http://HOST:PORT or https://HOST:PORT; "
            "unset it, or name the vendor's host in NO_PROXY"
        )
    return found


def _is_http(url: str) -> bool:
    """Return whether an address of a proxy can be asked."""
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # of the port, or of an IPv6 address
        return False
