"""How a request uses its vendor's prefix cache, and what of it counts in limits, by the rule of the family. What is
sent for it changes no answer and is no part of the request key."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from scrollwork.models.base import Ask, text_of
from scrollwork.models.vendors.families import family_of

KEY_CHARS = 16  # of the digest of a prefix, by which requests that share it are sent to one machine
USED_OF_LIFE = 0.8  # of a prefix's time in the cache, with which an order of requests reckons
LONGEST_LIFE_S = 3600.0
UNKNOWN_LIFE_S = 300.0
UNITS_S = {"m": 60.0, "h": 3600.0}


@dataclass(frozen=True)
class CacheUse:
    """Of a model. rule, minimum, lifetime, key, header: as of its family (models/vendors/keys.py), "" and 0 where
    nothing is known. options: what a table of one's own sends in place of all that."""

    rule: str = ""
    minimum: int = 0
    lifetime: str = ""
    key: bool = False
    header: str = ""
    options: Mapping[str, Any] | None = None

    def headers(self, ask: Ask) -> dict[str, str]:
        """The headers by which requests that share documents reach one cache."""
        return {self.header: ask.prefix[:KEY_CHARS]} if self.header and ask.prefix else {}

    def sent(self, body: Mapping[str, Any], ask: Ask) -> dict[str, Any]:
        """A body of OpenAI's protocol as it is sent. ask.prefix: "" where no neighbour shares one.

        Where every token that is written to the cache is charged (rule breakpoints), a document that is asked once is
        not written, and a prefix that several share up to its end.
        """
        if self.options is not None:
            return {**body, **self.options}
        in_body = self.key and not self.header and ask.prefix
        shared: dict[str, Any] = {"prompt_cache_key": ask.prefix[:KEY_CHARS]} if in_body else {}
        if self.rule != "breakpoints":
            return {**body, **shared}
        once = {**body, "prompt_cache_options": {"mode": "explicit"}}
        head, tail = text_of(ask.front), text_of(ask.segments[len(ask.front) :])
        if not (ask.prefix and head and tail) or ask.shared_tokens < self.minimum:
            return once
        mark = {"prompt_cache_breakpoint": {"mode": "explicit", "ttl": self.lifetime}}
        if "messages" in body:
            parts = [{"type": "text", "text": head, **mark}, {"type": "text", "text": tail}]
            return {**once, **shared, "messages": [{"role": "user", "content": parts}]}
        if "input" in body:
            parts = [{"type": "input_text", "text": head, **mark}, {"type": "input_text", "text": tail}]
            return {**once, **shared, "input": [{"role": "user", "content": parts}]}
        return once


def cache_use(table: Mapping[str, Any]) -> CacheUse:
    """How requests to a table's model use the cache."""
    if "cache_options" in table:
        return CacheUse(options=table["cache_options"])
    known = family_of(table)
    if known is None or table.get("endpoint") == "completions":
        return CacheUse()
    cache: Mapping[str, Any] = known.family.get("cache", {})
    return CacheUse(
        str(cache.get("rule", "")),
        int(table.get("cache_minimum", cache.get("minimum", 0))),
        next(iter(cache.get("write", {})), ""),
        bool(cache.get("key")),
        str(cache.get("header", "")),
    )


def cache_seconds(table: Mapping[str, Any]) -> float:
    """How long an order of requests may reckon with a prefix in the cache after its last use."""
    known = family_of(table)
    lifetimes = known.family.get("cache.write", {}) if known is not None else {}
    found = re.fullmatch(r"([0-9]+)([mh])", next(iter(lifetimes), ""))
    life = float(found.group(1)) * UNITS_S[found.group(2)] if found else UNKNOWN_LIFE_S
    return USED_OF_LIFE * min(life, LONGEST_LIFE_S)


def counting(table: Mapping[str, Any]) -> dict[str, bool]:
    """What the vendor of a table's model counts in its limit of tokens: fields of `Caps` (models/engine/limits.py)."""
    known = family_of(table)
    if known is None:
        return {}
    return {
        "counts_cached": bool(known.family.get("cache.counted", True)),
        "admits_by_limit": known.family.get("limits") == "max_tokens",
    }
