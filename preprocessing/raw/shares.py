"""Shares of raw files: what each of several processes reads of them, so that no record is read twice and none is lost.

The files of some roles are taken as one sequence of bytes and cut into equal shares. A record is in the share in which
it begins, so shares in order give the records in order; of Parquet, a row group. A file that cannot be cut (compressed,
a JSON list, CSV, inside an archive) is wholly in the share in which it begins.

Where a record is made of several files, or is one of a list that must be read as a whole, each share reads the list and
has a stretch of it (`Share.own`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Span:
    """Bytes `start` <= place < `end` of a file; None as `end` if the file ends there."""

    start: int
    end: int | None

    @property
    def begins(self) -> bool:
        """Whether the file begins in this span."""
        return self.start == 0


WHOLE = Span(0, None)


@dataclass(frozen=True)
class Share:
    """number: from 0. of: how many there are. spans: what it has of each file, by role; None for a file that other
    shares have. Roles that every share reads as a whole are not in it."""

    number: int
    of: int
    spans: Mapping[str, tuple[Span | None, ...]]

    @property
    def is_last(self) -> bool:
        """Whether no share comes after this one."""
        return self.number + 1 == self.of

    def own(self, items: Sequence[T]) -> Sequence[T]:
        """Return this share's stretch of a list that every share has read."""
        return items[len(items) * self.number // self.of : len(items) * (self.number + 1) // self.of]

    def begins(self, role: str) -> bool:
        """Return whether the role's first file begins in this share. The first share has roles without files."""
        spans = self.spans[role]
        return spans[0] is not None and spans[0].begins if spans else self.number == 0


def share_of(sizes: Mapping[str, Sequence[int]], number: int, of: int) -> Share:
    """Return share `number` of `of`. sizes: bytes of the files, by role, in order."""
    total = sum(map(sum, sizes.values()))
    first, last = total * number // of, total * (number + 1) // of
    spans: dict[str, tuple[Span | None, ...]] = {}
    before = 0
    for role, listed in sizes.items():
        found: list[Span | None] = []
        for size in listed:
            found.append(_span(first - before, last - before, size, number + 1 == of))
            before += size
        spans[role] = tuple(found)
    return Share(number, of, spans)


def _span(first: int, last: int, size: int, is_last: bool) -> Span | None:
    """Return what a share has of a file, from `first` to `last` as seen from the beginning of the file."""
    if last <= 0 and not (is_last and last == 0 and size == 0):
        return None
    if first >= size and not (size == 0 and first <= 0):
        return None
    return Span(max(first, 0), None if last >= size else last)
