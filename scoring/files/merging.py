"""Rows with several references, merged into one input per id (SCROLLS 3.1, fact sheet 2; ZeroSCROLLS, fact sheet 7)."""

from collections.abc import Iterable


def merge_references(rows: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Return the references by id, from rows (id, output): ids by first appearance, outputs in row order."""
    found: dict[str, list[str]] = {}
    for name, output in rows:
        found.setdefault(name, []).append(output)
    return found
