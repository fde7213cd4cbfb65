"""Common beginnings of prompts that were sent: a prefix cache can return no more of a prompt than that."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence

from scrollwork.models.base import Segment, text_of

SHORTEST = 64  # bytes; no vendor's cache holds fewer than 64 tokens


class Recent:
    """A set of digests that forgets the oldest ones, so that memory stays below some 40 MB."""

    def __init__(self, most: int = 200_000) -> None:
        """most: digests in each of two halves; when one is full, the older half is forgotten."""
        self._most = most
        self._late: dict[bytes, bool] = {}  # digest: whether it was added more than once
        self._early: dict[bytes, bool] = {}

    def __len__(self) -> int:
        return len(self._late.keys() | self._early.keys())

    def add(self, digest: bytes) -> bool:
        """Add a digest, and return whether it was there before."""
        known = self._late[digest] = digest in self._late or digest in self._early
        if len(self._late) > self._most:
            self._late, self._early = {}, self._late
        return known

    def repeated(self, digest: bytes) -> bool:
        """Return whether it was added more than once."""
        return self._late.get(digest, False) or self._early.get(digest, False)


class SentPrompts:
    """Prompts that were sent. A cache can return only a prompt's common beginning with another one.

    It does not matter which of the two was sent first, as the order at the vendor is not known here. Prompts are
    compared by digests of their first bytes, at lengths that grow by a quarter, and of the whole.
    """

    def __init__(self, recent: Recent | None = None) -> None:
        self._recent = Recent() if recent is None else recent

    def add(self, segments: Sequence[Segment]) -> None:
        """Note that a prompt is sent, possibly again."""
        for _, digest in prefix_digests(segments):
            self._recent.add(digest)

    def common_bytes(self, segments: Sequence[Segment]) -> int:
        """Return how many first bytes a prompt that was sent shares with another, or up to a fifth fewer.

        Fewer does no harm, as hardly any text has a token for each byte.
        """
        return max((size for size, digest in prefix_digests(segments) if self._recent.repeated(digest)), default=0)


def prefix_digests(segments: Sequence[Segment]) -> Iterator[tuple[int, bytes]]:
    """Yield the lengths in bytes at which prompts are compared, each with the digest of so many bytes."""
    data = text_of(segments).encode("utf-8", "replace")
    begun, length, sha = 0, SHORTEST, hashlib.sha256()
    while begun < len(data):
        end = min(length, len(data))
        sha.update(data[begun:end])
        yield end, sha.digest()[:8]
        begun, length = end, length + length // 4
