"""Collect everything that a home has scored, from all its runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from scrollwork.models.registry import function_name, is_function
from scrollwork.pipeline.design import design_of
from scrollwork.pipeline.plan import folder_name
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

OTHER_REVISION = "of another revision than the one that is shown (frames read it with models='NAME@REVISION')"
NOTHING: tuple[Any, ...] = (None, "", {}, [])


@dataclass(frozen=True)
class HomeScores:
    """The scores of a home's newest runs. suite: with the metrics and judges that they used.

    params: of a report on them. artifacts: of stage aggregate, each with the row that its line shows. subsets: scores
    on flagged examples. left_out: sentences on scores that are left out. revisions: of each function that is shown, by
    its name.
    """

    suite: Suite
    rows: list[Aggregate]
    params: dict[str, Any]
    artifacts: tuple[tuple[Aggregate, Artifact], ...]
    subsets: list[Aggregate] = field(default_factory=list)
    left_out: Sequence[str] = ()
    revisions: Mapping[str, str] = field(default_factory=dict)


@dataclass
class Collected:
    """Scores of runs, by place; runs are added from the newest to the oldest. ranks: the suite ranks models.

    settings: of the runs, each once. newest: index of the settings of each model's newest run. scored_by: metric and
    judging models, by task. left: the scores that are left out, by reason. revisions: the one revision of each function
    whose scores count, by its name: that of its newest run, if it is not given.
    """

    ranks: bool
    rows: dict[Place, list[Aggregate]] = field(default_factory=dict)
    artifacts: dict[Place, Artifact] = field(default_factory=dict)
    settings: list[dict[str, Any]] = field(default_factory=list)
    newest: dict[str, int] = field(default_factory=dict)
    scored_by: dict[str, tuple[str, dict[str, str]]] = field(default_factory=dict)
    left: dict[str, set[str]] = field(default_factory=dict)
    revisions: dict[str, str] = field(default_factory=dict)

    def add_run(self, home: Home, run: Mapping[str, Any]) -> None:
        """Add those scores of a run that no newer run with the same settings has; of a function, of one revision."""
        own = settings_of(run["request"])
        if own not in self.settings:
            self.settings.append(own)
        asked = self.settings.index(own)
        revisions = revisions_of(run["request"])
        for name, key in run["keys"].items():
            stage, _, slot = name.partition("/")
            if stage != AGGREGATE or ((slot, asked) in self.rows and not revisions):
                continue
            if (artifact := home.artifacts.find(stage, slot, key)) is None or self._of_other(slot, revisions):
                continue
            if (slot, asked) not in self.rows:
                self._add((slot, asked), artifact)

    def _of_other(self, slot: str, revisions: Mapping[str, str]) -> bool:
        """Return whether a score is of another revision of a function than the one whose scores count; note it if so.

        slot: of its aggregate. revisions: of the functions of its run, by name.
        """
        _, task, _, label, *_ = slot.split(".")
        name = next((one for one in revisions if folder_name(one) == label), "")
        if not name or revisions[name] == self.revisions.setdefault(name, revisions[name]):
            return False
        self.left.setdefault(OTHER_REVISION, set()).add(f"{name}@{revisions[name]}, {task}")
        return True

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

    def sections(self, everything: Callable[[], Iterable[Artifact]]) -> dict[Place, str]:
        """Return the name of each score's section on the page, by place. For a suite that ranks models it is the split,
        as a ranking itself decides which runs it can compare. everything: returns all artifacts of the home."""
        if self.ranks:
            return {place: found[-1].split for place, found in self.rows.items()}
        inputs = inputs_of(everything(), self.artifacts)
        return by_inputs({place: (found[-1], inputs[place]) for place, found in self.rows.items()}, self.settings)

    def upper_bounds(self) -> list[str]:
        """List the models that read the references, sorted."""
        bounds = [place for place, one in self.artifacts.items() if _param(one, "reads_references")]
        return sorted({self.rows[place][-1].model for place in bounds})

    def decoding(self) -> dict[str, str]:
        """Describe how models decode, by model, for those that do not decode as the suite says."""
        found: dict[str, dict[str, None]] = {}
        for place, artifact in self.artifacts.items():
            if (text := _param(artifact, "decoding")) is not None:
                found.setdefault(self.rows[place][-1].model, {})[text] = None
        return {model: "; ".join(texts) for model, texts in found.items()}


def _param(aggregate: Artifact, name: str) -> Any:
    return aggregate.manifest.ingredients.params.get(name)


def scores_in(
    home: Home, suite: str, everything: Sequence[Artifact] | None = None, revisions: Mapping[str, str] | None = None
) -> HomeScores:
    """Collect the scores of the newest runs and the artifacts behind them. suite: its name or its file. everything: all
    artifacts of the home, where they are known. revisions: those to be shown of functions, by their names; of the
    others that of their newest run, as all scores of a function are of one revision.

    A row holds the newest score of each task that a model got with the same settings (limit, seed, options, raw folder,
    cut): scores on different inputs are never in one row. Rows on different inputs of a split are in different sections
    (`by_inputs`), even if they are of one model; if the suite ranks models, only the settings of a model's newest run
    count. Scores by different metrics or judging models are never in one column: those of the newest run are shown,
    and `left_out` names the others. If a seed was also run alone, on other inputs than its family, its name says so.
    Raises UsageError.
    """
    plain = suite_in(home, suite)
    all_runs = Collected(design_of(plain).ranked, revisions=dict(revisions or {}))
    for run in benchmark_runs(home, plain.name):
        all_runs.add_run(home, run)
    sections = all_runs.sections(home.artifacts.everything if everything is None else lambda: everything)
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
        all_runs.revisions,
    )


def revisions_of(request: Mapping[str, Any]) -> dict[str, str]:
    """Return the revision of each function among the models of a request, by the name of the function."""
    specs = [one for one in request.get("models") or () if is_function(one)]
    return {function_name(one): one.rpartition("@")[2] for one in specs}


def settings_of(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a request that decide which inputs are asked, without those that are not set: an earlier
    version did not write every setting."""
    known = every_option() | global_options()
    ignored = {"run", "suite_file", *(name for name, one in known.items() if not one.decides)}
    given = {name: value for name, value in request.items() if name not in ignored and value not in NOTHING}
    return {name: value for name, value in given.items() if value or name in ("seed", "shots")}  # else 0 means not set


def benchmark_runs(home: Home, suite: str) -> list[dict[str, Any]]:
    """List the runs of a suite, the newest first. Runs of a designed experiment (--vary) hold fixed what the benchmark
    draws again for each run, so they are listed only if there are no others."""
    runs = [run for run in reversed(home.runs()) if run["request"]["suite"] == suite]
    return [run for run in runs if not run["request"].get("vary")] or runs


def aggregates_of(artifact: Artifact, table: str = "aggregates") -> list[Aggregate]:
    """List the rows of the table, with the profile in the model's name unless it is the plain one."""
    rows = list(artifact.rows(table, Aggregate))
    profile = artifact.manifest.ingredients.params.get("profile", "plain")
    return rows if profile == "plain" else [replace(row, model=f"{row.model} ({profile})") for row in rows]


def with_settings(
    rows: list[Aggregate], asked: int, settings: Sequence[Mapping[str, Any]], families: Mapping[str, set[int]]
) -> list[Aggregate]:
    """Add the settings that differ to the model names of a slot's rows, if they are of a seed whose family is there.

    The family has a row of that seed itself, on its own inputs. asked: index in `settings`. families: the indices of
    each model.
    """
    model = rows[-1].model
    for family, others in families.items():
        if is_member(model, family) and asked not in others:
            differing = ", ".join(differences(settings[asked], settings[min(others)]))
            return [replace(row, model=f"{row.model} ({differing})") for row in rows]
    return rows
