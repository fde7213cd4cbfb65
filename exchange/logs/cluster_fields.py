"""Which field of a log's items may name the document that they are on, where the log says nothing of documents.

It is told, never taken: a title may be that of a chapter, and one passage may stand under several ids.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

# What fields of data sets are called, without "_", "-" and capitals, the likeliest first.
NAMES = (
    "documentid", "docid", "document", "articleid", "article", "passageid", "passage", "contextid", "storyid", "story",
    "bookid", "book", "paperid", "paper", "meetingid", "transcriptid", "conversationid", "dialogueid", "videoid",
    "sourceid", "paragraphid", "title", "doctitle", "documenttitle", "articletitle", "pageid", "url", "pid", "filename",
    "context", "paragraph", "transcript", "dialogue", "text",
)  # fmt: skip
PLACES = {name: place for place, name in enumerate(NAMES)}
DEPTH = 4  # of objects in objects that are looked into
MOST_FIELDS = 200  # of an item
LOOKED_AT = 2000  # items of a log


class ClusterFields:
    """Fields that each of the first items has, and how many different values they have. Of a text its hash is kept."""

    def __init__(self) -> None:
        self._values: dict[str, set[int]] | None = None
        self._items: set[str] = set()

    def add(self, item: str, record: Mapping[str, Any]) -> None:
        """Look at one item's record, or at a repeat of it."""
        if self._values is None:
            self._values = {path: set() for path, _ in labels_in(record)}
        elif not self._values or (len(self._items) == LOOKED_AT and item not in self._items):
            return
        self._items.add(item)
        for path, values in list(self._values.items()):
            value = at(record, path)
            if value == "" or value is None or isinstance(value, (bool, float, list, dict)):
                del self._values[path]
            else:
                values.add(hash(value))

    def found(self) -> str:
        """Return the likeliest field with fewer values than there are items, and with more than one; "" for none."""
        likely = [
            (PLACES[plain(path.rpartition(".")[2])], path.count("."), path)
            for path, values in (self._values or {}).items()
            if 1 < len(values) < len(self._items)
        ]
        return min(likely)[2] if likely else ""


def labels_in(record: Mapping[str, Any], above: str = "", depth: int = DEPTH) -> Iterator[tuple[str, str | int]]:
    """Yield (path with dots, value) of texts and whole numbers whose names are those of documents."""
    for name, value in list(record.items())[:MOST_FIELDS]:
        if not isinstance(name, str) or "." in name:
            continue
        if isinstance(value, dict) and depth > 1:
            yield from labels_in(value, f"{above}{name}.", depth - 1)
        elif plain(name) in PLACES and isinstance(value, (str, int)) and not isinstance(value, bool) and value != "":
            yield f"{above}{name}", value


def at(record: Mapping[str, Any], path: str) -> Any:
    """Return what is at a path of names without dots; None where there is nothing."""
    value: Any = record
    for name in path.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return value


def plain(name: str) -> str:
    """Return a field's name without "_", "-", blanks and capitals."""
    return re.sub(r"[\s_-]", "", name).lower()
