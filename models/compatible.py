"""Any server that speaks the OpenAI protocol at a base_url: vLLM, SGLang, llama.cpp, Ollama, `transformers serve`, ...

endpoint "chat" gets one user message, "completions" the plain text with its response header. No SDK is needed. Such
servers may know `max_tokens` only, so that is what they get where the table does not say otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from models.base import Ask, Client
from models.hosted import Hosted
from models.openai import TIMEOUT_S, Endpoint, trusted
from models.openai import body as openai_body
from models.tables import key_of
from models.wire import Wire

PROVIDER = "compatible"


def make(name: str, table: Mapping[str, Any], revision: str) -> Hosted:
    """The model of a checked table (models.tables)."""
    parameters = {"max_tokens": "max_tokens", **table.get("parameters", {})}
    return Hosted(name, PROVIDER, {**table, "parameters": parameters}, body, client)


def body(ask: Ask, table: Mapping[str, Any]) -> dict[str, Any]:
    """What the endpoint gets."""
    return openai_body(ask, table)


def client(name: str, table: Mapping[str, Any]) -> Client:
    """A client; with a key only where the table names the variable that holds it."""
    key = key_of(name, PROVIDER, table)
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    wire = Wire(
        table["base_url"],
        headers,
        secrets=(key,) if key else (),
        timeout_s=table.get("timeout_s", TIMEOUT_S),
        ssl=trusted(table["base_url"]),
    )
    return Endpoint(wire, table["endpoint"])
