"""Every Eval Ever: UUID_samples.jsonl, a row for each item and metric, read with the UUID.json of its aggregates.

Schemas 0.2 and 0.3. `is_correct` is not read: for scores between 0 and 1 it is a guess of the converter.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scrollwork.analysis.logs.log import Log, ReadOptions, digest_of, log_error
from scrollwork.exchange.logs.columns import (
    CLUSTER_FIELDS,
    ScoreRows,
    all_or_none,
    any_or_none,
    as_object,
    at_path,
    first_label,
    label_of,
    left_out,
    note_missing_ids,
    require_field,
    settings_text,
)
from scrollwork.exchange.logs.gather import read_each
from scrollwork.exchange.logs.json_rows import Broken, files_below, first_row, json_lines, members, raw_errors

TOOL = "every_eval_ever"
SIGNS = {"schema_version", "evaluation_name", "sample_id", "evaluation"}
VERSIONS = ("0.2.", "0.3.")
UNNAMED = "score"  # the metric of rows without `evaluation_result_id`: 0.2.1 had none, 0.3 does not require one
ENDING, AGGREGATE = "_samples.jsonl", ".json"
POSITION = re.compile(r"(?:id)?\d+")  # what converters number items with (lm-eval: 17, HELM: id17)
BYTES = 1 << 20
OURS = "document_sha256"  # the documents of an item, in scrollwork's own exports

Key = tuple[str, str, int]


@dataclass
class Item:
    """What the rows of one item say together; the rows themselves hold its prompt, and are not kept.

    id, cluster, content, prompt: "" where there is none. scores: by metric. error: of the model or the tool.
    """

    id: str
    cluster: str
    content: str
    prompt: str
    scores: dict[str, object] = field(default_factory=dict)
    error: str = ""


def recognizes(path: Path) -> bool:
    """Return whether a file is of samples, or is the aggregate file beside one, or a folder has one."""
    return any(first_row(file).keys() >= SIGNS for file in sample_files(path))


def sample_files(path: Path) -> Iterator[Path]:
    """Yield files that may be of samples: the one named, the one beside an aggregate file, or those below a folder."""
    if path.is_dir():
        yield from (file for file in files_below(path) if file.name.endswith(".jsonl"))
        return
    beside = path.with_name(path.name.removesuffix(AGGREGATE) + ENDING)
    yield beside if path.name.endswith(AGGREGATE) and beside.is_file() else path


def read(path: Path, options: ReadOptions) -> list[Log]:
    """Return a log for each file of samples: one model on one task, a metric for each `evaluation_result_id`.

    A metric without that id is called "score". Raises LogError.
    """
    files = (file for file in sample_files(path) if first_row(file).keys() >= SIGNS)
    return read_each(files, lambda file: logs_of(file, options))


def logs_of(file: Path, options: ReadOptions) -> list[Log]:
    """Return the logs of one file: one for each model and benchmark in it, usually one."""
    logs: dict[tuple[str, str], dict[Key, Item]] = {}
    broken: list[str] = []
    count = 0
    for number, row in json_lines(file):
        where = f"line {number}"
        if isinstance(row, Broken):
            broken.append(f"{where} ({row.why})")
            continue
        count += 1
        version = str(row.get("schema_version"))
        if not version.startswith(VERSIONS):
            known = " and ".join(f"{one}x" for one in VERSIONS)
            raise log_error(file, f"{where}, schema_version", f"{version[:40]!r} is not known: {known} are read")
        metric = UNNAMED if row.get("evaluation_result_id") is None else row["evaluation_result_id"]
        if not isinstance(metric, str) or not metric:
            raise log_error(file, f"{where}, evaluation_result_id", "must be a text, not empty: it names the metric")
        add(logs.setdefault((label_of(row.get("model_id")), benchmark_of(row)), {}), metric, row, options)
    about, notes = aggregates_of(file, count)
    if broken:
        notes.append(left_out(broken, "being no whole JSON", "line"))
    if not logs:
        raise log_error(file, "", "has no rows")
    return [log_of(file, model, task, items, about, notes, options) for (model, task), items in logs.items()]


def add(items: dict[Key, Item], metric: str, row: Mapping[str, Any], options: ReadOptions) -> None:
    """Add a row to the item it is of; a second row of one metric is another item with the same ids."""
    name, content = label_of(row.get("sample_id")), label_of(row.get("sample_hash"))
    again = 0
    while (item := items.get((name, content, again))) and metric in item.scores:
        again += 1
    if item is None:
        item = items[name, content, again] = item_of(row, content, options)
    item.scores[metric] = as_object(row.get("evaluation")).get("score")
    if row.get("error"):
        item.error = str(row["error"])


def item_of(row: Mapping[str, Any], content: str, options: ReadOptions) -> Item:
    """Return the item of a row, without scores."""
    cluster = (
        label_of(at_path(row, options.cluster_field))
        if options.cluster_field
        else first_label(as_object(row.get("metadata")), (*CLUSTER_FIELDS, OURS))
    )
    return Item(label_of(at_path(row, options.id_field or "sample_id")), cluster, content, prompt_of(row))


def benchmark_of(row: Mapping[str, Any]) -> str:
    """Return the task of a row: `evaluation_name` without the filter that converters of lm-eval append to it."""
    name = label_of(row.get("evaluation_name"))
    return name.removesuffix(f"/{label_of(as_object(row.get('metadata')).get('filter'))}")


def log_of(
    file: Path,
    model: str,
    task: str,
    items: Mapping[Key, Item],
    about: Mapping[str, Any],
    notes: list[str],
    options: ReadOptions,
) -> Log:
    """Return the log of one model and task. about: what the aggregate file says."""
    scores = ScoreRows()
    metrics = list(dict.fromkeys(metric for item in items.values() for metric in item.scores))
    for item in items.values():
        scores.add({metric: item.scores.get(metric) for metric in metrics}, item.error)
    names = [item.id for item in items.values()]
    clusters = [item.cluster for item in items.values()]
    require_field(options.id_field, names, file)
    require_field(options.cluster_field, clusters, file)
    placed = not options.id_field and all(POSITION.fullmatch(name) for name in names)
    return Log(
        source=str(file),
        tool=TOOL,
        task=task,
        model=label_of(about.get("model")) or model,
        scores=scores.scores(),
        ids=None if placed else all_or_none(names),
        positions=all_or_none(names) if placed else None,
        contents=all_or_none([item.content for item in items.values()]),
        prompts=any_or_none([item.prompt for item in items.values()]),
        clusters=any_or_none(clusters),
        failures=scores.failures(),
        lower_is_better=frozenset(
            name for name in metrics if (task if name == UNNAMED else name) in about.get("lower", ())
        ),
        settings=settings_text(as_object(about.get("settings"))),
        notes=[*notes, *note_missing_ids(names), *scores.notes()],
    )


def prompt_of(row: Mapping[str, Any]) -> str:
    """Return the digest of an item's input as the tool had it, "" for none."""
    raw = as_object(row.get("input")).get("raw")
    if isinstance(raw, str):
        return digest_of(raw)
    return digest_of(json.dumps(raw, sort_keys=True)) if raw else ""


def aggregates_of(file: Path, count: int) -> tuple[dict[str, Any], list[str]]:
    """Return (model, metrics whose low values are good, settings), and notes, of the aggregate file beside a file.

    count: rows that were read. Notes say whether that file promised others.
    """
    place = file.with_name(file.name.removesuffix(ENDING) + AGGREGATE)
    if place == file or not place.is_file():
        return {}, []
    wanted = [("model_info",), ("eval_library",), ("detailed_evaluation_results",)]
    about: dict[str, Any] = {"lower": [], "settings": {}}
    notes = []
    for (name, *_), value in members(place, wanted, [("evaluation_results",)]):
        said = as_object(value)
        if name == "model_info":
            about["model"] = said.get("id") or said.get("name")
        elif name == "eval_library":
            about["settings"]["evaluated with"] = f"{said.get('name')} {said.get('version')}"
        elif name == "detailed_evaluation_results":
            notes = promises(file, said, count)
        else:
            if as_object(said.get("metric_config")).get("lower_is_better") is True:
                about["lower"].append(label_of(said.get("evaluation_result_id") or said.get("evaluation_name")))
            generation = as_object(said.get("generation_config"))
            about["settings"] |= as_object(generation.get("generation_args"))
            about["settings"] |= as_object(generation.get("additional_details"))
    return about, notes


def promises(file: Path, said: Mapping[str, Any], count: int) -> list[str]:
    """Return sentences on what the aggregate file says of a file of samples and is not so: rows and SHA-256."""
    notes = []
    rows, checksum = said.get("total_rows"), said.get("checksum")
    if isinstance(rows, int) and rows != count:
        notes.append(f"{count} whole rows are there, its aggregate file counts {rows}")
    if said.get("hash_algorithm") == "sha256" and isinstance(checksum, str):
        digest = hashlib.sha256()
        with raw_errors(file), file.open("rb") as stream:
            while part := stream.read(BYTES):
                digest.update(part)
        if digest.hexdigest() != checksum.lower():
            notes.append("the file is not the one that its aggregate file describes: another SHA-256")
    return notes
