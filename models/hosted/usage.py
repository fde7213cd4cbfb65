"""Token counts of a reply, by the names that each endpoint uses. No value is used before its type is checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from scrollwork.models.base import Usage

MOST_TOKENS = 2**53


def usage_of_messages(found: Mapping[str, Any]) -> Usage:
    """Return token counts from Anthropic's report, whose input_tokens excludes what the cache read and wrote."""
    read_, written = count(found, "cache_read_input_tokens"), count(found, "cache_creation_input_tokens")
    own = count(found, "input_tokens")
    total = None if own is None else own + (read_ or 0) + (written or 0)
    thought = count(part(found, "output_tokens_details"), "thinking_tokens")
    return Usage(total, read_, written, count(found, "output_tokens"), thought)


def usage_by(given: str, made: str) -> Callable[[Mapping[str, Any]], Usage]:
    """Make the function that reads OpenAI's report of token counts. given, made: its words for input and output.

    Gemini's endpoint and some gateways leave reasoning out of the output but charge it as output. It is the part of the
    total that exceeds input plus output. A total below that sum is ignored.
    """

    def usage(found: Mapping[str, Any]) -> Usage:
        inputs, outputs = part(found, f"{given}_tokens_details"), part(found, f"{made}_tokens_details")
        asked, answered, total = (count(found, f"{name}_tokens") for name in (given, made, "total"))
        thought = count(outputs, "reasoning_tokens")
        if asked is not None and answered is not None and total is not None and total > asked + answered:
            thought = max(thought or 0, total - asked - answered)
            answered = total - asked
        return Usage(asked, count(inputs, "cached_tokens"), count(inputs, "cache_write_tokens"), answered, thought)

    return usage


def part(found: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return the object of that name, an empty one if there is none."""
    value = found.get(name)
    return value if isinstance(value, Mapping) else {}


def count(found: Mapping[str, Any], name: str) -> int | None:
    """Return a whole number of tokens, None for any other value."""
    value = found.get(name)
    return value if type(value) is int and 0 <= value < MOST_TOKENS else None


# By endpoint: reads token counts from the object `usage` of a reply; None for counts that are missing or invalid.
USAGES: Mapping[str, Callable[[Mapping[str, Any]], Usage]] = {
    "chat": usage_by("prompt", "completion"),
    "completions": usage_by("prompt", "completion"),
    "responses": usage_by("input", "output"),
    "messages": usage_of_messages,
}
