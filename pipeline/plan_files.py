"""Files of plans in the home, kept while they run: a task or worker is sent only the names of its node and the file."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from uuid import uuid4

from scrollwork.pipeline.plan import Plan
from scrollwork.pipeline.session import Locations
from scrollwork.storage.location import Location

FOLDER = "plans"
LEFT_S = 30 * 24 * 3600.0  # an older file was left by a killed run
IN_MEMORY = 8  # plans that a process keeps in memory


@contextmanager
def plan_file(plan: Plan) -> Iterator[str]:
    """Write a plan to a file of its home for as long as the block runs; gives the file's name."""
    folder = Location(f"{plan.locations.home}/{FOLDER}")
    name = f"{uuid4().hex}.json"
    folder.replace(name, json.dumps(plan.to_json(), separators=(",", ":")).encode("utf-8"))
    try:
        yield name
    finally:
        folder.remove(name)


@lru_cache(IN_MEMORY)
def plan_of(name: str, locations: Locations) -> Plan:
    """Read the plan of a file; the last IN_MEMORY plans are kept by the process. locations: without `calling`, which is
    in the file."""
    return Plan.from_json(json.loads(Location(f"{locations.home}/{FOLDER}").read(name)), locations)


def sweep(home: str) -> None:
    """Remove files that killed runs left (older than LEFT_S)."""
    folder = Location(f"{home}/{FOLDER}")
    for name in folder.names():
        written = folder.size_and_time(name)[1]
        if written is not None and time.time() - written / 1e9 > LEFT_S:
            folder.remove(name)
