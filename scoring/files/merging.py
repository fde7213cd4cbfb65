"""Rows with several references: one input an id (SCROLLS 3.1, fact sheet 2; ZeroSCROLLS, fact sheet 7)."""

from collections.abc import Iterable


def merge_references(rows: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """References by id from rows (id, output): ids in the order in which they first came, outputs in row order."""
    found: dict[str, list[str]] = {}
    for name, output in rows:
        found.setdefault(name, []).append(output)
    return found
