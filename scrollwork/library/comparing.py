"""The command compare as a function: logs of any tool, homes, results and frames, held against each other item by item.
docs/logs.md says what is read, docs/compare.md what is computed."""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from scrollwork.analysis.logs.compare import Compared
from scrollwork.analysis.logs.log import Log, LogError, ReadOptions
from scrollwork.analysis.logs.note import Note
from scrollwork.analysis.logs.systems import CompareOptions
from scrollwork.cli.commands.compare import KINDS, compare_logs, existing, margin_of, name_pairs
from scrollwork.exchange.compared.as_json import compared_json
from scrollwork.exchange.compared.cells import verdict
from scrollwork.exchange.compared.notes import note_lines
from scrollwork.exchange.logs.read import read_logs
from scrollwork.frames import polars, refuse_pandas
from scrollwork.home import Home
from scrollwork.library.calls import in_keywords, of_library
from scrollwork.library.own_scores import logs_of
from scrollwork.library.results import RunResult, paragraphs, table_html
from scrollwork.pipeline.errors import UsageError
from scrollwork.preprocessing.raw.errors import printable
from scrollwork.readings.home_artifacts import KEY
from scrollwork.reporting.boards.board import ARM
from scrollwork.storage.home import is_remote
from scrollwork.tasks.report.published import write_file

Source = str | PathLike[str] | Home | RunResult | polars.DataFrame | polars.LazyFrame
Names = str | Sequence[str]
KEYWORDS = ("by", "id", "margin", "tasks", "metrics", "models", "allow_changed_prompts")
LETTERS = "abcdefghijklmnopqrstuvwxyz"
TABLE: dict[str, Any] = {
    **dict.fromkeys(("a", "b", "task", "metric"), polars.String),
    **dict.fromkeys(("n", "clusters", "only_a", "only_b", "changed", "unscored", "contradictory"), polars.Int64),
    "paired_by": polars.String,
    **dict.fromkeys(("mean_a", "mean_b", "difference", "low", "high", "standard_error"), polars.Float64),
    **dict.fromkeys(("p", "p_holm"), polars.Float64),
    **dict.fromkeys(("won", "lost", "tied"), polars.Int64),
    **dict.fromkeys(("mcnemar_p", "margin", "equivalence_p"), polars.Float64),
    "equivalent": polars.Boolean,
    **dict.fromkeys(("power", "detectable"), polars.Float64),
    **dict.fromkeys(("clusters_to_decide", "items_to_decide"), polars.Int64),
    "interval_note": polars.String,
    "verdict": polars.String,
    "not_compared": polars.String,
}
WITHOUT_DOCUMENTS = ": scores of a home without its documents and prompts; give the home itself, or by="
SHOWN = ("a", "b", "task", "metric", "n", "mean_a", "mean_b", "difference", "low", "high", "p_holm", "verdict")


@dataclass(frozen=True, eq=False)
class Comparison:
    """The result of `scrollwork.compare`.

    table: a row for each two systems, task and metric. difference is A minus B in the scale of the logs, low and high
    its 95 % interval, n the paired items; docs/compare.md explains the rest. warnings: what to know before
    believing it.
    """

    table: polars.DataFrame
    warnings: tuple[str, ...]
    compared: Compared

    @of_library()
    def save(self, path: str | PathLike[str]) -> Path:
        """Write it as a page (*.html) or Markdown (*.md); return where. Raises UsageError for another ending."""
        out = Path(path)
        if out.suffix not in KINDS:
            raise UsageError(f"{out}: a name that ends in {' or '.join(KINDS)} is wanted")
        write_file(out.resolve(), KINDS[out.suffix](self.compared).encode("utf-8"))
        return out

    def __repr__(self) -> str:
        return (
            f"comparison of {len(self.compared.pairs)} pair(s): {len(self.table)} row(s), {len(self.warnings)} note(s)"
        )

    def _repr_html_(self) -> str:
        """Return the table as HTML. Every text in it is escaped."""
        rows = [[cell(value) for value in row] for row in self.table.select(SHOWN).rows()]
        return table_html(SHOWN, rows) + paragraphs([f"note: {line}" for line in note_lines(self.compared)])


@of_library()
def compare(
    *sources: Source,
    by: str = "",
    id: str = "",
    margin: float | None = None,
    tasks: Names = (),
    metrics: Names = (),
    models: Names = (),
    allow_changed_prompts: bool = False,
) -> Comparison:
    """Compare models by logs of any tool, item by item, as the command `compare`.

    sources: paths of logs, of tables or of homes; `scrollwork.open` of a home; results of `scrollwork.run` (the scores
    of these runs alone; two of one home may have a function in two revisions: NAME@REVISION); frames with a column of
    ids and one of scores (`a`, `b`, ... by their place, if they have no column `model`). One is enough if it holds
    several models. by, id: columns of the cluster and of the id. margin: half the width of what counts as no
    difference, in points of 100; in the unit of the scores where they go neither to 1 nor to 100. None for one point,
    and for none elsewhere. tasks, metrics: "NAME", or "NAME_IN_A=NAME_IN_B". models: only these.

    Raises UsageError for a wrong call or fewer than two systems, LogError naming the file and the place.
    """
    options = CompareOptions(
        margin_of(margin),
        allow_changed_prompts,
        name_pairs("tasks", texts("tasks", tasks)),
        name_pairs("metrics", texts("metrics", metrics)),
    )
    for name, column in (("by", by), ("id", id)):
        if not isinstance(column, str):
            raise UsageError(f"sw.compare: {name} must be the name of one column, a text, not {column!r}")
    if not sources:
        raise UsageError("sw.compare needs a log, a home or a frame")
    with tempfile.TemporaryDirectory(prefix="scrollwork-") as folder:
        places: dict[str, Source] = {}
        results: dict[str, list[RunResult]] = {}  # several may be of one home
        for number, source in enumerate(sources):
            place = place_of(source, number, Path(folder), {by, id, *(one for pair in options.metrics for one in pair)})
            if place in places and not (place in results and isinstance(source, RunResult)):
                raise UsageError("sw.compare: a source is given twice")
            places[place] = source
            if isinstance(source, RunResult):
                results.setdefault(place, []).append(source)
        named = {place: Path(place).stem for place, source in places.items() if is_frame(source)}
        try:
            given = {place: logs_of(own) for place, own in results.items()}
            logs, lacking = read_logs(existing([*places]), ReadOptions(id, by), given)
        except LogError as error:
            raise LogError(in_words(str(error), named)) from None
    found = compare_logs(in_named(logs, named), lacking, texts("models", models), options)
    notes = [note.worded(lambda text: in_keywords(in_words(text, named), KEYWORDS)) for note in found.notes]
    of_home = [name for place, name in named.items() if not by and has_scores(places[place])]
    if of_home:
        notes.append(Note("", tuple(f"frame {name}" for name in of_home), WITHOUT_DOCUMENTS))
    compared = Compared(found.pairs, notes)
    return Comparison(table_of(compared), tuple(compared.warnings), compared)


def is_frame(source: Source) -> bool:
    """Return whether a source is a frame of polars."""
    return isinstance(source, polars.DataFrame | polars.LazyFrame)


def place_of(source: Any, number: int, folder: Path, asked: Collection[str]) -> str:
    """Return the path of a source. A frame is written to the folder as Parquet, so that it is read as any table is.

    number: its place among the sources. asked: columns that the call names. A remote home has its URL. Raises
    UsageError for what is no source.
    """
    if isinstance(source, polars.DataFrame | polars.LazyFrame):
        frame = own_values(source.collect() if isinstance(source, polars.LazyFrame) else source, asked)
        path = folder / f"{LETTERS[number] if number < len(LETTERS) else number}.parquet"
        try:
            frame.write_parquet(path)
        except polars.exceptions.PolarsError as error:
            raise UsageError(f"frame {path.stem}: cannot be written as Parquet: {printable(str(error))}") from error
        return str(path)
    if isinstance(source, Home | RunResult):
        url = source._home.url if isinstance(source, Home) else source.home
        return url.removeprefix("file://")
    if isinstance(source, str | PathLike):
        named = fspath(source)
        return named if is_remote(named) else str(Path(named).expanduser())
    refuse_pandas(source)
    raise UsageError(f"sw.compare: a path, a home, a result or a polars frame is wanted, not a {type(source).__name__}")


def has_scores(source: Source) -> bool:
    """Return whether a source is a frame of `Home.scores`, by the names of its columns."""
    if not isinstance(source, polars.DataFrame | polars.LazyFrame):
        return False
    return {*KEY, "metric", "value"} <= {*source.lazy().collect_schema()}


def own_values(frame: polars.DataFrame, asked: Collection[str]) -> polars.DataFrame:
    """Return a frame of `Home.scores` with `value` as its only score and the arm in the model's name; others as they
    are.

    Its components are numbers, too: each would be a metric of its own. asked: those that are kept.
    """
    if not has_scores(frame):
        return frame
    beside = (polars.Float64, polars.Boolean, polars.Struct, polars.List)
    components = [name for name, kind in frame.schema.items() if kind in beside and name not in {"value", *asked}]
    in_arm = polars.format("{} ({})", "model", "arm")
    model = polars.when(polars.col("arm") == ARM).then("model").otherwise(in_arm)
    return frame.drop(components).with_columns(model.alias("model"))


def texts(name: str, given: Names) -> list[str]:
    """Return one or several texts as a list. Raises UsageError for anything else."""
    found = [given] if isinstance(given, str) else [*given] if isinstance(given, Iterable) else [None]
    if not all(isinstance(one, str) for one in found):
        raise UsageError(f"{name} must be a text or a list of texts, not {given!r}")
    return [str(one) for one in found]


def in_named(logs: Mapping[str, Sequence[Log]], named: Mapping[str, str]) -> dict[str, list[Log]]:
    """Return the logs with the names of frames in place of the files that they were written to."""
    return {
        f"frame {named[place]}" if place in named else place: [
            replace(
                log,
                source=in_words(log.source, named),
                notes=[in_words(note, named) for note in log.notes],
            )
            for log in found
        ]
        for place, found in logs.items()
    }


def in_words(text: str, named: Mapping[str, str]) -> str:
    """Return a text that calls frames by their names, not by the files that they were written to."""
    for place, name in named.items():
        text = text.replace(place, f"frame {name}")
    return text


def table_of(compared: Compared) -> polars.DataFrame:
    """Return the rows of a comparison as a frame."""
    rows = []
    for pair, found in zip(compared_json(compared)["pairs"], compared.pairs, strict=True):
        for row, one in zip(pair["tasks"], found.tasks, strict=True):
            low, high = row["ci"] or (None, None)
            own = {**row, "a": pair["a"], "b": pair["b"], "low": low, "high": high}
            own["verdict"] = one.not_compared or verdict(one)
            rows.append({name: own[name] for name in TABLE})
    return polars.DataFrame(rows, schema=TABLE)


def cell(value: object) -> str:
    """Format a value of the table for people."""
    return "" if value is None else f"{value:.3g}" if isinstance(value, float) else str(value)
