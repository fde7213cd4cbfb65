"""Estimate the hits of an implicit prefix cache: how long a prefix a prompt shares with an earlier one."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

from scrollwork.models.base import Ask
from scrollwork.models.engine.sent_prompts import Recent
from scrollwork.models.vendors.families import characters_per_token, family_of
from scrollwork.models.vendors.marks import cache_least, cache_use
from scrollwork.readings.prefix_bound import FINDS

LEAST_STEP = 64  # tokens: prefixes are compared in steps of at least this length, even if the vendor's are smaller


class ImplicitCache:
    """The implicit cache of one model; `tokens` is called in the order in which requests are sent. applies: it has one.

    If a cache key in requests names the shared documents, the vendor keeps their cache apart from that of others. If
    the key is a header, requests without one reach any machine, and a hit is luck, so none is counted.
    """

    def __init__(self, table: Mapping[str, Any], recent: Recent | None = None) -> None:
        use, known = cache_use(table), family_of(table)
        self.applies = use.rule in FINDS
        self._use, self._luck = use, bool(use.header)
        self._least = cache_least(table)
        self._step = max(int(known.family.get("cache.step", 1)) if known is not None else 1, LEAST_STEP)
        self._chars = int(self._step * characters_per_token(table))
        self._recent = Recent() if recent is None else recent

    def tokens(self, ask: Ask, tokens: int) -> int:
        """Return the likely cached tokens of a prompt that has `tokens` in all, and remember its prefixes."""
        if not self.applies or (self._luck and not ask.prefix_digest):
            return 0
        text, common = ask.prompt, 0
        begun = blake2b(self._use.scope(ask).encode() if self._use.key else b"", digest_size=16)
        for end in range(self._chars, len(text) + 1, self._chars):
            begun.update(text[end - self._chars : end].encode("utf-8", "replace"))
            if self._recent.add(begun.digest()):
                common = end
        found = round(tokens * common / max(1, len(text)) / self._step) * self._step
        found = min(found, tokens)
        return found if found >= self._least else 0
