"""Predictions of LongBench: MODEL/TASK.jsonl of version 1 and of LongBench-E, results of version 2, and TASK.json as
OpenCompass and MiniLongBench write them.

Version 2 brings its score (`judge`) and ids. The others have neither: scores are computed, and tasks without a metric
here (those in Chinese except lsht) are named.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from scrollwork.analysis.logs.log import Log, LogError, ReadOptions, digest_of, log_error
from scrollwork.exchange.logs.columns import (
    ScoreRows,
    all_or_none,
    any_or_none,
    as_object,
    at_path,
    label_of,
    left_out,
    note_missing_ids,
    require_field,
)
from scrollwork.exchange.logs.json_rows import Broken, entries, files_below, first_row, head_of, json_lines
from scrollwork.exchange.logs.predictions.scored import Answers, log_of, read_scored
from scrollwork.scoring.files.released import way_of_file

TOOL = "longbench"
FIRST = {"pred", "answers"}
SECOND = {"_id", "pred", "judge"}
ITEMS = {"prediction", "gold"}
EVEN = "_e"  # LongBench-E: other items of the same tasks
ENDINGS = (".jsonl", ".json")
OBJECT_OF_OBJECTS = re.compile(rb'\s*\{\s*"[^"]*"\s*:\s*\{')


def recognizes(path: Path) -> bool:
    """Return whether a file is of LongBench's predictions, or a folder has one."""
    return any(map(layout_of, prediction_files(path)))


def prediction_files(path: Path) -> Iterator[Path]:
    """Yield the file, or those below a folder that are named as JSON."""
    yield from (file for file in files_below(path) if file == path or file.suffix.lower() in ENDINGS)


def layout_of(file: Path) -> str:
    """Return "v1", "v2" or "items", "" for a file of something else."""
    head = head_of(file)
    if head.lstrip()[:1] != b"{":
        return ""
    row = first_row(file)
    if row.keys() >= SECOND:
        return "v2"
    if row.keys() >= FIRST:
        return "v1"
    if not OBJECT_OF_OBJECTS.match(head):  # decoding the first value may take long
        return ""
    try:
        _, item = next(entries(file), ("", None))
    except LogError:
        return ""
    return "items" if as_object(item).keys() >= ITEMS else ""


def read(path: Path, options: ReadOptions) -> list[Log]:
    """Return a log for each file: one model (its folder; version 2: its name) on one task. Raises LogError."""
    return read_scored(filter(layout_of, prediction_files(path)), lambda file: read_file(file, options))


def read_file(file: Path, options: ReadOptions) -> Log:
    """Return the log of one file. Raises LogError, and NotScored for a task without a metric."""
    layout = layout_of(file)
    if layout == "v2":
        return log_of_version_2(file, options)
    for flag, name in (("--id", options.id_field), ("--by", options.cluster_field)):
        if name:
            raise log_error(file, "", f"{flag} {name}: these predictions have no ids and no documents")
    how = way_of_file("longbench", file.name, "", "", {})
    task = how.task + EVEN * file.stem.lower().endswith(EVEN)
    answers = Answers()
    broken: list[str] = []
    for where, position, row in rows_of(file, layout):
        if isinstance(row, Broken):
            broken.append(f"{where} ({row.why})")
        elif layout == "v1":
            add(answers, position, row.get("pred"), row.get("answers"), row.get("all_classes"), "", row.get("length"))
        else:
            gold: Any = row.get("gold")
            classed = as_object(gold)  # {answers, all_classes}, where the task has classes
            prompt = row.get("origin_prompt") or ""
            text = prompt if isinstance(prompt, str) else json.dumps(prompt, sort_keys=True)
            gold = classed.get("answers") if classed else gold
            add(answers, position, row.get("prediction"), gold, classed.get("all_classes"), text, None)
    kind = "item" if layout == "items" else "line"
    notes = [left_out(broken, "being no whole JSON object", kind)] if broken else []
    return log_of(file, TOOL, task, how, answers, notes)


def rows_of(file: Path, layout: str) -> Iterator[tuple[str, str, dict[str, Any] | Broken]]:
    """Yield (place, position from 0, row) of a file."""
    if layout == "items":
        for key, item in entries(file):
            yield f"item {key}", key, item if isinstance(item, dict) else Broken("must be an object")
    else:
        for number, row in json_lines(file):
            yield f"line {number}", str(number - 1), row


def add(
    answers: Answers, position: str, answer: object, gold: object, classes: object, prompt: str, length: object
) -> None:
    """Add an answer. A lone reference is taken for a list of one."""
    answers.positions.append(position)
    answers.answers.append(answer)
    answers.gold.append({"references": [gold] if isinstance(gold, str) else gold, "options": classes})
    answers.contents.append(digest_of([json.dumps(gold, sort_keys=True), label_of(length), prompt]))
    answers.prompts.append(digest_of(prompt) if prompt else "")


def log_of_version_2(file: Path, options: ReadOptions) -> Log:
    """Return the log of a result file of version 2. An answer without a letter is judged false there, and counts 0."""
    scores = ScoreRows()
    rows: list[dict[str, Any]] = []
    broken: list[str] = []
    for number, row in json_lines(file):
        if isinstance(row, Broken):
            broken.append(f"line {number} ({row.why})")
            continue
        scores.add({"judge": row.get("judge")})
        rows.append({name: value for name, value in row.items() if name not in ("response", "context", "response_cot")})
    ids = [label_of(at_path(row, options.id_field or "_id")) for row in rows]
    clusters = [label_of(at_path(row, options.cluster_field)) if options.cluster_field else "" for row in rows]
    require_field(options.id_field, ids, file)
    require_field(options.cluster_field, clusters, file)
    notes = [left_out(broken, "being no whole JSON", "line")] if broken else []
    return Log(
        source=str(file),
        tool=TOOL,
        task="longbench_v2",
        model=file.stem,
        scores=scores.scores(),
        ids=all_or_none(ids),
        clusters=any_or_none(clusters),
        failures=scores.failures(),
        notes=[*notes, *note_missing_ids(ids), *scores.notes()],
    )
