"""A reply in the shape of another endpoint: which one it is, so that a person knows what to change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def hint(body: Any, endpoint: str) -> str:
    """Which endpoint a reply comes from, as the end of a sentence; "" where it is the one that was asked."""
    found = shape_of(body)
    if found is None or found[1] == endpoint:
        return ""
    field, name = found
    asked = "the messages of Anthropic" if name == "messages" else name
    return f", but it has {field}: is the endpoint {asked}?"


def shape_of(body: Any) -> tuple[str, str] | None:
    """(a field, the endpoint that replies with it)."""
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
