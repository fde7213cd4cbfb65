"""OpenAI: chat completions, responses and text completions.

The whole prompt is one user message, without a system message (ZeroSCROLLS, fact sheet 3.5). Text completions get the
non-chat prompt with its response header.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from scrollwork.models.base import Ask, Client
from scrollwork.models.hosted.endpoint import TIMEOUT_S, Endpoint, no_certificates, vendor_wire
from scrollwork.models.hosted.model import Hosted, decoding
from scrollwork.models.hosted.wire import Wire
from scrollwork.models.vendors.marks import cache_use

if TYPE_CHECKING:
    from openai import AsyncOpenAI

PROVIDER = "openai"


def make(name: str, table: Mapping[str, Any], revision: str) -> Hosted:
    """Make the model of a checked table (scrollwork.models.hosted.tables).

    revision: unused, answers do not depend on it.
    """
    return Hosted(name, PROVIDER, table, body, client)


def body(ask: Ask, table: Mapping[str, Any]) -> dict[str, Any]:
    """Return the body of a request."""
    if table["endpoint"] == "completions":
        asked: dict[str, Any] = {"prompt": ask.prompt}
    elif table["endpoint"] == "responses":  # the provider must not store it
        asked = {"input": ask.prompt, "store": False}
    else:
        asked = {"messages": [{"role": "user", "content": ask.prompt}]}
    return {"model": table["id"], **asked, **decoding(ask, table)}


def client(name: str, table: Mapping[str, Any]) -> Client:
    """Make a client with the key from the environment. Raises tables.BadTable if there is none."""
    return Endpoint(wire_of(name, table), table["endpoint"], cache_use(table))


def wire_of(name: str, table: Mapping[str, Any]) -> Wire:
    """Return the connection to a table's address, with the key. Raises tables.BadTable."""
    return vendor_wire(name, PROVIDER, table, sdk)


def sdk(key: str, table: Mapping[str, Any]) -> AsyncOpenAI:
    """Make the vendor's SDK on its aiohttp transport, without its own retries. It says which headers to send
    and sends nothing itself: it trusts no server."""
    from openai import AsyncOpenAI, DefaultAioHttpClient

    return AsyncOpenAI(
        api_key=key,
        base_url=table["base_url"],
        max_retries=0,
        timeout=table.get("timeout_s", TIMEOUT_S),
        http_client=DefaultAioHttpClient(verify=no_certificates()),
    )
