"""Connect only to public internet addresses: no URL or redirect may lead to this machine or to a private network.

A host name is resolved and connected to in one step, so it cannot resolve to another address in between. If the
environment names a proxy, the proxy resolves the name; in that case a name is refused if it resolves to a private
address on this machine.
"""

from __future__ import annotations

import ipaddress
import socket
import urllib.request
from collections.abc import Iterable
from typing import Any

import httpcore
import httpx

from scrollwork.storage.errors import DownloadError

OPTION = "--allow-private-addresses"
NAT64 = ipaddress.ip_network("64:ff9b::/96")
Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def is_public(address: str) -> bool:
    """Return whether a numeric address is public. An IPv6 address that holds an IPv4 address counts as the latter.

    Raises ValueError if it is no address.
    """
    found = ipaddress.ip_address(address)
    inner = held_in(found)
    if inner is not None:
        return is_public(str(inner))
    private = found.is_multicast or found.is_reserved or getattr(found, "is_site_local", False)
    return found.is_global and not private


def held_in(address: Address) -> ipaddress.IPv4Address | None:
    """Return the IPv4 address that an IPv6 address leads to (mapped, 6to4, Teredo, NAT64), None for all others."""
    if isinstance(address, ipaddress.IPv4Address):
        return None
    if address in NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or (address.teredo or (None, None))[1]


def public_addresses(host: str, port: int) -> list[str]:
    """Return the addresses of a host name. Raises DownloadError if any of them is not public, OSError if it has none.

    Raises UnicodeError if the name is not valid.
    """
    found = list(dict.fromkeys(str(one[4][0]) for one in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)))
    for address in found:
        if not is_public(address):
            at = "" if address == host else f" is {address}"
            raise DownloadError(
                f"{host}{at}: an address of this machine or a private network; fetch asks none such without {OPTION}"
            )
    return found


class PublicBackend(httpcore.NetworkBackend):
    """The network layer of httpcore, limited to public addresses."""

    def __init__(self) -> None:
        self._backend = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        """Connect to the host, at the first of its addresses that answers.

        Raises DownloadError if one of its addresses is not public, httpcore.ConnectError or ConnectTimeout if none
        answers.
        """
        try:
            addresses = public_addresses(host, port)
        except (OSError, UnicodeError) as error:  # UnicodeError: the name is not valid
            raise httpcore.ConnectError(str(error)) from error
        last: Exception = httpcore.ConnectError(f"{host} has no address")
        for address in addresses:
            try:
                return self._backend.connect_tcp(address, port, timeout, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                last = error
        raise last


class Direct(httpx.HTTPTransport):
    """The transport of httpx, limited to public addresses. Raises RuntimeError if httpx is built in an unknown way."""

    def __init__(self) -> None:
        super().__init__()
        if not isinstance(self._pool, httpcore.ConnectionPool):
            raise RuntimeError("this httpx keeps its connections otherwise: nothing would be refused")
        context = httpx.create_ssl_context()
        self._pool = httpcore.ConnectionPool(ssl_context=context, network_backend=PublicBackend())


class PublicTransport(httpx.BaseTransport):
    """A transport that connects to public addresses only: directly, or through the proxies in the environment."""

    def __init__(self) -> None:
        self._direct = Direct()
        self._proxied: dict[str, httpx.HTTPTransport] = {}

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request, and return the response, whose body is not read yet.

        Raises DownloadError if the host has an address that is not public, and httpx's errors.
        """
        host = request.url.host
        proxies = {} if urllib.request.proxy_bypass(host) else urllib.request.getproxies()
        proxy = proxies.get(request.url.scheme) or proxies.get("all")
        if not proxy:
            return self._direct.handle_request(request)
        try:
            public_addresses(host, request.url.port or 443)
        except (OSError, UnicodeError):
            pass  # a name that only the proxy can resolve
        address = proxy if "://" in proxy else f"http://{proxy}"
        if address not in self._proxied:
            self._proxied[address] = httpx.HTTPTransport(proxy=address)
        return self._proxied[address].handle_request(request)

    def close(self) -> None:
        """Close all connections."""
        for transport in (self._direct, *self._proxied.values()):
            transport.close()
