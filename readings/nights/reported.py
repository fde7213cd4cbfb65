"""What a vendor reports otherwise than on an earlier night, in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from scrollwork.preprocessing.raw.errors import printable

LONGEST, MOST_NAMED = 100, 3  # characters of what a vendor reports, and how many of them a sentence names


def reported_otherwise(what: str, had: Iterable[str], has: Iterable[str], night: str) -> str:
    """Say what a vendor reports that it did not on a night; "" for nothing. what: version or fingerprint."""
    before, now = set(had), set(has)
    new = sorted(now - before)
    if not new and (now or not before):
        return ""
    told = f"the reported {what} is {named(new)}" if new else f"no {what} is reported any more"
    return f"{told}, in {night} it was {named(sorted(before)) or 'none'}"


def named(texts: Sequence[str]) -> str:
    """Name a few texts of others, cut."""
    more = f" and {len(texts) - MOST_NAMED} more" if len(texts) > MOST_NAMED else ""
    return ", ".join(printable(text, LONGEST) for text in texts[:MOST_NAMED]) + more
