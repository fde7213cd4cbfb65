"""Days and times as rows of nights hold them."""

from __future__ import annotations

import re
from datetime import date

LATEST = 253_402_300_799  # 9999-12-31, in unix seconds
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def is_date(text: str) -> bool:
    """Return whether a text is a day of the calendar, written as 2026-11-28."""
    if not _DATE.fullmatch(text):
        return False
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True
