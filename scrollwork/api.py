"""The functions of the library: suites, homes and scores. docs/library.md shows them at work."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrollwork.frames import polars
from scrollwork.library.calls import of_library
from scrollwork.pipeline.errors import UsageError

if TYPE_CHECKING:
    from scrollwork.home import Home
    from scrollwork.library.results import BuildResult, RunResult
    from scrollwork.scoring.batches import Item
    from scrollwork.scoring.outcome import Metric

FIXED = ("item", "value", "parsed")  # columns of `score` that every metric has


@of_library()
def suites() -> polars.DataFrame:
    """Return a row for each task of each suite, those of installed packages too.

    suite, task, metric, design: names. splits: that the task has. in_sample: whether the bundled sample has raw files
    for it. Raises UsageError for a broken suite of a package, ModuleNotFoundError without polars.
    """
    from scrollwork.pipeline.entry_points import SUITES, installed_entry_points
    from scrollwork.suites.suite_files import bundled_suites, load_suite

    names = dict.fromkeys([*bundled_suites(), *sorted(installed_entry_points(SUITES))])
    rows = [
        {
            "suite": suite.name,
            "task": task.name,
            "metric": task.metric,
            "design": suite.design,
            "splits": list(task.splits),
            "in_sample": suite.ours and (not suite.in_sample or task.name in suite.in_sample),
        }
        for suite in map(load_suite, names)
        for task in suite.tasks.values()
    ]
    texts = dict.fromkeys(("suite", "task", "metric", "design"), polars.String)
    schema: dict[str, Any] = {**texts, "splits": polars.List(polars.String), "in_sample": polars.Boolean}
    return polars.DataFrame(rows, schema=schema)


@of_library()
def open(home: str | Path | Home | RunResult | BuildResult | None = None, *, store: str = "") -> Home:
    """Open a home to read what it holds. Nothing is written, so the home may be on a read-only disk.

    home: its folder, or its URL (s3://...); a result of `run` or `build`, for its home; None for SCROLLWORK_HOME, else
    ./.scrollwork. store: URL of the response store, "" for SCROLLWORK_STORE, else the file in the home; only `calls`
    needs it. Raises UsageError if there is no home.
    """
    from scrollwork.home import Home
    from scrollwork.library.places import place_of
    from scrollwork.readings.verify import require_home
    from scrollwork.storage.home import Home as StoredHome

    found = StoredHome.to_read(*place_of(home, store))
    require_home(found)
    return Home(found)


@of_library()
def score(
    metric: str,
    predictions: Iterable[str] | polars.Series,
    references: Iterable[str | Iterable[str]] | polars.Series,
    **options: bool,
) -> polars.DataFrame:
    """Score predictions by a metric, as a run does.

    metric: its name, that of an installed package, or package.module. references: for each prediction, the texts of
    which the best one counts, or one text. options: those of the metric (rouge_geo: stem=True).

    Returns a row for each prediction: item (its place, from 0), value (0 to 100), a column for each component and flag
    of the metric, and parsed, what it read in the prediction (null if nothing). Raises UsageError for an unknown
    metric or option, and for predictions and references that do not pair; ValueError naming the item that cannot be
    scored; ModuleNotFoundError without polars.
    """
    from scrollwork.scoring.batches import outcomes
    from scrollwork.scoring.registry import stored_names

    own = chosen_metric(metric, options)
    rows: list[dict[str, Any]] = []
    flags: dict[str, None] = {}
    for item, outcome in outcomes(own, pairs(predictions, references), unscored):
        flags |= dict.fromkeys(outcome.flags)
        told = {"item": item, "value": outcome.value, "parsed": outcome.parsed}
        rows.append({**told, "numbers": outcome.stored, "flags": outcome.flags})
    numbers = stored_names(own)
    taken = {*FIXED, *numbers}
    columns: dict[str, list[Any]] = {"item": [row["item"] for row in rows], "value": [row["value"] for row in rows]}
    columns |= {column(name, FIXED, "component"): [row["numbers"].get(name) for row in rows] for name in numbers}
    columns |= {column(name, taken, "flag"): [row["flags"].get(name) for row in rows] for name in flags}
    columns["parsed"] = [row["parsed"] for row in rows]
    floats = dict.fromkeys(("value", *(column(name, FIXED, "component") for name in numbers)), polars.Float64)
    kinds: Mapping[str, Any] = {"item": polars.Int64, **floats, "parsed": polars.String}
    return polars.DataFrame(columns, schema_overrides=kinds)


def chosen_metric(name: str, options: Mapping[str, bool]) -> Metric:
    """Return a metric by its name. Raises UsageError for one that is unknown, or that needs judging models."""
    from scrollwork.pipeline.entry_points import METRICS
    from scrollwork.scoring.names import JUDGED, MODULES
    from scrollwork.scoring.registry import metric
    from scrollwork.suites.plugins import resolve_name

    if name in JUDGED:
        raise UsageError(f"metric {name!r} needs judging models: `scrollwork score --metric {name} --pairs FILE`")
    module = resolve_name(METRICS, name, MODULES, "score")
    try:
        return metric(module, **options)
    except ValueError as error:
        raise UsageError(str(error)) from error


def pairs(
    predictions: Iterable[str] | polars.Series, references: Iterable[str | Iterable[str]] | polars.Series
) -> Iterator[Item[int]]:
    """Yield (item, prediction, references) for each prediction.

    Raises UsageError if the two are not lists of the same length, or hold something else than texts.
    """
    texts, golds = listed("predictions", predictions), listed("references", references)
    if len(texts) != len(golds):
        raise UsageError(f"{len(texts):,} predictions and {len(golds):,} references: an item needs one of each")
    for item, (text, gold) in enumerate(zip(texts, golds, strict=True)):
        if not isinstance(text, str):
            raise UsageError(f"item {item}: the prediction must be text, not {type(text).__name__}")
        if not isinstance(gold, Iterable) or isinstance(gold, (bytes, Mapping)):
            raise UsageError(f"item {item}: references must be a text or a list of texts, not {type(gold).__name__}")
        yield item, text, {"references": [gold] if isinstance(gold, str) else list(gold)}


def listed(what: str, given: Any) -> list[Any]:
    """Return the items of a list, or of a column of polars or pandas. Raises UsageError for one text in its place."""
    if isinstance(given, (str, bytes)):
        raise UsageError(f"{what} must be a list with an entry for each item, not one text")
    return list(given.to_list() if hasattr(given, "to_list") else given)  # a column of lists as lists, not as columns


def unscored(item: int, error: Exception) -> ValueError:
    """Return the error for an item whose references cannot be scored."""
    return ValueError(f"item {item}: {error}")


def column(name: str, taken: Sequence[str] | set[str], kind: str) -> str:
    """Return the name of a metric's column, with its kind before it if another column has the name."""
    return f"{kind}_{name}" if name in taken else name
