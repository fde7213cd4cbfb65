"""What prompts that were sent begin with: no cache can give back more of another."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence

from scrollwork.models.base import Segment, text_of

SHORTEST = 64  # bytes; a vendor's cache begins with 64 tokens at the earliest


class Recent:
    """Digests that were met, those of the earliest forgotten in the end: memory stays below some 40 MB."""

    def __init__(self, most: int = 200_000) -> None:
        """most: digests in each of two halves, of which the older is forgotten."""
        self._most = most
        self._late: dict[bytes, bool] = {}  # whether it was met more than once
        self._early: dict[bytes, bool] = {}

    def __len__(self) -> int:
        return len(self._late.keys() | self._early.keys())

    def add(self, digest: bytes) -> bool:
        """Whether it was met before. It is now."""
        known = self._late[digest] = digest in self._late or digest in self._early
        if len(self._late) > self._most:
            self._late, self._early = {}, self._late
        return known

    def repeated(self, digest: bytes) -> bool:
        """Whether it was met more than once."""
        return self._late.get(digest, False) or self._early.get(digest, False)


class SentPrompts:
    """Prompts that were sent: a cache can give back of one what it begins with as another does, and no more. Which of
    two comes first at a vendor, nobody here sees.

    Known by the digests of their first bytes, at lengths that grow by a quarter, and of all.
    """

    def __init__(self, recent: Recent | None = None) -> None:
        self._recent = Recent() if recent is None else recent

    def add(self, segments: Sequence[Segment]) -> None:
        """A prompt is sent, be it once more."""
        for _, digest in prefix_digests(segments):
            self._recent.add(digest)

    def common_bytes(self, segments: Sequence[Segment]) -> int:
        """How many bytes a prompt that was sent begins with as another, or up to a fifth fewer: which makes no
        difference, for hardly a text has a token a byte."""
        return max((size for size, digest in prefix_digests(segments) if self._recent.repeated(digest)), default=0)


def prefix_digests(segments: Sequence[Segment]) -> Iterator[tuple[int, bytes]]:
    """The lengths at which prompts are compared, and the digest of so many bytes."""
    data = text_of(segments).encode("utf-8", "replace")
    begun, length, sha = 0, SHORTEST, hashlib.sha256()
    while begun < len(data):
        end = min(length, len(data))
        sha.update(data[begun:end])
        yield end, sha.digest()[:8]
        begun, length = end, length + length // 4
