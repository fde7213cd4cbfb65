"""Recognise a reply that has the form of another endpoint, so that a person knows which setting to change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def hint(body: Any, endpoint: str) -> str:
    """Return which endpoint a reply comes from, as the end of a sentence; "" if it is the requested one, or unknown."""
    found = shape_of(body)
    if found is None or found[1] == endpoint:
        return ""
    field, name = found
    asked = "the messages of Anthropic" if name == "messages" else name
    return f", but it has {field}: is the endpoint {asked}?"


def shape_of(body: Any) -> tuple[str, str] | None:
    """Return (a field of the reply, the endpoint whose replies have it), None if no endpoint is known to reply so."""
    if not isinstance(body, Mapping):
        return None
    choices = body.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    if isinstance(first, Mapping) and isinstance(first.get("message"), Mapping):
        return "message.content", "chat"
    if isinstance(first, Mapping) and isinstance(first.get("text"), str):
        return "choices.text", "completions"
    if isinstance(body.get("output"), list):
        return "output", "responses"
    if isinstance(body.get("content"), list):
        return "content", "messages"
    return None
