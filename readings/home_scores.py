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


@dataclass
class Collected:
    """Scores of runs, the newest first, by place. settings: those that were seen, each once. newest: which of them a
    model's newest run had. scored_by: by task, the metric and the models that judge. left: what is left out, by
    reason."""

    ranks: bool
    rows: dict[Place, list[Aggregate]] = field(default_factory=dict)
    artifacts: dict[Place, Artifact] = field(default_factory=dict)
    settings: list[dict[str, Any]] = field(default_factory=list)
    newest: dict[str, int] = field(default_factory=dict)
    scored_by: dict[str, tuple[str, dict[str, str]]] = field(default_factory=dict)
    left: dict[str, set[str]] = field(default_factory=dict)

    def add_run(self, home: Home, run: Mapping[str, Any]) -> None:
        """Add the scores of a run that no newer one with the same settings has."""
        own = settings_of(run["request"])
        if own not in self.settings:
            self.settings.append(own)
        asked = self.settings.index(own)
        for name, key in run["keys"].items():
            stage, _, slot = name.partition("/")
            if stage != AGGREGATE or (slot, asked) in self.rows:
                continue
            if (artifact := home.artifacts.find(stage, slot, key)) is not None:
                self._add((slot, asked), artifact)

    def _add(self, place: Place, artifact: Artifact) -> None:
        found, params = aggregates_of(artifact), artifact.manifest.ingredients.params
        row, how = found[-1], (found[-1].metric, params.get("judges", {}))
        why = ""
        if self.newest.setdefault(row.model, place[1]) != place[1] and self.ranks:
            why = "asked otherwise than in the model's newest run"
        elif self.scored_by.setdefault(row.task, how) != how:
            why = "scored otherwise than in the newest run"
        if why:
            self.left.setdefault(why, set()).add(f"{row.model}, {row.task}")
        else:
            self.rows[place], self.artifacts[place] = found, artifact

    def sections(self, home: Home) -> dict[Place, str]:
        """Name the section of the page where each score stands; a ranking says itself which runs it can compare."""
        if self.ranks:
            return {place: found[-1].split for place, found in self.rows.items()}
        inputs = inputs_of(home, self.artifacts)
        return by_inputs({place: (found[-1], inputs[place]) for place, found in self.rows.items()}, self.settings)

    def upper_bounds(self) -> list[str]:
        """List the models that read the references."""
        bounds = [place for place, one in self.artifacts.items() if _param(one, "reads_references")]
        return sorted({self.rows[place][-1].model for place in bounds})

    def decoding(self) -> dict[str, str]:
        """Say how models decode where that is not the suite's way."""
        found: dict[str, dict[str, None]] = {}
        for place, artifact in self.artifacts.items():
            if (text := _param(artifact, "decoding")) is not None:
                found.setdefault(self.rows[place][-1].model, {})[text] = None
        return {model: "; ".join(texts) for model, texts in found.items()}


def _param(aggregate: Artifact, name: str) -> Any:
    return aggregate.manifest.ingredients.params.get(name)


def scores_in(home: Home, suite: str) -> HomeScores:
    """Collect what the newest runs scored, and the artifacts behind it. suite: its name, or its file. Raises
    UsageError.

    A row is what a model was asked by the same settings (limit, seed, options, raw folder, cut), of each task the
    newest score: scores of other inputs are never put into one row. Rows on other inputs of a split have sections of
    their own (`by_inputs`), also where they are of one model; of a suite that ranks models only the settings of a
    model's newest run count. Scores by other metrics, or other models that judge, are never put into one column: those
    of the newest run are shown. What is left out for that is said. A seed that was also run alone, on other inputs than
    its family, says so in its name.
    """
    plain = suite_in(home, suite)
    all_runs = Collected(design_of(plain).ranked)
    for run in benchmark_runs(home, plain.name):
        all_runs.add_run(home, run)
    sections = all_runs.sections(home)
    order = sorted(sections)
    families: dict[str, set[int]] = {}
    for place in order:
        families.setdefault(all_runs.rows[place][-1].model, set()).add(place[1])

    def shown(place: Place, found: list[Aggregate]) -> list[Aggregate]:
        named = with_settings(found, place[1], all_runs.settings, families) if found else []
        return [replace(row, split=sections[place]) for row in named]

    rows = {place: shown(place, all_runs.rows[place]) for place in order}
    subsets = [row for place in order for row in shown(place, aggregates_of(all_runs.artifacts[place], SUBSETS))]
    judges = next((judges for _, judges in all_runs.scored_by.values() if judges), {})
    config = judged_suite(plain, judges) if judges else plain
    lines = [found[-1] for found in rows.values()]
    models, tasks = sorted({row.model for row in lines}), {row.task for row in lines}
    return HomeScores(
        config,
        [row for place in order for row in rows[place]],
        report_params(config, models, [], all_runs.upper_bounds(), all_runs.decoding(), tasks),
        tuple((rows[place][-1], all_runs.artifacts[place]) for place in order),
        subsets,
        [f"{why}: {'; '.join(sorted(what))}" for why, what in all_runs.left.items()],
    )


def settings_of(request: Mapping[str, Any]) -> dict[str, Any]:
    """Keep of a request what decides which inputs are asked, without what was not set: an earlier version did not
    write every setting."""
    known = every_option() | global_options()
    ignored = {"run", "suite_file", *(name for name, one in known.items() if not one.decides)}
    given = {name: value for name, value in request.items() if name not in ignored and value not in NOTHING}
    return {name: value for name, value in given.items() if value or name in ("seed", "shots")}  # elsewhere 0 is none


def benchmark_runs(home: Home, suite: str) -> list[dict[str, Any]]:
    """List the runs of a suite, the newest first. Those of a designed experiment (--vary) hold fixed what the benchmark
    draws anew: they are taken only where there are no others."""
    runs = [run for run in reversed(home.runs()) if run["request"]["suite"] == suite]
    return [run for run in runs if not run["request"].get("vary")] or runs


def aggregates_of(artifact: Artifact, table: str = "aggregates") -> list[Aggregate]:
    """List the aggregates (or SUBSETS), with the profile in the model's name where it is not the plain one."""
    rows = list(artifact.rows(table, Aggregate))
    profile = artifact.manifest.ingredients.params.get("profile", "plain")
    return rows if profile == "plain" else [replace(row, model=f"{row.model} ({profile})") for row in rows]


def with_settings(
    rows: list[Aggregate], asked: int, settings: Sequence[Mapping[str, Any]], families: Mapping[str, set[int]]
) -> list[Aggregate]:
    """Put into the names of a slot's rows what their run was asked otherwise, if they are of a seed whose family is
    there too.

    asked: place in settings, as families has them by model. The family has a row of that seed itself, on its own
    inputs.
    """
    model = rows[-1].model
    for family, others in families.items():
        if is_member(model, family) and asked not in others:
            differing = ", ".join(differences(settings[asked], settings[min(others)]))
            return [replace(row, model=f"{row.model} ({differing})") for row in rows]
    return rows
