"""What a home holds: everything that is scored, every run."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from records.score import Aggregate
from reporting.board import is_member
from storage.artifacts import Artifact
from storage.home import Home
from tasks.judges import judged_suite
from tasks.stages import report_params
from tasks.suites import Suite, load_suite

# how hosted models are called changes no answer
CALLED = ("base_url", "budget", "rpm", "tpm", "concurrency", "batch", "batch_wait", "retry_failed", "run")
NOT_SETTINGS = ("home", "store", "tasks", "splits", "models", "models_file", "arms", "strict", *CALLED)
IN_NAME = ("max_input_tokens", "tokenizer", "truncation", "prompts")  # said by the profile in a row's name

MONEY = ("amount", "unknown_calls", "assumed_calls", "assumed")


@dataclass(frozen=True)
class Scored:
    """What the newest runs scored. suite: as they scored it. params: of a report over it. artifacts: the aggregates,
    each with the row that its line shows."""

    suite: Suite
    rows: list[Aggregate]
    params: dict[str, Any]
    artifacts: tuple[tuple[Aggregate, Artifact], ...]


def scored(home: Home, suite: str) -> tuple[list[Aggregate], dict[str, Any]]:
    """(what the newest runs scored; parameters of a report over it): see `everything_scored`."""
    found = everything_scored(home, suite)
    return found.rows, found.params


def everything_scored(home: Home, suite: str) -> Scored:
    """What the newest runs scored, and the artifacts behind it.

    A model's tasks come from its newest run and from earlier ones with the same settings (limit, seed, options, raw
    folder, cut): scores of other inputs are never put into one row, nor scores by other metrics, or other models that
    judge, into one column: those of the newest run stand. A seed that was also run alone, on other inputs
    than its family, says so in its name.
    """
    rows: dict[str, list[Aggregate]] = {}
    artifacts: dict[str, Artifact] = {}
    settings: dict[str, dict[str, Any]] = {}
    bounds: set[str] = set()
    decoding: dict[str, list[str]] = {}
    scored_by: dict[str, tuple[str, dict[str, str]]] = {}  # by task
    for run in benchmarked(home, suite):
        own = {name: value for name, value in run["request"].items() if name not in NOT_SETTINGS}
        for name, key in run["keys"].items():
            stage, _, slot = name.partition("/")
            artifact = home.artifacts.find(stage, slot, key) if stage == "aggregate" and slot not in rows else None
            if artifact is None:
                continue
            found = named(artifact)
            params = artifact.manifest.ingredients.params
            how = (found[-1].metric, params.get("judges", {}))
            if settings.setdefault(found[-1].model, own) == own and scored_by.setdefault(found[-1].task, how) == how:
                rows[slot], artifacts[slot] = found, artifact
                if params.get("reads_references"):
                    bounds.add(found[-1].model)
                if "decoding" in params:
                    told = decoding.setdefault(found[-1].model, [])
                    told += [params["decoding"]] if params["decoding"] not in told else []
    rows = {slot: told_apart(found, settings) for slot, found in rows.items()}
    models = sorted({found[-1].model for found in rows.values()})
    judges = next((judges for _, judges in scored_by.values() if judges), {})
    config = judged_suite(load_suite(suite), judges) if judges else load_suite(suite)
    return Scored(
        config,
        [row for slot in sorted(rows) for row in rows[slot]],
        report_params(
            config,
            models,
            [],
            sorted(bounds),
            {name: "; ".join(texts) for name, texts in decoding.items()},
            {found[-1].task for found in rows.values()},
        ),
        tuple((rows[slot][-1], artifacts[slot]) for slot in sorted(rows)),
    )


def benchmarked(home: Home, suite: str) -> list[dict[str, Any]]:
    """The runs of a suite, the newest first. Those of a designed experiment (--vary) hold fixed what the benchmark
    draws anew: they are taken only where there are no others."""
    runs = [run for run in reversed(home.runs()) if run["request"]["suite"] == suite]
    return [run for run in runs if not run["request"].get("vary")] or runs


def named(artifact: Artifact) -> list[Aggregate]:
    """The aggregates, with the profile in the model's name where it is not the plain one."""
    rows = list(artifact.rows("aggregates", Aggregate))
    profile = artifact.manifest.ingredients.params.get("profile", "plain")
    return rows if profile == "plain" else [replace(row, model=f"{row.model} ({profile})") for row in rows]


def told_apart(rows: list[Aggregate], settings: Mapping[str, Mapping[str, Any]]) -> list[Aggregate]:
    """One slot's rows, with what its run was asked otherwise in the name if it is a seed of a family that is there too.

    settings: by model. The family has a row of that seed itself, on its own inputs.
    """
    model = rows[-1].model
    own = settings[model]
    for family, other in settings.items():
        if is_member(model, family) and own != other:
            names = [name for name in own if name not in IN_NAME and own[name] != other[name]]
            told = ", ".join(f"{name} {told_setting(own[name])}" for name in names)
            return [replace(row, model=f"{row.model} ({told})") for row in rows]
    return rows


def told_setting(value: Any) -> str:
    """A setting as a name can have it: a folder by its last two names."""
    return "/".join(Path(value).parts[-2:]) if isinstance(value, str) else json.dumps(value)


def status(home: Home) -> dict[str, Any]:
    """Runs, artifacts by stage; answers, failures, attempts and money by model."""
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
    return {"home": home.url, "runs": runs, "artifacts": dict(stages), **held(home)}


def held(home: Home) -> dict[str, Any]:
    """What the response store holds: see storage.responses.Holdings. Money in USD, also by model."""
    nothing: dict[str, Any] = {"answers": {}, "failures": {}, "failure_kinds": [], "attempts": {}, "batches": {}}
    spent: dict[str, Any] = {}
    found = {**nothing, "claimed": 0, "open_batches": []}
    if home.has_store:
        from storage.responses import ResponseStore
        from storage.store_rows import NANO

        holdings = ResponseStore(home.store_place).holdings()
        found = {name: value for name, value in vars(holdings).items() if name != "spent"}
        for model, own in holdings.spent.items():
            named = {name: count for name, count in vars(own).items() if not name.startswith("cost")}
            assumed = {"assumed_calls": own.cost_assumed_calls, "assumed": own.cost_assumed_nano_usd / NANO}
            money = {"amount": own.cost_nano_usd / NANO, "unknown_calls": own.cost_unknown_calls}
            spent[model] = {**named, **money, **assumed}
        from tasks.open_batches import waiting

        found["open_batches"] = waiting(home)
    total = {name: sum(own[name] for own in spent.values()) for name in MONEY}
    return {**found, "spent": {"currency": "USD", **total}, "spent_by_model": spent}
