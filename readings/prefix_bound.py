"""What prompts must cost at least: the tree of their common prefixes, each of which is paid once."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from hashlib import blake2b

from scrollwork.models.base import Segment
from scrollwork.models.engine.prices import Rates

FINDS = ("prefix",)  # rules of a cache that writes for nothing
MARKED = ("breakpoints", "blocks")  # rules by which a request says what is written


class PrefixTree:
    """The common prefixes of prompts, by whole segments (instruction, documents, query), with what each costs.

    Takes memory for each distinct prefix, not for its text.
    """

    def __init__(self, rule: str) -> None:
        """Begin without prompts. rule: of the vendor's cache (models/vendors/keys.py), "" for none."""
        self._rule = rule
        self._nodes: dict[tuple[int, bytes], int] = {}  # (prefix, next text): that prefix, numbered from 1
        self._upto = [0]  # tokens of each prefix
        self._own = [0]  # of its last segment
        self._plain, self._read = [Decimal(0)], [Decimal(0)]  # of all prompts that have it: nano-dollars a token
        self._more: list[Decimal | None] = [None]  # what writing costs on top of reading, at least

    def add(self, segments: Iterable[Segment], tokens: int, rates: Rates) -> None:
        """Take in a prompt of so many tokens, by its rates. What a prefix counts is its share of the characters of the
        first prompt that has it, so that it counts the same for all."""
        segments = list(segments)
        whole = max(1, sum(len(one.text) for one in segments))
        at = chars = 0
        written = rates.cache_write if self._rule in MARKED else rates.input
        for segment in segments:
            chars += len(segment.text)
            key = at, blake2b(segment.text.encode("utf-8", "replace"), digest_size=16).digest()
            node = self._nodes.get(key)
            if node is None:
                node = self._nodes[key] = len(self._own)
                upto = max(self._upto[at], tokens * chars // whole)
                self._upto.append(upto)
                self._own.append(upto - self._upto[at])
                self._plain.append(Decimal(0))
                self._read.append(Decimal(0))
                self._more.append(None)
            self._plain[node] += rates.input
            self._read[node] += rates.cached
            least = self._more[node]
            self._more[node] = written - rates.cached if least is None else min(least, written - rates.cached)
            at = node

    def least(self) -> int:
        """Return the nano-dollars for input that no order and no marks can go below: each distinct prefix is written
        once, for the shortest lifetime, and read by all others that have it, or else is plain input for all. Neither
        the smallest prefix that is kept counts, nor steps, nor how many marks there may be."""
        caches = self._rule in (*MARKED, *FINDS)
        total = Decimal(0)
        for node in range(1, len(self._own)):
            plain, more = self._plain[node], self._more[node]
            cheapest = min(plain, self._read[node] + (more or 0)) if caches else plain
            total += self._own[node] * cheapest
        return int(total)
