"""One POST of bytes that we made, straight through aiohttp: 0.2 ms of CPU for a prompt of 40 KB.

The SDKs take 0.6 (raw `post`) to 1.5 ms for the same request over the same aiohttp, which costs a tenth to a quarter
of the throughput at 200 calls in flight (docs/providers.md). They say with which headers to ask, and send batches.
"""

from __future__ import annotations

import urllib.request
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import aiohttp
import orjson

from models.base import CallProblem
from models.problems import shown

CONNECT_S = 10.0
MOST_BYTES = 64 * 2**20  # of a reply: a hostile server must not fill the memory
CHUNK = 2**16


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
        self._base = base_url.rstrip("/")
        self._headers = {**headers, "Accept": "application/json", "Content-Type": "application/json"}
        self._headers["User-Agent"] = "scrollwork"
        self._proxy = proxy_for(base_url)
        self._timeout = aiohttp.ClientTimeout(total=timeout_s, sock_connect=CONNECT_S)
        self._ssl = ssl
        self._session: aiohttp.ClientSession | None = None

    def session(self) -> aiohttp.ClientSession:
        """The session, opened by its first use."""
        if self._session is None:
            # the engine bounds what is in flight; cookies of one answer must not reach the next request
            connector = aiohttp.TCPConnector(limit=0, ssl=self._ssl, keepalive_timeout=30)
            self._session = aiohttp.ClientSession(connector=connector, cookie_jar=aiohttp.DummyCookieJar())
        return self._session

    async def post(self, path: str, body: Any) -> Raw:
        """POST a JSON body, once. Raises CallProblem where no whole reply came."""
        try:
            data = orjson.dumps(body)
        except TypeError as error:  # half a surrogate: no JSON text can carry it
            raise CallProblem("terminal", f"the request is no JSON: {shown(error, self.secrets)}") from None
        try:
            async with self.session().post(
                self._base + path,
                data=data,
                headers=self._headers,
                allow_redirects=False,  # the key goes nowhere else
                timeout=self._timeout,
                proxy=self._proxy,
            ) as response:
                return Raw(
                    response.status,
                    {name.lower(): value for name, value in response.headers.items()},
                    await self._whole(response),
                )
        except CallProblem:
            raise
        except TimeoutError:
            raise CallProblem("transient", f"no whole reply within {self._timeout.total:g} s") from None
        except (aiohttp.ClientSSLError, aiohttp.InvalidURL) as error:
            raise CallProblem("terminal", self._words(error)) from None
        except aiohttp.ServerDisconnectedError:
            raise CallProblem("transient", "the server closed the connection before it answered") from None
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise CallProblem("transient", self._words(error)) from None

    async def _whole(self, response: aiohttp.ClientResponse) -> bytes:
        """The reply's bytes. Raises CallProblem over MOST_BYTES."""
        if (response.content_length or 0) > MOST_BYTES:
            raise CallProblem("transient", f"a reply of over {MOST_BYTES >> 20} MB", status=response.status)
        parts = []
        size = 0
        async for chunk in response.content.iter_chunked(CHUNK):
            size += len(chunk)
            if size > MOST_BYTES:
                raise CallProblem("transient", f"a reply of over {MOST_BYTES >> 20} MB", status=response.status)
            parts.append(chunk)
        return b"".join(parts)

    def _words(self, error: Exception) -> str:
        """What happened to the connection, without the key."""
        return shown(f"{type(error).__name__}: {error}".rstrip(": "), self.secrets)

    async def close(self) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None


def proxy_for(url: str) -> str | None:
    """The proxy that the environment names for an address, as the SDKs honour it; looked up once, not per request."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    if urllib.request.proxy_bypass(host):
        return None
    proxies = urllib.request.getproxies()
    return proxies.get(parts.scheme) or proxies.get("all")
