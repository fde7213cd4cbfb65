"""Any server with the OpenAI protocol at a base_url: vLLM, SGLang, llama.cpp, Ollama, `transformers serve`, ...

The endpoint "chat" gets one user message, "completions" the plain text with its response header. No SDK is needed. Some
of these servers know only `max_tokens`, so the limit has that name unless the table says otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scrollwork.models.base import Ask, Client
from scrollwork.models.hosted import openai
from scrollwork.models.hosted.endpoint import Endpoint, wire_to
from scrollwork.models.hosted.model import Hosted
from scrollwork.models.hosted.tables import key_of
from scrollwork.models.hosted.wire import Wire
from scrollwork.models.vendors.marks import cache_use

PROVIDER = "compatible"


def make(name: str, table: Mapping[str, Any], revision: str) -> Hosted:
    """Make the model of a checked table (scrollwork.models.hosted.tables)."""
    return Hosted(name, PROVIDER, table, body, client)


def body(ask: Ask, table: Mapping[str, Any]) -> dict[str, Any]:
    """Return the body of a request, with the limit of new tokens under the name that most servers know."""
    return openai.body(ask, {**table, "parameters": {"max_tokens": "max_tokens", **table.get("parameters", {})}})


def client(name: str, table: Mapping[str, Any]) -> Client:
    """Make a client.

    It has a key only if the table says where the key is; raises tables.BadTable if it is not there.
    """
    return Endpoint(wire_of(name, table), table["endpoint"], cache_use(table))


def wire_of(name: str, table: Mapping[str, Any]) -> Wire:
    """Return the connection to a table's address, with the key if the table names one. Raises tables.BadTable."""
    key = key_of(name, PROVIDER, table)
    return wire_to(table, {"Authorization": f"Bearer {key}"} if key else {}, key)
