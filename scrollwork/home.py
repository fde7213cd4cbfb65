"""A home opened for reading: what it holds, as polars frames. docs/library.md shows how they are joined.

A frame shows what the page of the home shows now. Nothing is written, and nothing of a table is read before a frame is
collected.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from scrollwork.frames import Texts, interval_note, polars, rows_frame, scan, schema_of, with_text
from scrollwork.library.calls import of_library
from scrollwork.library.noted_code import mixed_code
from scrollwork.models.table_keys import nearest_known
from scrollwork.pipeline.errors import StageFailed, UsageError
from scrollwork.preprocessing.raw.errors import printable
from scrollwork.readings.home_artifacts import (
    Chosen,
    Current,
    Line,
    Names,
    Placed,
    choose,
    current,
    line_name,
    of_revision,
    why_unscored,
)
from scrollwork.readings.verify import stopped
from scrollwork.records.base import Row
from scrollwork.storage.artifacts.artifact import Artifact
from scrollwork.storage.home import Home as StoredHome
from scrollwork.tasks.report.behind_scores import ScoredTask

Some = str | Sequence[str] | None  # names that a caller may give: one, several, or None for all
HOW = ("built", "reused", "failed", "skipped")  # how a stage of a run may have ended


class Home:
    """The results in a home, which is only read. `scrollwork.open` makes it.

    Every frame is a polars LazyFrame of what the home holds after the last run that ended before the method is called.
    suite: name of a suite, or of its file; None for all that ran in the home. models: names as the page shows them,
    also families ("naive"), single seeds ("naive:seed=0") and functions in any revision ("mine@1", so called in their
    rows); None for all. tasks: by name; None for all.

    Methods raise UsageError for a name that is not here, StageFailed if the home has nothing to show, DamagedArtifact
    (naming the folder and the part) for a part that was changed, and ModuleNotFoundError without polars.
    """

    def __init__(self, home: StoredHome) -> None:
        self._home = home
        self._ended: tuple[str, ...] = ()  # the runs that are in `_kept`
        self._kept: dict[str, Current] = {}  # by suite as it was named: a large home takes seconds to be listed
        self._revisions: dict[tuple[str, str], list[Line]] = {}  # by suite and NAME@REVISION

    def __repr__(self) -> str:
        """Return the folder or URL, and how many runs a folder has notes of. Nothing is read of a remote home."""
        url = self._home.url
        if "://" in url:
            return printable(f"home {url}")
        try:
            runs = sum(one.suffix == ".json" for one in Path(url, "runs").iterdir())
        except OSError:  # it has gone, or was never there
            runs = 0
        return printable(f"home {url}: {runs:,} run(s)")

    @of_library()
    def runs(self) -> polars.LazyFrame:
        """Return a row for each run, the oldest first: id, time (UTC), suite, models, tasks, splits, how many stages
        were built, reused, failed and skipped, the epochs of answers that it read, and the page that it wrote."""
        texts = polars.List(polars.String)
        schema: dict[str, Any] = {"run": polars.String, "time": polars.Datetime("us", "UTC"), "suite": polars.String}
        schema |= {"models": texts, "tasks": texts, "splits": texts, **dict.fromkeys(HOW, polars.Int64)}
        schema |= {"epochs": texts, "report": polars.String}
        return polars.LazyFrame([run_row(run) for run in self._home.runs()], schema=schema)

    @of_library()
    def scores(self, suite: str | None = None, *, models: Some = None, tasks: Some = None) -> polars.LazyFrame:
        """Return a row for each scored answer: value, a column for each component, and what the metric read.

        value and components are 0 to 100; components whose names begin with sum_ are counts.
        """
        from scrollwork.records.score import Score

        found = self._chosen(self._current(suite), models, tasks)
        placed = [
            one.line.placed(artifact, one.models)
            for one in found
            if one.line.behind is not None
            for artifact in one.line.behind.scores
        ]
        return scan(placed, "scores", Score, score_names(found))

    @of_library()
    def answers(self, suite: str | None = None, *, models: Some = None, tasks: Some = None) -> polars.LazyFrame:
        """Return a row for each answer, those of baselines too: its text, how it ended, tokens, cost in 1e-9 USD,
        and the epoch in which it was read ("" for none, docs/fresh.md)."""
        from scrollwork.records.response import Response

        placed = [
            one.line.placed(artifact, one.models)
            for one in self._chosen(self._current(suite), models, tasks)
            if one.line.behind is not None
            for artifact in one.line.behind.answers
        ]
        return scan(placed, "responses", Response)

    @of_library()
    def judgements(self, suite: str | None = None, *, models: Some = None, tasks: Some = None) -> polars.LazyFrame:
        """Return a row for each input and model, answered or not: what the answer looks like, and its score."""
        from scrollwork.records.judgement import Judgement

        found = self._chosen(self._current(suite), models, tasks)
        placed = [one.line.placed(one.line.judged, one.models) for one in found if one.line.judged is not None]
        return scan(placed, "judgements", Judgement, score_names(found))

    @of_library()
    def aggregates(self, suite: str | None = None, *, models: Some = None, tasks: Some = None) -> polars.LazyFrame:
        """Return a row for each model (each family, each seed of it) and task: score, interval, and on how many inputs.
        Scores of flagged examples have a metric of their own, METRIC_FLAG. interval_note: why `low` and `high` cannot
        be trusted: too few `clusters` (groups of documents), or no width; null where they can."""
        from scrollwork.records.score import SUBSETS, Aggregate

        found = self._chosen(self._current(suite), models, tasks)
        names = dict.fromkeys(name for one in found for name in one.line.stored.components)
        placed = [one.line.placed(one.line.aggregate, one.models) for one in found]
        tables = [scan(placed, table, Aggregate, names) for table in ("aggregates", SUBSETS)]
        return polars.concat(tables).with_columns(interval_note(of_score=True))

    @of_library()
    def comparisons(self, suite: str | None = None, *, models: Some = None, tasks: Some = None) -> polars.LazyFrame:
        """Return a row for each pair of the models and task, over the inputs that both answered (docs/comparisons.md).

        interval_note: why `low` and `high` cannot be trusted, being from too few `clusters` (groups of documents); null
        where they can. They are computed when the frame is collected. A seed has no row of its own: name its
        family.
        """
        from scrollwork.records.comparison import Comparison

        now = self._current(suite)
        found = self._chosen(now, models, tasks)
        if seeds := [one for one in found if one.models]:
            family = seeds[0].line.shown.model
            raise UsageError(f"models {', '.join(seeds[0].models)}: seeds are compared as a family: name {family!r}")

        def compared() -> polars.DataFrame:
            from scrollwork.readings.home_ledger import compare_home

            rows: list[Row] = []
            for name, one in now.items():
                lines = [each.line for each in found if each.line.shown.suite == name]
                scores = replace(one.scores, artifacts=tuple((line.shown, line.aggregate) for line in lines))
                rows += compare_home(scores, [line.judged for line in lines if line.judged])["comparisons"]
            return rows_frame(Comparison, rows).with_columns(interval_note(of_score=False))

        return polars.defer(compared, schema={**schema_of(Comparison), "interval_note": polars.String()})

    @of_library()
    def examples(self, suite: str | None = None, *, tasks: Some = None) -> polars.LazyFrame:
        """Return a row for each example: query, references, options, the ids of its documents.

        Also of tasks that were built and that no model was asked.
        """
        from scrollwork.records.example import Example

        now = self._current(suite)
        placed = shared_by_models(self._chosen(now, None, tasks), lambda behind: behind.samples)
        built = [Placed(one) for own in now.values() for one in of_tasks(own, own.samples, tasks)]
        return scan([*placed, *built], "examples", Example)

    @of_library()
    def prompts(
        self, suite: str | None = None, *, models: Some = None, tasks: Some = None, text: bool = False
    ) -> polars.LazyFrame:
        """Return a row for each prompt: its parts, words, tokens and cuts. Models with the same `profile` share it.

        text: also the rendered prompt, which is made when the frame is collected. Without `models`, the prompts of
        tasks that were built and that no model was asked are there, too.
        """
        from scrollwork.records.prompt import Prompt

        now = self._current(suite)
        found = self._chosen(now, models, tasks)
        placed = shared_by_models(found, lambda behind: behind.prompts)
        built = [Placed(one) for own in now.values() for one in of_tasks(own, own.prompts, tasks) if not models]
        by_curated: dict[str, list[Placed]] = {}
        for one in (*placed, *built):
            by_curated.setdefault(one.artifact.manifest.ingredients.each("curated")[0], []).append(one)
        curated = {content: artifact for own in now.values() for content, artifact in own.curated.items()}
        behind = [each.line.behind.curated for each in found if each.line.behind is not None]  # also earlier revisions
        curated |= {artifact.content: artifact for artifact in behind}
        if not text or not by_curated:
            return scan([one for some in by_curated.values() for one in some], "prompts", Prompt)
        frames = []
        for content, some in by_curated.items():
            texts = Texts(curated.get(content), some[0].artifact)
            frames.append(with_text(scan(some, "prompts", Prompt), texts))
        return polars.concat(frames)

    @of_library()
    def documents(self, suite: str | None = None, *, tasks: Some = None) -> polars.LazyFrame:
        """Return a row for each document of each task: id (the sha256 of its text), title, text, words, source."""
        from scrollwork.records.document import Document

        frames = []
        for name, own in self._current(suite).items():
            by_task: dict[str, list[Placed]] = {}
            for artifact in of_tasks(own, own.curated.values(), tasks):
                by_task.setdefault(own.task_of(artifact), []).append(Placed(artifact))
            for task, placed in by_task.items():
                frame = scan(placed, "documents", Document)
                if len(placed) > 1:  # splits may share documents
                    frame = frame.unique("document_id", keep="first", maintain_order=True)
                labels = {"suite": polars.lit(name), "task": polars.lit(task)}
                frames.append(frame.with_columns(**labels).select(*labels, polars.exclude(*labels)))
        if not frames:
            schema = {"suite": polars.String(), "task": polars.String(), **schema_of(Document)}
            return polars.LazyFrame(schema=schema)
        return polars.concat(frames)

    @of_library()
    def calls(self) -> polars.LazyFrame:
        """Return a row for each call of a hosted model that the response store keeps, also those that gave nothing:
        outcome, start (UTC), seconds, tokens, cost in 1e-9 USD. `request_key` is also that of the answer.

        They are read when the frame is collected. Raises UsageError for a remote home without a store; collecting
        raises StorageError if the store cannot be read.
        """
        from scrollwork.storage.answers.file_format import Try

        home = self._home
        if "://" in home.url and not home.store:
            raise UsageError(
                f"{home.url}: calls are in its response store: scrollwork.open(..., store='postgresql://...')"
            )
        stored = {"request_key": polars.String(), **schema_of(Try)}
        when = polars.from_epoch((polars.col("started") * 1e6).cast(polars.Int64), "us").dt.replace_time_zone("UTC")

        def read() -> polars.DataFrame:
            from scrollwork.storage.answers.attempts import read_attempts

            rows = read_attempts(home.store_place) if home.has_store else []
            return polars.DataFrame(rows, schema=stored).with_columns(when.alias("started"))

        return polars.defer(read, schema={**stored, "started": polars.Datetime("us", "UTC")})

    @of_library()
    def left_out(self, suite: str | None = None) -> list[str]:
        """Return sentences on what frames leave out, and why: scores by another metric than the newest run's, or of
        another revision of a function, answers that are not in the home any more; and which functions answered by
        several codes in one revision."""
        now = self._current(suite)
        shown = {f"{name}@{one}" for own in now.values() for name, one in own.scores.revisions.items()}
        mixed = [sentence for name in sorted(shown) if (sentence := mixed_code(self._home, name))]
        return [*(sentence for one in now.values() for sentence in one.left_out), *mixed]

    def _current(self, suite: str | None) -> dict[str, Current]:
        """Collect what is shown of a suite, or of all that ran, by name; anew if a run ended since the last call.
        Raises UsageError, StageFailed."""
        runs = self._home.runs()
        ran = list(dict.fromkeys(str(run["request"]["suite"]) for run in runs))
        if not ran:
            why = stopped(self._home) or "nothing ran in this home; run `scrollwork run` or `build` first"
            raise StageFailed(f"{self._home.url}: {why}")
        ended = tuple(str(run["id"]) for run in runs)
        if ended != self._ended:
            self._ended, self._kept, self._revisions = ended, {}, {}
        wanted = ran if suite is None else [suite]
        if lacking := [name for name in wanted if name not in self._kept]:
            now = self._home.one_look()
            everything = list(now.artifacts.everything())
            self._kept |= {name: current(now, name, everything) for name in lacking}
        found = {self._kept[name].suite.name: self._kept[name] for name in wanted}
        if unknown := [name for name in found if name not in ran]:
            near = nearest_known(unknown[0], ran)
            raise UsageError(f"{self._home.url}: {unknown[0]} did not run in this home; it has: {', '.join(ran)}{near}")
        return found

    def _chosen(self, now: Mapping[str, Current], models: Some, tasks: Some) -> list[Chosen]:
        """Choose lines of suites by model and task. Raises UsageError listing the known names."""
        known = list(dict.fromkeys(task for one in now.values() for task in one.suite.tasks))
        if unknown := [name for name in as_names(tasks) if name not in known]:
            raise UsageError(f"task {unknown[0]!r} is none of {', '.join(known)}{nearest_known(unknown[0], known)}")
        lines = [line for one in now.values() for line in one.lines]
        shown = {line.shown.model for line in lines}
        others = dict.fromkeys(map(line_name, as_names(models)))
        lines += [line for name in others if "@" in name and name not in shown for line in self._revision(now, name)]
        return choose(lines, as_names(models), as_names(tasks), partial(why_unscored, self._home))

    def _revision(self, now: Mapping[str, Current], name: str) -> list[Line]:
        """Collect the scores of a function in the revision NAME@REVISION. Raises UsageError."""
        if lacking := [suite for suite in now if (suite, name) not in self._revisions]:
            home = self._home.one_look()
            everything = list(home.artifacts.everything())
            self._revisions |= {(suite, name): of_revision(home, suite, everything, name) for suite in lacking}
        return [line for suite in now for line in self._revisions[suite, name]]


def as_names(given: Some) -> tuple[str, ...]:
    """Return names that a caller gave as a tuple; () for None, which means all."""
    return (given,) if isinstance(given, str) else tuple(given or ())


def of_tasks(own: Current, artifacts: Iterable[Artifact], tasks: Some) -> list[Artifact]:
    """Return the artifacts of these tasks, of all for None."""
    named = as_names(tasks)
    return [one for one in artifacts if not named or own.task_of(one) in named]


def shared_by_models(found: Iterable[Chosen], artifacts: Callable[[ScoredTask], Iterable[Artifact]]) -> list[Placed]:
    """Return artifacts behind lines that several models may share, each once for each section of the page."""
    placed: dict[tuple[str, str], Placed] = {}
    for each in found:
        for artifact in artifacts(each.line.behind) if each.line.behind is not None else ():
            one = each.line.placed(artifact)
            shared = replace(one, names=Names(split=one.names.split))  # what all models of a section have
            placed.setdefault((one.names.split, artifact.folder.url), shared)
    return list(placed.values())


def score_names(found: Iterable[Chosen]) -> list[str]:
    """List the components and counts of scores, each once, in the order of their metrics.

    If the metric is not installed here, they are those of the aggregate.
    """
    from scrollwork.scoring.registry import metric, stored_names

    names: dict[str, None] = {}
    for row in {one.line.stored.metric: one.line.stored for one in found}.values():
        try:
            names |= dict.fromkeys(stored_names(metric(row.metric)))
        except (ImportError, ValueError):
            names |= dict.fromkeys(row.components)
    return list(names)


def run_row(run: Mapping[str, Any]) -> dict[str, Any]:
    """Return the row of a run in `Home.runs`. run: from the home's notes, which hold no more than JSON."""
    request, stages = run["request"], list(run.get("stages", {}).values())
    lists = {name: list(request.get(name) or ()) for name in ("models", "tasks", "splits")}
    counts = {how: stages.count(how) for how in HOW}
    time = datetime.fromtimestamp(run["time"], UTC)
    own = {"epochs": [one["epoch"] for one in run.get("epochs", {}).values()], "report": run.get("report")}
    return {"run": run["id"], "time": time, "suite": request["suite"], **lists, **counts, **own}
