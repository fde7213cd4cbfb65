"""A lower bound of what prompts cost: the tree of their common prefixes, each of which is paid for once."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from hashlib import blake2b

from scrollwork.models.base import Segment
from scrollwork.models.engine.prices import Rates

FINDS = ("prefix",)  # rules of caches to which writing costs nothing extra
MARKED = ("breakpoints", "blocks")  # rules of caches for which a request marks what is written


class PrefixTree:
    """The common prefixes of prompts, and what each costs. A prefix ends with a segment (instruction, document, query),
    or within a document where the document of another prompt ends.

    Memory holds each distinct prefix, and for each that a document follows the text of one such document.
    """

    def __init__(self, rule: str, minimum: int = 0) -> None:
        """Begin without prompts. rule: of the vendor's cache (models/vendors/keys.py), "" for none. minimum: the fewest
        tokens of a prefix that it caches."""
        self._rule, self._minimum = rule, minimum
        self._nodes: dict[tuple[int, bytes], int] = {}  # numbers of prefixes, from 1, by (shorter prefix, next text)
        self._parents = [0]  # by prefix: the shorter prefix that it extends
        self._ends = [0]  # by prefix: its tokens
        self._plain, self._read = [Decimal(0)], [Decimal(0)]  # by prefix: sum over prompts, nano-dollars a token
        # by prefix: nano-dollars a token that writing costs more than reading, at least
        self._write_premiums = [Decimal(0)]
        self._documents: dict[int, tuple[int, str]] = {}  # by prefix: the last document after it, number and text
        self._all = Decimal(0)  # nano-dollars of all input without a cache

    def add(self, segments: Iterable[Segment], tokens: int, rates: Rates) -> None:
        """Add a prompt. tokens: of all of it. rates: of a prompt of this length. A prefix has its share of the tokens
        of the first prompt that has it, by characters, so that it counts the same in all prompts."""
        segments = list(segments)
        whole = max(1, sum(len(one.text) for one in segments))
        at = chars = 0
        premium = (rates.cache_write if self._rule in MARKED else rates.input) - rates.cached
        self._all += tokens * rates.input
        for segment in segments:
            chars += len(segment.text)
            key = at, blake2b(segment.text.encode("utf-8", "replace"), digest_size=16).digest()
            node = self._nodes.get(key)
            if node is None:
                node = self._nodes[key] = self._new(at, max(self._ends[at], tokens * chars // whole), premium)
                self._nest(node, segment)
            if segment.role == "document":
                self._documents[at] = node, segment.text
            step = node
            while step != at:
                self._plain[step] += rates.input
                self._read[step] += rates.cached
                self._write_premiums[step] = min(self._write_premiums[step], premium)
                step = self._parents[step]
            at = node

    def _new(self, parent: int, end: int, premium: Decimal) -> int:
        self._parents.append(parent)
        self._ends.append(end)
        self._plain.append(Decimal(0))
        self._read.append(Decimal(0))
        self._write_premiums.append(premium)
        return len(self._parents) - 1

    def _nest(self, node: int, segment: Segment) -> None:
        """Nest a document's prefix and that of the last document at the same position, if one text begins the other."""
        at = self._parents[node]
        if segment.role != "document" or at not in self._documents:
            return
        other, text = self._documents[at]
        if text and segment.text.startswith(text):
            self._parents[node] = other
            self._ends[node] = max(self._ends[node], self._ends[other])
        elif segment.text and text.startswith(segment.text):
            self._parents[node], self._parents[other] = self._parents[other], node
            self._plain[node], self._read[node] = self._plain[other], self._read[other]
            self._write_premiums[node] = min(self._write_premiums[node], self._write_premiums[other])
            self._ends[node] = min(self._ends[node], self._ends[other])

    def least(self) -> int:
        """Return a lower bound of the input cost, in nano-dollars, for any order of requests and any cache breakpoints.

        Each distinct prefix that is long enough for the cache is either written once, for the shortest lifetime, and
        read by all other prompts that have it, or plain input for all. The vendor's step sizes and its limit on the
        number of breakpoints are ignored.
        """
        if self._rule not in (*MARKED, *FINDS):
            return int(self._all)
        saved = Decimal(0)
        for node in range(1, len(self._parents)):
            if self._ends[node] < self._minimum:
                continue
            before = self._ends[self._parents[node]]
            own = self._ends[node] - (before if before >= self._minimum else 0)
            saved += own * max(Decimal(0), self._plain[node] - self._read[node] - self._write_premiums[node])
        return int(self._all - saved)
