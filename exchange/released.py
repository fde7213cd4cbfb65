"""Score prediction files of L-Eval and LongBench, which hold their own references. Nothing is stored."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from scrollwork.pipeline.errors import UsageError
from scrollwork.scoring.files.pairs import PairError, score_pairs
from scrollwork.scoring.files.released import NotScored, known_as, rows_of, task_of, way_of_file
from scrollwork.scoring.registry import metric
from scrollwork.storage.digest import sha256_file
from scrollwork.suites.outside_systems import folder_contents

RESULTS = "result.json"  # LongBench's eval.py writes it next to the predictions


def score_files(benchmark: str, place: str, name: str, tasks: Sequence[str], own: str) -> dict[str, Any]:
    """Score a file, or the files of a folder: {tasks: [...], averages, not_scored: [{file, why}], failed: [{file,
    error}]}.

    tasks: only these; for a single file, its task. own: a metric to use instead of the benchmark's, "" for none. Rows
    have task, model, metric, value and components (0 to 100), n, file, sha256. averages is empty: it would not be the
    benchmark's. Raises UsageError.
    """
    path = Path(place).expanduser()
    if own:
        try:
            metric(own)
        except ValueError as error:
            raise UsageError(str(error)) from error
    files, others = files_of(path)
    if not files:
        what = f"holds no .json or .jsonl, but {folder_contents(others)}" if others else "holds nothing that is read"
        raise UsageError(f"--predictions {place}: {what if path.is_dir() else 'there is no such file or folder'}")
    asked = {known_as(benchmark, task) for task in tasks}
    named = {task_of(benchmark, file.name) for file in files if file.name != RESULTS}
    if path.is_dir() and asked - named:
        lacking, there = (", ".join(sorted(names)) for names in (asked - named, named))
        raise UsageError(f"--predictions {place}: no file is of the task {lacking}; there are: {there}")
    if len(tasks) > 1 and path.is_file():
        raise UsageError("one file is of one task: name it once with --task")
    scored, not_scored, failed = [], [], []
    for file in files:
        if tasks and path.is_dir() and task_of(benchmark, file.name) not in asked:
            continue
        if path.is_dir() and file.name == RESULTS:
            not_scored.append({"file": str(file), "why": "scores that LongBench wrote, no predictions"})
            continue
        try:
            row = score_file(benchmark, file, next(iter(asked)) if tasks and path.is_file() else "", own)
        except NotScored as error:
            not_scored.append({"file": str(file), "why": str(error)})
        except (PairError, OSError) as error:
            failed.append({"file": str(file), "error": f"{file}, {error}"})
        else:
            scored.append({"suite": benchmark, "model": name or file.parent.name, **row})
    not_scored += [{"file": str(path / name), "why": "is no .json or .jsonl"} for name in others]
    return {"tasks": scored, "averages": {}, "not_scored": not_scored, "failed": failed}


def files_of(path: Path) -> tuple[list[Path], list[str]]:
    """(files to score, names of the others) of a file or folder; hidden files are ignored."""
    if not path.is_dir():
        return [path] if path.is_file() else [], []
    entries = sorted(entry for entry in path.iterdir() if not entry.name.startswith("."))
    files = [entry for entry in entries if entry.suffix.lower() in (".json", ".jsonl") and entry.is_file()]
    return files, [entry.name + "/" * entry.is_dir() for entry in entries if entry not in files]


def score_file(benchmark: str, file: Path, task: str, own: str) -> dict[str, Any]:
    """Score one file; returns its row. Raises NotScored, PairError."""
    with file.open("rb") as stream:
        rows = rows_of(benchmark, stream)
        first = next(rows, None)
        if first is None:
            raise PairError("there is no row")
        how = way_of_file(benchmark, file.name, task, own, first)
        rows = rows if own else of_one_kind(first, rows)
        result = score_pairs(metric(how.metric), chain([first], rows), first_line=how.first_line)
    kept = {name: result[name] for name in ("metric", "value", "components", "n")}
    return {"task": how.task, **kept, "file": str(file), "sha256": sha256_file(file)}


def of_one_kind(first: Mapping[str, Any], rows: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the rows after the first. Raises PairError if one has another "evaluation" than the first (L-Eval)."""
    for row in rows:
        if row.get("evaluation") != first.get("evaluation"):
            kinds = [repr(one.get("evaluation"))[:40] for one in (row, first)]
            raise PairError(f'line {row["id"]}: field "evaluation" is {kinds[0]}, that of line 1 {kinds[1]}')
        yield row
