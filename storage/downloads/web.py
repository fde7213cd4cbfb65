"""HTTP GET with safe redirects, polite use of hosts, and an exception for each kind of refusal by a server.

This module knows nothing about files or suites; download.py turns responses into files.
"""

from __future__ import annotations

import email.utils
import re
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import httpx

from scrollwork.storage.downloads.addresses import HostLimits, check, parts_of
from scrollwork.storage.downloads.public import PublicTransport
from scrollwork.storage.errors import Again, DownloadError, Gone, NeedsPerson, Stopped

REDIRECTS = 10  # most redirects of one request
AGENT = "scrollwork (long-text benchmarks; one polite copy of research data)"
TRANSIENT = frozenset({408, 425, 429, 500, 502, 503, 504})  # HTTP status codes after which another try may succeed
GONE = frozenset({404, 410, 451})
CLOSED = frozenset({401, 403})


@dataclass(frozen=True)
class Patience:
    """How long to wait, in seconds, and how often to try.

    connect_s: for a connection. stall_s, slow_bytes, slow_s: a response is cut, and later resumed, if nothing comes for
    `stall_s`, or fewer than `slow_bytes` in `slow_s`. attempts: number of tries without progress after which we give
    up; a try that brings `progress_bytes` or more starts the count again. backoff_s: the first wait between two tries;
    each further wait is twice as long. longest_s: the longest wait; if a server asks for a longer one, we give up and
    say when to come back.
    """

    connect_s: float = 20.0
    stall_s: float = 60.0
    slow_bytes: int = 16 << 10
    slow_s: float = 60.0
    attempts: int = 5
    progress_bytes: int = 1 << 20
    backoff_s: float = 1.0
    longest_s: float = 120.0


@dataclass
class _Host:
    manners: HostLimits
    slots: threading.Semaphore
    turn: threading.Lock = field(default_factory=threading.Lock)
    last: float = float("-inf")
    unreachable: int = 0


class Web:
    """An HTTP client that is polite to every host. It is thread-safe; use it in a `with` block.

    manners: limits by host name; a name counts for its subdomains, too. tokens: {URL: token}; a token is sent only to
    the scheme, host and port of its URL, so not to a redirect target elsewhere. private: allow addresses of this
    machine and of private networks. stop: set it to end all waits and downloads with Stopped. give_up: a host that
    could not be reached so many times in a row, by any thread, is not asked again. Raises DownloadError if a URL of
    `tokens` has a wrong port.
    """

    give_up = 6

    def __init__(
        self,
        manners: Mapping[str, HostLimits] | None = None,
        patience: Patience | None = None,
        tokens: Mapping[str, str] | None = None,
        *,
        private: bool = False,
    ) -> None:
        self._tokens = {origin(url): token for url, token in (tokens or {}).items()}
        self.patience = patience or Patience()
        self.stop = threading.Event()
        self._manners = dict(manners or {})
        self._hosts: dict[str, _Host] = {}
        self._lock = threading.Lock()
        timeout = httpx.Timeout(self.patience.stall_s, connect=self.patience.connect_s, pool=None)
        transport = None if private else PublicTransport()
        self._client = httpx.Client(
            timeout=timeout, follow_redirects=False, headers={"User-Agent": AGENT}, transport=transport
        )

    def __enter__(self) -> Web:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def key(self, url: str) -> str:
        """Return the name under which requests to a URL's host are counted: the host, or its domain in `manners`.

        Raises DownloadError if the URL cannot be parsed.
        """
        host = (parts_of(url).hostname or "").lower()
        known = [name for name in self._manners if host == name or host.endswith(f".{name}")]
        return max(known, key=len) if known else host

    def at_once(self, key: str) -> int:
        """Return the most concurrent requests to a host. key: its name, as `key` returns it."""
        return self._manners.get(key, HostLimits()).at_once

    def rest(self, seconds: float) -> None:
        """Wait so many seconds. Raises Stopped as soon as `stop` is set, also with 0 seconds."""
        if self.stop.wait(seconds):
            raise Stopped("stopped")

    @contextmanager
    def get(self, url: str, headers: Mapping[str, str]) -> Iterator[httpx.Response]:
        """Yield the response (status 200, 206 or 416) after redirects; its body is not read yet.

        A slot of the host is held until the block ends. Network errors while the block reads the body are raised as
        Again. Raises Again, Gone, NeedsPerson, Stopped or DownloadError.
        """
        seen: list[str] = []
        while True:
            check(url)
            if url in seen or len(seen) > REDIRECTS:
                raise DownloadError(f"{seen[0]}: redirected in a circle or more than {REDIRECTS} times (to {url})")
            seen.append(url)
            with self._slot(url) as host, self._answer(url, headers, host) as answer:
                if answer.status_code not in (301, 302, 303, 307, 308):
                    check_answer(answer, seen[0], self.patience)
                    yield answer
                    return
                target = answer.headers.get("Location", "")
                if not target:
                    raise DownloadError(f"{url}: HTTP {answer.status_code} without a place to go to")
                before, url = url, str(answer.url.join(target))
            if urlsplit(before).scheme == "https" and urlsplit(url).scheme == "http":
                raise DownloadError(f"{before}: redirected from https to http ({url}); refused")

    @contextmanager
    def _answer(self, url: str, headers: Mapping[str, str], host: _Host) -> Iterator[httpx.Response]:
        token = self._tokens.get(origin(url))
        own = {"Authorization": f"Bearer {token}"} if token else {}
        try:
            with self._client.stream("GET", url, headers={**headers, **own}) as answer:
                host.unreachable = 0
                yield answer
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.ProxyError) as error:
            host.unreachable += 1
            raise Again(f"{urlsplit(url).hostname} cannot be reached ({error or type(error).__name__})") from error
        except httpx.TimeoutException as error:
            raise Again(f"nothing came for {self.patience.stall_s:g} s") from error
        except httpx.RequestError as error:
            raise Again(f"the answer was cut ({error or type(error).__name__})") from error
        except httpx.InvalidURL as error:
            raise DownloadError(f"{url}: no URL ({error})") from error

    @contextmanager
    def _slot(self, url: str) -> Iterator[_Host]:
        """Hold one of the slots of the URL's host, and wait for its pause.

        Raises DownloadError if the host was given up, Stopped if `stop` is set.
        """
        host = self._host(self.key(url))
        while not host.slots.acquire(timeout=0.2):
            self.rest(0)
        try:
            with host.turn:
                self.rest(max(0.0, host.last + host.manners.pause_s - time.monotonic()))
                host.last = time.monotonic()
            if host.unreachable >= self.give_up:
                raise DownloadError(f"{url}: {urlsplit(url).hostname} cannot be reached; not tried again in this run")
            yield host
        finally:
            host.slots.release()

    def _host(self, name: str) -> _Host:
        with self._lock:
            if name not in self._hosts:
                manners = self._manners.get(name, HostLimits())
                self._hosts[name] = _Host(manners, threading.Semaphore(manners.at_once))
            return self._hosts[name]


def origin(url: str) -> tuple[str, str, int | None]:
    """Return (scheme, host, port) of a URL that can be parsed. Raises DownloadError if its port is wrong."""
    parts = urlsplit(url)
    try:
        port = parts.port
    except ValueError:
        raise DownloadError(f"{url}: no URL (its port)") from None
    port = port or {"http": 80, "https": 443}.get(parts.scheme)
    return parts.scheme, (parts.hostname or "").lower(), port


def check_answer(answer: httpx.Response, asked: str, patience: Patience) -> None:
    """Raise the error for the status of a response, unless it is 200, 206 or 416 (wrong range).

    asked: the URL for the message. Raises Gone, NeedsPerson, Again or DownloadError.
    """
    status = answer.status_code
    if status in (200, 206, 416):
        return
    code = answer.headers.get("X-Error-Code", "")  # of the Hugging Face hub
    code = code if re.fullmatch(r"\w{1,40}", code, re.ASCII) else ""
    if status in GONE:
        raise Gone(f"{asked}: HTTP {status}, the file is not there any more", code)
    if status in CLOSED:
        raise NeedsPerson(f"{asked}: HTTP {status}, the server wants a login or refuses programs", code)
    if status in TRANSIENT:
        wait_s = retry_after(answer.headers.get("Retry-After", ""))
        if wait_s is not None and wait_s > patience.longest_s:
            raise DownloadError(f"{asked}: HTTP {status}, the server asks to come back in {wait_s:,.0f} s")
        raise Again(f"HTTP {status}", wait_s)
    raise DownloadError(f"{asked}: HTTP {status} where a file was expected")


def retry_after(value: str) -> float | None:
    """Return the seconds to wait by the value of a Retry-After header (RFC 9110, 10.2.3).

    The value is a number of seconds or a date; None if it is neither.
    """
    value = value.strip()
    if value.isascii() and value.isdigit():
        return float(value)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - time.time())
    except (TypeError, ValueError, OverflowError):
        return None
