"""How a request uses its vendor's prefix cache, and what of it counts in limits, by the rule of the family. What is
sent for it changes no answer and is no part of the request key."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from scrollwork.models.base import Ask, cut_behind
from scrollwork.models.vendors.families import cache_least, cache_minimum, family_of
from scrollwork.models.vendors.keys import lifetime_s

KEY_CHARS = 16  # of the digest of a prefix, by which requests that share it are sent to one machine
USED_OF_LIFE = 0.8  # of a prefix's time in the cache, with which an order of requests reckons
LONGEST_LIFE_S = 3600.0
UNKNOWN_LIFE_S = 300.0


@dataclass(frozen=True)
class CacheUse:
    """Of a model. rule, lifetime, key, header: as of its family (models/vendors/keys.py), "" where nothing is known.
    options: what a table of one's own sends in place of all that."""

    rule: str = ""
    lifetime: str = ""
    key: bool = False
    header: str = ""
    options: Mapping[str, Any] | None = None

    def scope(self, ask: Ask) -> str:
        """By which requests that share documents reach one cache, "" where none are shared.

        It is that of the shortest prefix, so that all that is nested in it can be read: documents that are cut for each
        question have one. But what all inputs begin with (an instruction) is none, as one machine answers only so many
        requests a minute; where marks say what is kept, it is.
        """
        if not ask.shared_prefixes or not (self.key or self.header):
            return ""
        common = 0 if self.rule == "breakpoints" else ask.instruction_characters
        own = (prefix for prefix in ask.shared_prefixes if prefix.characters > common)
        return next(own, ask.shared_prefixes[-1]).digest[:KEY_CHARS]

    def headers(self, ask: Ask) -> dict[str, str]:
        """The headers by which requests that share documents reach one cache."""
        return {self.header: scope} if self.header and (scope := self.scope(ask)) else {}

    def sent(self, body: Mapping[str, Any], ask: Ask) -> dict[str, Any]:
        """A body of OpenAI's protocol as it is sent. ask.shared_prefixes: none where no neighbour shares one.

        Where every token that is written to the cache is charged (rule breakpoints), a document that is asked once is
        not written, and prefixes that several share up to their ends.
        """
        if self.options is not None:
            return {**body, **self.options}
        scope = "" if self.header else self.scope(ask)
        shared: dict[str, Any] = {"prompt_cache_key": scope} if scope else {}
        if self.rule != "breakpoints":
            return {**body, **shared}
        once = {**body, "prompt_cache_options": {"mode": "explicit"}}
        where, kind = ("messages", "text") if "messages" in body else ("input", "input_text")
        if not ask.shared_prefixes or where not in body:
            return once
        mark = {"prompt_cache_breakpoint": {"mode": "explicit", "ttl": self.lifetime}}
        parts = [
            {"type": kind, "text": text, **(mark if marked else {})}
            for text, marked in cut_behind(ask.prompt, ask.shared_prefixes)
        ]
        return {**once, **shared, where: [{"role": "user", "content": parts}]}


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
        next(iter(cache.get("write", {})), ""),
        bool(cache.get("key")),
        str(cache.get("header", "")),
    )


def batch_group(table: Mapping[str, Any]) -> int:
    """How many requests of a batch must share a prefix before a mark behind it saves money; 0 where none does, or where
    the vendor says nothing of hits in a batch.

    Reckoned at the least share of hits that the vendor states: one request writes the prefix, of the others this share
    reads it and the rest writes it again.
    """
    known = family_of(table)
    cache: Mapping[str, Any] = known.family.get("cache", {}) if known is not None else {}
    hits, write = batch_hits(table), float(next(iter(cache.get("write", {}).values()), 1))
    later = hits * float(cache.get("read", 1)) + (1 - hits) * write
    return int((write - later) / (1 - later)) + 1 if later < 1 else 0


def batch_hits(table: Mapping[str, Any]) -> float:
    """The least share of a batch's requests that find their prefix in the cache, 0 where the vendor says nothing."""
    known = family_of(table)
    return float(known.family.get("cache.batch_hits", 0)) if known is not None else 0.0


def prefixes_from(table: Mapping[str, Any]) -> int:
    """Tokens from which what calls share is asked one behind the other: what the cache keeps at the least, for those
    that are asked at the same moment miss it; where a header leads each prefix to a machine of its own, what is
    promised."""
    return cache_minimum(table) if cache_use(table).header else cache_least(table)


def cache_seconds(table: Mapping[str, Any]) -> float:
    """How long an order of requests may reckon with a prefix in the cache after its last use."""
    known = family_of(table)
    lifetimes = known.family.get("cache.write", {}) if known is not None else {}
    life = next((lifetime_s(one) for one in lifetimes), UNKNOWN_LIFE_S)
    return USED_OF_LIFE * min(life, LONGEST_LIFE_S)


def limit_counting(table: Mapping[str, Any]) -> dict[str, bool]:
    """What the vendor of a table's model counts in its limit of tokens: fields of `Caps` (models/engine/limits.py)."""
    known = family_of(table)
    if known is None:
        return {}
    return {
        "counts_cached": bool(known.family.get("cache.counted", True)),
        "admits_by_limit": known.family.get("limits") == "max_tokens",
    }
