"""Everything that a home has scored, of all its runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from scrollwork.pipeline.design import design_of
from scrollwork.readings.same_inputs import Place, by_inputs, differences, inputs_of
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

NOTHING: tuple[Any, ...] = (None, "", {}, [])


@dataclass(frozen=True)
class HomeScores:
    """What the newest runs of a home scored. suite: as they scored it. params: of a report over it. artifacts: the
    aggregates, each with the row that its line shows. subsets: scores of flagged examples. left_out: sentences on
    scores that are not among them."""

    suite: Suite
    rows: list[Aggregate]
    params: dict[str, Any]
    artifacts: tuple[tuple[Aggregate, Artifact], ...]
    subsets: list[Aggregate] = field(default_factory=list)
    left_out: Sequence[str] = ()


def scores_in(home: Home, suite: str) -> HomeScores:
    """Collect what the newest runs scored, and the artifacts behind it. suite: its name, or its file. Raises
    UsageError.

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
    return HomeScores(
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
