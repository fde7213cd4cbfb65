"""What scrubs of a home found damaged, kept for `status`: nobody may have watched the night that says it.

HOME/scrub/damage.json    the last MOST of them, the oldest first
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from typing import Any

from scrollwork.preprocessing.raw.errors import printable
from scrollwork.storage.errors import StorageError
from scrollwork.storage.home import Home
from scrollwork.storage.location import Location

FOLDER, FILE = "scrub", "damage.json"
DAYS = 7
MOST, LONGEST = 50, 600
TEXTS = ("place", "why", "how")


def note_damage(home: Home, found: Sequence[dict[str, Any]]) -> None:
    """Add what a scrub found, {place, why, how, repaired} each, if it found anything and the home can be written."""
    if found and home.writable:
        now = int(time.time())
        rows = [*_rows(home), *({"at": now, **one} for one in found)][-MOST:]
        Location(f"{home.url}/{FOLDER}").replace(FILE, json.dumps(rows, indent=1, sort_keys=True).encode("utf-8"))


def recent_damage(home: Home) -> list[dict[str, Any]]:
    """Return what was found in the last DAYS, the newest first: {at (unix seconds), place, why, how, repaired}."""
    since = time.time() - DAYS * 24 * 3600
    return [one for one in reversed(_rows(home)) if one["at"] >= since]


def damage_line(found: Sequence[dict[str, Any]]) -> str:
    """Return the line that `status` prints, of at least one."""
    last, open_ones = found[0], [one for one in found if not one["repaired"]]
    count = "1 artifact was" if len(found) == 1 else f"{len(found)} artifacts were"
    how = "repaired" if not open_ones else f"{len(open_ones)} of them not repaired"
    told = open_ones[0] if open_ones else last
    return f"{count} found damaged in {DAYS} days, {how}: {told['place']}: {told['why']}; {told['how']}"


def _rows(home: Home) -> list[dict[str, Any]]:
    """Read the file, without what is no row of it; nothing from one that cannot be read."""
    try:
        told = json.loads(Location(f"{home.url}/{FOLDER}").read(FILE))
    except (OSError, ValueError, StorageError, RecursionError):
        return []
    return [
        {"at": one["at"], "repaired": one["repaired"], **{name: printable(one[name], LONGEST) for name in TEXTS}}
        for one in (told if isinstance(told, list) else [])
        if isinstance(one, dict)
        and type(one.get("at")) is int
        and isinstance(one.get("repaired"), bool)
        and all(isinstance(one.get(name), str) for name in TEXTS)
    ]
