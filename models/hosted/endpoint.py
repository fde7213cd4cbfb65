"""What the clients of all hosted providers share: a connection with headers and secrets, and an endpoint's client."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from ssl import PROTOCOL_TLS_CLIENT, SSLContext
from typing import Any

import orjson

from scrollwork.models.base import Call, CallProblem, Reply, Usage
from scrollwork.models.engine.usage_bounds import Bounds, bounds_of, output_allowed, usage_problem
from scrollwork.models.hosted.replies import read
from scrollwork.models.hosted.tables import ENDPOINT_PATHS, key_of
from scrollwork.models.hosted.wire import Wire, most_bytes
from scrollwork.models.vendors.keys import MAX_TOKENS_NAMES
from scrollwork.models.vendors.marks import CacheUse
from scrollwork.models.vendors.tiers import FIELD

TIMEOUT_S = 600.0


def vendor_wire(
    name: str, provider: str, table: Mapping[str, Any], sdk: Callable[[str, Mapping[str, Any]], Any]
) -> Wire:
    """Return the connection to a table's address, with the key and the headers that the vendor's SDK would send.

    Raises tables.BadTable.
    """
    key = key_of(name, provider, table)
    vendor = sdk(key, table)
    return wire_to(table, own_headers({**vendor.default_headers, **vendor.auth_headers}), key)


def wire_to(table: Mapping[str, Any], headers: Mapping[str, str], key: str) -> Wire:
    """Return the connection to a table's address. key: "" for none."""
    return Wire(
        table["base_url"],
        headers,
        secrets=secrets_in(headers, key),
        timeout_s=table.get("timeout_s", TIMEOUT_S),
        ssl=trusted_certificates(table["base_url"]),
    )


def own_headers(headers: Mapping[str, Any]) -> dict[str, str]:
    """Return the headers that say who sends and in which API version, without those that describe the SDK."""
    return {n: v for n, v in headers.items() if isinstance(v, str) and not n.lower().startswith("x-stainless")}


def trusted_certificates(base_url: str) -> Any:
    """Return the certificates that the vendors' SDKs trust, also those of SSL_CERT_FILE and SSL_CERT_DIR.

    True for an address without encryption, which is aiohttp's default.
    """
    if not base_url.startswith("https:"):
        return True
    return _certificates(os.environ.get("SSL_CERT_FILE", ""), os.environ.get("SSL_CERT_DIR", ""))


@cache
def _certificates(file: str, folder: str) -> Any:
    """Read the certificates that an environment names, once for all connections: it takes 30 ms."""
    import httpx2

    return httpx2.create_ssl_context()


def no_certificates() -> SSLContext:
    """Return what trusts nobody, for an SDK that is only asked for its headers: it would read all certificates else."""
    return SSLContext(PROTOCOL_TLS_CLIENT)


def secrets_in(headers: Mapping[str, str], key: str) -> tuple[str, ...]:
    """Return what no message may contain, the longest first: the key, and values of headers that may be secret.

    Their names contain auth, key, token or cookie. Of values such as "Bearer KEY", it is also the second part alone.
    Texts of under 4 characters are left out.
    """
    private = [v for n, v in headers.items() if any(word in n.lower() for word in ("auth", "key", "token", "cookie"))]
    found = {key, *private, *(value.partition(" ")[2] for value in private)}
    return tuple(sorted((one for one in found if len(one) >= 4), key=len, reverse=True))


class Endpoint:
    """The client of one endpoint: it sends the body of a payload once and reads the reply.

    cache: how requests use the vendor's prefix cache.
    """

    def __init__(self, wire: Wire, endpoint: str, cache: CacheUse | None = None) -> None:
        self._wire, self._endpoint, self._cache = wire, endpoint, cache or CacheUse()

    async def send(self, call: Call) -> Reply:
        """Send a call once and return its reply. Raises CallProblem and nothing else."""
        body = self.prepared(call)
        most = most_bytes(output_allowed(body), "logprobs" in body)
        raw = await self._wire.post(ENDPOINT_PATHS[self._endpoint], body, most, self._cache.headers(call.ask))
        bounds = bounds_of(call.ask, body)
        try:
            reply = read(self._endpoint, raw.status, raw.headers, raw.data, orjson.loads, self._wire.secrets)
            return with_believed_usage(reply, bounds)
        except CallProblem as problem:
            if problem.status != 404:
                raise with_believed_cost(problem, bounds) from None
            said = f"{problem.message} (asked: {self._wire.address}{ENDPOINT_PATHS[self._endpoint]})"
            raise CallProblem(problem.kind, said, status=404, limits=problem.limits) from None

    def prepared(self, call: Call) -> Any:
        """Return the body as it is sent."""
        sent = self._cache.sent(body_with_room(call), call.ask)
        return {**sent, FIELD: call.service} if call.service else sent

    async def close(self) -> None:
        """Close the connections."""
        await self._wire.close()


def body_with_room(call: Call) -> Mapping[str, Any]:
    """Return the body of a call. A call that is repeated with more room allows that many new tokens."""
    body: Mapping[str, Any] = call.payload["body"]
    if call.room is None:
        return body
    return {**body, **{name: call.room for name in MAX_TOKENS_NAMES if name in body}}


def with_believed_usage(reply: Reply, bounds: Bounds) -> Reply:
    """Return the reply, without its usage if the numbers are impossible; `doubt` says why."""
    said = usage_problem(reply.usage, bounds, reply.text)
    return replace(reply, usage=Usage(), doubt=f"usage not believed: {said}") if said else reply


def with_believed_cost(problem: CallProblem, bounds: Bounds) -> CallProblem:
    """Return the problem, without the tokens that were charged if the numbers are impossible; `doubt` says why."""
    if problem.paid is not None and (said := usage_problem(problem.paid, bounds, "")):
        problem.paid, problem.doubt = None, f"usage not believed: {said}"
    return problem
