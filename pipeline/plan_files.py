"""Write plans to files in the home for as long as they run.

So a Prefect task or a worker process is sent only the name of its node and the name of the file.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from uuid import uuid4

from scrollwork.pipeline.plan import Plan
from scrollwork.pipeline.session import Locations
from scrollwork.storage.home import PLANS
from scrollwork.storage.location import Location

FOLDER = PLANS
LEFT_S = 30 * 24 * 3600.0  # seconds; an older file is taken to be left by a killed run
IN_MEMORY = 8  # most plans that a process keeps in memory


@contextmanager
def plan_file(plan: Plan) -> Iterator[str]:
    """Write a plan to a file in its home and yield the file's name. The file is removed when the `with` block ends."""
    folder = Location(f"{plan.locations.home}/{FOLDER}")
    name = f"{uuid4().hex}.json"
    folder.replace(name, json.dumps(plan.to_json(), separators=(",", ":")).encode("utf-8"))
    try:
        yield name
    finally:
        folder.remove(name)


@lru_cache(IN_MEMORY)
def plan_of(name: str, locations: Locations) -> Plan:
    """Read the plan of a file. The last IN_MEMORY plans that were used are kept in memory and not read again.

    name: from `plan_file`. locations: where the plan is built. Their `calling` must be None, because it cannot be
    hashed for the cache; the plan has the one from the file. Raises FileNotFoundError if the file does not exist.
    """
    return Plan.from_json(json.loads(Location(f"{locations.home}/{FOLDER}").read(name)), locations)


def sweep(home: str) -> None:
    """Remove files of plans that killed runs left: those older than LEFT_S.

    home: its path or URL. In a remote home nothing is removed, because the age of files is not known there.
    """
    folder = Location(f"{home}/{FOLDER}")
    for name in folder.names() if folder.local is not None else ():
        try:
            written = folder.size_and_time(name)[1]
        except FileNotFoundError:  # another run has just ended
            continue
        if written is not None and time.time() - written / 1e9 > LEFT_S:
            folder.remove(name)
