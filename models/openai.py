"""OpenAI: chat completions, responses and text completions. The whole prompt is one user message, without a system
message (ZeroSCROLLS, fact sheet 3.5); text completions get the non-chat prompt with its response header."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import orjson

from models.base import Ask, Call, CallProblem, Client, Reply
from models.hosted import Hosted, decoding
from models.replies import read
from models.tables import PATHS, key_of
from models.wire import Wire

if TYPE_CHECKING:
    from openai import AsyncOpenAI

PROVIDER = "openai"
TIMEOUT_S = 600.0


def make(name: str, table: Mapping[str, Any], revision: str) -> Hosted:
    """The model of a checked table (models.tables). revision: answers do not depend on our code."""
    return Hosted(name, PROVIDER, table, body, client)


def body(ask: Ask, table: Mapping[str, Any]) -> dict[str, Any]:
    """What the endpoint gets."""
    if table["endpoint"] == "completions":
        asked: dict[str, Any] = {"prompt": ask.prompt}
    elif table["endpoint"] == "responses":  # not kept at the provider
        asked = {"input": ask.prompt, "store": False}
    else:
        asked = {"messages": [{"role": "user", "content": ask.prompt}]}
    return {"model": table["id"], **asked, **decoding(ask, table)}


def client(name: str, table: Mapping[str, Any]) -> Client:
    """A client with the key from the environment. Raises tables.BadTable where there is none."""
    return Endpoint(wire_of(name, table), table["endpoint"])


def wire_of(name: str, table: Mapping[str, Any]) -> Wire:
    """The connection to a table's address, with the key. Raises tables.BadTable."""
    key = key_of(name, PROVIDER, table)
    vendor = sdk(key, table)
    headers = own_headers({**vendor.default_headers, **vendor.auth_headers})
    return Wire(
        table["base_url"],
        headers,
        secrets=secrets_in(headers, key),
        timeout_s=table.get("timeout_s", TIMEOUT_S),
        ssl=trusted(table["base_url"]),
    )


def sdk(key: str, table: Mapping[str, Any]) -> AsyncOpenAI:
    """The vendor's SDK on its aiohttp transport, without retries of its own: it says which headers to send."""
    from openai import AsyncOpenAI, DefaultAioHttpClient

    return AsyncOpenAI(
        api_key=key,
        base_url=table["base_url"],
        max_retries=0,
        timeout=table.get("timeout_s", TIMEOUT_S),
        http_client=DefaultAioHttpClient(),
    )


def own_headers(headers: Mapping[str, Any]) -> dict[str, str]:
    """The headers that say who asks and in which version, without what the SDK tells about itself."""
    return {n: v for n, v in headers.items() if isinstance(v, str) and not n.lower().startswith("x-stainless")}


def trusted(base_url: str) -> Any:
    """The certificates that the vendors' SDKs trust (SSL_CERT_FILE, SSL_CERT_DIR too)."""
    if not base_url.startswith("https:"):
        return True
    import httpx2

    return httpx2.create_ssl_context()


def secrets_in(headers: Mapping[str, str], key: str) -> tuple[str, ...]:
    """What no message may hold: the key, and what a header of the user's own may carry."""
    private = [v for n, v in headers.items() if any(word in n.lower() for word in ("auth", "key", "token", "cookie"))]
    found = {key, *private, *(value.partition(" ")[2] for value in private)}
    return tuple(sorted((one for one in found if len(one) >= 4), key=len, reverse=True))


class Endpoint:
    """The client of one endpoint: the body that a payload holds, sent once, its reply read."""

    def __init__(self, wire: Wire, endpoint: str) -> None:
        self._wire, self._endpoint = wire, endpoint

    async def send(self, call: Call) -> Reply:
        """One attempt. Raises CallProblem only."""
        raw = await self._wire.post(PATHS[self._endpoint], self.prepared(call))
        try:
            return read(self._endpoint, raw.status, raw.headers, raw.data, orjson.loads, self._wire.secrets)
        except CallProblem as problem:
            if problem.status != 404:
                raise
            said = f"{problem.message} (asked: {self._wire.address}{PATHS[self._endpoint]})"
            raise CallProblem(problem.kind, said, status=404, limits=problem.limits) from None

    def prepared(self, call: Call) -> Any:
        """The body as it is sent."""
        return call.payload["body"]

    async def close(self) -> None:
        """Close the connections."""
        await self._wire.close()
