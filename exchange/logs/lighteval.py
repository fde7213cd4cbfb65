"""Details of lighteval: a Parquet file for each task of a run, read with that run's results file where it is there.

Two layouts: `doc`, `metric`, `model_response` (0.9 and later, seen in 0.13); and that of 0.8 and earlier, with
`full_prompt`, `metrics`, `predictions`, ... at the top. Up to 0.7 each value there is text, as Python prints it:
"{'em': 1, 'f1': nan}" (seen in files that 0.6.2 and 0.8.1 wrote; 0.7.0 by its source).
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from scrollwork.analysis.logs.log import Log, LogError, ReadOptions, digest_of, log_error
from scrollwork.exchange.logs.columns import (
    CLUSTER_FIELDS,
    ID_FIELDS,
    ScoreRows,
    all_or_none,
    any_or_none,
    as_list,
    as_object,
    at_path,
    first_label,
    label_of,
    note_missing_ids,
    require_field,
    settings_text,
)
from scrollwork.exchange.logs.json_rows import files_below, members
from scrollwork.exchange.logs.tables.files import arrow_errors, is_parquet

TOOL = "lighteval"
NEW = {"doc", "metric", "model_response"}
OLD = {"full_prompt", "metrics", "predictions"}
MOST_PRINTED = 1 << 20  # characters of an object as Python prints it; parsed, it takes many times that
ROWS = 64  # decoded at once: each holds its prompt twice
FILE = re.compile(r"details_(?P<task>.+)_(?P<time>\d{4}-\d\d-\d\dT[\d.:-]+)\.parquet")
SHOTS = re.compile(r"(?P<task>.+?)\|(?P<shots>\d+)(?:\|\d+)?")
SHOTS_SETTING = "few-shot examples"
SETTINGS = ("generation_size", "num_samples", "stop_sequence", "hf_repo", "hf_subset", "evaluation_splits", "version")


def recognizes(path: Path) -> bool:
    """Return whether a file has the columns of lighteval's details, or a folder has such a file."""
    return any(layout_of(file) for file in parquet_files(path))


def parquet_files(path: Path) -> Iterator[Path]:
    """Yield the file if it is Parquet, or those below a folder."""
    yield from (file for file in files_below(path) if is_parquet(file))


def layout_of(path: Path) -> str:
    """Return "new" or "old" for details, "" for another file."""
    import pyarrow as pa
    from pyarrow import parquet as pq

    try:
        names = set(pq.read_schema(path).names)
    except (pa.ArrowException, OSError, UnicodeDecodeError):
        return ""
    return "new" if names >= NEW else "old" if names >= OLD else ""


def read(path: Path, options: ReadOptions) -> list[Log]:
    """Return a log for each task of each model. Of several runs of one task and model the newest is read.

    Raises LogError.
    """
    runs: dict[tuple[str, str], dict[str, list[tuple[str, Log]]]] = {}  # by model and task, then by few-shot examples
    errors: list[LogError] = []
    for file in parquet_files(path):
        if layout := layout_of(file):
            try:
                log = log_of(file, layout, options)
            except LogError as error:
                errors.append(error)
                continue
            shots = log.settings.get(SHOTS_SETTING, "")
            runs.setdefault((log.model, log.task), {}).setdefault(shots, []).append((time_of(file), log))
    if errors and not runs:
        raise errors[0]
    found = []
    for of_shots in runs.values():
        for shots, each in of_shots.items():
            (_, log), *older = sorted(each, key=lambda run: run[0], reverse=True)
            notes = [f"older run of the same task and model, not read: {other.source}" for _, other in older]
            notes += [f"not read: {error}" for error in errors]
            task = f"{log.task}|{shots}" if len(of_shots) > 1 else log.task
            found.append(replace(log, task=task, notes=[*log.notes, *notes]))
    return found


def time_of(file: Path) -> str:
    """Return the time of a run as its details' name has it, "" if the file was renamed."""
    match = FILE.fullmatch(file.name)
    return match["time"] if match else ""


def details_folder(file: Path) -> Path | None:
    """Return the folder `details` of a run's output, None for a file that was moved out of it."""
    return next((above for above in file.parents if above.name == "details"), None)


def model_of(file: Path) -> str:
    """Return the model that the folders name, details/MODEL/TIME, else the file's name."""
    top = details_folder(file)
    named = file.parent.parent.relative_to(top).as_posix() if top and top != file.parent else ""
    return named if named not in ("", ".") else file.stem


def log_of(file: Path, layout: str, options: ReadOptions) -> Log:
    """Return the log of one file of details."""
    config = results_of(file)
    ids, clusters, prompts, contents, positions = [], [], [], [], []
    truncated, names = [], set()
    scores = ScoreRows()
    for number, row in enumerate(rows_of(file), start=1):
        if isinstance(text := row.get("metrics"), str) and not object_of(text):
            raise log_error(file, f"row {number}, metrics", f"is no object: {text[:40]!r}")
        doc, metrics, prompt = parts_of(row) if layout == "new" else old_parts_of(row)
        specific, fields = as_object(doc.get("specific")), {**doc, "doc": doc}
        fields = {**specific, **fields}  # a name alone may be one of the task's own
        ids.append(
            label_of(at_path(fields, options.id_field)) if options.id_field else first_label(specific, ID_FIELDS)
        )
        clusters.append(
            label_of(at_path(fields, options.cluster_field))
            if options.cluster_field
            else first_label(specific, CLUSTER_FIELDS)
        )
        positions.append(label_of(doc.get("id")))
        prompts.append(digest_of(prompt) if prompt else "")
        contents.append(content_of(doc))
        truncated.append(bool(doc["truncated"]))
        names.add(str(doc.get("task_name") or ""))
        scores.add(metrics)
    if not len(scores):
        raise log_error(file, "", "has no rows")
    if len(names) > 1:
        raise log_error(file, "doc.task_name", f"there are several tasks: {', '.join(sorted(names))[:200]}")
    require_field(options.id_field, ids, file)
    require_field(options.cluster_field, clusters, file)
    match = FILE.fullmatch(file.name)
    named = names.pop() or (match["task"] if match else file.stem)
    shots = SHOTS.fullmatch(named)
    task = as_object(as_object(config.get("config_tasks")).get(named))
    lower, corpus = directions(task)
    found = scores.scores()
    notes = [*note_missing_ids(ids), *scores.notes()]
    for name in sorted(corpus & found.keys()):
        del found[name]
        notes.append(f"{name} is left out: it is computed over all items at once ({corpus_function(task, name)})")
    if not found:
        raise log_error(file, "metric", "there is no metric that has a value for an item")
    return Log(
        source=str(file),
        tool=TOOL,
        task=shots["task"] if shots else named,
        model=label_of(config.get("model")) or model_of(file),
        scores=found,
        ids=all_or_none(ids),
        positions=all_or_none(positions),
        contents=contents,
        prompts=any_or_none(prompts),
        clusters=any_or_none(clusters),
        failures=scores.failures(),
        lower_is_better=frozenset(lower & found.keys()),
        truncated=np.array(truncated, dtype=bool),
        settings=settings_of(config, task, shots["shots"] if shots else ""),
        notes=notes,
    )


def rows_of(file: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of details without lists of tokens and log-probabilities, a few in memory at a time."""
    from pyarrow import parquet as pq

    with arrow_errors(file, "Parquet"), pq.ParquetFile(file) as stream:
        wanted = ("doc", "metric", "model_response.truncated_tokens_count")
        old = ("full_prompt", "metrics", "specifics", "truncated", "example", "gold", "gold_index", "choices")
        names = set(stream.schema_arrow.names)
        columns = list(wanted) if names >= NEW else [name for name in old if name in names]
        for batch in stream.iter_batches(ROWS, columns=columns):
            yield from batch.to_pylist()


def parts_of(row: Mapping[str, Any]) -> tuple[dict[str, Any], Mapping[str, object], str]:
    """Return (doc, metrics, prompt) of a row. The prompt is the query, without few-shot examples and templates."""
    doc = dict(as_object(row.get("doc")))
    doc["truncated"] = truth_of(as_object(row.get("model_response")).get("truncated_tokens_count"))
    doc["specific"] = object_of(doc.get("specific"))
    return doc, as_object(row.get("metric")), label_of(doc.get("query"))


def old_parts_of(row: Mapping[str, Any]) -> tuple[dict[str, Any], Mapping[str, object], str]:
    """Return the same of a row of 0.8 and earlier, which has no position. Objects may be there as text."""
    doc = {
        "query": row.get("example") or row.get("full_prompt"),
        "choices": row.get("choices"),
        "gold_index": row.get("gold_index") if row.get("gold_index") is not None else row.get("gold"),
        "specific": object_of(row.get("specifics")),
        "truncated": truth_of(row.get("truncated")),
    }
    prompt = row.get("full_prompt")
    return doc, object_of(row.get("metrics")), prompt if isinstance(prompt, str) else json.dumps(prompt)


def truth_of(value: object) -> bool:
    """Return whether a count, or a list of them, is above zero. It may be there as text."""
    if isinstance(value, str):
        value = printed(value)
    return any(map(bool, value)) if isinstance(value, list) else bool(value)


def object_of(value: object) -> dict[str, Any]:
    """Return an object that may be there as text, of JSON or as Python prints it; {} for anything else."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            value = printed(str(value))
    return value if isinstance(value, dict) else {}


def printed(text: str) -> object:
    """Return the value that Python printed as this text: plain values, lists and objects; None for any other text."""
    if len(text) > MOST_PRINTED:
        return None
    try:
        return plain(ast.parse(text.strip(), mode="eval").body)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return None


def plain(node: ast.expr) -> Any:
    """Return a value without running anything. Raises ValueError for what is no plain value."""
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Dict(keys=keys, values=values):
            if any(not isinstance(key, ast.Constant) for key in keys):
                raise ValueError("a key is no plain value")
            return {str(plain(key)): plain(value) for key, value in zip(keys, values, strict=True) if key is not None}
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            return [plain(part) for part in parts]
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
            return -number
        case ast.UnaryOp(op=ast.USub(), operand=ast.Name(id="inf")):
            return float("-inf")
        case ast.Name(id="nan" | "inf" as name):
            return float(name)
    raise ValueError("no plain value")


def content_of(doc: Mapping[str, Any]) -> str:
    """Return the digest of an item's own fields: query, choices, gold, and what its task adds."""
    kept = {name: doc.get(name) for name in ("query", "choices", "gold_index", "specific")}
    return digest_of(json.dumps(kept, sort_keys=True, ensure_ascii=False, default=str))


def results_of(file: Path) -> dict[str, Any]:
    """Return model, tasks and parameters of a run's results file; {} where it is not beside the details.

    Details are at OUT/details/MODEL/TIME/, results at OUT/results/MODEL/results_TIME.json; MODEL may have folders.
    """
    top = details_folder(file)
    if top is None or top == file.parent:
        return {}
    place = top.parent / "results" / file.parent.parent.relative_to(top) / f"results_{time_of(file)}.json"
    if not place.is_file():
        return {}
    found = dict(members(place, [("config_general",), ("config_tasks",)]))
    general = as_object(found.get(("config_general",)))
    model = as_object(general.get("model_config"))
    return {
        "model": general.get("model_name") or model.get("model_name"),
        "config_tasks": found.get(("config_tasks",)),
        "generation": as_object(model.get("generation_parameters")),
        "system prompt": model.get("system_prompt"),
        "max_samples": general.get("max_samples"),
    }


def directions(task: Mapping[str, Any]) -> tuple[set[str], set[str]]:
    """Return (metrics whose low values are good, metrics that have no value for an item) of a task's configuration.

    Grouped metrics have lists or objects by name in each field.
    """
    lower, corpus = set(), set()
    for metric in map(as_object, as_list(task.get("metrics"))):
        names = metric.get("metric_name")
        for name in names if isinstance(names, list) else [names]:
            better = metric.get("higher_is_better")
            if (better.get(name) if isinstance(better, dict) else better) is False:
                lower.add(str(name))
            if corpus_function(task, str(name)) not in ("mean", ""):
                corpus.add(str(name))
    return lower, corpus


def corpus_function(task: Mapping[str, Any], name: str) -> str:
    """Return how a metric's values are combined, "" if it is not said."""
    for metric in map(as_object, as_list(task.get("metrics"))):
        names = metric.get("metric_name")
        if name == names or (isinstance(names, list) and name in names):
            function = metric.get("corpus_level_fn")
            return str(function.get(name, "") if isinstance(function, dict) else function or "")
    return ""


def settings_of(config: Mapping[str, Any], task: Mapping[str, Any], shots: str) -> dict[str, str]:
    """Return what two runs should share."""
    found: dict[str, Any] = {SHOTS_SETTING: shots, "system prompt": config.get("system prompt")}
    found |= as_object(config.get("generation"))
    found |= {name: task.get(name) for name in SETTINGS} | {"limit": config.get("max_samples")}
    return settings_text(found)
