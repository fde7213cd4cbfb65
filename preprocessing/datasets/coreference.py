"""What coreference data sets share: numbered mentions in documents, and the gold clusters."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from scrollwork.records.base import canonical_json


@dataclass(frozen=True)
class Mention:
    """Characters [start, end) of the example's document number `document`, covering all of a discontinuous mention."""

    document: int
    start: int
    end: int
    cluster: Hashable

    @property
    def place(self) -> tuple[int, int, int]:
        """Return its sort key: its position; of two that begin together, the longer one comes first."""
        return self.document, self.start, -self.end


def spans(mentions: Iterable[Mention]) -> list[list[int]]:
    """Return [document, start, end] by mention number, as metadata store them."""
    return [[one.document, one.start, one.end] for one in mentions]


def clusters(mentions: Sequence[Mention]) -> str:
    """Return the gold: canonical JSON of the clusters, each the sorted numbers of its mentions, singletons included."""
    found: dict[Hashable, list[int]] = {}
    for number, mention in enumerate(mentions):
        found.setdefault(mention.cluster, []).append(number)
    return canonical_json(sorted(found.values()))


def joined(tokens: Sequence[str]) -> tuple[str, list[tuple[int, int]]]:
    """Return (tokens joined by blanks, [start, end) of each in that text)."""
    places = []
    at = 0
    for token in tokens:
        places.append((at, at + len(token)))
        at += len(token) + 1
    return " ".join(tokens), places


def is_whole(value: Any) -> bool:
    """Return whether a JSON value is a whole number from 0, of 63 bits."""
    return type(value) is int and 0 <= value < 2**63
