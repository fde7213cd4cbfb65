"""Bounds on the tokens of a call, from the text that was sent and the answer that was allowed.

A vendor's reported usage decides costs, pacing and later counts, so it is believed only within these bounds. They were
measured with four tokenizers on 4,406 texts (docs/calls.md, "Usage"): at most 0.73 tokens a byte; at least 1.0 a word
between white space, and 0.31 for each byte after a character's first one in real Chinese (0.125 if one character is
repeated).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from scrollwork.models.base import Ask, Usage
from scrollwork.models.vendors.keys import MAX_TOKENS_NAMES

TEMPLATE = 1024  # tokens of roles, separators and a system prompt that a server may put around a prompt
WORDS_A_TOKEN = 2  # at most; half of the lowest measured rate
FURTHER_BYTES_A_TOKEN = 16  # at most, of bytes after a character's first one; half of the lowest measured rate


@dataclass(frozen=True)
class Bounds:
    """Token bounds of one call. size: bytes of the prompt. output_most: None if it is unknown what was allowed.

    cache_most: most tokens that can be read from a cache, and most that can be written; None if only the vendor
    decides. shared: for a request in a batch, most tokens that other requests of the batch can have put into the cache.
    """

    input_least: int
    input_most: int
    output_most: int | None
    size: int
    cache_most: int | None = None
    shared: int = 0


ASCII = bytes(range(128))
LETTERS = bytes(sign for sign in ASCII if chr(sign).isalpha() or chr(sign).isspace())
ANY = Bounds(1, 2**24, 2**20, 0)  # for a call whose prompt is not available: more than any context window


def byte_bound(ask: Ask) -> int:
    """Return an upper bound on a call's input tokens for any tokenizer: a token is at least one byte."""
    return size_of(ask.segments) + TEMPLATE


def dense_bound(segments: Any) -> int:
    """Return a bound that a prompt's input tokens hardly ever exceed.

    It is a third of a token for each letter and white space of ASCII, one token for each other ASCII character (some
    tokenizers split digits), and three quarters of a token for each byte of all other scripts. Letters that are not
    words (base64, DNA) can have more.
    """
    letters = signs = others = 0
    for segment in segments:
        data = segment.text.encode("utf-8", "replace")
        plain, ascii_only = len(data) - len(data.translate(None, LETTERS)), len(data) - len(data.translate(None, ASCII))
        letters, signs, others = letters + plain, signs + ascii_only - plain, others + len(data) - ascii_only
    return letters // 3 + signs + others * 3 // 4


def size_of(segments: Any) -> int:
    """Return the bytes of a prompt's segments in UTF-8."""
    return sum(len(segment.text.encode("utf-8", "replace")) for segment in segments)


def bounds_of(ask: Ask, body: Mapping[str, Any] | None = None) -> Bounds:
    """Return the bounds of a call. body: of its request, which says how much output it allows; None if it has none."""
    size = size_of(ask.segments)
    least = sum(least_tokens(segment.text) for segment in ask.segments)
    return Bounds(max(1, least), size + TEMPLATE, output_allowed(body or {}), size, cache_allowed(body or {}))


def cache_allowed(body: Mapping[str, Any]) -> int | None:
    """Return the most tokens that a request's body lets a vendor cache; None if caching is automatic."""
    turns = [turn.get("content") for turn in turns_of(body)]
    options = body.get("prompt_cache_options")
    if isinstance(options, Mapping) and options.get("mode") == "explicit":
        return marked_tokens(turns, "prompt_cache_breakpoint")
    if not any(isinstance(content, list) for content in turns):
        return None  # not the Anthropic messages API
    if any("cache_control" in str((name, value)) for name, value in body.items() if name != "messages"):
        return None  # from a table's `extra`
    return marked_tokens(turns, "cache_control")


def turns_of(body: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """Return the turns of a request to any endpoint."""
    turns = body.get("messages", body.get("input", ()))
    return turns if isinstance(turns, list) else ()


def marked_tokens(turns: Iterable[Any], mark: str) -> int:
    """Return the most tokens up to the last block with a cache breakpoint (`mark`); 0 without one."""
    most = size = 0
    for content in turns:
        for block in content if isinstance(content, list) else [{"text": content}]:
            size += len(str(block.get("text", "")).encode("utf-8", "replace"))
            most = size + TEMPLATE if mark in block else most
    return most


def shared_most(ask: Ask) -> int:
    """Return the most tokens that a cache can return, as another sent call begins with them too."""
    prefix = len(ask.prefix_text.encode("utf-8", "replace")) + TEMPLATE if ask.follows else 0
    return max(prefix, ask.common_bytes)


def read_in_batch(usage: Usage, shared: int) -> Usage:
    """Return the usage of a request in a batch, its cached tokens limited to `shared` (as in `Bounds`)."""
    return replace(usage, cached_tokens=min(usage.cached_tokens or 0, shared))


def output_allowed(body: Mapping[str, Any]) -> int | None:
    """Return the new tokens that a request's body allows, reasoning included; None if it does not say."""
    found = [body[name] for name in MAX_TOKENS_NAMES if type(body.get(name)) is int]
    return max(found, default=None)


def least_tokens(text: str) -> int:
    """Return the fewest tokens that a text can have.

    White space and repeated signs count for almost nothing, as many of them can be one token.
    """
    further = len(text.encode("utf-8", "replace")) - len(text)
    return max(len(text.split()) // WORDS_A_TOKEN, further // FURTHER_BYTES_A_TOKEN)


def usage_problem(usage: Usage, bounds: Bounds, text: str) -> str:
    """Return why a usage is impossible, with the figures; "" if it is possible. text: of the answer, "" for none."""
    given, made = usage.input_tokens, usage.output_tokens
    if given is not None and not bounds.input_least <= given <= bounds.input_most:
        return (
            f"{given:,} input tokens for a prompt of {bounds.size:,} bytes, "
            f"which is {bounds.input_least:,} to {bounds.input_most:,}"
        )
    for name, part in (("cached", usage.cached_tokens), ("written to the cache", usage.cache_write_tokens)):
        if part is not None and given is not None and part > given:
            return f"{part:,} tokens {name} of {given:,} input tokens"
        if part and bounds.cache_most is not None and part > bounds.cache_most:
            return f"{part:,} tokens {name}, where the request lets {bounds.cache_most:,} be cached"
    if given is not None and (usage.cached_tokens or 0) + (usage.cache_write_tokens or 0) > given:
        return f"more tokens read from and written to the cache than the {given:,} input tokens"
    if made is None:
        return ""
    if bounds.output_most is not None and made > bounds.output_most:
        return f"{made:,} output tokens where {bounds.output_most:,} were allowed"
    if (usage.reasoning_tokens or 0) > made:
        return f"{usage.reasoning_tokens:,} tokens of thoughts among {made:,} output tokens"
    if text.strip() and made < (least := max(1, least_tokens(text))):
        return f"{made:,} output tokens for an answer of {len(text):,} characters, which is {least:,} at least"
    return ""
