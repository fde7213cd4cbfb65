"""The current plans of a home: what its runs' requests would read and build with the code that is here now."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from scrollwork.flows.chains import Chain
from scrollwork.flows.execute import plan
from scrollwork.models.registry import UnknownModel
from scrollwork.pipeline.errors import BadRecord, StageFailed, UsageError
from scrollwork.pipeline.plan import Node
from scrollwork.pipeline.planner import Status
from scrollwork.preprocessing.raw.errors import RawError
from scrollwork.storage.digest import sha256_of
from scrollwork.storage.errors import StorageError
from scrollwork.storage.home import Home
from scrollwork.suites.home_suites import suite_of_request
from scrollwork.suites.request import Request, of_designs

PLACES = ("suite", "suite_file", "home", "raw", "store", "run")
# they decide no answer
NOT_NOW = ("fresh", "retry_failed", "batch", "batch_wait", "way", "budget", "time_limit", "strict", "workers")
ERRORS = (UsageError, UnknownModel, StageFailed, BadRecord, RawError, StorageError, ImportError)
ROW_ERRORS = (TypeError, ValueError, LookupError, AttributeError, OSError)  # of a row that another version wrote


@dataclass
class CurrentPlans:
    """nodes: of all plans, with their states now, by place; two plans may have the same node. chains: one of them for
    each request. notes: sentences on requests that cannot be planned."""

    nodes: dict[str, tuple[Node, Status, Chain]] = field(default_factory=dict)
    chains: list[Chain] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def current_plans(home: Home, rows: Iterable[Mapping[str, Any]]) -> CurrentPlans:
    """Plan each request of these rows of runs once, as a run without --fresh would. Nothing is asked or built."""
    found, seen = CurrentPlans(), set[str]()
    for row in rows:
        try:
            chain = Chain(request_of_row(home, row))
            digest = sha256_of({**chain.request.to_json(), "run": ""})
            if digest in seen:
                continue
            seen.add(digest)
            for node, status in plan(chain).statuses:
                found.nodes.setdefault(place_of(node, status), (node, status, chain))
            found.chains.append(chain)
        except (*ERRORS, *ROW_ERRORS) as error:
            text = f"run {row['id']}: cannot be planned with what is here ({type(error).__name__}: {error})"
            found.notes.append(text)
    return found


def place_of(node: Node, status: Status) -> str:
    """Return the name of a node with its key: two plans may have a node of one name with different keys."""
    return f"{node.name} {status.key or ''}"


def request_of_row(home: Home, row: Mapping[str, Any]) -> Request:
    """Return the request of a run for this home, without what only decides how models are called. Raises ERRORS."""
    told = dict(row["request"])
    suite = suite_of_request(home, told.get("suite_file") or told["suite"])
    given = {name: value for name, value in told.items() if name not in (*PLACES, *NOT_NOW) and value is not None}
    common, own = of_designs(suite, given)
    places = {"home": home.url, "raw": told["raw"], "store": home.store}
    return Request(suite=suite.name, suite_file=suite.file, of_design=own, **places, **common)
