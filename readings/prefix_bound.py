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
    """The common prefixes of prompts with what each costs: whole segments (instruction, documents, query), and of a
    document what another prompt shows of it.

    Takes memory for each distinct prefix, and the text of one document for each that documents follow.
    """

    def __init__(self, rule: str, minimum: int = 0) -> None:
        """Begin without prompts. rule: of the vendor's cache (models/vendors/keys.py), "" for none; minimum: tokens of
        a prefix below which it keeps none."""
        self._rule, self._minimum = rule, minimum
        self._nodes: dict[tuple[int, bytes], int] = {}  # (prefix, next text): that prefix, numbered from 1
        self._under = [0]  # the prefix that each extends
        self._upto = [0]  # tokens of each
        self._plain, self._read = [Decimal(0)], [Decimal(0)]  # of all prompts that have it: nano-dollars a token
        self._more = [Decimal(0)]  # what writing costs on top of reading, at least
        self._documents: dict[int, tuple[int, str]] = {}  # the last document behind a prefix, and its text
        self._all = Decimal(0)  # nano-dollars without a cache

    def add(self, segments: Iterable[Segment], tokens: int, rates: Rates) -> None:
        """Take in a prompt of so many tokens, by its rates. What a prefix counts is its share of the characters of the
        first prompt that has it, so that it counts the same for all."""
        segments = list(segments)
        whole = max(1, sum(len(one.text) for one in segments))
        at = chars = 0
        more = (rates.cache_write if self._rule in MARKED else rates.input) - rates.cached
        self._all += tokens * rates.input
        for segment in segments:
            chars += len(segment.text)
            key = at, blake2b(segment.text.encode("utf-8", "replace"), digest_size=16).digest()
            node = self._nodes.get(key)
            if node is None:
                node = self._nodes[key] = self._new(at, max(self._upto[at], tokens * chars // whole), more)
                self._nest(node, segment)
            if segment.role == "document":
                self._documents[at] = node, segment.text
            step = node
            while step != at:
                self._plain[step] += rates.input
                self._read[step] += rates.cached
                self._more[step] = min(self._more[step], more)
                step = self._under[step]
            at = node

    def _new(self, under: int, upto: int, more: Decimal) -> int:
        self._under.append(under)
        self._upto.append(upto)
        self._plain.append(Decimal(0))
        self._read.append(Decimal(0))
        self._more.append(more)
        return len(self._under) - 1

    def _nest(self, node: int, segment: Segment) -> None:
        """A document of which the last one at this place is the beginning, or that is the beginning of it."""
        at = self._under[node]
        if segment.role != "document" or at not in self._documents:
            return
        other, text = self._documents[at]
        if text and segment.text.startswith(text):
            self._under[node] = other
            self._upto[node] = max(self._upto[node], self._upto[other])
        elif segment.text and text.startswith(segment.text):
            self._under[node], self._under[other] = self._under[other], node
            self._plain[node], self._read[node] = self._plain[other], self._read[other]
            self._more[node] = min(self._more[node], self._more[other])
            self._upto[node] = min(self._upto[node], self._upto[other])

    def least(self) -> int:
        """Return the nano-dollars for input that no order and no marks can go below: each distinct prefix that the
        vendor keeps is written once, for the shortest lifetime, and read by all others that have it, or else is plain
        input for all. Neither steps count, nor how many marks there may be."""
        if self._rule not in (*MARKED, *FINDS):
            return int(self._all)
        saved = Decimal(0)
        for node in range(1, len(self._under)):
            if self._upto[node] < self._minimum:
                continue
            before = self._upto[self._under[node]]
            own = self._upto[node] - (before if before >= self._minimum else 0)
            saved += own * max(Decimal(0), self._plain[node] - self._read[node] - self._more[node])
        return int(self._all - saved)
