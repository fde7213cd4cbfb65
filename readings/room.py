"""What runs out: space on the disk of a home, and the budget of a run. One line each, told before it has run out."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from typing import Any

from scrollwork.storage.errors import StorageError
from scrollwork.storage.home import Home

WROTE = "wrote"  # in the row of a run: bytes of the artifacts that it built
DISK_SHARE = 0.01  # of a disk: less than that is told of, whatever the last run wrote
BUDGET_SHARE = 0.9  # of a budget: from there on it is told of
GB = 1e9


def warnings(home: Home) -> list[str]:
    """Return lines on what is nearly used up, by the newest run: [] for nothing, or where it cannot be known."""
    rows = home.runs()
    last = rows[-1] if rows else {}
    return [line for line in (disk_warning(home, last), budget_warning(home, last)) if line]


def disk_warning(home: Home, last: Mapping[str, Any]) -> str:
    """Return a line if a run like the last one may not fit on the disk, or if that is nearly full. last: its row."""
    if "://" in home.url:
        return ""
    standing = next(place for place in (home.folder, *home.folder.parents) if place.exists())
    disk, wrote = shutil.disk_usage(standing), last.get(WROTE)
    wrote = wrote if isinstance(wrote, int) else 0
    if disk.free >= max(wrote, DISK_SHARE * disk.total):
        return ""
    less = f"less than the last run wrote ({wrote / GB:,.2f} GB)" if disk.free < wrote else "nearly full"
    return f"disk: {disk.free / GB:,.2f} GB free at {standing}, {less}; `scrollwork gc` says what may go"


def budget_warning(home: Home, last: Mapping[str, Any]) -> str:
    """Return a line if a run has used most of its budget, so that the same again may not fit. last: its row."""
    request = last.get("request")
    told = request.get("budget") if isinstance(request, dict) else None
    try:
        budget = float(told or 0)
    except (TypeError, ValueError):
        return ""
    run = str(request.get("run", "")) if isinstance(request, dict) else ""
    if not budget or not run or not home.has_store:
        return ""
    from scrollwork.storage.answers.rows import NANO
    from scrollwork.storage.answers.store import ResponseStore

    try:
        store = ResponseStore(home.store_place)
    except StorageError:
        return ""  # whoever reads the store says so
    try:
        used = sum(one.cost_nano_usd for one in store.spent(run).values()) / NANO
    finally:
        store.close()
    if used < BUDGET_SHARE * budget:
        return ""
    return f"budget: ${used:,.4f} of ${budget:,.2f} were used by the run that ended last ({used / budget:.0%})"
