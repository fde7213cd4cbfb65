"""The artifacts behind the rows that the page of a home shows, with the names that the page gives these rows.

The library reads its frames from them (scrollwork/home.py), so a frame shows what the page shows: the current scores,
no leftovers.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from scrollwork.models.registry import FUNCTION_PREFIX, function_name, is_function
from scrollwork.models.table_keys import nearest_known
from scrollwork.pipeline.design import design_of
from scrollwork.pipeline.errors import UsageError
from scrollwork.pipeline.plan import folder_name
from scrollwork.readings.home_scores import HomeScores, benchmark_runs, revisions_of, scores_in
from scrollwork.readings.same_inputs import by_inputs, inputs_of
from scrollwork.records.score import Aggregate
from scrollwork.storage.artifacts.artifact import Artifact
from scrollwork.storage.home import Home, is_remote
from scrollwork.suites.suite_files import Suite
from scrollwork.tasks.curate.run import STAGE as CURATE
from scrollwork.tasks.judge.run import STAGE as JUDGE
from scrollwork.tasks.prompt.run import STAGE as PROMPT
from scrollwork.tasks.report.behind_scores import ByContent, ByInputs, ScoredTask, Shown
from scrollwork.tasks.sample.run import STAGE as SAMPLE

KEY = ("suite", "task", "split", "example_id", "draw", "model", "arm")  # columns that name an answer in every table


@dataclass(frozen=True)
class Names:
    """What the page calls the rows of an artifact.

    split: name of the section; "" if it is the split in the rows. suffix: what the page adds to models' names, "" for
    nothing. profile: of the prompts. models: names in the rows, if only the rows of these models are wanted; () for
    all. epoch: in which answers were asked anew, "" for none.
    """

    split: str = ""
    suffix: str = ""
    profile: str = ""
    models: tuple[str, ...] = ()
    epoch: str = ""


@dataclass(frozen=True)
class Placed:
    """An artifact, with the names of its rows on the page."""

    artifact: Artifact
    names: Names = field(default_factory=Names)


@dataclass(frozen=True)
class Line:
    """A model's score of one task, in a line of the page. shown, stored: its row, as the page shows it and as it is
    stored. members: the stored names of a family's seeds, () for a single model. behind, judged: None if they are not
    in the home any more."""

    shown: Aggregate
    stored: Aggregate
    members: tuple[str, ...]
    aggregate: Artifact
    behind: ScoredTask | None
    judged: Artifact | None

    @property
    def suffix(self) -> str:
        """What the page adds to the names of the models."""
        return self.shown.model.removeprefix(self.stored.model)

    @property
    def names(self) -> dict[str, str]:
        """The shown names of the model and of its members: their stored names."""
        return {f"{name}{self.suffix}": name for name in (self.stored.model, *self.members)}

    def placed(self, artifact: Artifact, models: tuple[str, ...] = ()) -> Placed:
        """Return an artifact behind this line with the names of the page. models: as in Names."""
        split = "" if self.shown.split == self.stored.split else self.shown.split
        profile = str(self.aggregate.manifest.ingredients.params.get("profile", "plain"))
        epoch = str(artifact.manifest.ingredients.params.get("epoch", ""))
        return Placed(artifact, Names(split, self.suffix, profile, models, epoch))


@dataclass(frozen=True)
class Current:
    """What a home shows of a suite now. scores: of all lines. lines: those without a seed that its family has too.

    samples, prompts: of tasks that are built and not scored. curated: behind all of these, by content key. left_out:
    sentences on what is not shown, and why.
    """

    scores: HomeScores
    lines: tuple[Line, ...]
    samples: tuple[Artifact, ...]
    prompts: tuple[Artifact, ...]
    curated: Mapping[str, Artifact]
    left_out: tuple[str, ...]

    @property
    def suite(self) -> Suite:
        """The suite."""
        return self.scores.suite

    def task_of(self, artifact: Artifact) -> str:
        """Return the task of an artifact, "" if the suite has none of that name any more."""
        _, label, *_ = artifact.manifest.ingredients.slot.split(".")
        return next((task for task in self.suite.tasks if folder_name(task) == label), "")


@dataclass(frozen=True)
class Chosen:
    """A line that was asked for. models: the stored names of its wanted seeds, () for the whole line."""

    line: Line
    models: tuple[str, ...] = ()


def current(
    home: Home, suite: str, everything: Sequence[Artifact], revisions: Mapping[str, str] | None = None
) -> Current:
    """Collect the artifacts behind everything that a home shows of a suite. suite: its name or its file. everything:
    all artifacts of the home. revisions: those to be shown of functions, as in `scores_in`.

    Only aggregates are read, not the parts that frames are made of. Raises UsageError, DamagedArtifact.
    """
    scores = scores_in(home, suite, everything, revisions)
    scored = distinct_inputs(everything, scores) if design_of(scores.suite).ranked else scores.artifacts
    found, judged = ByContent(everything), ByInputs(one for one in everything if _stage(one) == JUDGE)
    lines = []
    for shown, aggregate in scored:
        *members, stored = aggregate.rows("aggregates", Aggregate)
        names = tuple(row.model for row in members)
        last = next(iter(judged.of(aggregate)[-1:]), None)
        lines.append(Line(shown, stored, names, aggregate, found.behind(shown, aggregate), last))
    whole = without_twins(lines)
    lacking = sorted(f"{line.shown.model}, {line.shown.task}" for line in whole if line.behind is None)
    gone = [f"not in this home any more, the examples and answers of: {'; '.join(lacking)}"] if lacking else []
    samples, prompts = unscored(home, scores.suite.name, whole)
    keys = {key for one in (*samples, *prompts) for key in one.manifest.ingredients.each("curated")}
    curated = {one.content: one for one in everything if _stage(one) == CURATE and one.content in keys}
    curated |= {line.behind.curated.content: line.behind.curated for line in whole if line.behind is not None}
    left_out = (*(f"not shown, {sentence}" for sentence in scores.left_out), *gone)
    return Current(replace(scores, artifacts=tuple(scored)), tuple(whole), samples, prompts, curated, left_out)


def of_revision(home: Home, suite: str, everything: Sequence[Artifact], name: str) -> list[Line]:
    """Collect the scores of a function in another revision than the one that is shown, [] if it has none. They have its
    name, NAME@REVISION. Other arguments and errors: as of `current`."""
    model, _, revision = name.rpartition("@")
    if all(revisions_of(run["request"]).get(model) != revision for run in benchmark_runs(home, suite)):
        return []
    lines = current(home, suite, everything, {model: revision}).lines
    return [
        replace(line, shown=replace(line.shown, model=f"{name}{line.suffix}"))
        for line in lines
        if line.stored.model == model
    ]


def distinct_inputs(everything: Sequence[Artifact], scores: HomeScores) -> list[Shown]:
    """Name the splits of a suite that ranks models by their inputs, too: "test, other inputs".

    Its page need not tell them apart, as a ranking compares runs by what they drew. In a frame two different examples
    would have the same names.
    """
    places = {(one.manifest.ingredients.slot, number): one for number, (_, one) in enumerate(scores.artifacts)}
    inputs, shown = inputs_of(everything, places), dict(zip(places, (row for row, _ in scores.artifacts), strict=True))
    # each line as one of the same settings: the inputs alone tell the sections apart
    as_one = {(slot, 0): (shown[slot, number], inputs[slot, number]) for slot, number in places}
    names = by_inputs(as_one, [{}])
    return [
        (replace(row, split=names.get((one.manifest.ingredients.slot, 0), row.split)), one)
        for row, one in scores.artifacts
    ]


def without_twins(lines: Sequence[Line]) -> list[Line]:
    """Leave out lines of seeds that were run alone and with their family, on the same inputs: the family has them."""
    in_families = {
        (line.shown.task, line.shown.split, line.shown.arm, name)
        for line in lines
        for name in line.names
        if name != line.shown.model
    }
    return [
        one for one in lines if (one.shown.task, one.shown.split, one.shown.arm, one.shown.model) not in in_families
    ]


def unscored(home: Home, suite: str, lines: Iterable[Line]) -> tuple[tuple[Artifact, ...], tuple[Artifact, ...]]:
    """Collect the samples and the prompts of the newest runs that built a task and split of which nothing is scored."""
    taken = {_part_of(sample) for line in lines if line.behind is not None for sample in line.behind.samples}
    newest: dict[tuple[str, str], Artifact] = {}
    for run in benchmark_runs(home, suite):
        for name, key in run.get("keys", {}).items():
            stage, _, slot = name.partition("/")
            if stage not in (SAMPLE, PROMPT) or (stage, slot) in newest:
                continue
            if (artifact := home.artifacts.find(stage, slot, key)) is not None:
                newest[stage, slot] = artifact
    shares = {content for one in newest.values() for content in one.manifest.ingredients.each("shares")}
    own = [one for one in newest.values() if _part_of(one) not in taken and one.content not in shares]
    samples, prompts = (tuple(one for one in own if _stage(one) == stage) for stage in (SAMPLE, PROMPT))
    return samples, prompts


def choose(
    lines: Iterable[Line],
    models: Collection[str],
    tasks: Collection[str],
    unscored: Callable[[str], str] = lambda _: "",
) -> list[Chosen]:
    """Choose lines by model and task; all of them if nothing is named. models: as the page shows them, also a family
    (all its seeds) or one seed. unscored: says what the home knows of a model without a score, "" for nothing. Raises
    UsageError naming the models that have scores."""
    listed = list(lines)
    known = dict.fromkeys(name for line in listed for name in line.names)
    if unknown := [name for name in models if line_name(name) not in known]:
        raise UsageError(no_such_line(unknown[0], listed, unscored))
    models = [*map(line_name, models)]
    found = []
    for line in listed:
        if tasks and line.shown.task not in tasks:
            continue
        if not models or line.shown.model in models:
            found.append(Chosen(line))
        elif own := tuple(stored for shown, stored in line.names.items() if shown in models):
            found.append(Chosen(line, own))
    return found


def line_name(model: str) -> str:
    """Return what a model that a caller names is called in its line: a function NAME@REVISION, without "function:"."""
    return model.removeprefix(FUNCTION_PREFIX) if is_function(model) and "@" in model else model


def no_such_line(name: str, lines: Iterable[Line], unscored: Callable[[str], str]) -> str:
    """Say that a home has no score of a model, which models it has, and the nearest name.

    Seeds are named with their family alone. unscored: as in `choose`.
    """
    seeds: dict[str, list[str]] = {}
    for line in lines:
        own = [one for one in line.names if one != line.shown.model]
        seeds[line.shown.model] = own or seeds.get(line.shown.model, [])
    has = [f"{one} (seeds {some[0]} to {some[-1]})" if some[1:] else one for one, some in seeds.items()]
    there = f"scores here are of: {', '.join(has) or 'no model'}"
    called = function_name(name) if is_function(name) else name
    if line_name(name) not in seeds and (why := unscored(line_name(name))):
        return f"model {name!r} {why}; {there}"
    every = [*seeds, *(seed for some in seeds.values() for seed in some)]
    return f"no model of this home is named {name!r}; {there}{nearest_known(called, every)}"


def why_unscored(home: Home, model: str) -> str:
    """Say what a home knows of a model that has no score in it, also of NAME@REVISION; "" for nothing. Raises
    StorageError."""
    from scrollwork.storage.answers.attempts import count_answers

    function, _, revision = model.rpartition("@")
    has_store = bool(home.store) or (home.has_store and not is_remote(home.url))  # not a store of this folder's home
    for name, reported in [(model, ""), *([(function, model)] if function else [])]:
        if has_store and (stored := count_answers(home.store_place, name, reported)):
            return f"has {stored:,} answer(s) stored and no score: a run that asked it was stopped; run it again"
    requests = [run["request"] for run in home.runs()]
    revisions = sorted(filter(None, {revisions_of(one).get(function, "") for one in requests}))
    if revisions and revision not in revisions:
        return f"is no revision in this home, which asked {function} in: {', '.join(revisions)}"
    asked = {str(one) for request in requests for one in request.get("models") or ()}
    if {model, f"{FUNCTION_PREFIX}{model}"} & {*asked, *map(function_name, filter(is_function, asked))}:
        return "was asked here and nothing of it was scored: its stages failed, or its tasks have no references"
    return ""


def _stage(artifact: Artifact) -> str:
    return artifact.manifest.ingredients.stage


def _part_of(artifact: Artifact) -> str:
    """Return the part of a slot that names suite, task and split."""
    return ".".join(artifact.manifest.ingredients.slot.split(".")[:3])
