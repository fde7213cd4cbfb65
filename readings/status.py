"""What a home holds: its runs, artifacts and answers, and what these cost."""

from __future__ import annotations

from collections import Counter
from typing import Any

from scrollwork.storage.home import Home

MONEY = ("amount", "unknown_calls", "assumed_calls", "assumed")


def status(home: Home) -> dict[str, Any]:
    """Return the runs of a home, its artifacts by stage, and answers, failures, attempts and costs by model."""
    stages = Counter(artifact.manifest.ingredients.stage for artifact in home.artifacts.everything())
    runs = [
        {
            "id": run["id"],
            "suite": run["request"]["suite"],
            "models": run["request"]["models"],
            "stages": dict(Counter(run["stages"].values())),
            "errors": run["errors"],
        }
        for run in home.runs()
    ]
    return {"home": home.url, "runs": runs, "artifacts": dict(stages), **store_holdings(home)}


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
