"""What a home holds: everything that is scored, every run."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from records.score import SUBSETS, Aggregate
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
    each with the row that its line shows. subsets: scores of flagged examples."""

    suite: Suite
    rows: list[Aggregate]
    params: dict[str, Any]
    artifacts: tuple[tuple[Aggregate, Artifact], ...]
    subsets: list[Aggregate] = field(default_factory=list)


def scored(home: Home, suite: str) -> tuple[list[Aggregate], dict[str, Any]]:
    """(what the newest runs scored; parameters of a report over it): see `everything_scored`."""
    found = everything_scored(home, suite)
    return found.rows, found.params


def everything_scored(home: Home, suite: str) -> Scored:
    """What the newest runs scored, and the artifacts behind it.

    A model's tasks come from its newest run and from earlier ones with the same settings (limit, seed, options, raw
    folder, cut): scores of other inputs are never put into one row, nor scores by other metrics, or other models that
    judge, into one column: those of the newest run stand. A seed that was also run alone, on other inputs
    than its family, says so in its name. Models asked on other inputs of a split stand in a section of their own
    (`by_inputs`).
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
    sections = {slot: found[-1].split for slot, found in rows.items()}
    if not load_suite(suite).runs:  # a ranking says itself which runs it can compare
        inputs = inputs_of(home, artifacts)
        sections = by_inputs({slot: (found[-1], inputs[slot]) for slot, found in rows.items()}, settings)
    subsets = {slot: named(artifact, SUBSETS) for slot, artifact in artifacts.items()}

    def shown(found: Mapping[str, list[Aggregate]]) -> dict[str, list[Aggregate]]:
        told = {slot: told_apart(own, settings) for slot, own in found.items() if own}
        return {slot: [replace(row, split=sections[slot]) for row in own] for slot, own in told.items()}

    rows, subsets = shown(rows), shown(subsets)
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
        [row for slot in sorted(subsets) for row in subsets[slot]],
    )


def benchmarked(home: Home, suite: str) -> list[dict[str, Any]]:
    """The runs of a suite, the newest first. Those of a designed experiment (--vary) hold fixed what the benchmark
    draws anew: they are taken only where there are no others."""
    runs = [run for run in reversed(home.runs()) if run["request"]["suite"] == suite]
    return [run for run in runs if not run["request"].get("vary")] or runs


def named(artifact: Artifact, table: str = "aggregates") -> list[Aggregate]:
    """The aggregates (or SUBSETS), with the profile in the model's name where it is not the plain one."""
    rows = list(artifact.rows(table, Aggregate))
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


def by_inputs(
    shown: Mapping[str, tuple[Aggregate, tuple[str, ...]]], settings: Mapping[str, Mapping[str, Any]]
) -> dict[str, str]:
    """The section of each slot (its row, and what its inputs are known by): its split, where all models of the split
    were asked the same inputs of each task that they share. Else the models with the most inputs keep the split's
    name, and the others' says what was asked otherwise: "test, limit 12". settings: of the runs, by model."""
    splits: dict[str, dict[tuple[str, str], dict[str, tuple[str, ...]]]] = {}
    numbers: Counter[tuple[str, str, str]] = Counter()
    for row, inputs in shown.values():
        asked = splits.setdefault(row.split, {}).setdefault((row.model, row.arm), {})
        asked[row.task] = inputs
        numbers[row.split, row.model, row.arm] += row.coverage.expected
    names: dict[tuple[str, str, str], str] = {}
    for split, models in splits.items():
        groups: list[tuple[str, dict[str, tuple[str, ...]]]] = []  # (name, inputs by task)
        first = ""
        for model, arm in sorted(models, key=lambda who: (-numbers[split, *who], who)):
            own = models[model, arm]
            first = first or model
            fits = (one for one in groups if all(one[1].get(task, asked) == asked for task, asked in own.items()))
            if (group := next(fits, None)) is None:
                group = (section_name(split, settings[model], settings[first], [name for name, _ in groups]), {})
                groups.append(group)
            group[1].update(own)
            names[split, model, arm] = group[0]
    return {slot: names[row.split, row.model, row.arm] for slot, (row, _) in shown.items()}


def inputs_of(home: Home, aggregates: Mapping[str, Artifact]) -> dict[str, tuple[str, ...]]:
    """What the inputs of aggregates are known by, by slot: the digests of their samples, so that a limit that leaves
    nothing out, or another folder with the same files, makes no other inputs of them."""
    digests = {
        one.content: one.exact for one in home.artifacts.everything() if one.manifest.ingredients.stage == "sample"
    }
    found = {}
    for slot, aggregate in aggregates.items():
        inputs = aggregate.manifest.ingredients.inputs
        samples = [content for name, content in inputs.items() if name.partition("-")[0] == "sample"]
        found[slot] = tuple(sorted(digests.get(content, content) for content in samples))
    return found


def section_name(split: str, own: Mapping[str, Any], first: Mapping[str, Any], taken: Sequence[str]) -> str:
    """What a section is called whose models were asked otherwise than the first's."""
    if not taken:
        return split
    differing = [name for name in own if name not in IN_NAME and own[name] != first.get(name)]
    told = ", ".join([split, *(f"{name} {told_setting(own[name])}" for name in differing)])
    name, number = told if differing else f"{split}, other inputs", 1
    while name in taken:
        number += 1
        name = f"{told if differing else f'{split}, other inputs'} ({number})"
    return name


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
