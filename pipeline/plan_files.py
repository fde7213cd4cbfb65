"""Plans in a home while they run: a task of an engine is told the name of its node and of the file, a few bytes."""

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
LEFT_S = 30 * 24 * 3600.0  # after which a file is one that a killed run has left
IN_MEMORY = 8  # plans that a process keeps read


@contextmanager
def filed(plan: Plan) -> Iterator[str]:
    """The name of the file of a plan, which lies in its home as long as the block runs."""
    folder = Location(f"{plan.locations.home}/{FOLDER}")
    name = f"{uuid4().hex}.json"
    folder.replace(name, json.dumps(plan.to_json(), separators=(",", ":")).encode("utf-8"))
    try:
        yield name
    finally:
        folder.remove(name)


@lru_cache(IN_MEMORY)
def plan_of(name: str, locations: Locations) -> Plan:
    """The plan of a file, read once in a process. locations: without `calling`, which the file tells."""
    return Plan.from_json(json.loads(Location(f"{locations.home}/{FOLDER}").read(name)), locations)


def sweep(home: str) -> None:
    """Remove what killed runs have left."""
    folder = Location(f"{home}/{FOLDER}")
    for name in folder.names():
        written = folder.size_and_time(name)[1]
        if written is not None and time.time() - written / 1e9 > LEFT_S:
            folder.remove(name)
