"""How a request uses its vendor's prefix cache, and what counts in the vendor's limits, by the rules of the family.

Parameters for the cache change no answer and are not part of the request key.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from scrollwork.models.base import Ask, cut_after_prefixes
from scrollwork.models.vendors.families import family_of, upstream_of
from scrollwork.models.vendors.keys import lifetime_s

KEY_CHARS = 16  # of a prefix's digest, which sends requests that share the prefix to one machine
USED_OF_LIFE = 0.8  # share of a prefix's lifetime in the cache that an order of requests relies on
LONGEST_LIFE_S = 3600.0
UNKNOWN_LIFE_S = 300.0
CACHE_MINIMUM = 1024  # tokens: no vendor caches a shorter prefix; used if the family names no minimum
MARKS = 4  # cache marks that a request may have, if its vendor names no number


@dataclass(frozen=True)
class CacheUse:
    """How requests to a model use the cache. rule, lifetime, key, header: of its family, "" if nothing is known.

    Their meaning is in models/vendors/keys.py. options: parameters of a user's own table, sent in place of all this.
    """

    rule: str = ""
    lifetime: str = ""
    key: bool = False
    header: str = ""
    options: Mapping[str, Any] | None = None

    def scope(self, ask: Ask) -> str:
        """Return the cache key of a request, by which requests that share documents reach the same cache; "" for none.

        It is the digest of the shortest shared prefix that is longer than the instruction, so that all prefixes nested
        in it can be read, even if documents are cut differently for each question. The instruction alone gives no key
        unless nothing longer is shared: all requests would go to one machine, which answers only a limited number a
        minute. With the rule breakpoints it does give one, as marks decide what is cached.
        """
        if not ask.shared_prefixes or not (self.key or self.header):
            return ""
        common = 0 if self.rule == "breakpoints" else ask.instruction_characters
        own = (prefix for prefix in ask.shared_prefixes if prefix.characters > common)
        return next(own, ask.shared_prefixes[-1]).digest[:KEY_CHARS]

    def headers(self, ask: Ask) -> dict[str, str]:
        """Return the headers by which requests that share documents reach the same cache."""
        return {self.header: scope} if self.header and (scope := self.scope(ask)) else {}

    def sent(self, body: Mapping[str, Any], ask: Ask) -> dict[str, Any]:
        """Return a body of OpenAI's protocol as it is sent, with the parameters for the cache.

        With the rule breakpoints every token written to the cache is charged. So a document that occurs in one request
        only is not written, and shared prefixes are written exactly up to their ends.
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
            for text, marked in cut_after_prefixes(ask.prompt, ask.shared_prefixes)
        ]
        return {**once, **shared, where: [{"role": "user", "content": parts}]}


def cache_use(table: Mapping[str, Any]) -> CacheUse:
    """Return how requests to a table's model use the cache."""
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


def expects_hits(table: Mapping[str, Any]) -> bool:
    """Return whether an estimate may count on cache hits of a table's model: a rule must be known for it."""
    return usable_rule(table) not in ("", "none")


def usable_rule(table: Mapping[str, Any]) -> str:
    """Return the cache rule of a table's model as its requests can use it, "" if it is unknown or they cannot.

    It is the family's; but blocks are marked at the endpoint messages only, not for Claude behind a server with
    OpenAI's protocol. If the family has none, what the client marks at that endpoint are blocks, and a table with
    `cache_options` or `cache_minimum` says that its server finds common prefixes.
    """
    rule, marks = cache_use(table).rule, table.get("endpoint") == "messages"
    if rule and (rule != "blocks" or marks):
        return rule
    if marks:
        return "blocks"
    return "prefix" if "cache_options" in table or "cache_minimum" in table else ""


def is_unmarked(table: Mapping[str, Any]) -> bool:
    """Return whether the cache of a table's model keeps marked blocks only, and its requests cannot mark any: Claude
    behind a server with OpenAI's protocol, unless its table has parameters for the cache."""
    if "cache_options" in table or "cache_control" in table.get("extra", {}):
        return False
    known = family_of(table)
    family = upstream_of(table) or (known.family if known is not None else None)
    return family is not None and family.get("cache.rule") == "blocks" and table.get("endpoint") != "messages"


def batch_group(table: Mapping[str, Any]) -> int:
    """Return how many requests of a batch must share a prefix before a cache mark after it saves money.

    0 if a mark never saves money, or if the vendor does not say how many requests of a batch hit the cache. The lowest
    share of hits that the vendor states is assumed: one request writes the prefix, of the others this share reads it,
    and the rest writes it again.
    """
    if usable_rule(table) == "none":
        return 0
    known = family_of(table)
    cache: Mapping[str, Any] = known.family.get("cache", {}) if known is not None else {}
    hits, write = batch_hits(table), float(next(iter(cache.get("write", {}).values()), 1))
    later = hits * float(cache.get("read", 1)) + (1 - hits) * write
    return int((write - later) / (1 - later)) + 1 if later < 1 else 0


def batch_hits(table: Mapping[str, Any]) -> float:
    """Return the lowest share of a batch's requests that hit the cache, as the vendor states it.

    0 if it states none.
    """
    known = family_of(table)
    return float(known.family.get("cache.batch_hits", 0)) if known is not None else 0.0


def least_ordered_prefix(table: Mapping[str, Any]) -> int:
    """Return the tokens of the shortest common prefix for which calls are sent one after the other.

    Calls that are sent at the same moment miss the cache. So it is the shortest prefix that can be cached; but if a
    header sends each prefix to a machine of its own, it is the shortest that the vendor promises to cache. If there is
    no cache, no prefix is long enough.
    """
    if usable_rule(table) == "none":
        return sys.maxsize
    return cache_minimum(table) if cache_use(table).header else cache_least(table)


def cache_seconds(table: Mapping[str, Any]) -> float:
    """Return for how many seconds after its last use an order of requests may rely on a prefix in the cache."""
    known = family_of(table)
    lifetimes = known.family.get("cache.write", {}) if known is not None else {}
    life = next((lifetime_s(one) for one in lifetimes), UNKNOWN_LIFE_S)
    return USED_OF_LIFE * min(life, LONGEST_LIFE_S)


def limit_counting(table: Mapping[str, Any]) -> dict[str, bool]:
    """Return what counts in the token limit of a table's vendor, as fields of `Caps` (models/engine/limits.py)."""
    known = family_of(table)
    if known is None:
        return {}
    return {
        "counts_cached": bool(known.family.get("cache.counted", True)),
        "admits_by_limit": known.family.get("limits") == "max_tokens",
    }


def cache_minimum(table: Mapping[str, Any]) -> int:
    """Return the tokens of the shortest prefix that the vendor of a table's model caches, CACHE_MINIMUM if unknown.

    A table's own `cache_minimum` goes first.
    """
    known = family_of(table)
    found = known.family.get("cache.minimum", CACHE_MINIMUM) if known is not None else CACHE_MINIMUM
    return int(table.get("cache_minimum", found))


def cache_marks(table: Mapping[str, Any]) -> int:
    """Return the number of cache marks that a request to a table's model may have, MARKS if unknown."""
    known = family_of(table)
    return int(known.family.get("cache.marks", MARKS)) if known is not None else MARKS


def cache_least(table: Mapping[str, Any]) -> int:
    """Return the tokens of the shortest prefix that can have come from the cache of a table's model.

    It is the minimum; but if only steps of more than one token are known, and the table has no `cache_minimum`, it is
    one step: nobody promises that so little is cached, but it can be true.
    """
    known = family_of(table)
    step = int(known.family.get("cache.step", 1)) if known is not None else 1
    named = known is not None and known.family.get("cache.minimum") is not None
    return step if step > 1 and not named and "cache_minimum" not in table else cache_minimum(table)
