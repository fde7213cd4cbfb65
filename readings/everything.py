"""What a home holds: everything that is scored, every run."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from scrollwork.pipeline.design import design_of
from scrollwork.records.score import SUBSETS, Aggregate
from scrollwork.reporting.boards.cells import is_member
from scrollwork.storage.artifacts.artifact import Artifact
from scrollwork.storage.home import Home
from scrollwork.suites.home_suites import suite_in
from scrollwork.suites.judging_models import judged_suite
from scrollwork.suites.options import every_option, global_options
from scrollwork.suites.suite_files import Suite
from scrollwork.tasks.aggregate.run import STAGE as AGGREGATE
from scrollwork.tasks.report.parameters import report_params
from scrollwork.tasks.sample.run import STAGE as SAMPLE

# how hosted models are called changes no answer
IN_NAME = ("max_input_tokens", "tokenizer", "truncation", "prompts")  # said by the profile in a row's name

NOTHING: tuple[Any, ...] = (None, "", {}, [])
Place = tuple[str, int]  # slot of an aggregate; which of the settings that were seen, the newest first

MONEY = ("amount", "unknown_calls", "assumed_calls", "assumed")


@dataclass(frozen=True)
class Scored:
    """What the newest runs scored. suite: as they scored it. params: of a report over it. artifacts: the aggregates,
    each with the row that its line shows. subsets: scores of flagged examples. left_out: sentences on scores that are
    not among them."""

    suite: Suite
    rows: list[Aggregate]
    params: dict[str, Any]
    artifacts: tuple[tuple[Aggregate, Artifact], ...]
    subsets: list[Aggregate] = field(default_factory=list)
    left_out: Sequence[str] = ()


def scored(home: Home, suite: str) -> tuple[list[Aggregate], dict[str, Any]]:
    """(what the newest runs scored; parameters of a report over it): see `everything_scored`."""
    found = everything_scored(home, suite)
    return found.rows, found.params


def everything_scored(home: Home, suite: str) -> Scored:
    """What the newest runs scored, and the artifacts behind it. suite: its name, or its file. Raises UsageError.

    A row is what a model was asked by the same settings (limit, seed, options, raw folder, cut), of each task the
    newest score: scores of other inputs are never put into one row. Rows on other inputs of a split stand in sections
    of their own (`by_inputs`), also where they are of one model; of a suite that ranks models only the settings of a
    model's newest run count. Scores by other metrics, or other models that judge, are never put into one column: those
    of the newest run stand. What is left out for that is told. A seed that was also run alone, on other inputs than
    its family, says so in its name.
    """
    plain = suite_in(home, suite)
    ranks = design_of(plain).ranked
    rows: dict[Place, list[Aggregate]] = {}
    artifacts: dict[Place, Artifact] = {}
    settings: list[dict[str, Any]] = []
    newest: dict[str, int] = {}  # settings of a model's newest run
    bounds: set[str] = set()
    decoding: dict[str, list[str]] = {}
    scored_by: dict[str, tuple[str, dict[str, str]]] = {}  # by task
    left: dict[str, set[str]] = {}
    for run in benchmarked(home, plain.name):
        own = settings_of(run["request"])
        if own not in settings:
            settings.append(own)
        asked = settings.index(own)
        for name, key in run["keys"].items():
            stage, _, slot = name.partition("/")
            if stage != AGGREGATE or (slot, asked) in rows:
                continue
            if (artifact := home.artifacts.find(stage, slot, key)) is None:
                continue
            found = named(artifact)
            row, params = found[-1], artifact.manifest.ingredients.params
            how = (row.metric, params.get("judges", {}))
            if newest.setdefault(row.model, asked) != asked and ranks:
                left.setdefault("asked otherwise than in the model's newest run", set()).add(f"{row.model}, {row.task}")
                continue
            if scored_by.setdefault(row.task, how) != how:
                left.setdefault("scored otherwise than in the newest run", set()).add(f"{row.model}, {row.task}")
                continue
            rows[slot, asked], artifacts[slot, asked] = found, artifact
            if params.get("reads_references"):
                bounds.add(row.model)
            if "decoding" in params:
                told = decoding.setdefault(row.model, [])
                told += [params["decoding"]] if params["decoding"] not in told else []
    sections = {place: found[-1].split for place, found in rows.items()}
    if not ranks:  # a ranking says itself which runs it can compare
        inputs = inputs_of(home, artifacts)
        sections = by_inputs({place: (found[-1], inputs[place]) for place, found in rows.items()}, settings)
    order = sorted(sections)
    families: dict[str, set[int]] = {}
    for place in order:
        families.setdefault(rows[place][-1].model, set()).add(place[1])

    def shown(place: Place, found: list[Aggregate]) -> list[Aggregate]:
        told = told_apart(found, place[1], settings, families) if found else []
        return [replace(row, split=sections[place]) for row in told]

    kept = {place: shown(place, rows[place]) for place in order}
    judges = next((judges for _, judges in scored_by.values() if judges), {})
    config = judged_suite(plain, judges) if judges else plain
    return Scored(
        config,
        [row for place in order for row in kept[place]],
        report_params(
            config,
            sorted({found[-1].model for found in kept.values()}),
            [],
            sorted(bounds),
            {name: "; ".join(texts) for name, texts in decoding.items()},
            {found[-1].task for found in kept.values()},
        ),
        tuple((kept[place][-1], artifacts[place]) for place in order),
        [row for place in order for row in shown(place, named(artifacts[place], SUBSETS))],
        [f"{why}: {'; '.join(sorted(what))}" for why, what in left.items()],
    )


def settings_of(request: Mapping[str, Any]) -> dict[str, Any]:
    """What decides which inputs are asked, without what was not set: an earlier version did not write every setting."""
    known = every_option() | global_options()
    ignored = {"run", "suite_file", *(name for name, one in known.items() if not one.decides)}
    given = {name: value for name, value in request.items() if name not in ignored and value not in NOTHING}
    return {name: value for name, value in given.items() if value or name in ("seed", "shots")}  # elsewhere 0 is none


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


def told_apart(
    rows: list[Aggregate], asked: int, settings: Sequence[Mapping[str, Any]], families: Mapping[str, set[int]]
) -> list[Aggregate]:
    """One slot's rows, with what its run was asked otherwise in the name if it is a seed of a family that is there too.

    asked: place in settings, as families has them by model. The family has a row of that seed itself, on its own
    inputs.
    """
    model = rows[-1].model
    for family, others in families.items():
        if is_member(model, family) and asked not in others:
            told = differences(settings[asked], settings[min(others)])
            return [replace(row, model=f"{row.model} ({', '.join(told)})") for row in rows]
    return rows


@dataclass
class Section:
    """What was asked the same. asked: the settings of its first row; inputs: by task; rows: who is there by task."""

    name: str
    asked: Mapping[str, Any]
    inputs: dict[str, tuple[str, ...]] = field(default_factory=dict)
    rows: dict[tuple[str, str], dict[str, Place]] = field(default_factory=dict)  # by model and arm

    def takes(self, who: tuple[str, str], tasks: Mapping[str, tuple[str, ...]]) -> bool:
        """Whether these inputs are those of the section; for a second row of a model, without adding a task to it."""
        there = who in self.rows
        return all(self.inputs.get(task, () if there else own) == own for task, own in tasks.items())


def by_inputs(
    shown: Mapping[Place, tuple[Aggregate, tuple[str, ...]]], settings: Sequence[Mapping[str, Any]]
) -> dict[Place, str]:
    """The section of each place (its row, and what its inputs are known by): its split, where all models of the split
    were asked the same inputs of each task that they share. Else those with the most inputs keep the split's name, and
    the others' says what was asked otherwise: "test, limit 12". Of two scores of a model on the same inputs of a task
    the older one has no section."""
    splits: dict[str, dict[tuple[str, str, int], dict[str, Place]]] = {}
    for place, (row, _) in shown.items():
        splits.setdefault(row.split, {}).setdefault((row.model, row.arm, place[1]), {})[row.task] = place
    found: dict[Place, str] = {}
    for split, asked in splits.items():
        sections: list[Section] = []
        many = {one: sum(shown[place][0].coverage.expected for place in own.values()) for one, own in asked.items()}
        for one in sorted(asked, key=lambda one: (-many[one], one[2], one)):
            own, who, inputs = asked[one], one[:2], {task: shown[place][1] for task, place in asked[one].items()}
            section = next((other for other in sections if other.takes(who, inputs)), None)
            if section is None:
                section = Section(section_name(split, settings[one[2]], sections), settings[one[2]])
                sections.append(section)
            section.inputs.update(inputs)
            there = section.rows.setdefault(who, {})
            for task, place in own.items():
                there[task] = min(there.get(task, place), place, key=lambda at: at[1])
        for section in sections:
            found.update({place: section.name for row in section.rows.values() for place in row.values()})
    return found


def inputs_of(home: Home, aggregates: Mapping[Place, Artifact]) -> dict[Place, tuple[str, ...]]:
    """What the inputs of aggregates are known by: the digests of their samples, so that a limit that leaves nothing
    out, or another folder with the same files, makes no other inputs of them."""
    digests = {
        one.content: one.exact for one in home.artifacts.everything() if one.manifest.ingredients.stage == SAMPLE
    }
    found = {}
    for place, aggregate in aggregates.items():
        samples = aggregate.manifest.ingredients.each("sample")
        found[place] = tuple(sorted(digests.get(content, content) for content in samples))
    return found


def section_name(split: str, own: Mapping[str, Any], before: Sequence[Section]) -> str:
    """What a section is called beside those before it: what was asked otherwise than in the first; if that is another's
    name, also what was asked otherwise than there."""
    if not before:
        return split
    told = differences(own, before[0].asked)
    taken = {one.name: one.asked for one in before}
    name = ", ".join([split, *(told or ["other inputs"])])
    while name in taken and (more := [one for one in differences(own, taken[name]) if one not in told]):
        told += more
        name = ", ".join([split, *told])
    numbered, number = name, 1
    while numbered in taken:
        number += 1
        numbered = f"{name} ({number})"
    return numbered


def differences(own: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    """Settings that differ, as they are told."""
    return [
        f"{name} {told_setting(own[name])}" if name in own else f"{name} not set"
        for name in sorted({*own, *other})
        if name not in IN_NAME and own.get(name) != other.get(name)
    ]


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
    """What the response store holds: see scrollwork.storage.answers.store.Holdings. Money in USD, also by model."""
    nothing: dict[str, Any] = {"answers": {}, "failures": {}, "failure_kinds": [], "attempts": {}, "batches": {}}
    spent: dict[str, Any] = {}
    found = {**nothing, "claimed": 0, "open_batches": []}
    if home.has_store:
        from scrollwork.storage.answers.rows import NANO
        from scrollwork.storage.answers.store import ResponseStore

        holdings = ResponseStore(home.store_place).holdings()
        found = {name: value for name, value in vars(holdings).items() if name != "spent"}
        for model, own in holdings.spent.items():
            named = {name: count for name, count in vars(own).items() if not name.startswith("cost")}
            assumed = {"assumed_calls": own.cost_assumed_calls, "assumed": own.cost_assumed_nano_usd / NANO}
            money = {"amount": own.cost_nano_usd / NANO, "unknown_calls": own.cost_unknown_calls}
            spent[model] = {**named, **money, **assumed}
        from scrollwork.readings.open_batches import waiting

        found["open_batches"] = waiting(home)
    total = {name: sum(own[name] for own in spent.values()) for name in MONEY}
    return {**found, "spent": {"currency": "USD", **total}, "spent_by_model": spent}
