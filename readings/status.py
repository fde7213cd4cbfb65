"""What a home holds: its runs, artifacts and answers, and what these cost."""

from __future__ import annotations

import math
from collections import Counter
from contextlib import closing
from typing import Any

from scrollwork.readings.room import warnings
from scrollwork.storage.answers.rows import Spent
from scrollwork.storage.epochs import Register
from scrollwork.storage.home import Home

MONEY = ("amount", "unknown_calls", "assumed_calls", "assumed")


def status(home: Home) -> dict[str, Any]:
    """Return the runs of a home, its artifacts by stage, and answers, failures, attempts and costs by model; and lines
    on disk and budget where they are nearly used up (`warnings`); the last night of each suite; and
    nights that were not finished since."""
    stages = Counter(artifact.manifest.ingredients.stage for artifact in home.artifacts.everything())
    runs = [
        {
            "id": run["id"],
            "suite": run["request"]["suite"],
            "models": run["request"]["models"],
            "stages": dict(Counter(run["stages"].values())),
            "errors": run["errors"],
            "epochs": run.get("epochs", {}),
        }
        for run in home.runs()
    ]
    known, damaged = epochs(home)
    told = {"epochs": known, "damaged_epochs": damaged, "warnings": warnings(home), **nights_of(home)}
    return {"home": home.url, "runs": runs, "artifacts": dict(stages), **told, **store_holdings(home)}


def nights_of(home: Home) -> dict[str, list[dict[str, Any]]]:
    """Return the last night of each suite with how many there are, and nights since that are not whole."""
    from scrollwork.readings.nights.register import Nights  # every run loads this module, and none reads nights

    found: dict[str, dict[str, Any]] = {}
    nights = Nights(home.url)
    rows = nights.rows()
    for row in rows:
        count = found[row.suite]["nights"] + 1 if row.suite in found else 1
        last = {"last": row.name, "kind": row.kind, "outcome": row.outcome, "sentence": row.sentence}
        found[row.suite] = {"suite": row.suite, "nights": count, **last}
    return {"nights": list(found.values()), "unfinished_nights": [one.to_dict() for one in nights.unfinished(rows)]}


def epochs(home: Home) -> tuple[list[dict[str, Any]], list[str]]:
    """Return (epochs of a home, what is wrong with files that are none).

    The newest is first: {model, epoch, opened, complete, left}, times in unix seconds, `complete` None for an open one.
    left: whether it is open and no command goes on in it any more.
    """
    damaged: list[str] = []
    register = Register(home.url)
    order = sorted(
        register.every(damaged=damaged),
        key=lambda one: (-one.opened, one.model, one.name, -(one.completed or math.inf)),
    )
    found = {(one.model, one.name): one for one in reversed(order)}  # of a night: a canary, and the full set after it
    return [
        {
            "model": one.model,
            "epoch": one.name,
            "opened": one.opened,
            "complete": one.completed or None,
            "left": not one.completed and register.is_followed(one),
        }
        for one in reversed(found.values())
    ], damaged


def store_holdings(home: Home) -> dict[str, Any]:
    """Return what the response store holds (scrollwork.storage.answers.store.Holdings), and costs in USD, also by
    model. Empty without a store."""
    nothing: dict[str, Any] = {"answers": {}, "failures": {}, "failure_kinds": [], "attempts": {}, "batches": {}}
    spent: dict[str, Any] = {}
    found = {**nothing, "claimed": 0, "open_batches": []}
    if home.has_store:
        from scrollwork.storage.answers.rows import NANO
        from scrollwork.storage.answers.store import ResponseStore

        store = ResponseStore(home.store_place)
        holdings = store.holdings()
        store.close()
        found = {name: value for name, value in vars(holdings).items() if name != "spent"}
        for model, own in holdings.spent.items():
            named = {name: count for name, count in vars(own).items() if not name.startswith("cost")}
            assumed = {"assumed_calls": own.cost_assumed_calls, "assumed": own.cost_assumed_nano_usd / NANO}
            money = {"amount": own.cost_nano_usd / NANO, "unknown_calls": own.cost_unknown_calls}
            spent[model] = {**named, **money, **assumed}
        from scrollwork.readings.open_batches import open_batches

        found["open_batches"] = open_batches(home)
    total = {name: sum(own[name] for own in spent.values()) for name in MONEY}
    return {**found, "spent": {"currency": "USD", **total}, "spent_by_model": spent}


def spent_by_model(home: Home, run: str | None, since: float | None = None) -> dict[str, Spent]:
    """Return what a run wrote down of its calls, by model. run: None for any; since: from this time on (unix
    seconds)."""
    if not home.has_store:
        return {}
    from scrollwork.storage.answers.store import ResponseStore  # SQLAlchemy; a run of baselines that stand needs none

    with closing(ResponseStore(home.store_place)) as store:
        return store.spent(run, since)
