"""The documents of a page. Each is written once, even if several tasks and prompts use it.

Offsets into documents are in UTF-16 units, as JavaScript counts.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from typing import Any

from scrollwork.records.example import Example
from scrollwork.reporting.page.chunks import Put, Series

DOCUMENTS = 1_000_000  # characters of a chunk


class Documents:
    """Writes documents into chunks, each once, and knows where each is."""

    def __init__(self, put: Put) -> None:
        self._series = Series(put, "d", DOCUMENTS)
        self._where: dict[str, list[Any]] = {}  # [chunk, name in it, characters, title]
        self._wide: dict[str, list[int]] = {}  # places of characters that JavaScript counts twice

    def __contains__(self, document_id: str) -> bool:
        return document_id in self._where

    def add(self, document_id: str, title: str, text: str) -> None:
        """Add a document, unless it was added before."""
        if document_id in self._where:
            return
        name = str(len(self._where))
        units = len(text.encode("utf-16-le")) // 2
        if units != len(text):
            self._wide[document_id] = [place for place, char in enumerate(text) if char > "\uffff"]
        self._where[document_id] = [self._series.add(name, text, len(text)), name, units, title]

    def where(self, document_id: str) -> list[Any]:
        """[chunk, name in it, length in UTF-16 units, title] of a document."""
        return self._where[document_id]

    def unit(self, document_id: str, place: int) -> int:
        """Convert an offset in characters to UTF-16 units."""
        wide = self._wide.get(document_id)
        return place if wide is None else place + bisect_left(wide, place)

    def close(self) -> None:
        """Write the last chunk."""
        self._series.close()


def wanted_documents(examples: Iterable[Example]) -> dict[str, None]:
    """Ids of all documents of examples, in order of first use (a dict as an ordered set)."""
    return dict.fromkeys(one for example in examples for one in example.document_ids)
